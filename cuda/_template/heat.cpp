// The loops over the field, and the user's actions.
// Template to copy: docs/adding-a-simulation.md.
#include "cuda/_template/heat.h"

#include <cmath>
#include <span>

#include "cuda/_template/model/cell.h"
#include "cuda/core/simulation/cell_simulation.h"
#include "cuda/core/simulation/cells.h"

namespace perturb {
std::span<const EmbeddedFile> embedded_heat_kernel();  // the files listed in sources.cmake
}
namespace perturb::heat {
namespace {

struct Spot {
  View2D<float> field;
  float x, y, radius, amount;
  PERTURB_HD void operator()(int i, int j) const {
    const float dx = (static_cast<float>(i) + 0.5f - x) / radius, dy = (static_cast<float>(j) + 0.5f - y) / radius;
    field(i, j) += amount * std::exp(-dx * dx - dy * dy);
  }
};

class Heat final : public CellSimulation<Parameters, Step> {
 public:
  Heat(Backend& backend, const Setup& setup, GridSize size)
      : CellSimulation(backend, heat_simulation(), setup, size, embedded_heat_kernel()) {
    apply_all(setup.actions);
  }

  std::vector<Action> interpret(const Gesture& gesture) const override {
    if (gesture.phase == Gesture::Phase::release || !is_near_domain(gesture)) return {};
    Action spot{"spot", gesture.brush, "", nullptr};
    spot.numbers["x"] = gesture.x;
    spot.numbers["y"] = gesture.y;
    if (gesture.button == Gesture::Button::right) spot.numbers["amount"] = -gesture.setting("amount", 1);
    return {spot};
  }
  std::vector<Gauge> gauges() const override {
    return {{.id = "diffusion_number",
             .label = "D·dt/dx²",
             .help = "Beyond 1/4 neighbouring cells overshoot each other and the field explodes.",
             .value = number(),
             .limit = 0.25,
             .remedy = "Lower the time step or the diffusivity.",
             .warn_at = 0.22}};
  }
  StepCost step_cost(const std::string&) const override { return cost_of_cells(8, 7); }  // one read, one write

 protected:
  float constants() const override { return static_cast<float>(number()); }
  double time_step() const override { return parameters_.time_step; }
  void act(const Action& action) override {
    static constexpr ActionHandler<Heat> handlers[] = {{"spot", [](Heat& h, const Action& a) { h.add_spot(a); }}};
    dispatch_action(handlers, *this, action);
  }

 private:
  double number() const { return parameters_.diffusivity * parameters_.time_step; }
  void add_spot(const Action& action) {
    const ExactCells at(action, size().width, size().height);
    const auto radius = static_cast<float>(action.get("radius")), amount = static_cast<float>(action.get("amount"));
    parallel_for(backend(), "heat.spot", cells(), Spot{field(), at.x(), at.y(), radius, amount});
  }
};
GridSize size_of(const Setup& setup) { return grid_size_of(setup, heat_simulation(), "A plate"); }

}  // namespace

std::unique_ptr<Simulation> create(Backend& backend, const Setup& setup) {
  const GridSize size = size_of(setup);
  require_memory(backend, memory_needed(backend, setup),
                 Message("A plate of {} x {} cells needs", size.width, size.height), "Choose a smaller size.");
  return std::make_unique<Heat>(backend, setup, size);
}

std::size_t memory_needed(const Backend&, const Setup& setup) {
  return 2 * Field<float>::bytes_of(size_of(setup).width, size_of(setup).height);
}

}  // namespace perturb::heat
