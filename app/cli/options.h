// The parsed command line, checked as far as possible without knowledge of the machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/instruments/instrument.h"
#include "app/serve/serve.h"
#include "cuda/core/paint/camera.h"

namespace perturb {

struct Size {
  int width = 0, height = 0;
  bool operator==(const Size&) const = default;
};

struct RunOptions {
  std::string scene;  // empty: the first simulation's first preset
  std::string backend = "auto";
  int threads = 0;  // 0: one per processor
  std::optional<Size> size;
  bool size_is_one_number = false;                              // "--size 64": a square
  std::vector<std::pair<std::string, std::string>> parameters;  // --set id=value
  std::optional<std::uint32_t> seed;
  std::string kernel;            // empty: the fastest that fits
  bool edited_kernels = false;   // compiles the texts of edited kernels in files
  bool measure_kernels = false;  // ignores the timings of earlier runs
  std::string script, load;
  std::vector<std::string> lanes;         // --lane key=value,...
  std::optional<bool> race_by_time;       // --by time or --by steps
  bool race = false, list_races = false;  // the command "race" and its own option
  bool json = false;

  std::string colormap, quantity;
  std::string script_colormap;  // of the script's start, which names it; it may be a file that is not here
  bool automatic_range = false;
  std::optional<std::pair<double, double>> range;
  std::optional<LayerSettings> layer;
  std::optional<bool> theory;

  std::optional<double> zoom;
  std::optional<std::pair<double, double>> center, orbit;  // fractions of the domain; degrees

  std::string input;                 // a file in the simulation's own text format
  bool print = false, perf = false;  // write the state or the performance in this format
  bool headless = false;
  std::optional<std::int64_t> steps, frames;
  std::optional<int> steps_per_frame;
  std::string screenshot, record, csv, save, fields, curves, report, trace;
  std::vector<Instrument> instruments;
  bool show_plots = false;
  std::string show;                                             // part of the tab "Kernels"; empty: none
  std::optional<std::pair<double, double>> microscope, launch;  // fractions of the domain
  std::string panel;                                            // "simple" or "full"; empty: as in the last session
  int csv_every = 10;
  bool with_ui = false, describe = false;

  bool interop = true, fullscreen = false, report_first_frame = false, report_frames = false, kiosk = false;
  double ui_scale = 0, frame_rate = 0;  // 0: the display's
  std::string theme;                    // empty: the theme of the last session
  std::string language;                 // empty: the language of the last session, else that of the environment
  Size window_size{1280, 720};
  bool window_size_given = false, fresh = false;
  std::string output_folder;

  bool has_output() const {
    return !screenshot.empty() || !record.empty() || !csv.empty() || !save.empty() || !fields.empty() ||
           !curves.empty() || !report.empty();
  }
  // Options that only make sense without a window imply --headless.
  bool wants_headless() const { return headless || json || steps || print || perf || describe || has_output(); }
};

struct ListOptions {
  std::string listed;  // a simulation, or a scene as in `perturb wave/rain`; empty: all simulations
  bool json = false;
};

struct PaperOptions {
  std::string paper;  // its page or its simulation; empty: lists the papers
  std::string item;   // a place or words; empty: the claims
  bool json = false;
};

struct VerifyOptions {
  std::string simulation;  // empty: all
  std::string backend = "auto";
  int threads = 0;
  bool json = false, with_long = false;
  // Instead of the theory checks: run presets for `minutes` of window time or `seconds` of computing each.
  bool presets = false, sliders = false;
  std::string slider;  // only this slider; empty: all
  double minutes = 60, seconds = 600;
  int at_once = 1;           // number of presets that run at the same time
  std::string presets_only;  // an option that was given and that only runs of presets have; empty: none
};

struct BenchOptions {
  std::string simulation;  // empty: all; served_word: a served run instead
  std::string backend = "auto";
  int threads = 0;
  std::vector<Size> sizes;            // empty: a series that suits the backend
  std::string kernel;                 // empty: all
  std::optional<std::int64_t> steps;  // in a timed group; none: as many as take 0.2 s
  std::string study;                  // instead of kernels
  bool presets = false;               // every preset as it opens, instead of kernels
  std::string compare;                // a file of an earlier --presets --json
  bool paper = false;                 // all studies of the simulation's paper
  bool long_too = false;              // studies: also the parts that take more than a few minutes
  int starts = 0;                     // of the studies that have several; 0: as many as each has by itself
  std::string plot, csv, page;        // files for the plots of studies, their numbers, and a page about them
  int clients = 0;                    // of the served run; 0: as many as a class has
  double seconds = 0;                 // of its measurement in each scene; 0: 20
  bool json = false;
};
// In place of a simulation.
inline constexpr const char* served_word = "serve";

struct LessonOptions {
  std::string lesson;  // empty: lists the lessons
  std::string backend = "auto";
  int threads = 0;
  bool headless = false;
  std::string screenshot;                 // a folder for an image of each step, or a .png of the last one
  std::optional<std::int64_t> last_step;  // last step to go through, from 1; none: all
  std::string sketch;                     // a file with the answer to questions that ask for a sketch
  std::string answers;                    // a file with an answer to each question; empty: the right ones
  bool edited_kernels = false;            // compiles the kernels that the answers name
  std::string result, student;            // a file for the result sheet, empty: none; the name in it
  std::string sheet;                      // a file for the teacher's sheet; empty: none
  double ui_scale = 0, frame_rate = 0;    // 0: the display's
  std::string theme;                      // empty: the theme of the last session
  std::string language;                   // empty: the language of the last session, else that of the environment
  Size window_size{1280, 720};
  bool window_size_given = false, fresh = false;
  std::string output_folder;
};

struct PuzzleOptions {
  std::string puzzle;                // empty: lists the puzzles
  std::string file;                  // with the text to check; empty: prints the task
  std::optional<std::int64_t> hint;  // prints this one and those before, from 1
  bool start = false, solution = false, json = false;
  std::string image;  // a file for an image of the accesses
};

struct ResultsOptions {
  std::string folder, csv;         // of the sheets; a file for the table, empty: none
  std::vector<std::string> codes;  // "NAME: CODE"
  bool questions = false;          // a row for each question instead of one for each student
};

struct SweepOptions {
  std::string file;    // describes the runs
  std::string output;  // a line for each run; empty: named after the file
  bool resume = false;
  std::string shard;  // "2/8", "auto" or "auto/8" (app/cli/shard.h); empty: all runs
  std::string backend = "auto";
  int threads = 0, at_once = 0;  // of each run; runs at the same time. 0: all processors are used
};

struct DoctorOptions {};

// A text to print instead of running a command: --help, --version.
struct PrintText {
  std::string text;
};

using CommandLine = std::variant<RunOptions, ListOptions, PaperOptions, VerifyOptions, BenchOptions, LessonOptions,
                                 PuzzleOptions, ResultsOptions, ServeOptions, SweepOptions, DoctorOptions, PrintText>;

// The subcommands; "run" may be omitted.
const std::vector<std::string>& command_names();

// `arguments` without the program's name. Throws InputError.
CommandLine parse_command_line(const std::vector<std::string>& arguments);

// "512x256", or "512" for a square. Anything else throws InputError that names `option`.
Size parse_size(const std::string& option, const std::string& text);

}  // namespace perturb
