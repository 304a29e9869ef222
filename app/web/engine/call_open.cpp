// Calls of scenes: opens a run, reports its status, collects what a link contains, and passes the bytes of files: a
// saved state, and the run as a script.
#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/io/preset/presets.h"
#include "app/io/preset/scenes.h"
#include "app/io/state/portable_state.h"
#include "app/io/state/script_file.h"
#include "app/run/display_units.h"
#include "app/run/lighter.h"
#include "app/run/live_count.h"
#include "app/run/pitch.h"
#include "app/run/run_text.h"
#include "app/tables/tables_json.h"
#include "app/web/engine/calls.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/edited_state.h"

namespace perturb {

namespace {

// Each stroke takes a millisecond or more when a scene opens.
constexpr std::size_t max_strokes = 10000;

const char* level_name(Gauge::Level level) {
  if (level == Gauge::Level::good) return "good";
  if (level == Gauge::Level::near) return "near";
  if (level == Gauge::Level::exceeded) return "at";
  return "unknown";
}

// Unit of a scene's width, and how many of them this machine runs smoothly. Null: the size is fixed.
WebJson json_of_count(const Scene& scene) {
  if (scene.count.label.empty()) return nullptr;
  return {{"label", scene.count.label},
          {"value", scene.setup.width},
          {"preset", scene.count.preset},
          {"is_from_machine", scene.count.is_from_machine},
          {"text", json_of(count_text(scene))}};
}

// Whether the run is a lighter variant of its scene, or the full one that was chosen over a variant. Null: the scene
// has no variants.
WebJson json_of_lightness(const Scene& scene) {
  const Lightness& lightness = scene.lightness;
  if (lightness.full.empty() && lightness.lighter.empty()) return nullptr;
  return {{"is_lighter", !lightness.full.empty()},
          {"is_chosen", lightness.is_chosen},
          {"is_from_machine", lightness.is_from_machine},
          {"text", json_of(lighter_text(scene))}};
}

// The units that the scene states, with their scale, and the values of the simulation's tables that they change: one
// value in the simulation's unit is `factor` in the shown one. A scene may state none, so that only fractions of the
// domain change.
WebJson json_of_units(WebRun& web, const RunStatus& run) {
  const DisplayUnits& units = web.display_units(true);
  const SimulationInfo& info = *run.info;
  WebJson names = WebJson::array(), scales = WebJson::array(), values = WebJson::array();
  for (const UnitScale& unit : run.scene->units) {
    if (std::find(names.begin(), names.end(), WebJson(unit.name)) == names.end()) names.push_back(unit.name);
    if (unit.scale && is_base_unit(unit.of)) scales.push_back({{"of", unit.of}, {"text", text_of(unit)}});
  }
  std::set<std::pair<std::string_view, std::string_view>> added;  // several kinds of actions have the same fields
  const auto add = [&](const std::string& id, const std::string& unit) {
    if (unit.empty() || !added.emplace(id, unit).second) return;
    const DisplayUnit shown = display_unit(units, unit, id);
    if (shown.factor != 1 || shown.text != unit)
      values.push_back({{"id", id}, {"unit", unit}, {"shown", shown.text}, {"factor", shown.factor}});
  };
  const auto add_value = [&](const ValueInfo& value) {
    if (value.kind == ValueKind::real) add(value.id, value.unit);
  };
  for (const Parameter& parameter : info.parameters) add_value(parameter);
  for (const ActionKind& kind : info.actions) std::for_each(kind.fields.begin(), kind.fields.end(), add_value);
  for (const Tool& tool : info.tools) std::for_each(tool.brush.begin(), tool.brush.end(), add_value);
  for (const Quantity& quantity : info.quantities) add(quantity.id, quantity.unit);
  return {{"names", names},
          {"scales", scales},
          {"values", values},
          {"time_text", json_of(time_text(units, info, run.time))}};
}

// A page passes names of scenes, not files.
Scene scene_called(const std::string& scene) {
  if (scene.ends_with(".toml")) throw InputError("Cannot open the file \"{}\" from a link. Name a scene.", scene);
  return load_scene(scene);
}

}  // namespace

WebJson call_open(WebRun& web, const WebJson& args) {
  constexpr int max_side = 16384;
  require_keys_of(args, "with",
                  {"scene", "lighter", "live_count", "width", "height", "seed", "parameters", "actions", "view",
                   "kernel", "instruments"});
  const std::string kernel = text_in(args, "kernel", "");
  web.require_kernel(kernel);
  Start start;
  start.scene = scene_called(text_in(args, "scene"));
  // Only for a scene that is just named: whatever else a link contains is meant for the grid of the full scene.
  if (bool_in(args, "lighter", false))
    choose_lighter(web.shared.backend(), start.scene, kernel.empty() ? "auto" : kernel, max_load_of_page);
  Setup& setup = start.scene.setup;
  const SimulationInfo& info = find_simulation(setup.simulation);
  setup.width = static_cast<int>(int_in(args, "width", 1, max_side, setup.width));
  setup.height = static_cast<int>(int_in(args, "height", 1, max_side, setup.height));
  setup.seed = static_cast<std::uint32_t>(int_in(args, "seed", 0, 0xFFFFFFFF, setup.seed));
  if (const WebJson* parameters = find_in(args, "parameters")) {
    const ParameterSet table(info.parameters, nullptr);  // for look-up only, never set
    for (const auto& [id, value] : parameters->items()) {
      const Parameter& parameter = table.find(id);
      setup.parameters[parameter.id] = value_from(parameter, value);
    }
  }
  if (const WebJson* actions = find_in(args, "actions")) {
    if (actions->size() > max_strokes)
      throw InputError("Cannot open a link with {} strokes: at most {} are possible. Ask for the saved state instead.",
                       actions->size(), max_strokes);
    for (const WebJson& one : *actions) setup.actions.push_back(action_from(info, one));
  }
  if (const WebJson* view = find_in(args, "view")) {
    require_keys_of(*view, "view",
                    {"quantity", "colormap", "minimum", "maximum", "automatic", "smooth", "theory", "layer", "camera"});
    const ViewChange shown = view_from(info, {start.scene.view, start.scene.camera}, *view);
    start.scene.view = shown.view;
    start.scene.camera = shown.camera;
  }
  // A link that contains a number of fibers keeps it.
  const bool has_width = find_in(args, "width") != nullptr, is_counted = !start.scene.count.label.empty();
  if (bool_in(args, "live_count", false) && !has_width)
    choose_live_count(web.shared.backend(), start.scene, kernel.empty() ? "auto" : kernel);
  std::vector<Instrument> instruments;
  if (const WebJson* list = find_in(args, "instruments")) instruments = instruments_from(info, *list);
  web.shared.begin(std::move(start), kernel);
  replace_instruments(web, std::move(instruments));
  web.shared.has_chosen_width = has_width && is_counted;
  web.lesson.reset();
  return status_of_run(web);
}

WebJson call_status(WebRun& web, const WebJson&) { return status_of_run(web); }

WebJson status_of_run(WebRun& web) {
  const std::shared_ptr<const RunStatus> now = web.status();
  const RunStatus& run = *now;
  const SimulationInfo& info = *run.info;
  const Scene& scene = *run.scene;
  const Setup& setup = scene.setup;
  WebJson parameters = WebJson::object();
  for (std::size_t k = 0; k < run.parameters.size(); ++k)
    parameters[info.parameters[k].id] = json_of_value(info.parameters[k], run.parameters[k]);
  WebJson gauges = WebJson::array();
  for (const Gauge& gauge : run.gauges)
    gauges.push_back({{"id", gauge.id},
                      {"label", json_of(gauge.label)},
                      {"help", json_of(gauge.help)},
                      {"value", gauge.value},
                      {"limit", gauge.limit},
                      {"near", gauge.warn_at},
                      {"share", gauge_share(gauge)},
                      {"only_warns", gauge.advisory},
                      {"level", level_name(gauge.level())},
                      {"on_purpose", gauge.id == scene.past_limit},
                      {"remedy", json_of(gauge.remedy)},
                      {"advice", json_of(gauge_advice(gauge, info.parameters))}});
  WebJson objects = WebJson::array();
  for (const SceneObject& object : run.objects) {
    WebJson& one =
        objects.emplace_back(WebJson{{"id", object.id}, {"kind", object.kind}, {"permanent", object.is_permanent}});
    one["numbers"] = json_of_action(info, {object.kind, object.numbers, {}, {}});
    one["numbers"].erase("kind");
    one["position"] = WebJson::array();
    if (!object.handles.empty())
      for (const ObjectHandle::Effect& effect : object.handles.front().effects)
        one["position"].push_back(effect.number);
  }
  const Setup preset = setup.preset.empty() ? Setup() : load_scene(scene_path_of(setup)).setup;
  WebJson defaults = WebJson::object();
  for (const Parameter& p : info.parameters) {
    const auto given = preset.parameters.find(p.id);
    defaults[p.id] = json_of_value(p, given == preset.parameters.end() ? p.initial : given->second);
  }
  const std::optional<SungParameter> sung = sung_parameter(run);
  WebJson json = {{"simulation", setup.simulation},
                  {"scene", full_scene_path_of(setup)},
                  {"title", scene.title},
                  {"hint", scene.hint},
                  {"touch_hint", scene.touch_hint},
                  {"tries", scene.tries},
                  {"controls", scene.simple.controls},
                  {"readings", scene.simple.readings},
                  {"plot", scene.plot},
                  {"width", setup.width > 0 ? setup.width : info.default_width},
                  {"height", setup.height > 0 ? setup.height : info.default_height},
                  {"domain", {run.domain_width, run.domain_height}},
                  {"seed", setup.seed},
                  {"steps", run.steps},
                  {"first_step", run.first_step},
                  {"last_step", run.last_step},
                  {"time", run.time},
                  {"time_text", json_of(time_text({}, info, run.time))},
                  {"units", json_of_units(web, run)},
                  {"count", json_of_count(scene)},
                  {"lightness", json_of_lightness(scene)},
                  {"steps_per_frame", scene.steps_per_frame},
                  {"parameters", std::move(parameters)},
                  {"sung", sung ? sung->id : ""},
                  {"defaults", std::move(defaults)},
                  {"kernel", run.kernel},
                  {"kernel_choice", json_of(run.kernel_choice)},
                  {"objects", std::move(objects)},
                  {"gauges", std::move(gauges)},
                  {"stop_reason", json_in_shown_units(web, run.stop_reason)},
                  {"completion", json_of(run.completion)},
                  {"can_restore_last_good", run.can_restore_last_good},
                  {"has_sought_remedy", run.has_sought_remedy},
                  {"placeable", run.placeable},
                  {"next_undo", json_of(run.next_undo)},
                  {"next_redo", json_of(run.next_redo)},
                  {"view", json_of_view(web.experiment().shown(), web.shared.resolved_view())},
                  {"instruments", json_of_arguments(web)},
                  {"can_inspect", run.can_inspect},
                  {"can_be_turned", info.orbits || web.shared.shown_quantity().has_depth},
                  {"events", run.events}};
  json["remedy"] = nullptr;
  if (run.remedy) json["remedy"] = {{"parameter", run.remedy->parameter}, {"value", run.remedy->value}};
  if (const Message warning = web.shared.take_warning(); !warning.empty())
    json["note"] = json_in_shown_units(web, warning);
  return json;
}

WebJson call_scene(WebRun& web, const WebJson&) {
  const Experiment& experiment = web.experiment();
  const SimulationInfo& info = experiment.info();
  const Setup& setup = experiment.setup();
  const Scene begun = load_scene(scene_path_of(setup));
  const Setup& preset = begun.setup;
  // Otherwise a slower machine would open a lighter variant of the scene that was chosen.
  const Lightness& lightness = experiment.scene().lightness;
  const bool is_full_chosen = lightness.full.empty() && lightness.is_chosen;
  WebJson json = {{"scene", is_full_chosen ? full_scene_name(setup) : scene_path_of(setup)}};
  if ((setup.width != preset.width || web.shared.has_chosen_width) && setup.width > 0) json["width"] = setup.width;
  if (setup.height != preset.height && setup.height > 0) json["height"] = setup.height;
  if (setup.seed != preset.seed) json["seed"] = setup.seed;
  WebJson parameters = WebJson::object();
  const std::shared_ptr<const RunStatus> now = web.status();
  const RunStatus& run = *now;
  for (std::size_t k = 0; k < run.parameters.size(); ++k) {
    const Parameter& p = info.parameters[k];
    const auto given = preset.parameters.find(p.id);
    const double before = given == preset.parameters.end() ? p.initial : given->second;
    if (run.parameters[k] != before) parameters[p.id] = json_of_value(p, run.parameters[k]);
  }
  if (!parameters.empty()) json["parameters"] = std::move(parameters);
  // Actions of the link that opened this run, and those made since. Dropped images are not part of a link.
  WebJson actions = WebJson::array();
  const auto keep = [&](const Action& action) {
    if (!action.image) actions.push_back(json_of_action(info, action));
  };
  for (std::size_t k = preset.actions.size(); k < setup.actions.size(); ++k) keep(setup.actions[k]);
  for (const Event& event : experiment.log()) {
    const auto* action = std::get_if<Action>(&event.change);
    const ActionKind* kind = action ? find_kind(info.actions, action->kind) : nullptr;
    if (kind && kind->lasting) keep(*action);
  }
  if (actions.size() > max_strokes)
    throw InputError(
        "Cannot put {} strokes into a link: at most {} are possible. Save the state to a file and share that.",
        actions.size(), max_strokes);
  if (!actions.empty()) json["actions"] = std::move(actions);
  const ViewChange home{begun.view, begun.camera};
  if (!same_view(home, experiment.shown())) json["view"] = json_of_view(experiment.shown(), experiment.shown().view);
  if (!web.shared.instruments.all().empty()) json["instruments"] = json_of_arguments(web);
  if (web.status()->kernel != "auto") json["kernel"] = web.status()->kernel;
  return json;
}

WebJson call_save(WebRun& web, const WebJson&) {
  const Experiment& experiment = web.experiment();
  State state = experiment.saved_state();
  web.bytes = portable_bytes_of(state);
  return {{"bytes", web.bytes.size()},
          {"name", output_stem_of(experiment.setup(), experiment.simulation().steps()) + portable_state_ending}};
}

// Of the state that "save" would write: equal to the bit means equal.
WebJson call_checksum(WebRun& web, const WebJson&) {
  return {{"sum", state_checksum(web.experiment().saved_state())}, {"step", web.experiment().simulation().steps()}};
}

WebJson call_load(WebRun& web, const WebJson&) {
  Start start;
  try {
    State state = read_portable_state(web.bytes);
    // The id in a state opens no file, and a scene of another version may be missing here; the status of a run looks it
    // up.
    if (!is_built_in(state.simulation, state.preset)) state.preset.clear();
    start.scene = scene_of(state);
    start.kernel = kernel_of(state);
    start.state = std::make_shared<const State>(std::move(state));
  } catch (const InputError& error) {
    throw InputError("Cannot load the file: {}.", error.message());
  }
  web.bytes.clear();
  if (is_edited_kernel(start.kernel))
    throw InputError(
        "Cannot load the file: its run uses an edited kernel, and a page cannot compile it. Open the file in the "
        "program "
        "for the desktop.");
  web.shared.begin(std::move(start), "");
  web.lesson.reset();
  return status_of_run(web);
}

WebJson call_script(WebRun& web, const WebJson&) { return {{"text", script_of(web.experiment())}}; }

}  // namespace perturb
