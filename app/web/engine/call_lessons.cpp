// Calls of lessons: the open step, its question and the answers.
#include <algorithm>
#include <memory>
#include <utility>

#include "app/i18n/language.h"
#include "app/io/files/date.h"
#include "app/io/preset/scenes.h"
#include "app/kernels/kernel_numbers.h"
#include "app/lessons/lesson_library.h"
#include "app/lessons/result_code.h"
#include "app/lessons/result_page.h"
#include "app/lessons/result_sheet.h"
#include "app/lessons/teacher_sheet.h"
#include "app/run/display_units.h"
#include "app/web/engine/calls.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

std::vector<CurvePoint> points_from(const WebJson& json) {
  std::vector<CurvePoint> points;
  for (const WebJson& one : json) points.push_back({one.at(0).get<double>(), one.at(1).get<double>()});
  return points;
}

}  // namespace

void restore_answers(LessonSession& lesson, const WebJson& answers) {
  const std::vector<LessonStep>& steps = lesson.lesson().steps;
  for (const WebJson& one : answers) {
    try {
      const auto step = static_cast<std::size_t>(int_in(one, "step", 0, static_cast<std::int64_t>(steps.size()) - 1));
      if (!steps[step].question || steps[step].question->text != text_in(one, "question")) continue;
      LessonSession::Answer answer;
      answer.given = text_in(one, "given", "");
      answer.choice = static_cast<int>(int_in(one, "choice", -1, 1000, -1));
      if (const WebJson* sketch = find_in(one, "sketch")) answer.sketch = points_from(*sketch);
      if (const WebJson* curve = find_in(one, "curve")) answer.curve.emplace().points = points_from(*curve);
      if (find_in(one, "found")) {
        FoundNumbers& found = answer.found.emplace();
        found.asked = number_in(one, "found");
        if (find_in(one, "theory")) found.theory = number_in(one, "theory");
        found.right_choice = static_cast<int>(int_in(one, "right_choice", -1, 1000, -1));
      }
      answer.mistake = static_cast<int>(int_in(one, "mistake", -1, 1000, -1));
      lesson.restore(step, std::move(answer));
    } catch (const InputError&) {
      continue;
    } catch (const WebJson::exception&) {
      continue;
    }
  }
}

std::shared_ptr<const Lesson> lesson_called(const std::string& path) {
  if (path.ends_with(".toml")) throw InputError("Cannot open the file \"{}\" from a link. Name a lesson.", path);
  return load_lesson(path);
}

