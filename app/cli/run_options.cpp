#include "app/cli/run_options.h"

#include <cmath>
#include <limits>

#include "app/io/preset/layer_text.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/paint/camera.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/text_format.h"

namespace perturb {

namespace {

constexpr double largest_count = 9007199254740992.0;  // integers up to here are exact as double

void take_parameter(RunOptions& run, const std::string& text) {
  const std::size_t sign = text.find('=');
  if (sign == std::string::npos || sign == 0)
    throw InputError("--set cannot be \"" + text + "\": it takes id=value, such as damping=0.01.");
  run.parameters.emplace_back(text.substr(0, sign), text.substr(sign + 1));
}

void take_range(RunOptions& run, const std::string& text) {
  run.automatic_range = text == "auto";
  if (run.automatic_range) return;
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos)
    throw InputError("--range cannot be \"" + text + "\": it takes LOW,HIGH, such as -1,1, or auto.");
  constexpr double most = std::numeric_limits<float>::max();
  const double low = parse_real("--range", text.substr(0, comma), -most, most),
               high = parse_real("--range", text.substr(comma + 1), -most, most);
  if (!(low < high))
    throw InputError("--range cannot be \"" + text + "\": the first number must be smaller than the second.");
  run.range = {low, high};
}

// Two numbers, each with its own limit for both signs.
std::pair<double, double> take_pair(const std::string& option, const std::string& text, const std::string& example,
                                    double most_first, double most_second) {
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos)
    throw InputError(option + " cannot be \"" + text + "\": it takes two numbers, such as " + example + ".");
  return {parse_real(option, text.substr(0, comma), -most_first, most_first),
          parse_real(option, text.substr(comma + 1), -most_second, most_second)};
}

}  // namespace

