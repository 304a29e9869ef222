#include "app/lessons/result_page.h"

#include <algorithm>
#include <optional>

#include "app/io/files/unicode.h"
#include "app/lessons/curve_svg.h"
#include "app/lessons/html.h"
#include "app/lessons/result_code.h"
#include "app/lessons/result_sheet.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

constexpr const char* result_style =
    "body{font:11pt/1.4 sans-serif;color:#000;background:#fff;max-width:42em;margin:2em auto;padding:0 1em}"
    "h1{font-size:1.5em}h2{font-size:1.15em;margin:1.4em 0 .3em}p{margin:.4em 0}svg{width:100%;height:auto}"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.2em 1em;margin:.5em 0}dt{color:#555}dd{margin:0}"
    "section,figure{break-inside:avoid;margin:0}.code{font-family:monospace;font-size:1.2em}.small{font-size:.85em}";

Message points_text(int points, int max_points) { return {"{} of {} points", points, max_points}; }

// The answer as the student gave it, in the units of the scene.
Message answer_text(const LessonQuestion& question, const LessonSession::Answer& answer) {
  if (answer.choice >= 0) return answer.given;
  if (question.sketch) return "a sketch";
  if (question.is_task)
    return answer.found ? with_unit(format_number(answer.number * question.shown.factor, 4), question.shown.text)
                        : Message("the task");
  return with_unit(answer.given, question.shown.text);
}

std::string drawing(const LessonSketch& asked, const LessonSession::Answer& answer) {
  const double factor = asked.shown_x.factor;
  Curve curve;
  curve.label = "Your sketch";
  curve.x_label = asked.x_label;
  curve.y_label = asked.y_label;
  if (answer.curve) curve.points = answer.curve->points;
  std::vector<CurvePoint> sketch = answer.sketch;
  for (auto* points : {&curve.points, &sketch})
    for (CurvePoint& point : *points) point.x *= factor;
  // A sketch of which only the shape counts is scaled to the measurement.
  std::optional<CurveAxes> axes;
  if (!asked.free_height || !answer.curve) axes = {asked.x0 * factor, asked.x1 * factor, asked.y0, asked.y1};
  return "<figure>" + curve_as_svg(curve, sketch, axes) + "</figure>\n";
}

std::string question_section(const LessonSession& lesson, std::size_t k) {
  const LessonStep& step = lesson.lesson().steps[k];
  const LessonQuestion& question = *step.question;
  const LessonSession::Answer *first = lesson.first_try_of(k), *last = lesson.answer_of(k);
  std::string html = "<section>\n" + html_element("h2", Message("{}. {}", k + 1, Message(step.title))) +
                     html_paragraphs(question.text) + "<dl>\n";
  if (first) html += html_entry("First answer", answer_text(question, *first));
  if (last) html += html_entry(first ? "Second answer" : "First answer", answer_text(question, *last));
  if (!first && !last) html += html_entry("First answer", "no answer");
  const LessonSession::Answer* const decided = last ? last : first;
  if (last && last->found && question.is_number())
    html += html_entry("Measured",
                       with_unit(format_number(last->found->asked * question.shown.factor, 4), question.shown.text));
  html += html_entry("Points", points_text(last && last->found ? last->points : 0, max_points_of_answer)) + "</dl>\n";
  if (question.sketch && decided) html += drawing(*question.sketch, *decided);
  return html + "</section>\n";
}

}  // namespace

std::string result_page(const LessonSession& lesson, const std::string& student, const std::string& date,
                        const std::vector<Curve>& plots) {
  const std::string name = tidy_text(student), title = tr(lesson.lesson().title);
  std::string page = html_element("h1", Message::value(title)) + "<dl>\n";
  page += html_entry("Name", Message::value(name)) + html_entry("Date", Message::value(date)) +
          html_entry("Lesson", Message::value(lesson.lesson().path())) +
          html_entry("Points", points_text(lesson.points(), lesson.all_points()));
  if (const std::string code = result_code(result_sheet_of(lesson, name)); !code.empty())
    page += html_element("dt", "Code") + html_element("dd class=\"code\"", Message::value(code));
  page += "</dl>\n";
  for (std::size_t k = 0; k < lesson.lesson().steps.size(); ++k)
    if (lesson.lesson().steps[k].question) page += question_section(lesson, k);
  if (std::any_of(plots.begin(), plots.end(), [](const Curve& curve) { return !curve.points.empty(); })) {
    page += html_element("h2", "Plots when this page was made");
    for (const Curve& curve : plots)
      if (!curve.points.empty())
        page += "<figure>" + html_element("figcaption", curve.label) + curve_as_svg(curve) + "</figure>\n";
  }
  page +=
      html_element("p class=\"small\"", "Anyone can edit this page. Page and code are no protection against cheating.");
  return html_page(title + " \u2013 " + name, result_style, page);
}

}  // namespace perturb
