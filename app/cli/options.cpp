#include "app/cli/options.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <list>
#include <map>

#include <CLI/CLI.hpp>

#include "cuda/core/camera.h"
#include "cuda/core/catalog.h"
#include "cuda/core/check.h"
#include "cuda/core/value_info.h"

namespace perturb {

namespace {

constexpr int largest_side = 1 << 30;
constexpr double largest_count = 9007199254740992.0;  // whole numbers up to here are exact as double

const std::array<const char*, 6> subcommands = {"run", "list", "lesson", "verify", "bench", "doctor"};

bool is_subcommand(const std::string& word) {
  return std::find(subcommands.begin(), subcommands.end(), word) != subcommands.end();
}

ValueInfo described(const std::string& option, ValueKind kind, double minimum, double maximum) {
  ValueInfo info;
  info.id = option;
  info.kind = kind;
  info.minimum = minimum, info.maximum = maximum;
  return info;
}

std::int64_t whole(const std::string& option, const std::string& text, double minimum, double maximum) {
  return static_cast<std::int64_t>(described(option, ValueKind::integer, minimum, maximum).parse(text));
}

double real(const std::string& option, const std::string& text, double minimum, double maximum) {
  return described(option, ValueKind::real, minimum, maximum).parse(text);
}

void require_choice(const std::string& option, const std::string& text, const std::vector<std::string>& choices) {
  ValueInfo info = described(option, ValueKind::choice, 0, static_cast<double>(choices.size()) - 1);
  for (const std::string& choice : choices) info.choices.push_back({choice, choice});
  info.parse(text);
}

// Options are taken as text, so that what is wrong with one is told in this program's words.
class OptionSet {
 public:
  explicit OptionSet(CLI::App& app) : app_(app) {}

  // `apply` gets each value given; it throws InputError.
  void value(const std::string& name, const std::string& placeholder, const std::string& help, const std::string& group,
             std::function<void(const std::string&)> apply, bool repeatable = false) {
    CLI::Option* option = app_.add_option(name, values_.emplace_back(), help);
    option->type_name(placeholder)->group(group)->allow_extra_args(false);
    entries_.push_back({option, name, std::move(apply), repeatable});
  }
  void text(const std::string& name, const std::string& placeholder, const std::string& help, const std::string& group,
            std::string& target) {
    value(name, placeholder, help, group, [&target, name](const std::string& given) {
      if (given.empty()) throw InputError(name + " cannot be empty: leave it away or give it a name.");
      target = given;
    });
  }
  void flag(const std::string& name, const std::string& help, const std::string& group, bool& target) {
    app_.add_flag(name, target, help)->group(group)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  }

  void finish() const {
    for (const Entry& entry : entries_) {
      if (!*entry.option) continue;
      const std::vector<std::string>& given = entry.option->results();
      if (given.size() > 1 && !entry.repeatable) throw InputError(entry.name + " is given twice: give it once.");
      for (const std::string& text : given) {
        if (text.starts_with("--")) throw InputError(entry.name + " needs a value before " + text + ".");
        entry.apply(text);
      }
    }
    refuse_what_is_left();
  }

 private:
  struct Entry {
    CLI::Option* option;
    std::string name;
    std::function<void(const std::string&)> apply;
    bool repeatable;
  };

