// The common implementation of all simulations.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/setup.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

// A kind of action and its handler. A simulation has a table of them in its act(), with one record for each kind of its
// info().actions (checked by a contract test).
template <class Self>
struct ActionHandler {
  const char* kind;
  void (*act)(Self&, const Action&);
};
template <class Self, std::size_t n>
void dispatch_action(const ActionHandler<Self> (&handlers)[n], Self& self, const Action& action) {
  for (const ActionHandler<Self>& handler : handlers) {
    if (action.kind != handler.kind) continue;
    handler.act(self, action);
    return;
  }
  throw Error("internal: no handler for the action {}", action.kind);
}

// A simulation whose parameters are one struct, described by the table info().parameters.
template <class Parameters>
class SimulationOf : public Simulation {
 public:
  const SimulationInfo& info() const final { return info_; }
  ParameterSet parameters() final { return {info_.parameters, &parameters_}; }
  std::int64_t steps() const final { return steps_; }
  Message take_warning() final { return std::exchange(warning_, {}); }
  std::string selected_kernel() const final { return kernel_; }

  void apply(const Action& action) final {
    act(complete_action(action, info_.actions, [this](const std::string& id) { return parameters().get(id); }));
  }
  Message value_at(double x, double y, const ViewSettings& view) final {
    return x >= 0 && x < 1 && y >= 0 && y < 1 ? value_inside(x, y, view) : Message();
  }
  std::optional<double> number_at(double x, double y, const ViewSettings& view) final {
    return x >= 0 && x < 1 && y >= 0 && y < 1 ? number_inside(x, y, view) : std::nullopt;
  }

 protected:
  // `info` must outlive it.
  SimulationOf(Backend& backend, const SimulationInfo& info, const Setup& setup, const Parameters& parameters)
      : Simulation(backend), info_(info), parameters_(parameters), seed_(setup.seed), preset_(setup.preset) {}

  // Applies the actions of a setup in order, and reports progress.
  void apply_all(const std::vector<Action>& actions) {
    for (std::size_t k = 0; k < actions.size(); ++k) {
      apply(actions[k]);
      SetupProgress::report(k + 1, actions.size());
    }
  }
  // Applies an action that has been checked and has all numbers of its kind.
  virtual void act(const Action& action) = 0;
  // number_at for a point inside the domain.
  virtual std::optional<double> number_inside(double x, double y, const ViewSettings& view) = 0;
  // value_at for such a point: its number and the quantity's unit, or "wall" if there is none; a simulation may add
  // details.
  virtual Message value_inside(double x, double y, const ViewSettings& view) {
    const std::optional<double> number = number_inside(x, y, view);
    return number ? in_unit(*number, info_.quantities[quantity_index(info_, view.quantity)]) : Message("wall");
  }

  // The parameters with one value changed, checked by its record. Throws InputError; for an Apply::restart parameter
  // the message contains `running`: "the tank is running. Restart the scene".
  Parameters with_changed(const std::string& id, double value, const char* running) const {
    return with_parameter(info_.parameters, parameters_, id, value, running);
  }

  // A state without the fields.
  State state_without_fields(int width = 0, int height = 0) const {
    State state;
    state.simulation = info_.id;
    state.preset = preset_;
    state.seed = seed_;
    state.steps = steps_;
    state.time = time();
    state.width = width;
    state.height = height;
    for (const Parameter& p : info_.parameters) state.parameters[p.id] = p.format(p.get(&parameters_));
    return state;
  }

  // Index of this kernel, which is not "auto", in the table. Throws InputError if there is none, or if it does not
  // support the backend.
  std::size_t kernel_on_backend(const std::string& id) const {
    const std::size_t k = kernel_index(info_, id);
    const KernelVariant& variant = info_.kernels[k];
    if (backend().is_cuda() ? !variant.on_cuda : !variant.on_cpu)
      throw InputError("The kernel {} does not support the backend {}. Choose another kernel.", id, backend().id());
    return k;
  }

  // "0.0123 length/time": a value of this quantity, for the status bar.
  Message in_unit(double value, const Quantity& quantity) const {
    return with_unit(format_number(value, 4), quantity.unit);
  }

 private:
  const SimulationInfo& info_;

 protected:
  Parameters parameters_;
  std::uint32_t seed_;
  std::string preset_;
  std::int64_t steps_ = 0;
  std::string kernel_ = "auto";  // as selected
  Message warning_;              // for take_warning
};

}  // namespace perturb
