#include "app/lessons/lesson_session.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/lessons/lesson_answers.h"
#include "cuda/core/backend/check.h"

namespace perturb {

void LessonSession::go_to(std::size_t index) {
  index_ = std::min(index, lesson_->steps.size() - 1);
  begun_at_.reset();
  reached_.reset();
  error_ = {};
}

void LessonSession::follow(const LessonSession& leader) {
  go_to(leader.index_);
  begun_at_ = leader.begun_at_;
  reached_ = leader.reached_;
  found_ = leader.found_;
  shown_steps_ = leader.shown_steps_;
}

void LessonSession::submit(Answer answer) {
  if (!step().question || (this->answer() && this->answer()->found)) return;
  if (const Answer* first = first_try(); first && !step().question->is_task)
    if (answer.choice >= 0 ? answer.choice == first->choice : answer.sketch.empty() && answer.number == first->number)
      throw InputError("\"{}\" was your first answer, and it is wrong. Give another answer.", Message(first->given));
  answers_[index_] = std::move(answer);
  error_ = {};
}

void LessonSession::submit_number(const std::string& text) {
  Answer answer;
  answer.given = text;
  if (step().question) answer.number = parse_answer(text) / step().question->shown.factor;
  submit(std::move(answer));
}

void LessonSession::submit_choice(std::size_t choice) {
  if (!step().question || choice >= step().question->choices.size()) return;
  Answer answer;
  answer.given = step().question->choices[choice].text;
  answer.choice = static_cast<int>(choice);
  submit(std::move(answer));
}

void LessonSession::submit_task() {
  if (!step().question || !step().question->is_task) return;
  Answer answer;
  answer.given = "the task";
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
    } else if (question.is_number()) {
      answer.number = parse_answer(answer.given) / question.shown.factor;
    }
  } catch (const InputError&) {
    return;
  }
  if (!is_choice) answer.choice = -1;
  if (!is_sketch) {
    answer.sketch.clear();
    answer.curve.reset();
  }
  // An answer without its curve is measured again.
  if (is_sketch && !answer.curve) answer.found.reset();
  if (answer.found && (!std::isfinite(answer.found->asked) || answer.found->right_choice >= choices)) return;
  if (answer.mistake >= static_cast<int>(question.mistakes.size())) answer.mistake = -1;
  answers_[index] = std::move(answer);
  if (!answers_[index]->found) return;
  if (!question.id.empty()) found_[question.id] = answers_[index]->found->asked;
  decide(index);
}

void LessonSession::decide(std::size_t index) {
  const LessonQuestion& question = *lesson_->steps[index].question;
  Answer& answer = *answers_[index];
  const FoundNumbers& found = *answer.found;
  answer.points = question.sketch            ? points_for_distance(found.asked, question.tolerance)
                  : question.choices.empty() ? points_for_answer(question, found, answer.number)
                                             : points_for_choice(answer.choice, found.right_choice);
  if (answer.points > 0) answer.mistake = -1;
  if (first_tries_[index]) {
    answer.points = points_in_second_try(answer.points);
  } else if (answer.points == 0 && question.allows_second_try() && !is_of_class()) {
    first_tries_[index] = std::move(answer);
    answers_[index].reset();
  }
}

const std::string& LessonSession::hint() const {
  static const std::string none;
  return first_try() ? step().question->hint : none;
}

const std::string& LessonSession::explanation() const {
  static const std::string none;
  const Answer* last = answer() && answer()->found ? answer() : first_try();
  if (!last || last->points > 0) return none;
  const LessonQuestion& question = *step().question;
  if (last->choice >= 0) return question.choices[static_cast<std::size_t>(last->choice)].explanation;
  return last->mistake >= 0 ? question.mistakes[static_cast<std::size_t>(last->mistake)].text : none;
}

double LessonSession::progress(std::int64_t run_steps) const {
  if (!begun_at_ || run_steps < *begun_at_) return 0;
  if (step().steps <= 0) return 1;
  return std::min(1.0, static_cast<double>(run_steps - *begun_at_) / static_cast<double>(step().steps));
}