  void refuse_what_is_left() const {
    const std::vector<std::string> left = app_.remaining();
    if (left.empty()) return;
    const std::string& word = left.front();
    if (!word.starts_with("-"))
      throw InputError("\"" + word + "\" is one word too many. \"perturb " + app_.get_name() +
                       " --help\" shows what it takes.");
    std::vector<std::string> names;
    for (const CLI::Option* option : app_.get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    const std::string bare = word.substr(0, word.find('='));
    const std::string near = nearest_word(bare, names);
    throw InputError(
        "There is no option " + bare +
        (near.empty() ? ". \"perturb " + app_.get_name() + " --help\" shows all." : "; did you mean " + near + "?"));
  }

  CLI::App& app_;
  std::list<std::vector<std::string>> values_;
  std::vector<Entry> entries_;
};

void add_backend(OptionSet& options, std::string& backend, int& threads, const std::string& group) {
  options.value("--backend", "auto|cpu|cuda", "Where to compute; auto takes CUDA where a device can be used", group,
                [&](const std::string& text) {
                  require_choice("--backend", text, {"auto", "cpu", "cuda"});
                  backend = text;
                });
  options.value("--threads", "N", "CPU threads (default: one for each processor)", group,
                [&](const std::string& text) { threads = static_cast<int>(whole("--threads", text, 1, 4096)); });
}

void add_window_size(OptionSet& options, Size& size, bool& given, const std::string& group) {
  options.value(
      "--window-size", "WxH", "Pixels of the window or the pictures (default: as it was left, else 1280x720)", group,
      [&](const std::string& text) {
        size = parse_size("--window-size", text);
        given = true;
        if (std::max(size.width, size.height) > 16384)
          throw InputError("--window-size cannot be \"" + text + "\": a picture's sides are at most 16384 pixels.");
      });
}

void add_fresh(OptionSet& options, bool& fresh, const std::string& group) {
  options.flag("--fresh", "Open the window as at the first start, and do not keep how it is left", group, fresh);
}

void add_output_folder(OptionSet& options, std::string& folder, const std::string& group) {
  options.text("--output-folder", "DIR",
               "Where the window puts pictures and files (default: your folders Pictures and Documents)", group,
               folder);
}

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
  const double low = real("--range", text.substr(0, comma), -most, most),
               high = real("--range", text.substr(comma + 1), -most, most);
  if (!(low < high))
    throw InputError("--range cannot be \"" + text + "\": the first number must be smaller than the second.");
  run.range = {low, high};
}

// Two numbers, each within its own limit to either side.
std::pair<double, double> take_pair(const std::string& option, const std::string& text, const std::string& example,
                                    double most_first, double most_second) {
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos)
    throw InputError(option + " cannot be \"" + text + "\": it takes two numbers, such as " + example + ".");
  return {real(option, text.substr(0, comma), -most_first, most_first),
          real(option, text.substr(comma + 1), -most_second, most_second)};
}

void describe_run(OptionSet& options, RunOptions& run) {
  const std::string scene = "Scene", display = "Window", look = "View", output = "Running without a window";
  options.text("SCENE", "", "A simulation, a preset of it (wave/rain) or a preset file (mine.toml)", scene, run.scene);
  options.value("--size", "WxH", "Cells of the grid", scene,
                [&](const std::string& text) { run.size = parse_size("--size", text); });
  options.value(
      "--set", "ID=VALUE", "A parameter; may be given many times", scene,
      [&](const std::string& text) { take_parameter(run, text); }, true);
  options.value("--seed", "N", "Start of the random numbers", scene, [&](const std::string& text) {
    run.seed = static_cast<std::uint32_t>(whole("--seed", text, 0, std::numeric_limits<std::uint32_t>::max()));
  });
  options.text("--script", "FILE.toml", "Events and the steps they happen at", scene, run.script);
  options.text("--load", "FILE.h5", "Go on from a saved state", scene, run.load);
  std::string texts = "Start from a text of the simulation's own";
  for (const SimulationInfo* info : catalog())
    if (info->text.read) texts += "; " + info->id + ": " + info->text.help;
  options.text("--input", "FILE", texts, scene, run.input);
  options.text("--kernel", "ID", "How a step is computed (default: the fastest that fits)", scene, run.kernel);
  add_backend(options, run.backend, run.threads, scene);

  options.text("--quantity", "ID", "What is shown", look, run.quantity);
  options.text("--colormap", "ID", "How it is coloured", look, run.colormap);
  options.value("--range", "LOW,HIGH|auto", "The colours' ends", look,
                [&](const std::string& text) { take_range(run, text); });

  options.value("--zoom", "X", "How large it is shown; 1: all of it", look,
                [&](const std::string& text) { run.zoom = real("--zoom", text, least_zoom, most_zoom); });
  options.value("--center", "X,Y", "The point in the middle, as fractions of the domain", look,
                [&](const std::string& text) { run.center = take_pair("--center", text, "0.5,0.5", 3, 3); });
  options.value("--orbit", "AROUND,ABOVE", "Where a scene with depth is seen from, in degrees", look,
                [&](const std::string& text) { run.orbit = take_pair("--orbit", text, "30,20", 360, 90); });

  options.flag("--headless", "No window", output, run.headless);
  options.value("--steps", "N", "Take exactly this many steps", output,
                [&](const std::string& text) { run.steps = whole("--steps", text, 0, largest_count); });
  options.value("--frames", "N", "Stop after this many frames", output,
                [&](const std::string& text) { run.frames = whole("--frames", text, 1, 1e9); });
  options.value("--steps-per-frame", "N", "Steps from one frame to the next", output, [&](const std::string& text) {
    run.steps_per_frame = static_cast<int>(whole("--steps-per-frame", text, 1, 1e6));
  });
  options.text("--screenshot", "FILE.png", "A picture of the end", output, run.screenshot);
  options.flag("--with-ui", "Pictures show the panels too", output, run.with_ui);
  options.text("--record", "FILE", "A film (.mp4, .webm, .mkv, .gif), or a folder/ of PNGs", output, run.record);
  options.text("--csv", "FILE.csv", "Diagnostics over time", output, run.csv);
  options.value("--csv-every", "N", "Steps from one row to the next (default 10)", output,
                [&](const std::string& text) { run.csv_every = static_cast<int>(whole("--csv-every", text, 1, 1e9)); });
  options.text("--save", "FILE.h5", "The state at the end", output, run.save);
  options.flag("--print", "Write the state as text after every step (simulations that have such a text)", output,
               run.print);
  options.flag("--perf", "Write the last state as text, and the time to the error stream", output, run.perf);

  add_window_size(options, run.window_size, run.window_size_given, display);
  add_fresh(options, run.fresh, display);
  add_output_folder(options, run.output_folder, display);
  options.flag("--fullscreen", "Fill the screen", display, run.fullscreen);
  options.flag("--report-first-frame", "Tell how long it took until something was to be seen", display,
               run.report_first_frame);
  options.value("--ui-scale", "X", "Size of the panels (default: as the monitor says)", display,
                [&](const std::string& text) { run.ui_scale = real("--ui-scale", text, 0.5, 4); });
  options.value("--interop", "auto|off", "off: pictures reach the screen by a copy", display,
                [&](const std::string& text) {
                  require_choice("--interop", text, {"auto", "off"});
                  run.interop = text == "auto";
                });
}

// A study's name, for messages.
std::string first_study() {
  for (const SimulationInfo* info : catalog())
    if (!info->studies.empty()) return info->studies.front().id;
  return "ID";
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
  if (run.print && run.perf) throw InputError("--print writes every step and --perf only the last: give one of them.");
  if (!run.load.empty() && run.size) throw InputError("--load brings its own size: leave --size away.");
  if (!run.load.empty() && run.seed)
    throw InputError(
        "--load goes on with the random numbers of the saved run: leave --seed away, or start anew without --load.");
}

void check_ending(const std::string& option, const std::string& path, const std::string& ending) {
  std::string lower = path;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (!path.empty() && !lower.ends_with(ending))
    throw InputError(option + " cannot be \"" + path + "\": its name must end with " + ending + ".");
}

void check_studies(const BenchOptions& bench) {
  if (bench.sources && !bench.study.empty())
    throw InputError("--sources runs --" + bench.study + " too, if it is one of the source's: give one of them.");
  const bool any = bench.sources || !bench.study.empty();
  for (const auto& [option, path] : {std::pair{"--plot", &bench.plot}, std::pair{"--csv", &bench.csv}})
    if (!path->empty() && !any)
      throw InputError(std::string(option) + " is for what a study finds: name one, such as --" + first_study() +
                       ", or --sources.");
  if (!bench.page.empty() && !bench.sources) throw InputError("--page is where --sources writes: give both.");
  check_ending("--plot", bench.plot, ".png");
  check_ending("--csv", bench.csv, ".csv");
  check_ending("--page", bench.page, ".md");
}

const char* overview =
    "Perturb: physics to poke, computed on the GPU (or the CPU) while you watch.\n"
    "\n"
    "  perturb                      opens a window on a tank of water; click into it\n"
    "  perturb wave/rain            opens a scene; perturb list shows them all\n"
    "  perturb --load state.h5      goes on from a saved state\n"
    "  perturb list                 scenes, presets, parameters\n"
    "  perturb lesson [LESSON]      physics in steps, with questions; alone it lists the lessons\n"
    "  perturb verify [SIM]         checks the numbers against theory\n"
    "  perturb bench [SIM]          times the kernels\n"
    "  perturb doctor               what this machine offers, what is used and why\n"
    "\n"
    "\"perturb COMMAND --help\" tells more. Options of a run:\n";

// CLI11's layout with our words: no dots behind options that are merely collected as lists.
class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string type = option->get_type_name();
    return type.empty() ? "" : " " + type;
  }
  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string line = "Usage: perturb " + name;
    for (const CLI::Option* option : app->get_options())
      if (option->get_positional()) line += " [" + option->get_name(true) + "]";
    return line + " [OPTIONS]\n\n";
  }
};

}  // namespace

