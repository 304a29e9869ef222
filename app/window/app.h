// The windowed program: an experiment, panels, and the sequence of a frame.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/instruments/instrument.h"
#include "app/io/files/settings_file.h"
#include "app/render/gl/context.h"
#include "app/run/experiment.h"

namespace perturb {

struct ScriptRun;

struct AppOptions {
  bool interop = true;
  double ui_scale = 0;        // pixels per design pixel; 0: the monitor's own scale
  std::string language;       // of the window, "de"; empty: of the last session, else from the environment
  std::string theme;          // of the window, as spelled in interface.h; empty: of the last session
  Message backend_note;       // why `auto` fell back, for the status line
  std::string lesson;         // opened at the start; empty: none
  std::string file;           // the same: a state or script with an edited kernel, about which the window asks first
  Settings settings;          // of the last session
  std::string output_folder;  // for output files; empty: of the last session, else the desktop's folders
  // Reads the start of a script's run, and its events; `now`: the open scene, for a script that does not name one.
  std::function<ScriptRun(const std::string& path, const Scene& now)> read_script;
  std::string keep_in;      // the settings file; empty: settings are not saved
  bool fresh = false;       // as at the first start: offers no run of the last session over the view
  Message note;             // shown at the start: what could not be restored from the last session
  bool show_plots = false;  // the panels start with the tab "Plots"
  std::string show;         // part of the tab "Kernels" that is open at the start (show_at_start); empty: none
  // Place of the microscope, in fractions of the domain; none: it is off. In the window the pointer moves it.
  std::optional<std::pair<double, double>> microscope;
  std::optional<std::pair<double, double>> launch;  // the same for the launch of the kernel
  std::string panel;                                // "simple" or "full" (with_panel()); empty: as in the last session
  std::vector<Instrument> instruments;              // present in the view from the start
  // Shown in turn to visitors, without panels (kiosk.h); empty: not in kiosk mode.
  std::vector<std::string> kiosk;
  int steps_per_frame = 0;       // 0: the program's default
  double frame_rate = 0;         // maximum frames per second; 0: as the display
  std::int64_t frame_limit = 0;  // stop after this number of frames; 0: until closed
  bool report_first_frame =
      false;                   // prints "first frame after 0.42 s" to stderr, counted from the start of the process
  bool report_frames = false;  // prints at the end to stderr what frames cost the processor (frame_timing.h)
};

// Runs the window until it is closed or a signal ends the program; returns the exit code.
int run_window(Experiment& experiment, const AppOptions& options, const WindowOptions& window_options);

}  // namespace perturb
