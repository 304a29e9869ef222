#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/failure.h"
#include "app/cli/headless.h"
#include "app/cli/race.h"
#include "app/cli/run_checks.h"
#include "app/cli/scene_options.h"
#include "app/cli/terminal.h"
#include "app/cli/trace.h"
#include "app/cli/window_start.h"
#include "app/edited/edited_kernel.h"
#include "app/i18n/language.h"
#include "app/io/files/colormap_file.h"
#include "app/io/files/folders.h"
#include "app/io/files/text_file.h"
#include "app/io/preset/file_kind.h"
#include "app/io/preset/presets.h"
#include "app/io/preset/puzzles.h"
#include "app/io/preset/races.h"
#include "app/io/preset/scenes.h"
#include "app/io/preset/scripts.h"
#include "app/io/state/state_file.h"
#include "app/lessons/lesson_library.h"
#include "app/race/lane.h"
#include "app/race/race.h"
#include "app/render/gl/window.h"
#include "app/run/lighter.h"
#include "app/run/live_count.h"
#include "app/run/run_status.h"
#include "app/session/view_controller.h"
#include "app/window/app.h"
#include "cuda/core/launch/launch_map.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/paint/layer.h"
#include "cuda/core/paint/orbit.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/edited_state.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/core/simulation/text_format.h"
#include "cuda/core/timing/kernel_choice.h"

