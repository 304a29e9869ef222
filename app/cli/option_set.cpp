#include "app/cli/option_set.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/cli/bench_study.h"
#include "app/i18n/language.h"
#include "app/io/preset/toml_text.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/paint/camera.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/parameters.h"
#include "cuda/core/simulation/text_format.h"

namespace perturb {

namespace {

constexpr int largest_side = 1 << 30;

ValueInfo described(const std::string& option, ValueKind kind, double minimum, double maximum) {
  ValueInfo info;
  info.id = option;
  info.kind = kind;
  info.minimum = minimum;
  info.maximum = maximum;
  return info;
}

}  // namespace

void OptionSet::value(const std::string& name, const std::string& placeholder, const std::string& help,
                      const std::string& group, std::function<void(const std::string&)> apply, bool repeatable) {
  CLI::Option* option = app_.add_option(name, values_.emplace_back(), help);
  option->type_name(placeholder)->group(group)->allow_extra_args(false);
  // A list would take the values of all positional arguments after it.
  if (!name.starts_with("-")) option->expected(1);
  entries_.push_back({option, name, std::move(apply), repeatable});
}

void OptionSet::text(const std::string& name, const std::string& placeholder, const std::string& help,
                     const std::string& group, std::string& target) {
  value(name, placeholder, help, group, [&target, name](const std::string& given) {
    if (given.empty()) throw InputError("{} cannot be empty. Give it a name, or omit it.", name);
    target = given;
  });
}

void OptionSet::flag(const std::string& name, const std::string& help, const std::string& group, bool& target) {
  app_.add_flag(name, target, help)->group(group)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

void OptionSet::finish() const {
  for (const Entry& entry : entries_) {
    if (!*entry.option) continue;
    const std::vector<std::string>& given = entry.option->results();
    if (given.size() > 1 && !entry.repeatable) throw InputError("{} is given twice. Give it once.", entry.name);
    for (const std::string& text : given) {
      if (text.starts_with("--")) throw InputError("{} needs a value before {}.", entry.name, text);
      entry.apply(text);
    }
  }
  reject_unknown();
}

void OptionSet::reject_unknown() const {
  const std::vector<std::string> left = app_.remaining();
  if (left.empty()) return;
  const std::string& word = left.front();
  if (!word.starts_with("-"))
    throw InputError("Unexpected argument \"{}\": too many. Show the arguments with \"perturb {} --help\".", word,
                     app_.get_name());
  std::vector<std::string> names = {"--version"};
  for (const CLI::Option* option : app_.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  const std::string bare = word.substr(0, word.find('='));
  if (bare == names.front()) throw InputError("--version is used alone, as in \"perturb --version\".");
  const std::string near = nearest_name(bare, names);
  throw InputError("There is no option {}{}", bare,
                   (near.empty() ? ". Show all options with \"perturb " + app_.get_name() + " --help\"."
                                 : "; did you mean " + near + "?"));
}

std::int64_t parse_whole(const std::string& option, const std::string& text, double minimum, double maximum) {
  return static_cast<std::int64_t>(described(option, ValueKind::integer, minimum, maximum).parse(text));
}

double parse_real(const std::string& option, const std::string& text, double minimum, double maximum) {
  return described(option, ValueKind::real, minimum, maximum).parse(text);
}

void require_choice(const std::string& option, const std::string& text, const std::vector<std::string>& choices) {
  ValueInfo info = described(option, ValueKind::choice, 0, static_cast<double>(choices.size()) - 1);
  for (const std::string& choice : choices) info.choices.push_back({choice, choice});
  info.parse(text);
}

Size parse_size(const std::string& option, const std::string& text) {
  const std::size_t cross = text.find_first_of("xX");
  try {
    Size size;
    size.width = static_cast<int>(parse_whole(option, text.substr(0, cross), 1, largest_side));
    size.height = cross == std::string::npos
                      ? size.width
                      : static_cast<int>(parse_whole(option, text.substr(cross + 1), 1, largest_side));
    return size;
  } catch (const InputError&) {
    throw InputError("{} cannot be \"{}\": it must be WIDTHxHEIGHT such as 512x256, whole numbers from 1 to {}.",
                     option, text, largest_side);
  }
}

void add_backend(OptionSet& options, std::string& backend, int& threads, const std::string& group,
                 const std::string& threads_help) {
  options.value("--backend", "auto|cpu|cuda", "Where to compute; auto: CUDA if available", group,
                [&](const std::string& text) {
                  require_choice("--backend", text, {"auto", "cpu", "cuda"});
                  backend = text;
                });
  options.value("--threads", "N", threads_help, group,
                [&](const std::string& text) { threads = static_cast<int>(parse_whole("--threads", text, 1, 4096)); });
}

void add_window_size(OptionSet& options, Size& size, bool& given, const std::string& group) {
  options.value("--window-size", "WxH",
                "Size of the window or the images in pixels (default: last session, else 1280x720)", group,
                [&](const std::string& text) {
                  size = parse_size("--window-size", text);
                  given = true;
                  if (std::max(size.width, size.height) > 16384)
                    throw InputError("--window-size cannot be \"{}\": each side can be at most 16384 pixels.", text);
                });
}

void add_output_folder(OptionSet& options, std::string& folder, const std::string& group) {
  options.text("--output-folder", "DIR", "Folder for images and files (default: your folders Pictures and Documents)",
               group, folder);
}

void add_language(OptionSet& options, std::string& language, const std::string& group) {
  std::string ids;
  for (const LanguageName& one : languages()) ids += (ids.empty() ? "" : "|") + one.id;
  options.value("--language", ids,
                "Language of the window, images and reports (default: from LC_ALL, LC_MESSAGES, LANG)", group,
                [&language](const std::string& text) {
                  std::vector<std::string> choices;
                  for (const LanguageName& one : languages()) choices.push_back(one.id);
                  require_choice("--language", text, choices);
                  language = text;
                });
}

void add_fresh(OptionSet& options, bool& fresh, const std::string& group) {
  options.flag("--fresh", "Start with default settings and do not save them", group, fresh);
}

void add_frame_rate(OptionSet& options, double& rate, const std::string& group) {
  options.value("--frame-rate", "N", "Maximum frames per second (default: that of the display)", group,
                [&rate](const std::string& text) { rate = parse_real("--frame-rate", text, 1, 1000); });
}

namespace {

constexpr double largest_count = 9007199254740992.0;  // integers up to here are exact as double

void take_parameter(RunOptions& run, const std::string& text) {
  const std::size_t sign = text.find('=');
  if (sign == std::string::npos || sign == 0)
    throw InputError("--set cannot be \"{}\": it must be id=value, such as damping=0.01.", text);
  run.parameters.emplace_back(text.substr(0, sign), text.substr(sign + 1));
}

void take_range(RunOptions& run, const std::string& text) {
  run.automatic_range = text == "auto";
  if (run.automatic_range) return;
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos)
    throw InputError("--range cannot be \"{}\": it must be LOW,HIGH, such as -1,1, or auto.", text);
  constexpr double max_float = std::numeric_limits<float>::max();
  const double low = parse_real("--range", text.substr(0, comma), -max_float, max_float),
               high = parse_real("--range", text.substr(comma + 1), -max_float, max_float);
  if (!(low < high))
    throw InputError("--range cannot be \"{}\": the first number must be smaller than the second.", text);
  run.range = {low, high};
}

// Two numbers, each with its own limit for both signs.
std::pair<double, double> take_pair(const std::string& option, const std::string& text, const std::string& example,
                                    double max_first, double max_second) {
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos)
    throw InputError("{} cannot be \"{}\": it must be two numbers, such as {}.", option, text, example);
  return {parse_real(option, text.substr(0, comma), -max_first, max_first),
          parse_real(option, text.substr(comma + 1), -max_second, max_second)};
}

}  // namespace

void add_run_options(OptionSet& options, RunOptions& run) {
  const std::string scene = "Scene", display = "Window", look = "View", output = "Output", hidden;
  options.text("SCENE", "", "A simulation, a preset of it (wave/rain) or a preset file (mine.toml)", scene, run.scene);
  options.value("--size", "WxH", "Grid size in cells; N means NxN", scene, [&](const std::string& text) {
    run.size = parse_size("--size", text);
    run.size_is_one_number = text.find_first_of("xX") == std::string::npos;
  });
  options.value(
      "--set", "ID=VALUE", "Set a parameter; repeatable", scene,
      [&](const std::string& text) { take_parameter(run, text); }, true);
  options.value("--seed", "N", "Seed of the random numbers", scene, [&](const std::string& text) {
    run.seed = static_cast<std::uint32_t>(parse_whole("--seed", text, 0, std::numeric_limits<std::uint32_t>::max()));
  });
  options.text("--script", "FILE.toml", "Events with their steps", scene, run.script);
  options.text("--load", "FILE.perturb", "Continue a saved state", scene, run.load);
  std::string texts = "Start from a text in the simulation's format";
  for (const SimulationInfo* info : catalog())
    if (info->text) texts += "; " + info->id + ": " + info->text->help;
  options.text("--input", "FILE", texts, scene, run.input);
  options.text("--kernel", "ID", "Kernel that computes a step (default: the fastest)", scene, run.kernel);
  options.value(
      "--lane", "KEY=VALUE,...",
      "A lane of a race: kernel=ID, backend=cpu|cuda, nudge=1 (the start differs by one rounding), "
      "difference=1 (shows the difference from the first) or PARAMETER=VALUE; "
      "two to four times",
      scene, [&](const std::string& text) { run.lanes.push_back(text); }, true);
  options.value("--by", "steps|time", "What the lanes of a race share: steps (default), or the time of computing",
                scene, [&](const std::string& text) {
                  require_choice("--by", text, {"steps", "time"});
                  run.race_by_time = text == "time";
                });
  options.flag("--edited-kernels",
               "Compile the kernels that a script or state contains as text: only if you trust the file", scene,
               run.edited_kernels);
  options.flag("--measure-kernels", "Time the kernels again instead of using the timings of earlier runs", scene,
               run.measure_kernels);
  add_backend(options, run.backend, run.threads, scene);

  options.text("--quantity", "ID", "Quantity to show", look, run.quantity);
  options.text("--colormap", "ID|FILE", "Colormap, or a file with a colour on each line: red green blue", look,
               run.colormap);
  options.value("--range", "LOW,HIGH|auto", "Ends of the colour range", look,
                [&](const std::string& text) { take_range(run, text); });

  options.value("--layer", "ID[,lines,N|,colors][,LOW,HIGH]|none", "A second quantity drawn over the first", look,
                [&](const std::string& text) { run.layer = parse_layer(text); });
  options.value("--theory", "on|off", "Draw theory over the view", look, [&](const std::string& text) {
    require_choice("--theory", text, {"on", "off"});
    run.theory = text == "on";
  });
  options.value("--zoom", "X", "Zoom factor; 1: the whole domain", look,
                [&](const std::string& text) { run.zoom = parse_real("--zoom", text, min_zoom, max_zoom); });
  options.value("--center", "X,Y", "Centre of the view, in fractions of the domain", look,
                [&](const std::string& text) { run.center = take_pair("--center", text, "0.5,0.5", 3, 3); });
  options.value("--orbit", "AROUND,ABOVE", "Direction of view in 3-D, in degrees", look,
                [&](const std::string& text) { run.orbit = take_pair("--orbit", text, "30,20", 360, 90); });

  options.flag("--headless", "Run without a window", output, run.headless);
  options.value("--steps", "N", "Stop after this many steps", output,
                [&](const std::string& text) { run.steps = parse_whole("--steps", text, 0, largest_count); });
  options.value("--frames", "N", "Stop after this many frames", output,
                [&](const std::string& text) { run.frames = parse_whole("--frames", text, 1, 1e9); });
  options.value("--steps-per-frame", "N", "Steps per frame", output, [&](const std::string& text) {
    run.steps_per_frame = static_cast<int>(parse_whole("--steps-per-frame", text, 1, 1e6));
  });
  options.text("--screenshot", "FILE.png", "Image of the final state", output, run.screenshot);
  options.flag("--with-ui", "Include the panels in images", output, run.with_ui);
  options.value(
      "--instrument", "WORDS", "Add an instrument: \"probe 0.5 0.5\", cut, ruler, protractor, stopwatch; repeatable",
      output, [&](const std::string& text) { run.instruments.push_back(parse_instrument(text)); }, true);
  options.text("--curves", "FILE.csv|FILE.png", "All curves at the end, with those of instruments", output, run.curves);
  options.text("--report", "FILE.html", "A lab report at the end, with its image next to it", output, run.report);
  options.flag("--plots", "Open the tab Plots and the plot dock", output, run.show_plots);
  options.value(
      "--show", "kernels|sizes|editor|puzzles|frames",
      "Open a part of the tab Kernels and measure it: all kernels, their times by size, the kernel editor, the "
      "puzzles, the time of a frame",
      output, [&](const std::string& text) {
        require_choice("--show", text, {"kernels", "sizes", "editor", "puzzles", "frames"});
        run.show = text;
      });
  options.value("--microscope", "X,Y", "Show the microscope, in images at this place in fractions of the domain",
                output,
                [&](const std::string& text) { run.microscope = take_pair("--microscope", text, "0.5,0.5", 1, 1); });
  options.value("--launch", "X,Y", "Show the launch of the kernel, in images with the thread at this place", output,
                [&](const std::string& text) { run.launch = take_pair("--launch", text, "0.5,0.5", 1, 1); });
  options.value("--panel", "simple|full", "The scene's main controls in its units, or everything", output,
                [&](const std::string& text) {
                  require_choice("--panel", text, {"simple", "full"});
                  run.panel = text;
                });
  options.text("--record", "FILE", "Video (.mp4, .webm, .mkv, .gif), or a folder/ of PNGs", output, run.record);
  options.text("--csv", "FILE.csv", "Diagnostics over time", output, run.csv);
  options.value("--csv-every", "N", "Steps per row (default: 10)", output, [&](const std::string& text) {
    run.csv_every = static_cast<int>(parse_whole("--csv-every", text, 1, 1e9));
  });
  options.flag("--json", "Run without a window and print numbers, gauges and a hash of the final state as JSON", output,
               run.json);
  options.text("--save", "FILE.perturb", "Save the final state, for --load", output, run.save);
  options.text("--export", "FILE.h5", "Export the final fields as HDF5, for other programs", output, run.fields);
  options.flag("--describe", "Describe the final view in one line", output, run.describe);
  options.flag("--print", "Print the state as text after every step (if the simulation has a text format)", output,
               run.print);
  options.flag("--perf", "Print the first and the last state as text, and the time to the error stream", output,
               run.perf);

  add_window_size(options, run.window_size, run.window_size_given, display);
  add_fresh(options, run.fresh, display);
  add_frame_rate(options, run.frame_rate, display);
  add_output_folder(options, run.output_folder, display);
  options.flag("--fullscreen", "Open in full screen", display, run.fullscreen);
  options.flag("--kiosk", "Show scenes in turn for an exhibition, without panels and keys (quit: Ctrl+Q)", display,
               run.kiosk);
  options.flag("--report-first-frame", "Print the time until the first frame", display, run.report_first_frame);
  options.text("--trace", "FILE.json", "Trace of the frames, steps and loops in Chrome's format, when the run ends",
               output, run.trace);
  options.flag("--report-frames", "Print the processor time of the frames when the window closes", display,
               run.report_frames);
  options.value("--ui-scale", "X", "Scale of the panels (default: that of the monitor)", display,
                [&](const std::string& text) { run.ui_scale = parse_real("--ui-scale", text, 0.5, 4); });
  for (const std::string name : {"--theme", "--look"})
    options.value(name, "dark|light|high-contrast", "Colour theme of the window", name == "--theme" ? display : hidden,
                  [&run, name](const std::string& text) {
                    require_choice(name, text, {"dark", "light", "high-contrast"});
                    run.theme = text;
                  });
  add_language(options, run.language, display);
  options.value("--interop", "auto|off", "How CUDA images reach the screen; off: by a copy", display,
                [&](const std::string& text) {
                  require_choice("--interop", text, {"auto", "off"});
                  run.interop = text == "auto";
                });
}

void add_race_options(OptionSet& options, RunOptions& run) {
  run.race = true;
  options.flag("--list", "List the prepared races, which can be given instead of a scene", "Race", run.list_races);
}

void check_run(const RunOptions& run) {
  if (run.kiosk && !run.lanes.empty()) throw InputError("--kiosk shows no races. Omit --lane.");
  if (run.json && (run.print || run.perf))
    throw InputError("--json and {} both write to standard output. Give only one of them.",
                     run.print ? "--print" : "--perf");
  if (run.steps && run.frames)
    throw InputError(
        "--steps and --frames both set the length of the run. Give only one of them (--steps-per-frame can be added).");
  if (!run.load.empty() && !run.scene.empty()) throw InputError("--load brings its own scene. Omit \"{}\".", run.scene);
  if (!run.input.empty() && !run.load.empty())
    throw InputError("--input and --load both set the start of the run. Give only one of them.");
  if (!run.input.empty() && run.size) throw InputError("--input brings its own size. Omit --size.");
  if (run.print && run.perf)
    throw InputError("--print writes every step, --perf only the first and the last. Give only one of them.");
  if (!run.load.empty() && run.size) throw InputError("--load brings its own size. Omit --size.");
  if (!run.load.empty() && run.seed)
    throw InputError("--load continues the random numbers of the saved run. Omit --seed, or start without --load.");
}

void check_ending(const std::string& option, const std::string& path, const std::string& ending) {
  std::string lower = path;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (!path.empty() && !lower.ends_with(ending))
    throw InputError("{} cannot be \"{}\": its name must end with {}.", option, path, ending);
}

namespace {

// The id of a study, as an example in messages.
std::string first_study() { return bench_studies(*catalog().front()).front().id; }

}  // namespace

std::string simulation_named_in(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments)
    for (const SimulationInfo* info : catalog())
      if (argument.substr(0, argument.find('/')) == info->id) return info->id;
  return "";
}

