#include "app/lessons/teacher_sheet.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/lessons/html.h"
#include "app/lessons/lesson_answers.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

constexpr const char* teacher_style =
    "body{font:10.5pt/1.4 sans-serif;color:#000;background:#fff;max-width:46em;margin:2em auto;padding:0 1em}"
    "h1{font-size:1.5em;margin-bottom:.2em}h2{font-size:1.15em;margin:1.6em 0 .3em;border-top:1px solid #999;"
    "padding-top:.6em}h3{font-size:1em;margin:.8em 0 .2em}p,ol,ul{margin:.3em 0}ol,ul{padding-left:1.6em}"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.2em 1em;margin:.5em 0}dl.wrong{grid-template-columns:"
    "minmax(6em,14em) 1fr}dt{color:#555}dd{margin:0}.text{border-left:3px solid #ccc;padding-left:.8em}"
    ".right{font-weight:600}section{break-inside:avoid-page}svg{width:32mm;float:right;margin:0 0 1em 1em}";

// Dark on light, with the margin that cameras need.
std::string qr_code(const std::vector<std::string>& rows) {
  if (rows.empty()) return "";
  constexpr int quiet_modules = 4;
  std::string path;
  for (std::size_t y = 0; y < rows.size(); ++y)
    for (std::size_t x = 0; x < rows[y].size(); ++x)
      if (rows[y][x] == '1') path += "M" + std::to_string(x) + " " + std::to_string(y) + "h1v1h-1z";
  const std::string from = std::to_string(-quiet_modules), size = std::to_string(rows.size() + 2 * quiet_modules);
  return "<svg viewBox=\"" + from + " " + from + " " + size + " " + size + "\" role=\"img\" aria-label=\"" +
         escape_for_html(tr("QR code of the link")) + "\"><path d=\"" + path + "\"/></svg>\n";
}

Message in_unit(double value, const DisplayUnit& unit) {
  return with_unit(format_number(value * unit.factor, 4), unit.text);
}

Message list_of(const std::vector<std::string>& labels) {
  Message all;
  for (const std::string& label : labels) all = all.empty() ? Message(label) : Message("{}, {}", all, Message(label));
  return all;
}

// The value of a formula in the unit of the question; none if only a run knows it.
std::optional<Message> value_before_run(const std::string& formula, const LessonStep& step) {
  try {
    const double value = value_of_formula(formula, numbers_of_scene(step.scene));
    if (std::isfinite(value)) return in_unit(value, step.question->shown);
  } catch (const InputError&) {
    // names a measured number
  }
  return {};
}

Message parameter_text(const Parameter& parameter, const LessonStep& step, double value) {
  const DisplayUnit unit = display_unit(step.scene.units, parameter.unit, parameter.id);
  const Message shown = parameter.kind == ValueKind::choice
                            ? Message(parameter.choices.at(static_cast<std::size_t>(value)).label)
                        : parameter.kind == ValueKind::boolean ? Message(value != 0 ? "on" : "off")
                                                               : in_unit(value, unit);
  return {"{} = {}", Message(parameter.label), shown};
}

// The step's scene, and what students may change in it.
std::string setting(const LessonStep& step) {
  const SimulationInfo& info = find_simulation(step.scene.setup.simulation);
  std::string entries;
  if (step.begins_scene) entries += html_entry("Scene", step.scene.title);
  Message changes;
  std::vector<std::string> sliders, tools;
  for (const Parameter& parameter : info.parameters) {
    for (const ParameterChange& change : step.changes)
      if (change.id == parameter.id) {
        const Message text = parameter_text(parameter, step, change.value);
        changes = changes.empty() ? text : Message("{}, {}", changes, text);
      }
    if (step.unlocked && std::count(step.unlocked->begin(), step.unlocked->end(), parameter.id) > 0)
      sliders.push_back(parameter.label);
  }
  if (!changes.empty()) entries += html_entry("Changed", changes);
  for (const Tool& tool : info.tools)
    if (step.tools && std::count(step.tools->begin(), step.tools->end(), tool.id) > 0) tools.push_back(tool.label);
  if (!tools.empty()) entries += html_entry("Tools", list_of(tools));
  if (!sliders.empty()) entries += html_entry("Sliders", list_of(sliders));
  if (!step.unlocked && !step.tools) entries += html_entry("Free", "all tools and parameters");
  if (step.measures_kernels) entries += html_entry("Measures", "the times of the kernels on this machine");
  if (step.question && step.steps > 0)
    entries += html_entry("Measured", {"after {} steps of the run", std::to_string(step.steps)});
  return entries.empty() ? "" : "<dl>\n" + entries + "</dl>\n";
}

std::string answer_kind(const LessonQuestion& question) {
  const auto percent = [](double share) { return format_number(100 * share, 3); };
  if (question.is_task) return html_element("p", "Answer: a change of the run, then \"Check the task\".");
  if (question.sketch) return html_element("p", "Answer: a curve drawn from left to right.");
  if (!question.choices.empty()) {
    std::string list = "<ol type=\"A\">\n";
    for (const LessonChoice& choice : question.choices) list += html_element("li", choice.text);
    return list + "</ol>\n";
  }
  const Message points("2 points within {} %, 1 point within {} %", percent(question.tolerance),
                       percent(3 * question.tolerance));
  return html_element("p", question.shown.text.empty() ? Message("Answer: a number or a formula ({}).", points)
                                                       : Message("Answer: a number or a formula, in {} ({}).",
                                                                 Message(question.shown.text), points));
}

std::string question_part(const LessonStep& step) {
  const LessonQuestion& question = *step.question;
  std::string html = html_element("h3", "Question") + html_paragraphs(question.text) + answer_kind(question) +
                     html_element("h3", "Right answer");
  // The right choice alone has nothing to explain, unless the machine decides which one is right.
  const auto right = std::find_if(question.choices.begin(), question.choices.end(),
                                  [](const LessonChoice& choice) { return choice.explanation.empty(); });
  if (right != question.choices.end())
    html += html_element("p class=\"right\"", right->text);
  else if (step.measures_kernels && question.theory.empty())
    html += html_element("p class=\"right\"", "It depends on the machine: the lesson measures it.");
  else if (const auto number = value_before_run(question.theory, step); number && !question.is_task)
    html += html_element("p class=\"right\"", *number);
  html += html_paragraphs(question.reveal);
  std::string wrong;
  for (const LessonChoice& choice : question.choices)
    if (!choice.explanation.empty()) wrong += html_entry(choice.text, choice.explanation);
  for (const LessonMistake& mistake : question.mistakes)
    wrong += html_entry(value_before_run(mistake.value, step).value_or("see below"), mistake.text);
  if (!wrong.empty())
    html += html_element("h3", "Typical wrong answers, and what students then read") + "<dl class=\"wrong\">\n" +
            wrong + "</dl>\n";
  if (!question.misconception.empty())
    html += html_element("h3", "What wrong answers reveal") + html_paragraphs(question.misconception);
  if (!question.hint.empty()) html += html_element("h3", "Hint before the second try") + html_paragraphs(question.hint);
  return html;
}

std::string link_entries(const Lesson& lesson, const LessonLink& link) {
  std::string entries = html_entry("Command", Message::value("perturb lesson " + lesson.path()));
  if (lesson.needs_window()) return entries;
  if (link.address.empty())
    return entries + html_entry("Web page", {"the address of the page, followed by {}", "#l=" + lesson.path()});
  const std::string address = escape_for_html(link.address);
  return entries + html_element("dt", "Web page") + "<dd><a href=\"" + address + "\">" + address + "</a></dd>\n";
}

}  // namespace

