// The static facts of the simulation, for menus, panels, presets, the command line and the contract tests.
#include "cuda/_template/heat.h"
#include "cuda/core/simulation/action.h"
#include "cuda/core/simulation/edited_pass.h"
#include "cuda/core/simulation/edited_state.h"

namespace perturb::heat {

const SimulationInfo& heat_simulation() {
  static const SimulationInfo info = [] {
    SimulationInfo i;
    i.id = "heat";
    i.title = "Heat plate";
    i.summary = "Warmth spreads over a plate whose rim is kept cold.";
    i.equation = "T_t = D (T_xx + T_yy)";
    i.parameters = {parameter<&Parameters::diffusivity>("diffusivity", "Diffusivity", "length²/time", "D", 0, 10,
                                                        "How fast warmth spreads."),
                    parameter<&Parameters::time_step>("time_step", "Time step", "time", "dt", 0.001, 1,
                                                      "Stable while D·dt/dx² stays below 1/4.")};
    const ValueInfo radius = real_value("radius", "Radius", "length", "s", 8, 0.5, 200, "How wide the spot is.");
    const ValueInfo amount = real_value("amount", "Amount", "degree", "", 1, -100, 100, "How warm the spot is.");
    i.actions = {{"spot", "Spot", "Adds a warm or a cold spot.", {position_x(), position_y(), radius, amount}}};
    i.tools = {{"spot", "Spot", "Left: warm, right: cold. Drag to paint.", {radius, amount}}};
    i.quantities = {
        {.id = "temperature", .label = "Temperature", .unit = "degree", .colormap = "magma", .can_overlay = true}};
    i.kernels = {{.id = "plain", .title = "Plain", .idea = "A thread per cell.", .on_cpu = true, .on_cuda = true}};
    i.create = create;
    i.verify = verify;
    i.memory_needed = memory_needed;
    return i;
  }();
  return info;
}

// All datasets of a saved state: a file with any other is rejected.
const std::vector<SavedField>& heat_saved_fields() {
  static const std::vector<SavedField> fields = {{"temperature", {ElementType::float32}, {grid_height, grid_width}},
                                                 edited_kernel_field(),
                                                 edited_kernel_in_use_field()};
  return fields;
}

}  // namespace perturb::heat
