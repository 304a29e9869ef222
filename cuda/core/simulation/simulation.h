// The interface of every simulation. It does not depend on the window, OpenGL or a file format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include "cuda/core/backend/backend.h"
#include "cuda/core/paint/camera.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/paint/pixels.h"
#include "cuda/core/simulation/action.h"
#include "cuda/core/simulation/diagnostics.h"
#include "cuda/core/simulation/object.h"
#include "cuda/core/simulation/parameters.h"
#include "cuda/core/simulation/setup.h"
#include "cuda/core/simulation/state.h"
#include "cuda/core/simulation/state_copy.h"

namespace perturb {

class BlockRecorder;
struct TextFormat;

class LayerPainter;
class Simulation;

// A quantity that can be shown.
struct Quantity {
  std::string id, label, unit;
  double minimum = 0, maximum = 1;  // the default range
  std::string colormap;             // id
  bool is_signed = false;           // an automatic range is then symmetric about zero
  bool has_depth = false;  // drawn in 3-D over the domain as ground (core/paint/orbit.h): the view can be rotated
  // A field over the flat domain whose pixel colours depend only on its value: can be a layer (core/paint/layer.h).
  bool can_overlay = false;
};

// A kernel as a value of the simulation's enum (kernel_of, kernel_index_of).
struct KernelName {
  int value = -1;
  KernelName() = default;
  template <class Kernel>
  requires std::is_enum_v<Kernel> KernelName(Kernel kernel) : value(static_cast<int>(kernel)) {}
};

// An entry of the kernel laboratory: one method to compute a step. All kernels of a simulation give the same field, up
// to the rounding error that an entry states.
struct KernelVariant {
  std::string id, title;
  std::string idea;  // one or two sentences: how it differs
  bool on_cpu = true, on_cuda = true;
  int steps_per_pass = 1;
  KernelName name{};  // if the simulation has an enum of its kernels
  // For reduced-precision storage: the largest difference from the others after a few steps, in the field's units; 0:
  // none.
  double stated_error = 0;
};

// The minimum cost of a step, for the roofline.
struct StepCost {
  double bytes = 0, flops = 0;
  double cells = 0;       // updates per step: cells, pairs, discs, ...
  std::string rate_unit;  // "cell/s"
};

// The static facts of a simulation, as used by menus, `list`, `bench` and the contract tests. One object per
// simulation, returned by the function that its registration line names.
struct SimulationInfo {
  std::string id, title, summary, equation;
  std::string paper;       // the paper that it follows, as in a list of references
  std::string paper_page;  // its name in docs/papers and for `perturb paper`: "discs"; empty: it has none
  int default_width = 512, default_height = 512;
  std::vector<Parameter> parameters;
  std::vector<ActionKind> actions;
  std::vector<Tool> tools;
  std::vector<Quantity> quantities;
  std::vector<KernelVariant> kernels;
  std::string timed_preset;          // the preset that `bench` times by default: its steps compute; empty: the first
  const TextFormat* text = nullptr;  // core/simulation/text_format.h; null: the simulation has no text format
  // The scene has depth: a middle drag changes Camera::yaw and pitch (core/paint/orbit.h); with Shift it pans.
  bool orbits = false;

  // Creates the simulation from `setup`. Throws InputError for invalid contents and, before allocating anything, if it
  // will not fit in memory.
  std::unique_ptr<Simulation> (*create)(Backend& backend, const Setup& setup) = nullptr;
  // Runs the theory checks; `with_long` adds those that take minutes.
  std::vector<TheoryCheck> (*verify)(Backend& backend, bool with_long) = nullptr;
  // Bytes of `backend`'s memory that a simulation made from `setup` will use.
  std::size_t (*memory_needed)(const Backend& backend, const Setup& setup) = nullptr;
  // Whether this scene is so small that two cores of a CPU take less time for a step than a GPU; null: none is.
  bool (*faster_on_cpu)(const Setup& setup) = nullptr;
};

class Simulation {
 public:
  virtual ~Simulation() = default;
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  virtual const SimulationInfo& info() const = 0;
  Backend& backend() const { return backend_; }

  // A capability that not every simulation has: an interface that its class implements in addition to this one, such as
  // StabilityLimit. Null: it lacks this one.
  template <class Capability>
  Capability* find() {
    return dynamic_cast<Capability*>(&provider_of(typeid(Capability)));
  }
  template <class Capability>
  const Capability* find() const {
    return const_cast<Simulation*>(this)->find<Capability>();
  }

  // The current values. Change live ones through set_parameter; for an Apply::restart parameter make a new simulation.
  virtual ParameterSet parameters() = 0;
  // Checks and sets the value, and updates the simulation. Throws InputError and changes nothing.
  virtual void set_parameter(const std::string& id, double value) { parameters().set(id, value); }

  // Steps taken since the start, and the time they cover in the simulation's own unit.
  virtual std::int64_t steps() const = 0;
  virtual double time() const = 0;
  // Takes exactly `count` steps. On CUDA they are queued: the call does not wait for them. Under a StopScope
  // (core/backend/stop.h) it may throw Stopped: the state is then that after steps() whole steps.
  virtual void step(std::int64_t count) = 0;

