// An interactive session with a run: executes commands, turns events into gestures and steps. Does not depend on OpenGL
// or ImGui, so that tests can click and press keys without a window.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "app/instruments/instruments.h"
#include "app/instruments/kept_readings.h"
#include "app/session/autosave_controller.h"
#include "app/session/command.h"
#include "app/session/files.h"
#include "app/session/frame_time_controller.h"
#include "app/session/input.h"
#include "app/session/instrument_controller.h"
#include "app/session/instrument_readings.h"
#include "app/session/interface.h"
#include "app/session/kernel_controller.h"
#include "app/session/kernel_editor.h"
#include "app/session/layout.h"
#include "app/session/lesson_controller.h"
#include "app/session/measurements.h"
#include "app/session/object_controller.h"
#include "app/session/parameter_controller.h"
#include "app/session/playback.h"
#include "app/session/puzzle_controller.h"
#include "app/session/run_client.h"
#include "app/session/singing.h"
#include "app/session/tool_controller.h"
#include "app/session/view_controller.h"

namespace perturb {

// Each task has its own class, which owns its state and gets references to the classes it works with: input and tools,
// view, parameters, instruments, lessons, files, playback. Session connects them: it calls them in order in each frame,
// passes each command to the part that executes it, and notifies all parts when the run is replaced. A panel gets a
// const Session: it reads everything, and changes only by commands.
class Session {
 public:
  using Keyboard = Input::Keyboard;

  // `steps_per_frame` 0: the default of the scene, else of the program. The experiment must outlive the session; only
  // the run thread may use it while jobs are pending.
  Session(Experiment& experiment, int steps_per_frame, Runner::Where where = Runner::Where::here);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Executes a command now. Errors are shown as messages.
  void execute(const Command& command);
  // Executes it at the start of the next frame: panels are drawn while the session must not change.
  void post(Command command) { posted_.push_back(std::move(command)); }
  // The commands that only the window can execute, since the last call.
  std::vector<Command> take_window_commands() { return std::exchange(window_commands_, {}); }

  // ---- a frame, in this order
  // Executes the posted commands, and handles the events in order. `panels`: of the last pass of the panels.
  void handle(const std::vector<InputEvent>& events, const Layout& layout, Keyboard keyboard,
              PanelFeedback panels = {});
  // Whether all jobs of the run are done; delivers results that have arrived.
  bool is_idle();
  // Requests the steps of this frame if the run is playing.
  void advance() { playback_.advance(); }
  // Requests diagnostics for the plots, the automatic range and the check for finite numbers. `wait`: wait for the
  // device, for single images only.
  void observe(bool wait);
  // Requests the image, in memory that stays mapped until the run is idle. `table`: of the view's colormap.
  void paint(Pixels pixels, const ColorTable& table);
  // Call at the end of a frame; `frame_seconds`: its duration, `busy_seconds`: its part that was work, not waiting for
  // the display.
  void end_frame(double frame_seconds, double busy_seconds);
  // Lets other code use the run on its thread, after the jobs before. An error is shown. `then`: whether it was done.
  void visit_run(std::function<void(Experiment&)> visit, std::function<void(bool done)> then);
  // Calls the function on the run thread when it becomes idle.
  void on_idle(std::function<void()> call) { client_.on_idle(std::move(call)); }

  // ---- what is shown
  // Status of the run as it is displayed.
  const RunStatus& run() const { return client_.run(); }
  const SimulationInfo& info() const { return client_.info(); }
  DomainSize domain() const { return client_.domain(); }
  // That of the current run.
  Backend& backend() { return client_.backend(); }
  const Backend& backend() const { return client_.backend(); }
  const InterfaceState& interface() const { return interface_.state(); }
  // For settings of an earlier session, and for the kiosk.
  void set_interface(InterfaceState state) { interface_.set(std::move(state)); }
  // The user's, or that of the open lesson.
  Theme theme() const { return lessons_.theme().value_or(interface().preferences.theme); }
  // Units of the displayed values: the scene's, unless the user chose the simulation's. Lessons show the scene's.
  const DisplayUnits& display_units() const;
  const StatusMessage& message() const { return client_.message(); }
  void show_message(const Message& message) { client_.show_message(message); }
  // Stays until it is dismissed, or for a minute.
  void show_error(const Message& message) { client_.show_error(message); }
  // How often the run has been replaced, and how often by another scene: panels forget what belonged to the last one.
  int runs() const { return runs_; }
  int scenes() const { return scenes_; }