void add_bench_options(OptionSet& options, BenchOptions& bench, StudiesGiven& studies, const std::string& named) {
  const std::string group = "Options", of_studies = "Studies", hidden;
  options.text("SIM", "", "A simulation (default: all), or \"serve\": a served run under the load of a class", group,
               bench.simulation);
  add_backend(options, bench.backend, bench.threads, group);
  options.value(
      "--size", "WxH",
      "Grid size in cells; N means NxN; repeatable. With serve: of a wave tank that runs as fast as it can, in place "
      "of "
      "the scenes",
      group, [&](const std::string& text) { bench.sizes.push_back(parse_size("--size", text)); }, true);
  options.text("--kernel", "ID", "One kernel (default: all)", group, bench.kernel);
  options.value("--steps", "N", "Steps per measurement (default: as many as take 0.2 s)", group,
                [&](const std::string& text) { bench.steps = parse_whole("--steps", text, 1, 1e9); });
  options.flag("--presets", "Time every preset as it opens, instead of kernels", group, bench.presets);
  options.text("--compare", "FILE.json", "With --presets: list the presets that are slower than in this file", group,
               bench.compare);
  options.value("--clients", "N", "With serve: number of clients (default: 30)", group, [&](const std::string& text) {
    bench.clients = static_cast<int>(parse_whole("--clients", text, 1, 200));
  });
  options.value("--seconds", "N", "With serve: length of the measurement in each scene (default: 20)", group,
                [&](const std::string& text) { bench.seconds = parse_real("--seconds", text, 1, 3600); });
  options.flag("--json", "Print JSON", group, bench.json);

  // For each study id and summary, the simulations that have it. If all have it, none is named.
  std::map<std::string, std::map<std::string, std::vector<std::string>>> summaries;
  for (const SimulationInfo* info : catalog())
    for (const BenchStudy& study : bench_studies(*info)) summaries[study.id][study.summary].push_back(info->id);
  for (const auto& [id, by_summary] : summaries) {
    std::string text;
    bool listed = named.empty();
    for (const auto& [summary, simulations] : by_summary) {
      const bool has_it = std::find(simulations.begin(), simulations.end(), named) != simulations.end();
      if (!named.empty() && !has_it) continue;
      listed = true;
      if (!text.empty()) text += ' ';
      if (named.empty() && simulations.size() < catalog().size())
        for (const std::string& id_of_one : simulations)
          text += id_of_one + (id_of_one == simulations.back() ? ": " : ", ");
      text += summary;
    }
    // Those of other simulations are read, for a message that names the simulations that have them, but not listed.
    options.flag("--" + id, text, listed ? of_studies : hidden, studies[id]);
  }
  options.flag("--paper", "Repeats all measurements of the simulation's paper and writes a page of the results",
               of_studies, bench.paper);
  options.flag("--sources", "", hidden, bench.paper);
  options.text("--page", "FILE.md", "File for the page of --paper (default: perturb-SIM-sources.md)", of_studies,
               bench.page);
  options.flag("--long", "Include the parts of studies that take more than a few minutes on two processor cores",
               of_studies, bench.long_too);
  options.value(
      "--starts", "N", "Number of starts of --ring and --points of fibers (default: 7 and 4)", of_studies,
      [&](const std::string& text) { bench.starts = static_cast<int>(parse_whole("--starts", text, 1, 1000)); });
  options.text("--plot", "FILE.png", "Image of the studies' curves", of_studies, bench.plot);
  options.text("--csv", "FILE.csv", "Numbers of the studies' tables", of_studies, bench.csv);
}