  // The actions for a gesture, in order; empty for a gesture without an effect here.
  virtual std::vector<Action> interpret(const Gesture& gesture) const = 0;
  // Applies one action between steps. Throws InputError if it is not possible, and then changes nothing.
  virtual void apply(const Action& action) = 0;
  // The objects of the scene, in the order of creation (core/simulation/object.h). Does not wait for the device.
  virtual std::vector<SceneObject> objects() const { return {}; }
  // A message for the user if the last actions were not applied exactly as requested; empty otherwise. Returned once.
  virtual Message take_warning() { return {}; }

  // Extent of the domain in its length unit.
  virtual double domain_width() const = 0;
  virtual double domain_height() const = 0;
  // Colours every pixel; queued like step. `table` is the colour table of the view's colormap; `view.minimum` and
  // `view.maximum` are the range to use.
  virtual void paint(Pixels pixels, const Camera& camera, const ViewSettings& view, const ColorTable& table) = 0;
  // The same with the view's layer drawn over it, if it has one that is possible here (core/paint/layer.h).
  void paint_view(Pixels pixels, const Camera& camera, const ViewSettings& view, const ColorTable& table);
  // The shown quantity at a point of the domain (fractions), with its unit, for the status bar: "0.0123". Waits for the
  // device, so it is called when the pointer rests, not in every frame of a fast run. Empty outside the domain.
  virtual Message value_at(double x, double y, const ViewSettings& view) = 0;
  // The same as a number in the quantity's unit, for instruments; empty where there is none: outside the domain, in a
  // wall, outside all bodies. Waits for the device, and changes nothing in the run.
  virtual std::optional<double> number_at(double x, double y, const ViewSettings& view) = 0;

  // With `wait` the numbers are those of the current state; without, the latest that the device has returned (the call
  // queues the next measurement), so that a frame never waits.
  virtual Diagnostics diagnostics(const ViewSettings& view, bool wait) = 0;
  virtual std::vector<Gauge> gauges() const = 0;

  virtual State save() const = 0;
  // Loads fields, steps and time; parameters have already been set. Throws InputError and changes nothing.
  virtual void load(const State& state) = 0;

  // A copy of the current state, between steps. If the simulation implements CopiesMembers, it does not wait for the
  // device; otherwise the copy is the result of save(). `spare`: a copy of such a run that is no longer needed, whose
  // memory is reused if it fits; null: none. Throws Error if memory runs out.
  std::unique_ptr<StateCopy> copy_state(std::unique_ptr<StateCopy> spare = nullptr);
  // Restores a state copied by a simulation with the same setup, parameters and kernel: the steps from there are
  // bit-identical. Throws Error if memory runs out; the simulation must not be used then.
  void restore(const StateCopy& copy);

  // The kernel for the steps: an id of info().kernels or "auto", the fastest one that fits. Throws InputError.
  virtual void select_kernel(const std::string& id) = 0;
  virtual std::string selected_kernel() const = 0;
  // The kernel in use and the reason, if the user's choice alone does not determine it: the choice of
  // "auto", or a memory limit. Empty otherwise.
  virtual Message choice() const { return {}; }
  // The lower bound for one step with this kernel, and its launch shape.
  virtual StepCost step_cost(const std::string& kernel) const = 0;
  virtual LaunchShape launch_shape(const std::string& kernel) const = 0;
  // Records where and when the blocks of its launches start (core/backend/block_recorder.h). Made by the first call.
  virtual BlockRecorder& block_recorder();

 protected:
  explicit Simulation(Backend& backend) : backend_(backend) {}

  // The simulation that implements a capability if one does; another one than this for what this one forwards.
  virtual Simulation& provider_of(const std::type_info& /*capability*/) { return *this; }

 private:
  Backend& backend_;
  std::shared_ptr<LayerPainter> layer_;  // created when a layer is first painted
  std::shared_ptr<BlockRecorder> block_recorder_;
};

// ---- lookup in a simulation's tables, and the range that a view shows

// Index of this quantity in info.quantities; 0 for an empty id. Throws InputError that lists them or names the nearest.
std::size_t quantity_index(const SimulationInfo& info, const std::string& id);

// Whether this quantity is shown in 3-D, so that the view can be rotated.
bool can_rotate(const SimulationInfo& info, const std::string& quantity);

// Index of this kernel in info.kernels. Throws InputError in the same way; the simulation must resolve "auto" first.
std::size_t kernel_index(const SimulationInfo& info, const std::string& id);

// A kernel by its index in info.kernels, and its index by the simulation's enum; the latter throws Error if there is no
// such kernel.
template <class Kernel>
Kernel kernel_of(const SimulationInfo& info, std::size_t place) {
  return static_cast<Kernel>(info.kernels[place].name.value);
}
std::size_t kernel_index_of(const SimulationInfo& info, KernelName name);

// The ends of the colour range: the view's own, or the quantity's if the view has none.
struct ShownRange {
  double low, high;
};
ShownRange shown_range(const ViewSettings& view, const Quantity& quantity);

}  // namespace perturb