namespace {

WebJson json_of_ids(const std::optional<std::vector<std::string>>& ids) { return ids ? WebJson(*ids) : WebJson(); }

WebJson json_of_question(const LessonQuestion& question, const RunStatus& run) {
  WebJson json = {{"kind", question.sketch            ? "sketch"
                           : question.choices.empty() ? "number"
                                                      : "choice"},
                  {"text", question.text},
                  {"unit", question.shown.text},
                  {"is_measured", !question.measured.empty()}};
  json["choices"] = WebJson::array();
  json["missing"] = WebJson::array();  // for each choice: why its kernel is not available; empty: it is
  for (const LessonChoice& choice : question.choices) {
    json["choices"].push_back(choice.text);
    Message missing;
    for (const KernelVariant& kernel : run.info->kernels)
      if (kernel.id == choice.kernel) missing = missing_kernel_reason(*run.backend, kernel);
    json["missing"].push_back(json_of(missing));
  }
  if (const auto& sketch = question.sketch) {
    const double factor = sketch->shown_x.factor;
    json["sketch"] = {{"curve", sketch->curve},        {"x", {sketch->x0 * factor, sketch->x1 * factor}},
                      {"y", {sketch->y0, sketch->y1}}, {"x_label", sketch->x_label},
                      {"y_label", sketch->y_label},    {"free_height", sketch->free_height}};
  }
  return json;
}

// The time of each kernel, or why it has none.
WebJson json_of_kernels(const RunStatus& run) {
  WebJson json = WebJson::array();
  for (std::size_t k = 0; k < run.kernels.size(); ++k) {
    const KernelVariant& kernel = run.info->kernels[k];
    const std::optional<KernelTiming>& timing = run.kernels[k].timing;
    json.push_back({{"title", kernel.title},
                    {"seconds", timing ? WebJson(timing->seconds_per_step) : WebJson()},
                    {"missing", json_of(missing_kernel_reason(*run.backend, kernel))}});
  }
  return json;
}

// The pad of a sketch has the scene's units.
std::vector<CurvePoint> scaled_across(std::vector<CurvePoint> points, double factor) {
  for (CurvePoint& point : points) point.x *= factor;
  return points;
}

WebJson json_of_answer(const LessonSession& lesson) {
  const LessonSession::Answer* answer = lesson.answer();
  if (!answer) return nullptr;
  const LessonQuestion& question = *lesson.step().question;
  WebJson json = {{"given", answer->given}, {"choice", answer->choice}, {"waits", lesson.is_pending()}};
  if (!answer->found) return json;
  const FoundNumbers& found = *answer->found;
  const double factor = question.shown.factor;
  json["found"] = found.asked * factor;
  json["theory"] = found.theory ? WebJson(*found.theory * factor) : WebJson();
  json["agrees"] = agrees_with_theory(question, found);
  json["right_choice"] = found.right_choice;
  json["points"] = answer->points;
  json["most_points"] = max_points_of_answer;
  json["words"] = question.reveal;
  json["explanation"] = lesson.explanation();
  if (question.sketch) {
    const double across = question.sketch->shown_x.factor;
    json["sketch"] = json_of_points(scaled_across(answer->sketch, across));
    if (answer->curve) json["curve"] = json_of_points(scaled_across(answer->curve->points, across));
  }
  return json;
}

// The wrong first answer, with its explanation and the hint; its numbers stay hidden. Null: there is none.
WebJson json_of_first_try(const LessonSession& lesson) {
  const LessonSession::Answer* first = lesson.first_try();
  if (!first) return nullptr;
  const auto& sketch = lesson.step().question->sketch;
  const double sketch_factor = sketch ? sketch->shown_x.factor : 1;
  return {{"given", first->given},
          {"choice", first->choice},
          {"explanation", lesson.explanation()},
          {"hint", lesson.hint()},
          {"sketch", json_of_points(scaled_across(first->sketch, sketch_factor))},
          {"awaits_second", lesson.awaits_second_try()}};
}

// The answers as the page stores them and call_lesson_open restores them. A wrong first try comes before the second.
WebJson json_of_answers(const LessonSession& lesson) {
  WebJson json = WebJson::array();
  for (std::size_t k = 0; k < lesson.lesson().steps.size(); ++k)
    for (const LessonSession::Answer* answer : {lesson.first_try_of(k), lesson.answer_of(k)}) {
      if (!answer) continue;
      const LessonQuestion& question = *lesson.lesson().steps[k].question;
      WebJson one = {{"step", k}, {"question", question.text}, {"given", answer->given}, {"choice", answer->choice}};
      if (question.sketch) one["sketch"] = json_of_points(answer->sketch);
      if (answer->curve) one["curve"] = json_of_points(answer->curve->points);
      if (answer->mistake >= 0) one["mistake"] = answer->mistake;
      if (answer->found) {
        one["found"] = answer->found->asked;
        if (answer->found->theory) one["theory"] = *answer->found->theory;
        one["right_choice"] = answer->found->right_choice;
      }
      json.push_back(std::move(one));
    }
  return json;
}

LessonSession& lesson_of(std::optional<LessonSession>& lesson) {
  if (!lesson) throw InputError("No lesson is open. Open one first.");
  return *lesson;
}

// `continues`: stays in the open scene and applies the step's changes; otherwise opens the step's own scene.
WebJson go_to_step(WebRun& web, std::size_t index, bool continues) {
  LessonSession& lesson = lesson_of(web.lesson);
  const LessonStep& step = lesson.lesson().steps[index];
  if (step.measures_kernels && web.role != Role::owner)
    throw InputError("This step measures kernels, which a shared run does not do. Open the lesson in your own page.");
  if (continues) {
    web.run_job(job::SetParameters{step.changes});
    if (step.changes_view) web.run_job(ViewChange{step.scene.view, step.scene.camera});
  } else {
    Start start;
    start.scene = step.scene;
    web.shared.begin(std::move(start), "");
  }
  lesson.go_to(index);
  lesson.begin_step(web.status()->steps);
  web.lesson_measures_kernels = step.measures_kernels;
  WebJson json = call_lesson_update(web, WebJson::object());
  json["status"] = status_of_run(web);
  return json;
}

}  // namespace

