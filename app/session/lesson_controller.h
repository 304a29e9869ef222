// The open lesson and the progress in lessons. Opens the scene of a step and changes its parameters like a user: with
// the same jobs, in the same log.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "app/lessons/lesson_progress.h"
#include "app/lessons/lesson_session.h"
#include "app/session/interface.h"
#include "app/session/kernel_controller.h"
#include "app/session/parameter_controller.h"
#include "app/session/playback.h"
#include "app/session/run_client.h"
#include "app/session/view_controller.h"

namespace perturb {

class OutputFolders;

class LessonController {
 public:
  // All arguments must outlive it; `numbers`: the newest diagnostics of the run; `on_step`: called when a step begins.
  LessonController(RunClient& client, Interface& interface, Playback& playback, ViewController& view,
                   RunSwitcher& switcher, ParameterController& parameters, KernelController& kernels,
                   const Diagnostics& numbers, std::function<void()> on_step)
      : client_(client),
        interface_(interface),
        playback_(playback),
        view_(view),
        switcher_(switcher),
        parameters_(parameters),
        kernels_(kernels),
        numbers_(numbers),
        on_step_(std::move(on_step)) {}

  // Null: no lesson is open.
  const LessonSession* open_lesson() const { return lesson_ ? &*lesson_ : nullptr; }
  const LessonProgress& progress() const { return progress_; }
  // Whether the open lesson lets the user change this parameter.
  bool parameter_is_open(const std::string& id) const { return !lesson_ || lesson_->parameter_is_open(id); }
  bool tool_is_open(const std::string& id) const { return !lesson_ || lesson_->tool_is_open(id); }
  // Whether it lets the user change the objects of the scene.
  bool objects_are_open() const { return tool_is_open(objects_as_tool); }

  // Stores the progress in lessons in this file from now on (lesson_progress.h).
  void set_progress_file(const std::string& path);
  // Shows a lesson whose current step has already started in the run.
  void show(LessonSession lesson);
  void close();
  // Call when there are new numbers, or the measurement of the kernels has ended: an answer may depend on them.
  void check_answer();

  // The theme that the open lesson has chosen; none: the user's.
  const std::optional<Theme>& theme() const { return theme_; }
  // The user has chosen a theme.
  void drop_theme() { theme_.reset(); }
  // How often a step has been opened: a typed answer belongs to one visit.
  int visits() const { return visits_; }
  // Why the last answer was rejected; empty: it was accepted.
  const Message& answer_error() const { return answer_error_; }
  // How often an answer has been rejected.
  int rejections() const { return rejections_; }
  // Whether the open step's question has no answer yet. The run is paused when such a step opens, and continues with
  // the answer; the user may continue it earlier.
  bool awaits_prediction() const;

  // Throws Error if the lesson cannot be read.
  void open(const std::string& path);
  // Without an open lesson, or beyond its ends, these do nothing.
  void go_to_step(std::size_t index);
  void next_step();
  void previous_step();
  // Whether the open step shows the times of the kernels: once its question has an answer.
  bool shows_kernels() const;
  // The answer to the open step's question: of a task nothing, else a sketch, a choice or a number.
  void answer(const std::string& text, int choice, const std::vector<CurvePoint>& sketch);
  // Saves the page for paper (result_page.h), with these curves in displayed units, in the output folder. Throws Error.
  void save_result_page(const std::string& student, const std::vector<Curve>& plots, OutputFolders& output) const;
  // Saves the result sheet (result_sheet.h) in the output folder. Throws Error.
  void save_result_sheet(const std::string& student, OutputFolders& output) const;
  // Saves the sheet for teachers of a lesson in the output folder. Throws Error.
  static void save_teacher_sheet(const std::string& lesson, OutputFolders& output);
  void on_run_replaced();

 private:
  void begin(LessonSession lesson);
  void begin_step();
  void submit_choice(std::size_t choice);
  void save_progress();

  RunClient& client_;
  Interface& interface_;
  Playback& playback_;
  ViewController& view_;
  RunSwitcher& switcher_;
  ParameterController& parameters_;
  KernelController& kernels_;
  const Diagnostics& numbers_;
  std::function<void()> on_step_;
  std::optional<LessonSession> lesson_;
  std::optional<Theme> theme_;
  int visits_ = 0, rejections_ = 0;
  Message answer_error_;
  LessonProgress progress_;
};

}  // namespace perturb
