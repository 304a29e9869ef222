#include "app/lessons/lesson_session.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/io/files/printable.h"
#include "app/lessons/lesson_answers.h"
#include "cuda/core/backend/check.h"

namespace perturb {

void LessonSession::go_to(std::size_t index) {
  index_ = std::min(index, lesson_->steps.size() - 1);
  begun_at_.reset();
  error_ = {};
}

void LessonSession::submit(Answer answer) {
  if (!step().question || (this->answer() && this->answer()->found)) return;
  answers_[index_] = std::move(answer);
  error_ = {};
}

void LessonSession::submit_number(const std::string& text) {
  Answer answer;
  answer.given = text;
  answer.number = parse_answer(text);
  submit(std::move(answer));
}

void LessonSession::submit_choice(std::size_t choice) {
  if (!step().question || choice >= step().question->choices.size()) return;
  Answer answer;
  answer.given = step().question->choices[choice].text;
  answer.choice = static_cast<int>(choice);
  submit(std::move(answer));
}

void LessonSession::submit_sketch(std::vector<CurvePoint> sketch) {
  if (!step().question || !step().question->sketch) return;
  require_whole_sketch(sketch, *step().question->sketch);
  Answer answer;
  answer.given = "a sketch";
  answer.sketch = std::move(sketch);
  submit(std::move(answer));
}

void LessonSession::restore(std::size_t index, Answer answer) {
  if (index >= answers_.size() || !lesson_->steps[index].question) return;
  const LessonQuestion& question = *lesson_->steps[index].question;
  const bool is_sketch = question.sketch.has_value(), is_choice = !question.choices.empty();
  const int choices = static_cast<int>(question.choices.size());
  try {
    if (is_sketch) {
      require_whole_sketch(answer.sketch, *question.sketch);
    } else if (is_choice) {
      if (answer.choice < 0 || answer.choice >= choices) return;
    } else {
      answer.number = parse_answer(answer.given);
    }
  } catch (const InputError&) {
    return;
  }
  if (!is_choice) answer.choice = -1;
  if (!is_sketch) answer.sketch.clear(), answer.curve.reset();
  // An answer without its curve is measured again.
  if (is_sketch && !answer.curve) answer.found.reset();
  answer.points = 0;
  if (answer.found) {
    FoundNumbers& found = *answer.found;
    if (!std::isfinite(found.asked) || found.right_choice >= choices) return;
    answer.points = is_sketch   ? points_for_distance(found.asked, question.tolerance)
                    : is_choice ? points_for_choice(answer.choice, found.right_choice)
                                : points_for_number(answer.number, found.asked, question.tolerance);
    if (!question.id.empty()) found_[question.id] = found.asked;
  }
  answers_[index] = std::move(answer);
}

double LessonSession::progress(std::int64_t run_steps) const {
  if (!begun_at_ || run_steps < *begun_at_) return 0;
  if (step().steps <= 0) return 1;
  return std::min(1.0, static_cast<double>(run_steps - *begun_at_) / static_cast<double>(step().steps));
}

FoundNumbers LessonSession::find(const RunStatus& run, const Diagnostics& diagnostics) {
  const LessonQuestion& question = *step().question;
  const NumberOf numbers = numbers_of(run, diagnostics, found_);
  const FoundNumbers found = find_numbers(question, [&](const std::string& name) {
    const std::optional<double> number = numbers(name);
    for (std::size_t k = 0; !number && k < index_; ++k)
      if (lesson_->steps[k].question && lesson_->steps[k].question->id == name)
        throw InputError("This answer is compared with that of step {}. Go back and answer that step first.", k + 1);
    if (!number)
      throw InputError("This scene does not measure \"{}\"{}", name, did_you_mean(name, names_of(run, diagnostics)));
    return number;
  });
  if (!question.id.empty()) found_[question.id] = found.asked;
  return found;
}

bool LessonSession::update(const RunStatus& run, const Diagnostics& diagnostics) {
  if (!is_pending() || progress(diagnostics.step) < 1) return false;
  try {
    Answer& answer = *answers_[index_];
    if (const auto& sketch = step().question->sketch) {
      const Curve& curve = curve_of(diagnostics, sketch->curve);
      const SketchScore score = compare_sketch(answer.sketch, *sketch, curve.points);
      // Scales the sketch to the measurement, as it is shown next to it.
      for (CurvePoint& point : answer.sketch) point.y *= score.factor;
      answer.curve = curve;
      answer.found = FoundNumbers{score.distance, {}, -1};
      answer.points = points_for_distance(score.distance, step().question->tolerance);
      error_ = {};
      return true;
    }
    answer.found = find(run, diagnostics);
    answer.points = answer.choice >= 0
                        ? points_for_choice(answer.choice, answer.found->right_choice)
                        : points_for_number(answer.number, answer.found->asked, step().question->tolerance);
    error_ = {};
    return true;
  } catch (const InputError& error) {
    error_ = error.message();
    return false;
  }
}

int LessonSession::points() const {
  int sum = 0;
  for (const auto& answer : answers_)
    if (answer && answer->found) sum += answer->points;
  return sum;
}

int LessonSession::all_points() const {
  return most_points * static_cast<int>(std::count_if(lesson_->steps.begin(), lesson_->steps.end(),
                                                      [](const LessonStep& s) { return s.question.has_value(); }));
}

bool LessonSession::is_done() const {
  for (std::size_t k = 0; k < answers_.size(); ++k)
    if (lesson_->steps[k].question && !(answers_[k] && answers_[k]->found)) return false;
  return true;
}

bool LessonSession::contains_id(const std::optional<std::vector<std::string>>& ids, const std::string& id) {
  return !ids || std::find(ids->begin(), ids->end(), id) != ids->end();
}

}  // namespace perturb
