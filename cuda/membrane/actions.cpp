#include "cuda/membrane/actions.h"

#include <algorithm>
#include <cmath>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/action.h"
#include "cuda/core/simulation/object.h"

namespace perturb::membrane {

namespace {

constexpr double frequency_per_notch = 1.01;

ValueInfo place(const char* id, const char* help) { return real_value(id, id, "", "", must_be_given, 0, 1, help); }
std::vector<ValueInfo> places() {
  return {place("x", "Horizontal position: 0 is the left side, 1 the right side."),
          place("y", "Vertical position: 0 is the bottom side, 1 the top side.")};
}

// How many degrees a patch gains or loses with one action, or how many times its cell is split.
ValueInfo times(const char* label, const char* help) {
  ValueInfo info = real_value("times", label, "", "", 1, 1, 8, help);
  info.kind = ValueKind::integer;
  return info;
}

// The refinement method, and the share of the error that one action refines.
std::vector<ValueInfo> refinement() {
  ValueInfo by = real_value("by", "By", "", "", 2, 0, 2,
                            "How to refine: split the patches (h), raise their degree (p), or on each patch the one "
                            "with more gain per unknown (hp).");
  by.kind = ValueKind::choice;
  by.choices = {{"h", "Splitting (h)"}, {"p", "Degree (p)"}, {"hp", "Both (hp)"}};
  return {by, real_value("share", "Fraction of the error", "", "", 0.6, 0.05, 1,
                         "Refines the patches with the largest errors that together have this fraction of the squared "
                         "error; 1: all patches.")};
}

std::vector<ActionKind> make_kinds() {
  ValueInfo number = real_value("number", "Number", "", "", must_be_given, 1, max_modes, "The lowest is 1.");
  number.kind = ValueKind::integer;
  std::vector<ValueInfo> strike = places();
  strike.push_back(
      as_parameter("strike_velocity", real_value("velocity", "Velocity", "height/time", "", 1, -100, 100,
                                                 "Velocity at the centre of the bump; default: that of \"Strike\".")));
  std::vector<ValueInfo> source = places();
  source.push_back(
      as_parameter("source_strength", real_value("strength", "Strength", "height/length²", "", 1, -1000, 1000,
                                                 "Strength of the push; default: that of \"Source strength\".")));
  ValueInfo width = as_parameter("source_width", real_value("width", "Width", "length", "", 0.1, 0.005, 2,
                                                            "Width of the bump: w in exp(-|x - source|²/w²)."));
  width.scale = Scale::logarithmic;
  source.push_back(width);
  std::vector<ValueInfo> raise = places(), split = places();
  raise.push_back(times("Times", "By how much."));
  split.push_back(times("Times", "Number of splits. Each one splits the cell at this point in four."));
  const std::vector<std::string> moving_quantities = {"displacement", "amplitude", "sand", "error"},
                                 degrees = {"degree", "sparsity", "error", "patch_error"},
                                 cuts = {"over", "sparsity", "error", "patch_error"},
                                 grids = {"show_patches", "show_cells"};
  return {
      {.id = "source", .label = "Load", .help = "Places the bump here.", .fields = source},
      {.id = "strike",
       .label = "Strike",
       .help = "Gives a membrane that moves in time a velocity here, as a bump as wide as the load.",
       .fields = strike},
      {.id = "frequency",
       .label = "Frequency",
       .help = "Drives the membrane at this frequency.",
       .fields = {real_value("k", "Frequency", "1/length", "k", must_be_given, 0, 60, "Frequency k in cos(k t).")},
       .visible_in = moving_quantities},
      {.id = "raise",
       .label = "Raise the degree",
       .help = "Raises the degree of the patch here.",
       .fields = raise,
       .visible_in = degrees},
      {.id = "lower",
       .label = "Lower the degree",
       .help = "Lowers the degree of the patch here.",
       .fields = raise,
       .visible_in = degrees},
      {.id = "split",
       .label = "Split a patch",
       .help = "Splits the patch here in four. Neighbours that would be too wide are split too.",
       .fields = split,
       .visible_in = cuts,
       .visible_with = grids},
      {.id = "merge",
       .label = "Merge patches",
       .help = "Merges the patch here with its three siblings.",
       .fields = places(),
       .visible_in = cuts,
       .visible_with = grids},
      {.id = "mode",
       .label = "Mode",
       .help = "Shows another of the membrane's modes.",
       .fields = {number},
       .visible_in = moving_quantities},
      {.id = "refine",
       .label = "Refine",
       .help = "Refines the cover where the estimated error is largest.",
       .fields = refinement(),
       .visible_in = degrees,
       .visible_with = grids},
      {.id = "even",
       .label = "Uniform cover",
       .help = "Returns to 2^l patches in each direction, all of the same degree.",
       .fields = {}},
  };
}

std::vector<Tool> make_tools() {
  Tool load{"load",
            "Load",
            "Left: place the load and drag it; a membrane that moves in time is struck. Right: pull instead of push. "
            "Ctrl + wheel: change the frequency.",
            {}};
  Tool frequency{"frequency",
                 "Frequency",
                 "Drag sideways: set the frequency, from the start of the sweep at the left to its end at the right. "
                 "Ctrl + wheel: a little up or down. With the motion \"Its modes\": choose another mode.",
                 {}};
  Tool degree{"degree", "Degree", "Left: raise the degree of the patch here. Right: lower it.", {}, "d"};
  Tool split{"split", "Split", "Left: split the patch here in four. Right: merge it with its siblings.", {}, "x"};
  Tool refine{"refine", "Refine",
              "Left: refine where the estimated error is largest. Right: return to the uniform cover. The tab Plots "
              "shows the effect.",
              refinement(), "e"};
  load.wheel = frequency.wheel = true;
  return {load, frequency, degree, split, refine};
}

}  // namespace

const std::vector<ActionKind>& action_kinds() {
  static const std::vector<ActionKind> kinds = with_objects(
      with_lasting(make_kinds(), {"source", "frequency", "raise", "lower", "split", "merge", "mode", "refine", "even"}),
      {"source"});
  return kinds;
}

const std::vector<Tool>& tools() {
  static const std::vector<Tool> tools = make_tools();
  return tools;
}

std::vector<Action> membrane_interpret(const Gesture& g, const Parameters& p) {
  if (g.phase == Gesture::Phase::release || !(g.x >= 0 && g.x <= 1 && g.y >= 0 && g.y <= 1)) return {};
  const bool left = g.button == Gesture::Button::left;
  const auto frequency = [](double k) {
    return std::vector<Action>{{"frequency", {{"k", std::clamp(k, 0.0, 60.0)}}, "", nullptr}};
  };
  const auto mode = [](double number) {
    return std::vector<Action>{
        {"mode", {{"number", std::clamp(std::round(number), 1.0, double{max_modes})}}, "", nullptr}};
  };
  if (p.modal() && (g.tool == "load" || g.tool == "frequency")) {
    if (g.phase == Gesture::Phase::scroll) return mode(p.mode_number + (g.scroll > 0 ? 1 : -1));
    if (g.tool == "frequency") return mode(0.5 + g.x * max_modes);
    throw InputError(
        "Cannot move the load: modes need none. To see another mode, drag with the tool \"Frequency\" or set the "
        "parameter \"Mode\".");
  }
  if (g.tool == "frequency" && p.rim == RimShape::corner)
    throw InputError(
        "Cannot drag the frequency: the solution at the corner is known at rest only. Choose another tool.");
  const bool places = g.phase == Gesture::Phase::press || g.phase == Gesture::Phase::move;
  if (g.tool == "load" && places && !p.in_time() && p.source_strength == 0)
    throw InputError("Cannot move the load: its strength is 0. Raise \"Source strength\", or choose another tool.");
  if (g.phase == Gesture::Phase::scroll) {
    if (g.tool != "load" && g.tool != "frequency") return {};
    return frequency(std::max(p.frequency, 0.5) * std::pow(frequency_per_notch, g.scroll));
  }
  const auto here = [&](const char* kind) {
    return std::vector<Action>{{kind, {{"x", g.x}, {"y", g.y}}, "", nullptr}};
  };
  if (g.tool == "load" && p.in_time()) {
    if (g.phase != Gesture::Phase::press) return {};
    std::vector<Action> actions = here("strike");
    actions.front().numbers["velocity"] = (left ? 1 : -1) * std::abs(p.strike_velocity);
    return actions;
  }
  if (g.tool == "load") {
    if (p.load == Load::mode) throw InputError("Cannot move the load of a known mode. Choose the load \"Bump\".");
    if (p.load == Load::formula) throw InputError("Cannot move a load by formula. Choose the load \"Bump\".");
    std::vector<Action> actions = here("source");
    actions.front().numbers["strength"] = (left ? 1 : -1) * std::abs(p.source_strength);
    return actions;
  }
  if (g.tool == "frequency")
    return frequency(std::min(p.sweep_from, p.sweep_to) + std::abs(p.sweep_to - p.sweep_from) * g.x);
  // One refinement per click: a drag would refine all patches on its path.
  if (g.phase != Gesture::Phase::press) return {};
  if (g.tool == "degree") return here(left ? "raise" : "lower");
  if (g.tool == "split") return here(left ? "split" : "merge");
  if (g.tool == "refine" && !left) return {{"even", {}, "", nullptr}};
  if (g.tool == "refine")
    return {{"refine", {{"by", g.setting("by", 2)}, {"share", g.setting("share", 0.6)}}, "", nullptr}};
  return {};
}

bool changes_cover(const Action& action) {
  return action.kind == "raise" || action.kind == "lower" || action.kind == "split" || action.kind == "merge";
}

void membrane_change_cover(Cover& cover, const Action& action) {
  const double x = action.get("x"), y = action.get("y");
  const auto times = [&] { return static_cast<int>(action.get("times")); };  // `merge` has no `times`
  Cover changed = cover;
  if (action.kind == "raise")
    changed.change_degree(changed.find(x, y), times());
  else if (action.kind == "lower")
    changed.change_degree(changed.find(x, y), -times());
  else if (action.kind == "split")
    for (int k = 0, count = times(); k < count; ++k) changed.split(changed.find(x, y));
  else if (action.kind == "merge")
    changed.merge(changed.find(x, y));
  cover = std::move(changed);
}

}  // namespace perturb::membrane