void choose_study(BenchOptions& bench, const StudiesGiven& studies) {
  for (const auto& [id, given] : studies) {
    if (!given) continue;
    if (!bench.study.empty()) throw InputError("--{} and --{} are two studies. Give only one.", bench.study, id);
    bench.study = id;
  }
  if (bench.paper && !bench.study.empty())
    throw InputError("--paper already includes --{} if it is a study of the paper. Give only one of them.",
                     bench.study);
  const bool any = bench.paper || !bench.study.empty();
  for (const auto& [option, path] : {std::pair{"--plot", &bench.plot}, std::pair{"--csv", &bench.csv}})
    if (!path->empty() && !any)
      throw InputError("{} needs a study. Name one, such as --{}, or --paper.", option, first_study());
  if (bench.long_too && !any)
    throw InputError("--long needs a study. Name one, such as --{}, or --paper.", first_study());
  if (bench.starts > 0 && bench.study != "ring" && bench.study != "points")
    throw InputError("--starts needs a study over several starts. Name --ring or --points of fibers.");
  if (!bench.page.empty() && !bench.paper) throw InputError("--page needs --paper. Give both.");
  check_ending("--plot", bench.plot, ".png");
  check_ending("--csv", bench.csv, ".csv");
  check_ending("--page", bench.page, ".md");
}

}  // namespace perturb
