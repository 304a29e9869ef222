// The lesson that is open, and what is reached in lessons. A step's scene is opened, and its parameters are changed, as
// a user's would be: through the same orders, in the same log.
#pragma once

#include <optional>
#include <string>

#include "app/lessons/lesson_progress.h"
#include "app/lessons/lesson_session.h"
#include "app/session/parameter_controller.h"
#include "app/session/run_client.h"
#include "app/session/run_switcher.h"

namespace perturb {

class LessonController {
 public:
  // All outlive it; `numbers`: the newest ones of the run.
  LessonController(RunClient& client, UiState& state, RunSwitcher& switcher, ParameterController& parameters,
                   const Diagnostics& numbers)
      : client_(client), state_(state), switcher_(switcher), parameters_(parameters), numbers_(numbers) {}

  // Null: none.
  const LessonSession* open_lesson() const { return lesson_ ? &*lesson_ : nullptr; }
  const LessonProgress& progress() const { return progress_; }
  // Whether an open lesson leaves it to whoever takes it.
  bool parameter_is_open(const std::string& id) const { return !lesson_ || lesson_->parameter_is_open(id); }
  bool tool_is_open(const std::string& id) const { return !lesson_ || lesson_->tool_is_open(id); }

  // What is reached in lessons is kept in this file from now on (lesson_progress.h).
  void set_progress_file(const std::string& path);
  // Shows a lesson as it stands in a run that its step has already begun.
  void show(LessonSession lesson);
  void close();
  // There are new numbers: they may be what an answer waits for.
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
