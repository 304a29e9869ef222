// What every simulation offers. It knows no window, no OpenGL and no file format.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "cuda/core/backend/backend.h"
#include "cuda/core/paint/camera.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/paint/pixels.h"
#include "cuda/core/paint/view_settings.h"
#include "cuda/core/simulation/action.h"
#include "cuda/core/simulation/diagnostics.h"
#include "cuda/core/simulation/parameters.h"
#include "cuda/core/simulation/setup.h"
#include "cuda/core/simulation/state.h"
#include "cuda/core/simulation/state_copy.h"

namespace perturb {

struct TextFormat;

class LayerPainter;
class Simulation;

// A quantity that can be shown.
struct Quantity {
  std::string id, label, unit;
  double minimum = 0, maximum = 1;  // the range before anybody chooses one
  std::string colormap;             // id
  bool is_signed = false;           // an automatic range is then symmetric about zero
  bool has_depth = false;           // drawn over the domain as over ground (core/ground_view.h): it can be turned
  // A field over the flat domain whose pixels are coloured by its number alone: it can lie over another (core/layer.h).
  bool can_overlay = false;
};

// The simulation's own name for one of its kernels: a value of its enum (kernel_of and kernel_index_of, core/shown.h).
struct KernelName {
  int value = -1;
  KernelName() = default;
  template <class Kernel>
  requires std::is_enum_v<Kernel> KernelName(Kernel kernel) : value(static_cast<int>(kernel)) {}
};

// An entry of the kernel laboratory: one way to compute a step. All of a simulation's give the same field, but for the
// rounding that one says of itself.
struct KernelVariant {
  std::string id, title;
  std::string idea;  // one or two sentences: what it does differently
  bool on_cpu = false, on_cuda = false;
  int steps_per_pass = 1;
  KernelName name{};  // where the simulation has an enum of its kernels
  // Coarser storage: the largest difference from the others after a few steps, in the field's units; 0: none.
  double stated_error = 0;
};

// What a step costs at least, for the roofline.
struct StepCost {
  double bytes = 0, flops = 0;
  double cells = 0;       // updates a step: cells, pairs, discs, ...
  std::string rate_unit;  // "cell/s"
};

// How a kernel is launched and what it needs of the device, for `bench` and the laboratory; zero where unknown.
struct LaunchShape {
  int block_x = 0, block_y = 0, registers_per_thread = 0, shared_bytes = 0;
  double occupancy = 0;  // theoretical, share of the device's resident warps
};

// The static facts of a simulation: what menus, `list`, `bench` and the contract tests read. One object per simulation,
// returned by the function that its registration line names.
struct SimulationInfo {
  std::string id, title, summary, equation;
  std::string paper;  // the published work that it follows, as a list of references has it
  int default_width = 512, default_height = 512;
  std::vector<Parameter> parameters;
  std::vector<ActionKind> actions;
  std::vector<Tool> tools;
  std::vector<Quantity> quantities;
  std::vector<KernelVariant> kernels;
  std::string timed_preset;          // that `bench` times where none is named: its steps compute; empty: the first
  const TextFormat* text = nullptr;  // cuda/core/simulation/text_format.h; null: the simulation has no text format
  // The scene has depth: a middle drag turns Camera::yaw and pitch (core/orbit.h); with Shift it moves the view.
  bool orbits = false;

  // Makes the simulation as `setup` says. Throws InputError for what is wrong in it, and before anything is allocated
  // when it will not fit in memory.
  std::unique_ptr<Simulation> (*create)(Backend& backend, const Setup& setup) = nullptr;
  // Runs the theory checks; `with_long` adds those that take minutes.
  std::vector<TheoryCheck> (*verify)(Backend& backend, bool with_long) = nullptr;
  // Bytes of `backend`'s memory a simulation made from `setup` will take.
  std::size_t (*memory_needed)(const Backend& backend, const Setup& setup) = nullptr;
};

class Simulation {
 public:
  virtual ~Simulation() = default;
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  virtual const SimulationInfo& info() const = 0;
  Backend& backend() const { return backend_; }