Size parse_size(const std::string& option, const std::string& text) {
  const std::size_t cross = text.find_first_of("xX");
  try {
    Size size;
    size.width = static_cast<int>(whole(option, text.substr(0, cross), 1, largest_side));
    size.height = cross == std::string::npos ? size.width
                                             : static_cast<int>(whole(option, text.substr(cross + 1), 1, largest_side));
    return size;
  } catch (const InputError&) {
    throw InputError(option + " cannot be \"" + text +
                     "\": it takes WIDTHxHEIGHT such as 512x256, whole numbers from 1 to " +
                     std::to_string(largest_side) + ".");
  }
}

Command parse_command_line(const std::vector<std::string>& arguments) {
  // `run` is meant when no subcommand is named, so that "perturb wave" works; a subcommand comes first.
  std::string name = "run";
  std::vector<std::string> rest = arguments;
  const bool overview_asked = !rest.empty() && (rest.front() == "--help" || rest.front() == "-h");
  if (!rest.empty() && rest.front() == "--version") return PrintText{"Perturb " PERTURB_VERSION "\n"};
  if (!rest.empty() && is_subcommand(rest.front())) {
    name = rest.front();
    rest.erase(rest.begin());
  }

  CLI::App app("", name);
  app.allow_extras();
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("-h,--help", "Show this");
  OptionSet options(app);

  RunOptions run;
  ListOptions list;
  VerifyOptions verify;
  BenchOptions bench;
  LessonOptions lesson;
  const std::string group = "Options";
  if (name == "run") {
    describe_run(options, run);
  } else if (name == "list") {
    options.text("SIM", "", "A simulation (default: all)", group, list.simulation);
    options.flag("--json", "For programs", group, list.json);
  } else if (name == "lesson") {
    options.text("LESSON", "", "A lesson (wave/two-slits), or a lesson's file (mine.toml); default: lists them", group,
                 lesson.lesson);
    options.flag("--headless", "Steps through it without a window, and compares what is measured with theory", group,
                 lesson.headless);
    options.text("--screenshot", "DIR|FILE.png",
                 "The same, with a picture of each step in this folder, or of the last one in this file", group,
                 lesson.screenshot);
    options.value("--step", "N", "Steps through it up to this one (default: to the end)", group,
                  [&](const std::string& text) { lesson.last_step = whole("--step", text, 1, 1e6); });
    add_backend(options, lesson.backend, lesson.threads, group);
    add_window_size(options, lesson.window_size, lesson.window_size_given, group);
    add_fresh(options, lesson.fresh, group);
    add_output_folder(options, lesson.output_folder, group);
    options.value("--ui-scale", "X", "Size of the panels (default: as the monitor says)", group,
                  [&](const std::string& text) { lesson.ui_scale = real("--ui-scale", text, 0.5, 4); });
  } else if (name == "verify") {
    options.text("SIM", "", "A simulation (default: all)", group, verify.simulation);
    add_backend(options, verify.backend, verify.threads, group);
    options.flag("--json", "For programs", group, verify.json);
    options.flag("--long", "Also the checks that take minutes", group, verify.extended);
    const std::string presets = "Presets as a window runs them, instead of theory";
    options.flag("--presets", "Runs each (SIM, SIM/PRESET or all) and counts what must never happen", presets,
                 verify.presets);
    options.flag("--sliders", "The same, each time with one slider pushed to an end", presets, verify.sliders);
    options.value("--minutes", "N", "Window time for each (default: 60)", presets,
                  [&](const std::string& text) { verify.minutes = real("--minutes", text, 0.001, 1e6); });
    options.value("--seconds", "N", "Computing for each at most (default: 600)", presets,
                  [&](const std::string& text) { verify.seconds = real("--seconds", text, 0.001, 1e6); });
    options.value(
        "--at-once", "N", "Presets at a time, each with its own threads or stream (default: 1)", presets,
        [&](const std::string& text) { verify.at_once = static_cast<int>(whole("--at-once", text, 1, 256)); });
  } else if (name == "bench") {
    options.text("SIM", "", "A simulation (default: all)", group, bench.simulation);
    add_backend(options, bench.backend, bench.threads, group);
    options.value(
        "--size", "WxH", "Cells; may be given many times", group,
        [&](const std::string& text) { bench.sizes.push_back(parse_size("--size", text)); }, true);
    options.text("--kernel", "ID", "One kernel (default: all)", group, bench.kernel);
    options.value("--steps", "N", "Steps in a timed group (default: as many as 0.2 s take)", group,
                  [&](const std::string& text) { bench.steps = whole("--steps", text, 1, 1e9); });
    options.flag("--json", "For programs", group, bench.json);
  }

  // Studies are options of their own: --ID.
  std::map<std::string, bool> studies;
  if (name == "bench") {
    std::map<std::string, std::string> summaries;
    for (const SimulationInfo* info : catalog())
      for (const Study& study : info->studies)
        summaries[study.id] += (summaries[study.id].empty() ? "" : " ") + info->id + ": " + study.summary;
    for (const auto& [id, summary] : summaries) options.flag("--" + id, summary, "Studies", studies[id]);
    options.flag("--sources",
                 "All of these that measure again what the simulation's published work did, and a page of them",
                 "Studies", bench.sources);
    options.text("--page", "FILE.md", "Where --sources writes its page (default: perturb-SIM-sources.md)", "Studies",
                 bench.page);
    options.text("--plot", "FILE.png", "A picture of the studies' curves", "Studies", bench.plot);
    options.text("--csv", "FILE.csv", "The numbers of the studies' tables", "Studies", bench.csv);
  }

  try {
    std::reverse(rest.begin(), rest.end());  // CLI11 takes them from the back
    app.parse(rest);
    options.finish();
  } catch (const CLI::CallForHelp&) {
    return PrintText{(overview_asked ? overview : "") + app.help()};
  } catch (const CLI::ParseError& error) {
    throw InputError(std::string(error.what()) + ". \"perturb " + name + " --help\" shows what there is.");
  }

  for (const auto& [id, given] : studies) {
    if (!given) continue;
    if (!bench.study.empty()) throw InputError("--" + bench.study + " and --" + id + " are two studies: give one.");
    bench.study = id;
  }
  check_studies(bench);

  if (name == "list") return list;
  if (name == "verify") {
    verify.presets = verify.presets || verify.sliders;
    return verify;
  }
  if (name == "bench") return bench;
  if (name == "lesson") return lesson;
  if (name == "doctor") return DoctorOptions{};
  if (is_subcommand(run.scene))
    throw InputError("\"" + run.scene + "\" is a command, not a scene: it comes first, as in \"perturb " + run.scene +
                     "\".");
  check_run(run);
  return run;
}

}  // namespace perturb