// Same rule as in the window: the next step of the same scene continues the run, every other step opens its own scene.
WebJson call_lesson_step(WebRun& web, const WebJson& args) {
  const LessonSession& lesson = lesson_of(web.lesson);
  const auto last = static_cast<std::int64_t>(lesson.lesson().steps.size()) - 1;
  const auto index = static_cast<std::size_t>(int_in(args, "index", 0, last));
  return go_to_step(web, index, index == lesson.index() + 1 && !lesson.lesson().steps[index].begins_scene);
}

WebJson call_lesson_open(WebRun& web, const WebJson& args) {
  const std::string path = text_in(args, "path");
  LessonSession lesson(lesson_called(path));
  if (lesson.lesson().needs_window())
    throw InputError("The lesson \"{}\" uses what only the desktop program has. Open it there.", path);
  if (web.role != Role::owner) lesson.lead_class();
  if (const WebJson* answers = find_in(args, "answers")) restore_answers(lesson, *answers);
  // A lesson may have fewer steps now than it had when the answers were stored.
  const auto last = static_cast<std::int64_t>(lesson.lesson().steps.size()) - 1;
  const std::int64_t index = std::min(last, int_in(args, "index", 0, 1000000, 0));
  auto before = std::exchange(web.lesson, std::move(lesson));
  try {
    return go_to_step(web, static_cast<std::size_t>(index), false);
  } catch (...) {
    web.lesson = std::move(before);
    throw;
  }
}

WebJson call_lesson_answer(WebRun& web, const WebJson& args) {
  LessonSession& lesson = lesson_of(web.lesson);
  const auto& question = lesson.step().question;
  if (!question) throw InputError("This step has no question. Continue with the next one.");
  // The step that the page shows: meanwhile a teacher may have gone on, or have shown what is right.
  if (find_in(args, "index") && int_in(args, "index", 0, 1000000) != static_cast<std::int64_t>(lesson.index()))
    throw InputError("The teacher has gone to another step. Answer the question that is open now.");
  if (!web.leads() && lesson.results_are_shown())
    throw InputError("The results of this step have been shown. Wait for the next question.");
  if (find_in(args, "choice")) {
    if (question->choices.empty()) throw InputError("This question has no choices. Answer with a number or a sketch.");
    const auto last = static_cast<std::int64_t>(question->choices.size()) - 1;
    const auto choice = static_cast<std::size_t>(int_in(args, "choice", 0, last));
    if (const std::string& kernel = question->choices[choice].kernel; !kernel.empty()) {
      if (!web.leads()) throw InputError("This answer chooses a kernel for all. Only the teacher can give it.");
      web.run_job(ChooseKernel{kernel});
    }
    lesson.submit_choice(choice);
  } else if (const WebJson* sketch = find_in(args, "sketch")) {
    if (!question->sketch) throw InputError("This question needs no sketch. Choose an answer or type a number.");
    lesson.submit_sketch(scaled_across(points_from(*sketch), 1 / question->sketch->shown_x.factor));
  } else {
    if (question->sketch || !question->choices.empty())
      throw InputError("This question needs no number. Choose an answer or draw a sketch.");
    const WebJson& number = require_in(args, "number");
    lesson.submit_number(number.is_string() ? number.get<std::string>() : number.dump());
  }
  job::ReadDiagnostics job;
  job.view = web.shared.resolved_view();
  job.wait = true;
  const JobResult result = web.run_job(std::move(job));
  update_lesson(web, result.diagnostics);
  return call_lesson_update(web, args);
}