std::string teacher_sheet(const Lesson& lesson, const LessonLink& link) {
  std::string page = qr_code(link.qr) + html_element("h1", lesson.title) + html_paragraphs(lesson.summary) + "<dl>\n";
  if (!lesson.aim.empty()) page += html_entry("Aim", lesson.aim);
  if (lesson.minutes > 0) page += html_entry("Time", {"{} minutes", std::to_string(lesson.minutes)});
  if (!lesson.prior.empty()) page += html_entry("Prior knowledge", lesson.prior);
  page += link_entries(lesson, link) + "</dl>\n" + html_element("h2", "What to do") + "<ol>\n";
  for (const char* line :
       {"Open the lesson[[ (F2 lists all lessons)|| (the gallery lists all lessons)||=]].",
        "Read the step, predict the answer, and give it. The run waits for the prediction.",
        "Watch the run until the number is measured. A wrong answer is explained, with a hint and a second try for "
        "half the points.",
        "Compare the answer with measurement and theory, then go on with \"Next\".",
        "After the last step, save the result sheet. \"perturb results FOLDER\" makes the table of the class."})
    page += html_element("li", line);
  page += "</ol>\n";
  for (std::size_t k = 0; k < lesson.steps.size(); ++k) {
    const LessonStep& step = lesson.steps[k];
    page += "<section>\n" + html_element("h2", {"{}. {}", k + 1, Message(step.title)}) + setting(step) +
            "<div class=\"text\">\n" + html_paragraphs(step.text) + "</div>\n" +
            (step.question ? question_part(step) : "") + "</section>\n";
  }
  if (!lesson.learned.empty())
    page += html_element("h2", "What students know at the end") + html_paragraphs(lesson.learned);
  return html_page(tr(lesson.title), teacher_style, page);
}

std::string teacher_sheet_stem(const Lesson& lesson) { return "sheet-" + lesson.simulation + "-" + lesson.id; }

}  // namespace perturb