  // ---- the parts
  const Input& input() const { return input_; }
  Playback& playback() { return playback_; }
  const Playback& playback() const { return playback_; }
  Pace& pace() { return playback_.pace(); }
  const RunSwitcher& run_switcher() const { return switcher_; }
  ViewController& view() { return view_; }
  const ViewController& view() const { return view_; }
  const DiagnosticsPoller& diagnostics_poller() const { return diagnostics_poller_; }
  const KernelController& kernel_controller() const { return kernel_controller_; }
  const FrameTimeController& frame_times() const { return frame_times_; }
  const KernelEditor& kernel_editor() const { return kernel_editor_; }
  const PuzzleController& puzzles() const { return puzzles_; }
  const Measurements& measurements() const { return measurements_; }
  const PointerProbe& pointer() const { return pointer_; }
  ToolController& tools() { return tools_; }
  const ToolController& tools() const { return tools_; }
  const ParameterController& parameters() const { return parameters_; }
  LessonController& lessons() { return lessons_; }
  const LessonController& lessons() const { return lessons_; }
  // The open lesson; null: none.
  const LessonSession* lesson() const { return lessons_.open_lesson(); }
  const Instruments& instruments() const { return instruments_; }
  InstrumentController& instrument_controller() { return instrument_controller_; }
  const InstrumentController& instrument_controller() const { return instrument_controller_; }
  const ObjectController& object_controller() const { return object_controller_; }
  InstrumentReadings& readings() { return readings_; }
  Singing& singing() { return singing_; }
  const Singing& singing() const { return singing_; }
  AudioOutput& audio_output() { return audio_output_; }
  const AudioOutput& audio_output() const { return audio_output_; }
  OutputFolders& output() { return output_; }
  const OutputFolders& output() const { return output_; }
  Exporter& exporter() { return exporter_; }
  const Exporter& exporter() const { return exporter_; }
  const PresetController& presets() const { return presets_; }
  const FileChooser& file_chooser() const { return file_chooser_; }
  FileOpener& file_opener() { return file_opener_; }
  const FileOpener& file_opener() const { return file_opener_; }
  AutosaveController& autosave_controller() { return autosave_controller_; }
  const AutosaveController& autosave_controller() const { return autosave_controller_; }

 private:
  struct Executor;
  // Call after the run was replaced; `new_scene`: by another scene, with its own view and tools.
  void on_run_replaced(bool new_scene);
  // Call when the same run is at another step of its past: measured curves remain.
  // `leaves_end`: from the last step of the past.
  void on_run_returned(bool leaves_end);
  // Shows or hides theory over the view; a message if the scene has none.
  void toggle_theory();
  // Shows or hides the microscope; a message if the simulation has nothing to inspect.
  void toggle_microscope();
  // Shows or hides how the kernel is launched; a message if the simulation does not state it.
  void toggle_launch();
  // Esc: closes the topmost of what is open.
  void close_topmost();

  Interface interface_;
  PanelFeedback panels_;
  std::vector<Command> posted_, window_commands_;
  int runs_ = 0, scenes_ = 0;
  // display_units() for this scene and domain.
  mutable DisplayUnits shown_units_;
  mutable std::shared_ptr<const Scene> shown_scene_;
  mutable DomainSize shown_domain_{};
  // Curves of a past that the run has left.
  struct KeptCurves {
    History history;
    std::shared_ptr<const Instruments::Readings> instruments;
  };
  KeptReadings<KeptCurves> kept_curves_;
  Instruments instruments_;
  RunClient client_;
  // Ordered so that each part only gets references to earlier ones.
  RunSwitcher switcher_;
  ViewController view_;
  PointerProbe pointer_;
  DiagnosticsPoller diagnostics_poller_;
  InstrumentReadings readings_;
  Playback playback_;
  ParameterController parameters_;
  KernelController kernel_controller_;
  LessonController lessons_;
  InstrumentController instrument_controller_;
  ObjectController object_controller_;
  AudioOutput audio_output_;
  Singing singing_;
  AutosaveController autosave_controller_;
  FrameTimeController frame_times_;
  KernelEditor kernel_editor_;
  PuzzleController puzzles_;
  Measurements measurements_;
  OutputFolders output_;
  FileChooser file_chooser_;
  FileOpener file_opener_;
  Exporter exporter_;
  PresetController presets_;
  ToolController tools_;
  Input input_;
};

}  // namespace perturb
