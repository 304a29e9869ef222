#include "app/serve/class_answers.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "app/web/engine/request.h"

namespace perturb {

namespace {

using Json = nlohmann::ordered_json;

Json json_of_points(const std::vector<CurvePoint>& points, double across) {
  Json json = Json::array();
  for (const CurvePoint& point : points) json.push_back({point.x * across, point.y});
  return json;
}

}  // namespace

Json json_of_class(const LessonSession& leader, const std::vector<const LessonSession*>& pupils) {
  const bool shown = leader.results_are_shown();
  const auto& question = leader.step().question;
  std::vector<const LessonSession::Answer*> answers;
  for (const LessonSession* pupil : pupils) {
    const LessonSession::Answer* answer = pupil->answer_of(leader.index());
    // A pupil alone has a second try.
    if (!answer) answer = pupil->first_try_of(leader.index());
    if (answer) answers.push_back(answer);
  }
  Json json = {{"step", leader.index()}, {"people", pupils.size()}, {"given", answers.size()}, {"shown", shown}};
  if (shown && question) json["words"] = question->reveal;
  if (shown && question && !leader.error().empty()) json["reason"] = json_of(leader.error());
  const FoundNumbers* measured = shown ? leader.measured() : nullptr;
  for (const LessonSession::Answer* answer : answers)
    if (shown && !measured && answer->found) measured = &*answer->found;
  if (!question) {
    json["kind"] = "";
  } else if (question->sketch) {
    const double across = question->sketch->shown_x.factor;
    json["kind"] = "sketch";
    json["sketches"] = Json::array();
    for (const LessonSession::Answer* answer : answers)
      json["sketches"].push_back(json_of_points(answer->sketch, across));
    const Curve* curve = shown ? leader.measured_curve() : nullptr;
    for (const LessonSession::Answer* answer : answers)
      if (shown && !curve && answer->curve) curve = &*answer->curve;
    if (curve) json["curve"] = json_of_points(curve->points, across);
  } else if (!question->choices.empty()) {
    json["kind"] = "choice";
    std::vector<int> counts(question->choices.size());
    for (const LessonSession::Answer* answer : answers)
      if (answer->choice >= 0) ++counts[static_cast<std::size_t>(answer->choice)];
    json["counts"] = counts;
    if (measured) json["right"] = measured->right_choice;
  } else {
    const double factor = question->shown.factor;
    json["kind"] = "number";
    json["unit"] = question->shown.text;
    std::sort(answers.begin(), answers.end(), [](const auto* a, const auto* b) { return a->number < b->number; });
    json["numbers"] = Json::array();
    for (const LessonSession::Answer* answer : answers)
      json["numbers"].push_back({{"text", answer->given},
                                 {"value", answer->number * factor},
                                 {"points", answer->found ? Json(answer->points) : Json()}});
    if (measured) json["found"] = measured->asked * factor;
    if (measured && measured->theory) json["theory"] = *measured->theory * factor;
  }
  return json;
}

Json json_of_results(const Lesson& lesson, const std::vector<ResultSheet>& sheets) {
  std::string name = "results-" + lesson.path() + ".csv";
  std::replace(name.begin(), name.end(), '/', '-');
  return {{"file", name}, {"text", result_sheets_as_csv(sheets)}};
}

}  // namespace perturb
