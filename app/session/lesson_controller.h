// The open lesson and the progress in lessons. Opens the scene of a step and changes its parameters like a user: with
// the same jobs, in the same log.
#pragma once

#include <optional>
#include <string>

#include "app/lessons/lesson_progress.h"
#include "app/lessons/lesson_session.h"
#include "app/session/parameter_controller.h"
#include "app/session/run_client.h"

namespace perturb {

class LessonController {
 public:
  // All arguments must outlive it; `numbers`: the newest diagnostics of the run.
  LessonController(RunClient& client, UiState& state, RunSwitcher& switcher, ParameterController& parameters,
                   const Diagnostics& numbers)
      : client_(client), state_(state), switcher_(switcher), parameters_(parameters), numbers_(numbers) {}

  // Null: no lesson is open.
  const LessonSession* open_lesson() const { return lesson_ ? &*lesson_ : nullptr; }
  const LessonProgress& progress() const { return progress_; }
  // Whether the open lesson lets the user change this parameter.
  bool parameter_is_open(const std::string& id) const { return !lesson_ || lesson_->parameter_is_open(id); }
  bool tool_is_open(const std::string& id) const { return !lesson_ || lesson_->tool_is_open(id); }

  // Stores the progress in lessons in this file from now on (lesson_progress.h).
  void set_progress_file(const std::string& path);
  // Shows a lesson whose current step has already started in the run.
  void show(LessonSession lesson);
  void close();
  // Call when there are new numbers: an answer may depend on them.
  void check_answer();

  bool handle(UiCommand command);
  void handle(const OpenLesson& wanted);
  void handle(const CloseLesson&) { close(); }
  void handle(const GoToStep& wanted);
  void handle(const AnswerQuestion& answer);
  void on_run_replaced();

 private:
  void apply_lesson_theme();
  void go_to_step(std::size_t index);
  void begin_step();
  void take_tool();
  void save_progress();

  RunClient& client_;
  UiState& state_;
  RunSwitcher& switcher_;
  ParameterController& parameters_;
  const Diagnostics& numbers_;
  std::optional<LessonSession> lesson_;
  LessonProgress progress_;
};

}  // namespace perturb
