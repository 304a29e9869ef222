// A person at work with a run: events in, gestures, requests and steps asked of it. Knows no OpenGL and no ImGui, so
// that tests can click and press keys without a window.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/instruments/instruments.h"
#include "app/session/audio_output.h"
#include "app/session/autosave_controller.h"
#include "app/session/diagnostics_poller.h"
#include "app/session/exporter.h"
#include "app/session/file_chooser.h"
#include "app/session/file_opener.h"
#include "app/session/input.h"
#include "app/session/instrument_controller.h"
#include "app/session/instrument_readings.h"
#include "app/session/interface_commands.h"
#include "app/session/lesson_controller.h"
#include "app/session/measurements.h"
#include "app/session/output_folders.h"
#include "app/session/panel_areas.h"
#include "app/session/parameter_controller.h"
#include "app/session/playback.h"
#include "app/session/pointer_probe.h"
#include "app/session/preset_controller.h"
#include "app/session/run_client.h"
#include "app/session/run_switcher.h"
#include "app/session/tool_controller.h"
#include "app/session/ui_state.h"
#include "app/session/view_controller.h"
#include "app/session/window_requests.h"

namespace perturb {

// Each job is a part's, which owns what it needs to remember, and is given the parts that it works with. Here they are
// put together: a frame goes through them in order, a request to the one that hears it, and another run is met by all.
class Session {
 public:
  using Keyboard = Input::Keyboard;

  // `steps_per_frame` 0: as the scene has it, else the program. The experiment outlives it, and is the run's alone
  // while orders are under way.
  Session(Experiment& experiment, int steps_per_frame, Runner::Where where = Runner::Where::here);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // The run as it is shown.
  const RunStatus& run() const { return client_.run(); }
  const SimulationInfo& info() const { return client_.info(); }
  DomainSize domain() const { return client_.domain(); }
  const Backend& backend() const { return client_.backend(); }
  UiState& state() { return state_; }
  const UiState& state() const { return state_; }

  // One frame's events, in order, and the requests that the panels made in the last one.
  void handle(const std::vector<InputEvent>& events, const Layout& layout, Keyboard keyboard);
  // Whether all is done that was asked of the run; takes in what has been answered.
  bool is_idle();
  // Asks for this frame's steps, if the run is playing.
  void advance() { playback_.advance(); }
  // Asks for diagnostics, for the plots, the automatic range and the watch over finite numbers. Only a picture that
  // stands alone waits for the device.
  void observe(bool wait);
  // Asks for the picture, in memory that is lent until the run rests. `table` is that of the view's colormap.
  void paint(Pixels pixels, const ColorTable& table);
  // At the end of a frame: how long it took, and how much of that was work rather than waiting for the display.
  void end_frame(double frame_seconds, double busy_seconds);
  // Called on the run's thread when it rests again.
  void on_idle(std::function<void()> call) { client_.on_idle(std::move(call)); }
  WindowRequests take_window_requests() { return std::exchange(window_requests_, {}); }
  // In the status line; of what went wrong, so that it stays.
  void show_message(const std::string& message) { client_.show_message(message); }
  void show_error(const std::string& message) { client_.show_error(message); }

  // The parts, for panels and for whoever sets up a session.
  Playback& playback() { return playback_; }
  const Playback& playback() const { return playback_; }
  Pace& pace() { return playback_.pace(); }
  const RunSwitcher& run_switcher() const { return switcher_; }
  const ViewController& view() const { return view_; }
  const DiagnosticsPoller& diagnostics_poller() const { return diagnostics_poller_; }
  const Measurements& measurements() const { return measurements_; }
  const PointerProbe& pointer() const { return pointer_; }
  const ToolController& tools() const { return tools_; }
  PanelAreas& panel_areas() { return panel_areas_; }
  const ParameterController& parameters() const { return parameters_; }
  LessonController& lessons() { return lessons_; }
  const LessonController& lessons() const { return lessons_; }
  // The lesson that is open; null: none.
  const LessonSession* lesson() const { return lessons_.open_lesson(); }
  const Instruments& instruments() const { return instruments_; }
  InstrumentController& instrument_controller() { return instrument_controller_; }
  InstrumentReadings& readings() { return readings_; }
  AudioOutput& audio_output() { return audio_output_; }
  OutputFolders& output() { return output_; }
  const OutputFolders& output() const { return output_; }
  Exporter& exporter() { return exporter_; }
  const Exporter& exporter() const { return exporter_; }
  FileOpener& file_opener() { return file_opener_; }
  AutosaveController& autosave_controller() { return autosave_controller_; }

 private:
  // By the part that hears it.
  void handle_request(const Request& request);
  // The experiment has another simulation; `new_scene`: another scene too, with a view and tools of its own.
  void on_run_replaced(bool new_scene);

  UiState state_;
  WindowRequests window_requests_;
  PanelAreas panel_areas_;
  Instruments instruments_;
  RunClient client_;
  // In an order in which each is given earlier ones.
  RunSwitcher switcher_;
  ViewController view_;
  PointerProbe pointer_;
  DiagnosticsPoller diagnostics_poller_;
  InstrumentReadings readings_;
  Playback playback_;
  ParameterController parameters_;
  LessonController lessons_;
  InstrumentController instrument_controller_;
  AudioOutput audio_output_;
  AutosaveController autosave_controller_;
  Measurements measurements_;
  OutputFolders output_;
  FileChooser file_chooser_;
  FileOpener file_opener_;
  Exporter exporter_;
  PresetController preset_controller_;
  InterfaceCommands interface_;
  ToolController tools_;
  Input input_;
};

}  // namespace perturb
