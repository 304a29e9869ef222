// A lesson in progress: the open step and the answers. It does not depend on the window and does not change the run:
// its owner loads the scene of each step and passes the run's status and diagnostics.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/io/preset/lesson_text.h"
#include "app/lessons/lesson_answers.h"

namespace perturb {

class LessonSession {
 public:
  struct Answer {
    std::string given;  // as typed, or the text of the choice
    double number = 0;
    int choice = -1;                    // index of the question's choice; -1: a number was given
    std::vector<CurvePoint> sketch;     // as drawn; empty: none was drawn
    std::optional<Curve> curve;         // the measured curve, once it is available
    std::optional<FoundNumbers> found;  // none: the run has not reached that step yet
    int points = 0;
  };

  explicit LessonSession(std::shared_ptr<const Lesson> lesson) : lesson_(std::move(lesson)) {
    answers_.resize(lesson_->steps.size());
  }

  const Lesson& lesson() const { return *lesson_; }
  const LessonStep& step() const { return lesson_->steps[index_]; }
  std::size_t index() const { return index_; }
  bool is_first() const { return index_ == 0; }
  bool is_last() const { return index_ + 1 == lesson_->steps.size(); }
  // Goes to this step, or to the last one if the index is too large.
  void go_to(std::size_t index);
  // The step's scene is loaded; the step's own steps are counted from `run_steps`. Before this call, none is counted.
  void begin_step(std::int64_t run_steps) { begun_at_ = run_steps; }
  // The run went back to `run_steps`, by a restart or an undo.
  void on_run_rewound(std::int64_t run_steps) {
    if (begun_at_ && run_steps < *begun_at_) begun_at_ = run_steps;
  }

  // Answers the open step's question; replaces an earlier answer while its number is not found yet. Throws InputError
  // if the text is not a number.
  void submit_number(const std::string& text);
  void submit_choice(std::size_t choice);
  // Throws InputError if the sketch leaves out more than a fifth of the width.
  void submit_sketch(std::vector<CurvePoint> sketch);
  // Restores an answer of an earlier session for the step at `index`: its points are computed again. An answer that
  // does not fit the lesson's current questions is ignored.
  void restore(std::size_t index, Answer answer);
  // Null if there is no answer yet.
  const Answer* answer() const { return answer_of(index_); }
  const Answer* answer_of(std::size_t index) const { return answers_[index] ? &*answers_[index] : nullptr; }
  // An answer was given, but the number to compare it with is not found yet.
  bool is_pending() const { return answer() && !answer()->found; }
  // Progress of the run towards the number: 0 to 1.
  double progress(std::int64_t run_steps) const;
  // With new numbers of the run: finds the number for a pending answer, once the step's steps are done. Returns whether
  // it was found.
  bool update(const RunStatus& run, const Diagnostics& diagnostics);
  // Why the last update() found nothing; empty if there was no error.
  const Message& error() const { return error_; }
  // The results of questions, by id, for later formulas.
  const std::map<std::string, double>& found() const { return found_; }
  // The numbers now, without an answer. Throws like find_numbers.
  FoundNumbers find(const RunStatus& run, const Diagnostics& diagnostics);

  int points() const;
  // The maximum over all of the lesson's questions.
  int all_points() const;
  bool is_done() const;  // every question is answered and its number found

  bool parameter_is_open(const std::string& id) const { return contains_id(step().unlocked, id); }
  bool tool_is_open(const std::string& id) const { return contains_id(step().tools, id); }

 private:
  static bool contains_id(const std::optional<std::vector<std::string>>& ids, const std::string& id);
  void submit(Answer answer);

  std::shared_ptr<const Lesson> lesson_;
  std::size_t index_ = 0;
  std::optional<std::int64_t> begun_at_;        // none: the scene is not loaded yet
  std::vector<std::optional<Answer>> answers_;  // by step
  std::map<std::string, double> found_;
  Message error_;
};

}  // namespace perturb