  // The current values. Change live ones through set_parameter; for one that is Apply::restart make a new simulation.
  virtual ParameterSet parameters() = 0;
  // Checks, sets and lets the simulation adapt. Throws InputError and leaves everything as it was.
  virtual void set_parameter(const std::string& id, double value) { parameters().set(id, value); }

  // Steps taken since the start, and the time they span in the simulation's own unit.
  virtual std::int64_t steps() const = 0;
  virtual double time() const = 0;
  // Takes exactly `count` steps. On CUDA they are queued: the call does not wait for them. Under a StopScope
  // (core/stop.h) it may throw Stopped: then steps() whole ones are done, and the state is theirs.
  virtual void step(std::int64_t count) = 0;

  // The actions a gesture means, in order; none for a gesture that means nothing here.
  virtual std::vector<Action> interpret(const Gesture& gesture) const = 0;
  // Does one action between steps. Throws InputError when it is not possible, and leaves everything as it was.
  virtual void apply(const Action& action) = 0;
  // What had to be done otherwise than the last actions asked, in a sentence for the user; empty: nothing. Told once.
  virtual std::string take_warning() { return {}; }

  // Extent of the domain in its length unit.
  virtual double domain_width() const = 0;
  virtual double domain_height() const = 0;
  // Colours every pixel; queued like step. `table` is the colour table of the view's colormap, `view.minimum` and
  // `view.maximum` are the range to use.
  virtual void paint(Pixels pixels, const Camera& camera, const ViewSettings& view, const ColorTable& table) = 0;
  // The same with the view's layer over it, where it has one that lies well here (core/layer.h).
  void paint_view(Pixels pixels, const Camera& camera, const ViewSettings& view, const ColorTable& table);
  // The shown quantity at a point of the domain (fractions), with its unit, for the status bar: "0.0123". Waits for the
  // device, so it is called when the pointer rests, not every frame of a fast run. Empty outside the domain.
  virtual std::string value_at(double x, double y, const ViewSettings& view) = 0;
  // The same as a number in the quantity's unit, for instruments; none where it has none: outside of the domain, in a
  // wall, beside every body. Waits for the device, and changes nothing in the run.
  virtual std::optional<double> number_at(double x, double y, const ViewSettings& view) = 0;

  // With `wait` the numbers are of this very state; without, of the last one that has come back from the device (asking
  // starts the next one on its way), so that a frame never waits.
  virtual Diagnostics diagnostics(const ViewSettings& view, bool wait) = 0;
  virtual std::vector<Gauge> gauges() const = 0;

  virtual State save() const = 0;
  // Takes over fields, steps and time; parameters have already been set. Throws InputError and
  // leaves everything as it was.
  virtual void load(const State& state) = 0;

  // A copy of this moment, between steps. Where the simulation names its members nobody waits for the device; else it
  // is what save() gives. `spare`: another moment of such a run that nobody needs any more, whose memory is taken where
  // it fits; null: none. Throws Error when memory runs out.
  std::unique_ptr<StateCopy> copy_state(std::unique_ptr<StateCopy> spare = nullptr);
  // Back to a moment that a simulation with the same setup, parameters and kernel has kept: the steps from there give
  // the same bits. Throws Error when memory runs out; the simulation must not be used then.
  void restore(const StateCopy& moment);

  // Which kernel steps: an id of info().kernels or "auto", the fastest one that fits. Throws InputError.
  virtual void select_kernel(const std::string& id) = 0;
  virtual std::string selected_kernel() const = 0;
  // What runs and why, in a sentence, where that is not the user's choice alone: what "auto" chose, what fits into
  // memory. Empty: nothing to say.
  virtual std::string choice() const { return {}; }
  // The lower bound for one step with this kernel, and how it is launched.
  virtual StepCost step_cost(const std::string& kernel) const = 0;
  virtual LaunchShape launch_shape(const std::string& kernel) const = 0;

 protected:
  explicit Simulation(Backend& backend) : backend_(backend) {}

  // Names every member that the coming steps depend on, for copy_state() and restore(), always in the same order; what
  // is found from them is found anew when `copier.is_restoring()`. False: none are named.
  virtual bool visit_members(MemberCopier& /*copier*/) { return false; }

 private:
  Backend& backend_;
  std::shared_ptr<LayerPainter> layer_;  // since a layer was painted
};

}  // namespace perturb