void update_lesson(WebRun& web, const Diagnostics& diagnostics) {
  if (!web.lesson) return;
  // In parts of a few hundredths of a second, after the student has predicted the times.
  if (web.lesson_measures_kernels && web.lesson->is_pending())
    web.lesson_measures_kernels = !web.run_job(job::Measure{}).kernels.complete;
  if (!web.lesson_measures_kernels) web.lesson->update(*web.status(), diagnostics);
}

WebJson call_lesson_update(WebRun& web, const WebJson&) {
  const LessonSession& run = lesson_of(web.lesson);
  const Lesson& lesson = run.lesson();
  const LessonStep& step = run.step();
  WebJson titles = WebJson::array();
  for (const LessonStep& one : lesson.steps) titles.push_back(one.title);
  WebJson results = WebJson::array();  // points by step; null: none yet
  for (std::size_t k = 0; k < lesson.steps.size(); ++k) {
    const std::optional<int> points = run.points_of(k);
    results.push_back(points ? WebJson(*points) : WebJson());
  }
  WebJson json = {{"lesson",
                   {{"path", lesson.path()},
                    {"title", lesson.title},
                    {"summary", lesson.summary},
                    {"learned", lesson.learned},
                    {"steps", titles},
                    {"look", lesson.theme}}},
                  {"index", run.index()},
                  {"step",
                   {{"title", step.title},
                    {"paragraphs", paragraphs_of(step.text)},
                    {"unlocked", json_of_ids(step.unlocked)},
                    {"tools", json_of_ids(step.tools)},
                    {"tool", step.tool},
                    {"about_start", step.is_about_start()},
                    {"kernels", step.measures_kernels ? json_of_kernels(*web.status()) : WebJson()},
                    {"question", step.question ? json_of_question(*step.question, *web.status()) : WebJson()}}},
                  {"answer", step.question ? json_of_answer(run) : WebJson()},
                  {"first_try", json_of_first_try(run)}};
  if (run.is_of_class()) json["class"] = {{"shown", run.results_are_shown()}};
  json["points_to_gain"] = run.points_to_gain();
  std::shared_ptr<const Lesson> next = next_lesson(all_lessons(), lesson);
  while (next && next->needs_window()) next = next_lesson(all_lessons(), *next);
  json["next"] = next ? WebJson{{"path", next->path()}, {"title", next->title}} : WebJson();
  json["stop_reason"] = json_of(run.error());
  json["results"] = results;
  json["points"] = run.points();
  json["all_points"] = run.all_points();
  json["progress"] = run.progress(web.status()->steps);
  json["done"] = run.is_done();
  json["code"] = run.is_done() ? result_code(result_sheet_of(run, "")) : "";
  json["kept"] = {{"path", lesson.path()}, {"index", run.index()}, {"answers", json_of_answers(run)}};
  return json;
}

WebJson call_lesson_sheet(WebRun& web, const WebJson& args) {
  const LessonSession& lesson = lesson_of(web.lesson);
  const std::string student = text_in(args, "student");
  require_student(student);
  job::ReadDiagnostics job;
  job.view = web.shared.resolved_view();
  job.wait = true;
  const JobResult result = web.run_job(std::move(job));
  std::vector<Curve> plots;
  for (const Curve& curve : result.diagnostics.curves)
    plots.push_back(in_display_units(web.display_units(true), web.experiment().info(), curve));
  use_language(text_in(args, "language"));
  const ResultSheet sheet = result_sheet_of(lesson, student);
  return {{"stem", result_sheet_stem(sheet)},
          {"table", result_sheet_as_csv(sheet)},
          {"page", result_page(lesson, student, today(), plots)}};
}

WebJson call_teacher_sheet(WebRun&, const WebJson& args) {
  use_language(text_in(args, "language"));
  LessonLink link{text_in(args, "link"), {}};
  for (const WebJson& row : require_in(args, "qr")) link.qr.push_back(row.get<std::string>());
  return {{"page", teacher_sheet(*lesson_called(text_in(args, "path")), link)}};
}

WebJson call_lesson_close(WebRun& web, const WebJson&) {
  web.lesson.reset();
  return WebJson::object();
}

}  // namespace perturb
