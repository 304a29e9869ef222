// A lesson that somebody takes: the step that is open, and what was answered. Knows no window and does nothing to the
// run: whoever holds it brings about each step's scene and shows it what the run says.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/io/preset/lesson_text.h"
#include "app/lessons/lesson_numbers.h"

namespace perturb {

class LessonSession {
 public:
  struct Answer {
    std::string given;  // as it was typed, or the choice's words
    double number = 0;
    int choice = -1;                    // of the question's; -1: a number was given
    std::vector<CurvePoint> sketch;     // as it was drawn; empty: it was not
    std::optional<Curve> curve;         // that it is compared with, once it is found
    std::optional<FoundNumbers> found;  // none: the run has not come so far
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
  // To this step; of an index past the last one, there.
  void go_to(std::size_t index);
  // The step's scene stands, after so many steps of the run: its own are counted from here. Before, none is.
  void begin_step(std::int64_t run_steps) { begun_at_ = run_steps; }
  // The run went back to here, by a restart or an undo.
  void on_run_rewound(std::int64_t run_steps) {
    if (begun_at_ && run_steps < *begun_at_) begun_at_ = run_steps;
  }

  // To the open step's question; the answer before is replaced while nothing has been found. Throws InputError for a
  // text that is no number.
  void submit_number(const std::string& text);
  void submit_choice(std::size_t choice);
  // Throws InputError for one that leaves out more than a fifth of the width.
  void submit_sketch(std::vector<CurvePoint> sketch);
  // Takes back an answer of an earlier visit, for the step at `index`: its points are counted again. What fits no
  // question of the lesson as it is now is ignored.
  void restore(std::size_t index, Answer answer);
  // Null where nothing was answered yet.
  const Answer* answer() const { return answer_of(index_); }
  const Answer* answer_of(std::size_t index) const { return answers_[index] ? &*answers_[index] : nullptr; }
  // An answer was given, and what it is compared with is still to be found.
  bool is_pending() const { return answer() && !answer()->found; }
  // How far the run has come on its way to the number: 0 to 1.
  double progress(std::int64_t run_steps) const;
  // Numbers of the run: finds what the open answer waits for, once the step's steps are done. Whether it was found.
  bool update(const RunStatus& run, const Diagnostics& diagnostics);
  // Why nothing could be found when the run was looked at last; empty: all is well.
  const std::string& error() const { return error_; }
  // What questions have found, by id: for later formulas.
  const std::map<std::string, double>& found() const { return found_; }
  // Without an answer: the numbers as they are now. Throws as find_numbers.
  FoundNumbers find(const RunStatus& run, const Diagnostics& diagnostics);

  int points() const;
  // Of all of the lesson's questions.
  int all_points() const;
  bool is_done() const;  // every question has been answered and found

  bool parameter_is_open(const std::string& id) const { return contains_id(step().unlocked, id); }
  bool tool_is_open(const std::string& id) const { return contains_id(step().tools, id); }

 private:
  static bool contains_id(const std::optional<std::vector<std::string>>& ids, const std::string& id);
  void submit(Answer answer);

  std::shared_ptr<const Lesson> lesson_;
  std::size_t index_ = 0;
  std::optional<std::int64_t> begun_at_;        // none: its scene is still being made
  std::vector<std::optional<Answer>> answers_;  // by step
  std::map<std::string, double> found_;
  std::string error_;
};

}  // namespace perturb