void add_run_options(OptionSet& options, RunOptions& run) {
  const std::string scene = "Scene", display = "Window", look = "View", output = "Running without a window";
  options.text("SCENE", "", "A simulation, a preset of it (wave/rain) or a preset file (mine.toml)", scene, run.scene);
  options.value("--size", "WxH", "Cells of the grid; one number N: N x N", scene, [&](const std::string& text) {
    run.size = parse_size("--size", text);
    run.size_is_one_number = text.find_first_of("xX") == std::string::npos;
  });
  options.value(
      "--set", "ID=VALUE", "A parameter; may be given many times", scene,
      [&](const std::string& text) { take_parameter(run, text); }, true);
  options.value("--seed", "N", "Start of the random numbers", scene, [&](const std::string& text) {
    run.seed = static_cast<std::uint32_t>(parse_whole("--seed", text, 0, std::numeric_limits<std::uint32_t>::max()));
  });
  options.text("--script", "FILE.toml", "Events and the steps they happen at", scene, run.script);
  options.text("--load", "FILE.h5", "Go on from a saved state", scene, run.load);
  std::string texts = "Start from a text of the simulation's own";
  for (const SimulationInfo* info : catalog())
    if (info->text) texts += "; " + info->id + ": " + info->text->help;
  options.text("--input", "FILE", texts, scene, run.input);
  options.text("--kernel", "ID", "How a step is computed (default: the fastest that fits)", scene, run.kernel);
  add_backend(options, run.backend, run.threads, scene);

  options.text("--quantity", "ID", "What is shown", look, run.quantity);
  options.text("--colormap", "ID", "How it is coloured", look, run.colormap);
  options.value("--range", "LOW,HIGH|auto", "The colours' ends", look,
                [&](const std::string& text) { take_range(run, text); });

  options.value("--layer", "ID[,lines,N|,colors][,LOW,HIGH]|none", "A second quantity over it", look,
                [&](const std::string& text) { run.layer = parse_layer(text); });
  options.value("--zoom", "X", "How large it is shown; 1: all of it", look,
                [&](const std::string& text) { run.zoom = parse_real("--zoom", text, min_zoom, max_zoom); });
  options.value("--center", "X,Y", "The point in the middle, as fractions of the domain", look,
                [&](const std::string& text) { run.center = take_pair("--center", text, "0.5,0.5", 3, 3); });
  options.value("--orbit", "AROUND,ABOVE", "Where a scene with depth is seen from, in degrees", look,
                [&](const std::string& text) { run.orbit = take_pair("--orbit", text, "30,20", 360, 90); });

  options.flag("--headless", "No window", output, run.headless);
  options.value("--steps", "N", "Take exactly this many steps", output,
                [&](const std::string& text) { run.steps = parse_whole("--steps", text, 0, largest_count); });
  options.value("--frames", "N", "Stop after this many frames", output,
                [&](const std::string& text) { run.frames = parse_whole("--frames", text, 1, 1e9); });
  options.value("--steps-per-frame", "N", "Steps from one frame to the next", output, [&](const std::string& text) {
    run.steps_per_frame = static_cast<int>(parse_whole("--steps-per-frame", text, 1, 1e6));
  });
  options.text("--screenshot", "FILE.png", "A picture of the end", output, run.screenshot);
  options.flag("--with-ui", "Pictures show the panels too", output, run.with_ui);
  options.value(
      "--instrument", "WORDS", "In the picture: \"probe 0.5 0.5\", cut, ruler, protractor, stopwatch; many times",
      output, [&](const std::string& text) { run.instruments.push_back(parse_instrument(text)); }, true);
  options.text("--curves", "FILE.csv|FILE.png", "All curves at the end, those of instruments too", output, run.curves);
  options.flag("--plots", "The panels show the curves", output, run.show_plots);
  options.text("--record", "FILE", "A film (.mp4, .webm, .mkv, .gif), or a folder/ of PNGs", output, run.record);
  options.text("--csv", "FILE.csv", "Diagnostics over time", output, run.csv);
  options.value(
      "--csv-every", "N", "Steps from one row to the next (default 10)", output,
      [&](const std::string& text) { run.csv_every = static_cast<int>(parse_whole("--csv-every", text, 1, 1e9)); });
  options.text("--save", "FILE.h5", "The state at the end", output, run.save);
  options.flag("--describe", "Say at the end in a line what is to be seen", output, run.describe);
  options.flag("--print", "Write the state as text after every step (simulations that have such a text)", output,
               run.print);
  options.flag("--perf", "Write the first and the last state as text, and the time to the error stream", output,
               run.perf);

  add_window_size(options, run.window_size, run.window_size_given, display);
  add_fresh(options, run.fresh, display);
  add_frame_rate(options, run.frame_rate, display);
  add_output_folder(options, run.output_folder, display);
  options.flag("--fullscreen", "Fill the screen", display, run.fullscreen);
  options.flag("--kiosk", "Scenes in turn for whoever passes by, without panels and keys (Ctrl+Q ends it)", display,
               run.kiosk);
  options.flag("--report-first-frame", "Tell how long it took until something was to be seen", display,
               run.report_first_frame);
  options.flag("--report-frames", "When the window closes, tell what its frames cost the processor", display,
               run.report_frames);
  options.value("--ui-scale", "X", "Size of the panels (default: as the monitor says)", display,
                [&](const std::string& text) { run.ui_scale = parse_real("--ui-scale", text, 0.5, 4); });
  options.value("--look", "dark|light|high-contrast", "Colours of the window", display, [&](const std::string& text) {
    require_choice("--look", text, {"dark", "light", "high-contrast"});
    run.theme = text;
  });
  add_language(options, run.language, display);
  options.value("--interop", "auto|off", "off: pictures reach the screen by a copy", display,
                [&](const std::string& text) {
                  require_choice("--interop", text, {"auto", "off"});
                  run.interop = text == "auto";
                });
}

void check_run(const RunOptions& run) {
  if (run.steps && run.frames)
    throw InputError(
        "--steps and --frames both say how long to run: give one of them (and --steps-per-frame, if you like).");
  if (!run.load.empty() && !run.scene.empty())
    throw InputError("--load brings its own scene: leave \"" + run.scene + "\" away.");
  if (!run.input.empty() && !run.load.empty())
    throw InputError("--input and --load both say how the run starts: give one of them.");
  if (!run.input.empty() && run.size) throw InputError("--input brings its own size: leave --size away.");
  if (run.print && run.perf)
    throw InputError("--print writes every step and --perf the first and the last: give one of them.");
  if (!run.load.empty() && run.size) throw InputError("--load brings its own size: leave --size away.");
  if (!run.load.empty() && run.seed)
    throw InputError(
        "--load goes on with the random numbers of the saved run: leave --seed away, or start anew without --load.");
}

}  // namespace perturb
