// A run: the scene from which it starts, the events that change it, and the simulation with all choices made for it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "app/race/lane.h"
#include "app/race/lane_record.h"
#include "app/run/display_units.h"
#include "cuda/core/paint/camera.h"
#include "cuda/core/simulation/action.h"
#include "cuda/core/simulation/setup.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

// Contents of a scene's simple view, by id.
struct SimpleView {
  std::vector<std::string> controls;  // parameters; empty: all
  std::vector<std::string> readings;  // scalars of the diagnostics
};

// Unit of a scene's width, if the window may open it with fewer.
struct SceneCount {
  std::string label;             // "Number of fibers"; empty: the size is fixed
  int preset = 0;                // as in the preset
  bool is_from_machine = false;  // the width is as large as this machine can animate
};

struct Scene;

// How a scene relates to its lighter variants: the same physics with fewer cells or discs, for slower machines.
struct Lightness {
  std::vector<std::shared_ptr<const Scene>> lighter;  // variants of this scene, each lighter than the one before
  std::string full;                                   // of a variant: the preset of the full scene; otherwise empty
  Message change;                                     // of a variant: "384 x 128 cells instead of 768 x 256"
  bool is_chosen = false;        // the name asked for this variant or for the full scene, so no measurement replaces it
  bool is_from_machine = false;  // opened because the full scene is too slow on this machine
};

// The start of a run, its view and its texts. Contents of a preset file with the changes of the command line.
struct Scene {
  Setup setup;
  std::string title, hint;            // the hint suggests a first action to new users
  std::string touch_hint;             // the same for touch screens, if the hint names a mouse button or a key
  std::string kiosk_hint;             // for visitors of a kiosk, with mouse or finger; empty: not shown in turn
  std::vector<std::string> tries;     // suggestions, one or two sentences each, with the expected effect
  std::vector<std::string> keywords;  // search terms in addition to title and hint
  int steps_per_frame = 0;            // initial speed in the window; 0: default_steps_per_frame
  std::string past_limit;             // id of a gauge whose limit the scene exceeds on purpose
  std::string plot;                   // id of the curve or measurement that the plots open with; empty: the first
  SimpleView simple;
  SceneCount count;
  Lightness lightness;
  DisplayUnits units;  // of displayed values
  ViewSettings view;
  Camera camera;              // initial view, and the one that "reset view" restores
  std::vector<Lane> lanes{};  // of a race (app/race/race.h); empty: a single simulation
  bool race_by_time = false;  // its lanes get the same time instead of the same steps
  // The scene as read from its preset file; null for built-in presets. Files change or vanish, so a run never reads its
  // file a second time.
  std::shared_ptr<const Scene> as_read{};
};

inline constexpr int default_steps_per_frame = 16;

struct ParameterChange {
  std::string id;
  double value = 0;
};

struct ChooseKernel {
  std::string id;
};

// A change of the view. It does not change the run.
struct ViewChange {
  ViewSettings view;
  Camera camera;
};
bool same_view(const ViewChange& a, const ViewChange& b);

// A change at a step: recorded, replayed from scripts, and undone by replaying the run without it. Applied before the
// step after `step`; an event at step 0 is applied before the first step.
struct Event {
  std::int64_t step = 0;
  std::variant<Action, ParameterChange, ChooseKernel, ViewChange> change;
  std::string origin{};  // "run.toml:4": location in the script; empty: not from a script
};

// Whether the event can change the results of later steps.
inline bool changes_run(const Event& event) { return !std::holds_alternative<ViewChange>(event.change); }

// Everything needed to start a run again.
struct Start {
  Scene scene;
  std::string kernel = "auto";
  std::shared_ptr<const State> state;               // the run resumes from here; null: from the scene's initial state
  std::string load, input;                          // files that the state comes from, if any, for the command line
  std::shared_ptr<const std::string> input_text{};  // contents of `input` when it was read
  // The parameters that "Reset all" restores: those with which the run was opened. Null: those of `scene`.
  std::shared_ptr<const std::map<std::string, double>> defaults{};
  // Of a race by time: how far its lanes were. Replays of this start follow it; null: the run keeps its own.
  std::shared_ptr<LaneRecord> lane_record{};
};

// A simulation, with the parameters and the kernel as chosen by the user (a sweep changes a parameter by itself).
struct Run {
  Scene scene;
  std::string kernel = "auto";
  Backend* backend = nullptr;  // that of the simulation
  std::unique_ptr<Simulation> simulation;

  // Throws InputError if `start` is invalid. If `warning` is not null, a kernel that cannot run here is replaced by
  // "auto", and the warning says so.
  static Run begin(Backend& backend, const Start& start, Message* warning = nullptr);
  // Throws InputError if this simulation does not have the event's ids. For events that are scheduled for later;
  // apply() checks the others.
  void check(const Event& event) const;
  // Applies the event now. Throws InputError if it is not possible, and leaves everything unchanged.
  void apply(const Event& event);
  // Takes the steps up to `step`.
  void step_to(std::int64_t step);
  // As those of the simulation (core/simulation/simulation.h); of a race, all lanes.
  std::unique_ptr<StateCopy> copy_state(std::unique_ptr<StateCopy> spare = nullptr);
  void restore(const StateCopy& copy);
};

// The values of all parameters, by id.
std::map<std::string, double> values_of(Simulation& simulation);
// The same of a run; of a race, those from which its lanes differ.
std::map<std::string, double> values_of(const Run& run);

// Bytes of the backend's memory that a run of this scene needs.
std::size_t memory_needed(const Backend& backend, const Scene& scene);

}  // namespace perturb