// Number that a question waits for: one that has no value, with the reason that the simulation gives.
static Message missing_text(const std::string& id, const Diagnostics& diagnostics) {
  for (const Scalar& scalar : diagnostics.scalars) {
    if (scalar.id != id) continue;
    for (const Message& remark : diagnostics.remarks)
      if (remark.english().starts_with(scalar.label.english() + ":")) return remark;
    return {"{}: no value yet. Let the simulation run.", scalar.label};
  }
  return "Nothing to measure yet. Let the simulation run.";
}

FoundNumbers LessonSession::find(const RunStatus& run, const Diagnostics& diagnostics) {
  const LessonQuestion& question = *step().question;
  const ValueOfName numbers = numbers_of(run, diagnostics, found_);
  std::string missing;
  const auto number_of = [&](const std::string& name) {
    const std::optional<double> number = numbers(name);
    if (number && !has_value(*number)) missing = name;
    for (std::size_t k = 0; !number && k < index_; ++k)
      if (lesson_->steps[k].question && lesson_->steps[k].question->id == name)
        throw InputError("This answer is compared with that of step {}. Go back and answer that step first.", k + 1);
    if (!number)
      throw InputError("This scene does not measure \"{}\"{}", name, did_you_mean(name, names_of(run, diagnostics)));
    return number;
  };
  FoundNumbers found;
  try {
    found = find_numbers(question, number_of);
  } catch (const InputError&) {
    if (missing.empty()) throw;
    throw InputError(missing_text(missing, diagnostics));
  }
  if (!question.id.empty()) found_[question.id] = found.asked;
  return found;
}

LessonSession::Reached LessonSession::reach(const RunStatus& run, const Diagnostics& diagnostics) {
  const LessonQuestion& question = *step().question;
  Reached reached;
  if (question.sketch) {
    reached.curve = curve_of(diagnostics, question.sketch->curve);
    require_measured(*question.sketch, reached.curve->points);
    return reached;
  }
  reached.found = find(run, diagnostics);
  reached.mistakes = values_of_mistakes(question, numbers_of(run, diagnostics, found_));
  return reached;
}

bool LessonSession::update(const RunStatus& run, const Diagnostics& diagnostics) {
  if (!step().question || progress(diagnostics.step) < 1) return false;
  try {
    // The numbers of a task are those when it is done.
    if (!reached_ || (step().question->is_task && is_pending())) reached_ = reach(run, diagnostics);
    error_ = {};
  } catch (const InputError& error) {
    error_ = is_pending() || is_of_class() ? error.message() : Message();
    return false;
  }
  if (!is_pending() || !results_are_shown()) return false;
  const LessonQuestion& question = *step().question;
  const Answer* first = first_try();
  Answer& answer = *answers_[index_];
  if (question.sketch) {
    answer.curve = first ? first->curve : reached_->curve;
    const SketchScore score = compare_sketch(answer.sketch, *question.sketch, answer.curve->points);
    // Scales the sketch to the measurement, as it is shown next to it.
    for (CurvePoint& point : answer.sketch) point.y *= score.factor;
    answer.found = FoundNumbers{score.distance, {}, -1};
  } else if (question.is_task) {
    answer.number = reached_->found.asked;
    answer.found = FoundNumbers{*reached_->found.theory, {}, -1};
  } else {
    answer.found = first ? first->found : reached_->found;
    answer.mistake = find_mistake(answer.number, reached_->mistakes, question.tolerance);
  }
  decide(index_);
  return true;
}

std::optional<int> LessonSession::points_of(std::size_t index) const {
  const Answer* answer = answer_of(index);
  return answer && answer->found ? std::optional(answer->points) : std::nullopt;
}

int LessonSession::points() const {
  int sum = 0;
  for (std::size_t k = 0; k < answers_.size(); ++k) sum += points_of(k).value_or(0);
  return sum;
}

int LessonSession::all_points() const {
  return max_points_of_answer *
         static_cast<int>(std::count_if(lesson_->steps.begin(), lesson_->steps.end(),
                                        [](const LessonStep& s) { return s.question.has_value(); }));
}

bool LessonSession::is_done() const {
  for (std::size_t k = 0; k < answers_.size(); ++k)
    if (lesson_->steps[k].question && !first_tries_[k] && !(answers_[k] && answers_[k]->found)) return false;
  return true;
}

bool LessonSession::contains_id(const std::optional<std::vector<std::string>>& ids, const std::string& id) {
  return !ids || std::find(ids->begin(), ids->end(), id) != ids->end();
}

}  // namespace perturb
