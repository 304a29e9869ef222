// The program in a window: an experiment, panels, and the order of a frame.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/instruments/instrument.h"
#include "app/io/files/settings_file.h"
#include "app/render/gl/context.h"
#include "app/run/experiment.h"

namespace perturb {

struct ScriptRun;

struct ScriptRun;

struct AppOptions {
  bool interop = true;
  double ui_scale = 0;        // pixels per design pixel; 0: the monitor's own scale
  std::string language;       // of the window, "de"; empty: as it was left, else that of the environment
  std::string theme;          // of the window, as theme.h spells them; empty: as it was left
  std::string backend_note;   // why `auto` fell back, for the status line
  std::string lesson;         // opened at once; empty: none
  Settings settings;          // how the window was left
  std::string output_folder;  // where files go; empty: as it was left, else the desktop's folders
  // How the run of a script begins, and its events; `now`: what is open, for a script that does not say.
  std::function<ScriptRun(const std::string& path, const Scene& now)> read_script;
  std::string keep_in;                  // the file where that is kept; empty: nowhere
  std::string note;                     // told at once: what could not be had as it was left
  bool show_plots = false;              // the panels begin with the curves
  std::vector<Instrument> instruments;  // in the picture from the beginning
  // Shown in turn to whoever passes by, without panels (kiosk.h); empty: this is no kiosk.
  std::vector<std::string> kiosk;
  int steps_per_frame = 0;       // 0: the program's default
  double frame_rate = 0;         // at most so many pictures a second; 0: as the display shows
  std::int64_t frame_limit = 0;  // stop after this many frames; 0: until closed
  bool report_first_frame =
      false;                   // writes "first frame after 0.42 s" to stderr, counted from the start of the process
  bool report_frames = false;  // at the end writes to stderr what frames cost the processor (frame_report.h)
};

// Runs the window until it is closed, or a signal asks the program to end; returns the exit code.
int run_window(Experiment& experiment, const AppOptions& options, const WindowOptions& window_options);

}  // namespace perturb