namespace perturb {

namespace {

// The nearest of all words that could stand for a misspelt scene: the command line that was meant, without the paths of
// scenes, which load_scene suggests.
std::string meant_command(const std::string& word, bool is_race) {
  std::vector<std::string> words;
  std::vector<std::string> commands;  // for each of them
  const auto add = [&](const std::string& name, const std::string& command) {
    words.push_back(name);
    commands.push_back(command);
  };
  // Before the scenes, so that of two names as near ("paper" and "pair" of "paer") the command or race is meant.
  for (const std::string& name : command_names())
    if (!is_race) add(name, name);
  for (const PreparedRace& race : prepared_races()) add(race.id, "race " + race.id);
  for (const SceneEntry& scene : all_scenes()) {
    add(scene.path(), "");
    add(scene.preset, (is_race ? "race " : "") + scene.path());
  }
  for (const SimulationInfo* info : catalog()) add(info->id, "");
  if (!is_race) {
    add("help", "--help");
    for (const Puzzle& puzzle : all_puzzles()) add(puzzle.id, "puzzle " + puzzle.id);
    for (const auto& lesson : all_lessons().lessons) {
      add(lesson->id, "lesson " + lesson->path());
      add(lesson->path(), "lesson " + lesson->path());
    }
  }
  const std::string near = nearest_name(word, words);
  auto found = words.end();
  constexpr std::size_t min_beginning = 3;  // letters
  if (!near.empty())
    found = std::find(words.begin(), words.end(), near);
  else if (word.size() >= min_beginning)
    found = std::find_if(words.begin(), words.end(), [&](const std::string& one) { return one.starts_with(word); });
  return found == words.end() ? "" : commands[static_cast<std::size_t>(found - words.begin())];
}

// Scene of a window that is started without one: it moves by itself and fills the view.
constexpr const char* opening_scene = "wave/surface";

// If the first argument is not a scene, it may be a misspelt subcommand, race, puzzle or lesson.
Scene scene_named(const std::string& scene, bool is_race = false) {
  if (scene.empty()) return load_scene(catalog().front()->id);
  if (const PreparedRace* race = is_race ? find_race(scene) : nullptr) return race->scene;
  try {
    return load_scene(scene);
  } catch (const InputError&) {
    if (scene.find('.') != std::string::npos) throw;  // a file
    const std::string meant = meant_command(scene, is_race);
    if (meant.empty() && is_race && scene.find('/') == std::string::npos)
      throw InputError("There is no scene or prepared race \"{}\". \"perturb race --list\" shows the races.", scene);
    if (meant.empty()) throw;
    throw InputError("There is no scene or command \"{}\"; did you mean \"perturb {}\"?", scene, meant);
  }
}

// The parameters that --set names.
std::vector<ParameterChange> asked_parameters(const RunOptions& options, const SimulationInfo& info) {
  const ParameterSet table(info.parameters, nullptr);  // used for lookups only
  std::vector<ParameterChange> asked;
  for (const auto& [id, text] : options.parameters) {
    const Parameter& parameter = table.find(id);
    asked.push_back({parameter.id, parameter.parse(text)});
  }
  return asked;
}

double value_in(const Setup& setup, const Parameter& parameter) {
  const auto found = setup.parameters.find(parameter.id);
  return found == setup.parameters.end() ? parameter.initial : found->second;
}

// The parameters that --set changes after a saved state has been loaded, as in the window. Throws InputError for a
// different value of a parameter that needs a restart.
std::vector<ParameterChange> changes_after_load(const RunOptions& options, const Setup& setup) {
  const SimulationInfo& info = find_simulation(setup.simulation);
  const ParameterSet table(info.parameters, nullptr);
  std::vector<ParameterChange> changes = asked_parameters(options, info);
  for (const ParameterChange& change : changes) {
    const Parameter& parameter = table.find(change.id);
    if (parameter.apply == Apply::restart && change.value != value_in(setup, parameter))
      throw InputError(
          "--set {} cannot be used with --load: the saved run was started with {}. Omit it, or start without --load.",
          change.id, parameter.format(value_in(setup, parameter)));
  }
  std::erase_if(changes, [&](const ParameterChange& c) { return table.find(c.id).apply == Apply::restart; });
  return changes;
}

}  // namespace

void apply_options(const RunOptions& options, Scene& scene) {
  Setup& setup = scene.setup;
  const SimulationInfo& info = find_simulation(setup.simulation);
  if (options.size) {
    setup.width = options.size->width;
    setup.height = options.size->height;
  }
  if (options.seed) setup.seed = *options.seed;
  if (options.load.empty())
    for (const ParameterChange& asked : asked_parameters(options, info)) setup.parameters[asked.id] = asked.value;

  if (!options.lanes.empty()) {
    scene.lanes.clear();
    for (const std::string& lane : options.lanes) scene.lanes.push_back(parse_lane(lane, info));
  }
  require_lane_count(scene.lanes.size());
  if (options.race_by_time && scene.lanes.empty())
    throw InputError("--by needs a race. Add lanes with --lane, or omit --by.");
  if (options.race_by_time) scene.race_by_time = *options.race_by_time;
  if (options.race && scene.lanes.empty())
    throw InputError(
        "A race needs two to four lanes. Add them, such as --lane kernel={} --lane nudge=1, or choose a prepared race "
        "(\"perturb race --list\").",
        info.kernels.empty() ? std::string("auto") : info.kernels.front().id);

  const std::vector<std::string> quantities = ids_of(info.quantities);
  const auto require_quantity = [&](const std::string& id) {
    if (std::find(quantities.begin(), quantities.end(), id) == quantities.end())
      throw InputError("There is no quantity \"{}\" in {}{}", id, info.id,
                       did_you_mean(id, quantities, choose_one_of(quantities)));
  };
  for (const Instrument& instrument : options.instruments)
    if (!instrument.quantity.empty()) require_quantity(instrument.quantity);

  ViewSettings& view = scene.view;
  if (!options.quantity.empty()) {
    require_quantity(options.quantity);
    // The preset's range and colormap belong to another quantity.
    if (view.quantity != options.quantity) {
      view.minimum = view.maximum = 0;
      view.colormap.clear();
    }
    view.quantity = options.quantity;
  }
  if (!options.colormap.empty())
    view.colormap = colormap_of_option(options.colormap).id;
  else if (!options.script_colormap.empty())
    view.colormap = options.script_colormap;
  if (options.automatic_range) view.automatic = true;
  if (options.layer) view.layer = *options.layer;
  if (options.theory) view.theory = *options.theory;
  if (const Message error = layer_error(info, view); !error.empty()) {
    if (options.layer) throw InputError(error);
    view.layer = {};  // it belongs to another quantity
  }
  if (options.zoom) scene.camera.zoom = *options.zoom;
  if (options.center) {
    scene.camera.center_x = options.center->first;
    scene.camera.center_y = options.center->second;
  }
  if (options.orbit) {
    if (!can_rotate(info, view.quantity))
      throw InputError("--orbit needs a scene with depth, and {} has none{}. Omit it.", info.id,
                       (view.quantity.empty() ? "" : " in the quantity " + view.quantity));
    scene.camera.yaw = options.orbit->first * radians_per_degree;
    scene.camera.pitch = options.orbit->second * radians_per_degree;
  } else if (!info.orbits && can_rotate(info, view.quantity)) {
    raise_camera(scene.camera);
  }
  if (options.range) {
    view.automatic = false;
    view.minimum = options.range->first;
    view.maximum = options.range->second;
  }
}

namespace {

// Returns whether the command line leaves the start open: no scene and no option that implies or changes one.
bool says_no_scene(const RunOptions& options) {
  return options.scene.empty() && options.load.empty() && options.input.empty() && options.script.empty() &&
         options.parameters.empty() && options.lanes.empty() && !options.race_by_time && !options.race &&
         !options.size && !options.seed && options.kernel.empty() && options.quantity.empty() &&
         options.colormap.empty() && !options.range && !options.automatic_range && !options.layer && !options.theory &&
         !options.zoom && !options.center && !options.orbit;
}

// Path of a file that a script's start names: next to the script or below it, where it was saved with it. A user who
// opens a script from elsewhere did not choose which files it reads.
std::string beside_script(const std::string& script, const std::string& name) {
  if (name.empty()) return name;
  if (const std::string path = resolve_relative_path(script, name); !path.empty()) return path;
  throw InputError(
      "{}: its start names \"{}\", which is outside the folder of the script. Copy it into that folder and give its "
      "relative path.",
      script, name);
}

// Parses the start of a script; an error names the script.
RunOptions parse_start(const ScriptStart& start, const std::string& script) {
  try {
    const CommandLine command = parse_command_line(start.arguments);
    if (const auto* begin = std::get_if<RunOptions>(&command)) return *begin;
    throw InputError("It does not start a run.");
  } catch (const InputError& error) {
    throw InputError("{}: its start cannot be used. {}", script, error.message());
  }
}

// Applies the start that the script contains; options of the command line override it. Returns the script's number of
// steps, if it has one.
std::optional<std::int64_t> take_script_start(RunOptions& options) {
  if (options.script.empty() || !options.scene.empty() || !options.load.empty() || !options.input.empty()) return {};
  const ScriptStart script = load_script_start(options.script);
  if (script.arguments.empty()) return script.steps;
  const RunOptions begin = parse_start(script, options.script);
  options.scene = begin.scene.ends_with(".toml") ? beside_script(options.script, begin.scene) : begin.scene;
  options.load = beside_script(options.script, begin.load);
  options.input = beside_script(options.script, begin.input);
  if (!options.size) options.size = begin.size;
  if (!options.seed) options.seed = begin.seed;
  if (options.kernel.empty()) options.kernel = begin.kernel;
  if (options.lanes.empty()) options.lanes = begin.lanes;
  if (!options.race_by_time) options.race_by_time = begin.race_by_time;
  options.parameters.insert(options.parameters.begin(), begin.parameters.begin(), begin.parameters.end());
  if (options.instruments.empty()) options.instruments = begin.instruments;
  if (options.quantity.empty()) options.quantity = begin.quantity;
  if (options.colormap.empty() && !begin.colormap.empty()) {
    require_colormap(begin.colormap, options.script);
    options.script_colormap = begin.colormap;
  }
  if (!options.range && !options.automatic_range) {
    options.range = begin.range;
    options.automatic_range = begin.automatic_range;
  }
  if (!options.layer) options.layer = begin.layer;
  if (!options.theory) options.theory = begin.theory;
  if (!options.zoom) options.zoom = begin.zoom;
  if (!options.center) options.center = begin.center;
  if (!options.orbit) options.orbit = begin.orbit;
  if (options.scene.empty() || !options.load.empty() || !options.input.empty()) return script.steps;
  try {
    Scene scene = scene_named(options.scene, options.race);
    apply_options(options, scene);
  } catch (const InputError& error) {
    throw InputError("{}: its start, with the options given, cannot be used. {}", options.script, error.message());
  }
  return script.steps;
}

// --input, --print and --perf: the simulation's own text format.
void take_text(RunOptions& options, Setup& setup, std::optional<State>& state,
               std::shared_ptr<const std::string>& input_text) {
  if (options.input.empty() && !options.print && !options.perf) return;
  const SimulationInfo& info = find_simulation(setup.simulation);
  const std::string option = !options.input.empty() ? "--input" : options.print ? "--print" : "--perf";
  if (!info.text) {
    std::string having;
    for (const SimulationInfo* other : catalog())
      if (other->text) having += (having.empty() ? "" : ", ") + other->id;
    throw InputError("{} needs a simulation with a text format, and {} has none{}", option, info.id,
                     (having.empty() ? "." : ": try " + having + "."));
  }
  if (options.input.empty()) return;
  input_text = std::make_shared<const std::string>(read_text_file(options.input, "input file", std::size_t{4} << 30));
  TextStart start = info.text->read(*input_text, options.input, setup);
  // The text sets some parameters itself.
  const ParameterSet table(info.parameters, nullptr);
  for (const ParameterChange& asked : asked_parameters(options, info)) {
    const Parameter& parameter = table.find(asked.id);
    if (value_in(start.setup, parameter) != asked.value)
      throw InputError("--set {} cannot be used with --input: the text sets it to {}. Omit it, or change the text.",
                       asked.id, parameter.format(value_in(start.setup, parameter)));
  }
  setup = std::move(start.setup);
  state = std::move(start.state);
  if (start.steps > 0 && !options.steps && !options.frames && options.wants_headless()) options.steps = start.steps;
  if (start.mode != TextMode::unset && !options.print && !options.perf && options.wants_headless())
    (start.mode == TextMode::print ? options.print : options.perf) = true;
}

// The user did not choose this name: the image must not replace a file or follow a link.
std::string unused_picture_name() {
  const std::string stem = "perturb", ending = ".png";
  std::error_code ignored;
  for (int k = 1;; ++k) {
    const std::string name = stem + (k == 1 ? "" : "-" + std::to_string(k)) + ending;
    if (!std::filesystem::exists(std::filesystem::symlink_status(name, ignored))) return name;
  }
}

// The record is printed whatever ends the run; an error follows it on the error stream.
int run_and_print_record(Experiment& experiment, const RunOptions& options, const AppOptions& app) {
  RunRecord record;
  record.begin(experiment.setup(), options, experiment.backend());
  const auto print = [&](int code, const std::string& message) {
    std::cout << record.json(code, message).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  };
  try {
    const int code = run_headless(experiment, options, app, &record);
    print(code, code == 0 ? "" : "The run was interrupted, or an output is missing.");
    return code;
  } catch (...) {
    const Failure failure = failure_of(std::current_exception());
    print(failure.exit_code, failure.message);
    throw;
  }
}

// Accepts a file of any supported type in place of the scene, as a desktop passes it. Presets are scenes.
void take_file(RunOptions& options, std::string& lesson) {
  if (!options.load.empty() || !options.script.empty()) return;
  std::error_code ignored;
  const bool is_file = std::filesystem::is_regular_file(options.scene, ignored);
  // No scene has a name like a state file: if the file does not exist, that is the error.
  if (!has_ending(options.scene, endings_of_states()) && !(is_file && has_ending(options.scene, {"toml"}))) return;
  const std::string file = std::exchange(options.scene, "");
  switch (kind_of_file(file)) {
    case FileKind::state:
      options.load = file;
      if (options.size || options.seed)
        throw InputError("\"{}\" is a saved state with its own size and seed. Omit {}.", file,
                         (options.size ? "--size" : "--seed"));
      return;
    case FileKind::script:
      options.script = file;
      return;
    case FileKind::lesson:
      if (options.wants_headless())
        throw InputError("\"{}\" is a lesson: \"perturb lesson {} --headless\" steps through it without a window.",
                         file, file);
      // The lesson's first scene, until the window starts the lesson.
      options.scene = scene_path_of(load_lesson(file)->steps.front().scene.setup);
      lesson = file;
      return;
    default:
      options.scene = file;
  }
}

}  // namespace

ScriptRun read_script_run(const std::string& path, const Scene& now) {
  RunOptions options;
  options.script = path;
  take_script_start(options);
  ScriptRun run;
  std::optional<State> state;
  if (!options.load.empty()) state = load_state(options.load);
  Scene scene = state ? scene_of(*state) : options.scene.empty() ? now : scene_named(options.scene);
  if (state)
    for (const ParameterChange& change : changes_after_load(options, scene.setup))
      run.events.push_back({state->steps, change});
  apply_options(options, scene);
  take_text(options, scene.setup, state, run.start.input_text);
  for (Event& event : load_script(path, scene.setup.simulation)) run.events.push_back(std::move(event));
  run.start.kernel = !options.kernel.empty() ? options.kernel : state ? kernel_of(*state) : run.start.kernel;
  run.start.scene = std::move(scene);
  if (state) run.start.state = std::make_shared<const State>(*std::move(state));
  run.start.load = options.load;
  run.start.input = options.input;
  run.instruments = options.instruments;
  return run;
}

int run_command(const RunOptions& given) {
  if (given.edited_kernels) accept_all_edited_texts();
  if (given.list_races) return list_races(given.json);
  RunOptions options = given;
  require_outputs(options);
  std::string lesson;
  take_file(options, lesson);

  // Check all input first, then the machine.
  const std::optional<std::int64_t> script_steps = take_script_start(options);
  require_inputs_kept(options);
  std::optional<State> state;
  if (!options.load.empty()) state = load_state(options.load);
  AppOptions app;
  WindowOptions window;
  window.width = options.window_size.width;
  window.height = options.window_size.height;
  window.fullscreen = options.fullscreen || options.kiosk;
  std::optional<Scene> restored;
  if (!options.wants_headless()) {
    restore_window(options.output_folder, options.fresh || options.kiosk, options.window_size_given, app, window);
    if (says_no_scene(options)) restored = last_scene(app);
    if (says_no_scene(options) && !restored) restored = load_scene(opening_scene);
  }
  Scene scene = state ? scene_of(*state) : restored ? *restored : scene_named(options.scene, options.race);
  const std::vector<ParameterChange> changes =
      state ? changes_after_load(options, scene.setup) : std::vector<ParameterChange>();
  apply_options(options, scene);
  Start start;
  take_text(options, scene.setup, state, start.input_text);
  std::vector<Event> events;
  if (!options.script.empty()) events = load_script(options.script, scene.setup.simulation);

  bool headless = options.wants_headless();
  if (const Message missing = missing_colormap(scene.view.colormap); headless && !missing.empty())
    print_line(std::cerr, missing.english());
  if (!headless) {
    if (const Message reason = Window::unavailable_reason(); !reason.empty()) {
      headless = true;
      options.screenshot = unused_picture_name();
      require_outputs(options);
      print_line(std::cerr, reason.english());
      print_line(std::cerr, "Continuing without a window. The image is saved as " + options.screenshot + ".");
    }
  }

  if (!lesson.empty()) app.lesson = lesson;
  app.interop = options.interop;
  app.read_script = read_script_run;
  app.ui_scale = options.ui_scale;
  app.frame_rate = options.frame_rate;
  app.language = options.language;
  app.theme = options.theme;
  app.steps_per_frame = options.steps_per_frame.value_or(0);
  app.instruments = options.instruments;
  app.show_plots = options.show_plots;
  app.panel = options.panel;
  app.show = options.show;
  app.microscope = options.microscope;
  app.launch = options.launch;
  if (options.launch && options.microscope && options.launch != options.microscope)
    throw InputError("--launch and --microscope show the place under the pointer. Give both the same place.");
  const OwnedBackends backends = make_backends(options.backend, options.threads, &app.backend_note);

  start.scene = scene;
  start.kernel = !options.kernel.empty() ? options.kernel : state ? kernel_of(*state) : start.kernel;
  if (state) start.state = std::make_shared<const State>(*std::move(state));
  start.load = options.load;
  start.input = options.input;
  if (options.measure_kernels) TimingCache::of_process().forget(start.scene.setup.simulation);
  // A number that is given, or part of what is resumed or repeated, is kept.
  const bool keeps_size = options.size || start.state || !options.input.empty() || !options.script.empty();
  if (!headless && !keeps_size && app.lesson.empty()) {
    choose_live_count(backends.get(), start.scene, start.kernel);
    // Other options are meant for the grid of the full scene.
    RunOptions others = options;
    others.scene.clear();
    if (says_no_scene(others)) choose_lighter(backends.get(), start.scene, start.kernel);
  }
  std::optional<Experiment> begun;
  const auto begin = [&] {
    const Setup& setup = start.scene.setup;
    require_memory(find_simulation(setup.simulation), setup, backends.get().of(setup, start.kernel),
                   !options.save.empty() || !options.fields.empty() || (options.json && start.scene.lanes.empty()),
                   std::max<std::size_t>(1, computing_lanes(start.scene.lanes)));
    begun.emplace(backends.get(), start);
    for (const ParameterChange& change : changes) begun->set_parameter(change.id, change.value);
    begun->schedule(events);
  };
  try {
    begin();
  } catch (const UnreadKernelError&) {
    if (headless || !changes.empty()) throw;
    app.file = options.script.empty() ? options.load : options.script;
    start = {};
    start.scene = scene_named(opening_scene);
    events.clear();
    begin();
  } catch (const Error& error) {
    // The last scene may no longer be compatible: that must not keep the program from starting.
    if (!restored) throw;
    app.note = Message("Cannot reopen the last session. {}", error.message());
    app.lesson.clear();
    start.scene = scene_named(opening_scene);
    begin();
  }
  Experiment& experiment = *begun;
  if (options.show == "editor" && (!experiment.scene().lanes.empty() || !status_of(experiment).kernel_source))
    throw InputError("--show editor needs a kernel that can be edited, and {} has none. Choose another scene.",
                     experiment.scene().lanes.empty() ? experiment.info().id : std::string("a race"));
  if (options.launch && !experiment.simulation().find<MapsLaunch>()) throw InputError(no_launch_text);
  if (headless) {
    if (script_steps && !options.steps && !options.frames)
      options.steps = std::max<std::int64_t>(0, *script_steps - experiment.simulation().steps());
    if (!app.backend_note.empty()) print_line(std::cerr, "Computing on the CPU: " + app.backend_note.english());
    if (&experiment.backend() != backends.preferred.get())
      print_line(std::cerr,
                 "Computing on the CPU: this scene is so small that a GPU would be slower. (--backend cuda uses "
                 "the GPU.)");
    use_language(options.language.empty() ? language_of_environment() : options.language);
    auto* const race = experiment.simulation().find<Race>();
    const auto run = [&] {
      return options.json && !race ? run_and_print_record(experiment, options, app)
                                   : run_headless(experiment, options, app);
    };
    const int code = run_with_trace(options.trace, backends.get(), options.print || options.perf || options.json, run);
    if (race) print_race(experiment, *race, options);
    return code;
  }

  if (options.kiosk) app.kiosk = kiosk_scenes(options.scene);
  if (options.kiosk && app.kiosk.empty()) app.kiosk = {options.scene};
  app.report_first_frame = options.report_first_frame;
  app.report_frames = options.report_frames;
  app.frame_limit = options.frames.value_or(0);
  return run_with_trace(options.trace, backends.get(), false, [&] { return run_window(experiment, app, window); });
}

}  // namespace perturb
