// A lesson in progress: the open step and the answers. It does not depend on the window and does not change the run:
// its owner loads the scene of each step and passes the run's status and diagnostics.
//
// If a question has a hint, a wrong first answer (0 points) is followed by the hint and a second try for half the
// points. Until the second answer, answer() is null and first_try() is the wrong one; its numbers stay hidden.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/io/preset/lesson_text.h"
#include "app/lessons/lesson_answers.h"

namespace perturb {

class LessonSession {
 public:
  struct Answer {
    std::string given;                  // as typed, or the text of the choice
    double number = 0;                  // as typed; of a task, as measured
    int choice = -1;                    // index of the question's choice; -1: a number was given
    std::vector<CurvePoint> sketch;     // as drawn; empty: none was drawn
    std::optional<Curve> curve;         // the measured curve, once it is available
    std::optional<FoundNumbers> found;  // none: the run has not reached that step yet
    int points = 0;
    int mistake = -1;  // index of the question's mistake that a wrong number repeats; -1: none
  };

  explicit LessonSession(std::shared_ptr<const Lesson> lesson) : lesson_(std::move(lesson)) {
    answers_.resize(lesson_->steps.size());
    first_tries_.resize(lesson_->steps.size());
  }

  const Lesson& lesson() const { return *lesson_; }
  const LessonStep& step() const { return lesson_->steps[index_]; }
  std::size_t index() const { return index_; }
  bool is_first() const { return index_ == 0; }
  bool is_last() const { return index_ + 1 == lesson_->steps.size(); }
  // Goes to this step, or to the last one if the index is too large.
  void go_to(std::size_t index);
  // The step's scene is loaded; the step's own steps are counted from `run_steps`. Before this call, none is counted.
  void begin_step(std::int64_t run_steps) {
    begun_at_ = run_steps;
    reached_.reset();
  }
  // The run went back to `run_steps`, by a restart or an undo.
  void on_run_rewound(std::int64_t run_steps) {
    if (begun_at_ && run_steps < *begun_at_) begin_step(run_steps);
  }

  // ---- a lesson for a class: the teacher's session leads, those of the pupils follow it. An answer is judged when the
  // teacher shows the results of its step; until then it can be changed, and then there is no second try.
  void lead_class() { shown_steps_.emplace(); }
  // Goes to the step of a session of the same lesson, with the numbers that it has measured.
  void follow(const LessonSession& leader);
  void show_results() {
    if (shown_steps_) shown_steps_->insert(index_);
  }
  bool is_of_class() const { return shown_steps_.has_value(); }
  // Of the open step. True outside a class.
  bool results_are_shown() const { return !shown_steps_ || shown_steps_->contains(index_); }
  // What the open step's question has measured; null: nothing yet.
  const FoundNumbers* measured() const { return reached_ ? &reached_->found : nullptr; }
  const Curve* measured_curve() const { return reached_ && reached_->curve ? &*reached_->curve : nullptr; }
  std::shared_ptr<const Lesson> shared_lesson() const { return lesson_; }

  // Answers the open step's question; replaces an earlier answer while its number is not found yet. Throws InputError
  // if the text is not a number, and in a second try if the answer is the first one again.
  void submit_number(const std::string& text);
  void submit_choice(std::size_t choice);
  // The task is done: it is judged by the numbers of the run, once it has taken the step's steps.
  void submit_task();
  // Throws InputError if the sketch leaves out more than a fifth of the width.
  void submit_sketch(std::vector<CurvePoint> sketch);
  // Restores an answer of an earlier session for the step at `index`: its points are computed again. An answer that
  // does not fit the lesson's current questions is ignored. After a wrong first try, call this again for the second.
  void restore(std::size_t index, Answer answer);
  // Null if there is no answer yet.
  const Answer* answer() const { return answer_of(index_); }
  const Answer* answer_of(std::size_t index) const { return answers_[index] ? &*answers_[index] : nullptr; }
  // The wrong first answer to the open step's question, if a second try followed or may follow; else null.
  const Answer* first_try() const { return first_try_of(index_); }
  const Answer* first_try_of(std::size_t index) const { return first_tries_[index] ? &*first_tries_[index] : nullptr; }
  // The question waits for a second answer: show the hint, and disable the choice of the first try.
  bool awaits_second_try() const { return first_try() && !answer(); }
  // The hint of the open step's question, once the first try was wrong; else empty.
  const std::string& hint() const;
  // The mistake in the student's last decided answer; empty if it has points or the lesson says nothing about it.
  const std::string& explanation() const;
  // The points that a right answer to the open step's question has now.
  int points_to_gain() const { return first_try() ? points_in_second_try(max_points_of_answer) : max_points_of_answer; }
  // An answer was given, but the number to compare it with is not found yet.
  bool is_pending() const { return answer() && !answer()->found; }
  // Progress of the run towards the number: 0 to 1.
  double progress(std::int64_t run_steps) const;
  // With new numbers of the run: once the step's steps are done, keeps the numbers of its question, so that an answer
  // does not depend on when it is given, and decides a pending answer. A second try is compared with the numbers of the
  // first one. Call it whenever there are new numbers. Returns whether an answer was decided.
  bool update(const RunStatus& run, const Diagnostics& diagnostics);
  // Why the last update() found nothing; empty if there was no error.
  const Message& error() const { return error_; }
  // The results of questions, by id, for later formulas.
  const std::map<std::string, double>& found() const { return found_; }
  // The numbers now, without an answer. Throws like find_numbers.
  FoundNumbers find(const RunStatus& run, const Diagnostics& diagnostics);

  // The points of a step's answer; none: it has no question, or its answer is not decided.
  std::optional<int> points_of(std::size_t index) const;
  int points() const;
  // The maximum over all of the lesson's questions.
  int all_points() const;
  bool is_done() const;  // every question is answered at least once and its number found

  bool parameter_is_open(const std::string& id) const { return contains_id(step().unlocked, id); }
  bool tool_is_open(const std::string& id) const { return contains_id(step().tools, id); }

 private:
  static bool contains_id(const std::optional<std::vector<std::string>>& ids, const std::string& id);
  // Reference for a question's answers.
  struct Reached {
    FoundNumbers found;
    std::optional<Curve> curve;  // for a sketch
    std::vector<double> mistakes;
  };

  void submit(Answer answer);
  // Throws InputError if there is nothing to compare with yet.
  Reached reach(const RunStatus& run, const Diagnostics& diagnostics);
  // Sets the points of an answer whose numbers are found, and opens a second try if it is wrong.
  void decide(std::size_t index);

  std::shared_ptr<const Lesson> lesson_;
  std::size_t index_ = 0;
  std::optional<std::int64_t> begun_at_;            // none: the scene is not loaded yet
  std::optional<Reached> reached_;                  // of the open step; none: its steps are not done yet
  std::vector<std::optional<Answer>> answers_;      // by step
  std::vector<std::optional<Answer>> first_tries_;  // by step: wrong ones with a second try
  std::map<std::string, double> found_;
  std::optional<std::set<std::size_t>> shown_steps_;  // of a class; none: a lesson of one student
  Message error_;
};

}  // namespace perturb
