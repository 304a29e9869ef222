// The smallest whole simulation: heat on a plate. Copy this folder, rename, and replace the physics
// (docs/adding-a-simulation.md).
#include <algorithm>
#include <cmath>
#include <limits>

#include "cuda/_template/heat_cell.h"
#include "cuda/core/loaded_state.h"
#include "cuda/core/measuring.h"
#include "cuda/core/parallel_for.h"
#include "cuda/core/reduce.h"
#include "cuda/core/sampling.h"
#include "cuda/core/saved_field.h"
#include "cuda/core/simulation_of.h"
#include "cuda/core/start.h"

namespace perturb {

const SimulationInfo& heat_simulation();
const std::vector<SavedField>& heat_saved_fields();

namespace {

// ---- what can be adjusted: defaults are written here and nowhere else ----

struct HeatParameters {
  double diffusivity = 1;  // D, length²/time
  double time_step = 0.2;  // dt, time; cells are one length unit wide
};

std::vector<Parameter> parameter_table() {
  return {parameter<&HeatParameters::diffusivity>("diffusivity", "Diffusivity", "length²/time", "D", 0, 10,
                                                  "How fast heat spreads."),
          parameter<&HeatParameters::time_step>("time_step", "Time step", "time", "dt", 0.001, 1,
                                                "Stable while D·dt/dx² stays below 1/4.")};
}

// ---- loops: named functors ----

// One step, from one field to the other. The rim is held at zero.
struct HeatStep {
  View2D<const float> from;
  View2D<float> to;
  float number;
  PERTURB_HD void operator()(int i, int j) const {
    const bool rim = i == 0 || j == 0 || i == from.width - 1 || j == from.height - 1;
    to(i, j) =
        rim ? 0.f : heat_update(from(i, j), from(i - 1, j), from(i + 1, j), from(i, j - 1), from(i, j + 1), number);
  }
};

struct HeatSpot {
  View2D<float> field;
  float x, y, radius, amount;
  PERTURB_HD void operator()(int i, int j) const {
    const float dx = (static_cast<float>(i) + 0.5f - x) / radius, dy = (static_cast<float>(j) + 0.5f - y) / radius;
    field(i, j) += amount * std::exp(-dx * dx - dy * dy);
  }
};

struct HeatPaint {
  Pixels pixels;
  PixelSampler sampler;
  View2D<const float> field;
  ColorScale scale;
  PERTURB_HD void operator()(int px, int py) const {
    const GridPoint p = sampler.point(px, py);
    pixels(px, py) = sampler.inside(p) ? scale(sampler.at(p, field)) : rgba(20, 22, 26);
  }
};

// What one pass over the field tells about it.
struct HeatSums {
  double total = 0;
  float low = std::numeric_limits<float>::max(), high = std::numeric_limits<float>::lowest();
  int not_finite = 0;
  PERTURB_HD void merge(const HeatSums& other) {
    total += other.total;
    low = other.low < low ? other.low : low, high = other.high > high ? other.high : high;
    not_finite += other.not_finite;
  }
};
struct HeatSum {
  View2D<const float> field;
  PERTURB_HD void operator()(int i, int j, HeatSums& sums) const {
    const float value = field(i, j);
    sums.total += static_cast<double>(value);
    sums.low = value < sums.low ? value : sums.low, sums.high = value > sums.high ? value : sums.high;
    sums.not_finite += std::isfinite(value) ? 0 : 1;
  }
};

// ---- the simulation ----

class Heat final : public SimulationOf<HeatParameters> {
 public:
  Heat(Backend& backend, const Setup& setup, GridSize size)
      : SimulationOf(backend, heat_simulation(), setup, parameters_from<HeatParameters>(setup, parameter_table())),
        now_(backend, size.width, size.height, "temperature"),
        next_(backend, size.width, size.height, "next temperature"),
        sums_(backend) {
    for (const Action& action : setup.actions) apply(action);
  }

  double time() const override { return time_; }
  double domain_width() const override { return now_.width(); }
  double domain_height() const override { return now_.height(); }

  void step(std::int64_t count) override {
    const auto number = static_cast<float>(parameters_.diffusivity * parameters_.time_step);
    for (std::int64_t k = 0; k < count; ++k) {
      backend().stop_point();
      parallel_for(backend(), "heat.step", range(), HeatStep{now(), next_.view(), number});
      now_.swap(next_);
      time_ += parameters_.time_step;
      ++steps_;
    }
  }

  std::vector<Action> interpret(const Gesture& gesture) const override {
    if (gesture.phase == Gesture::Phase::release) return {};
    Action spot{"spot", {{"x", gesture.x}, {"y", gesture.y}}, "", nullptr};
    spot.numbers["amount"] = gesture.button == Gesture::Button::left ? 1 : -1;
    spot.numbers["radius"] = gesture.setting("radius", 8);
    return {spot};
  }

  void paint(Pixels pixels, const Camera& camera, const ViewSettings& view, const ColorTable& table) override {
    const PixelSampler sampler(camera.pixel_to_domain(pixels.width, pixels.height, domain_width(), domain_height()),
                               now_.width(), now_.height(), view.smooth);
    parallel_for(backend(), "heat.paint", Range2D{pixels.width, pixels.height},
                 HeatPaint{pixels, sampler, now(), table.scale(view.minimum, view.maximum)});
  }
  Diagnostics diagnostics(const ViewSettings&, bool wait) override {
    const auto start = [this] {
      sums_.start("heat.sums", range(), HeatSum{now()});
      return Measured{{}, steps_, time_};
    };
    const auto finish = [this](Measured& measured) { measured.sums = sums_.result(); };
    return describe(measuring_.look(
        backend(), wait, start, [this] { return sums_.ready(); }, [this] { sums_.wait(); }, finish));
  }
  std::vector<Gauge> gauges() const override {
    return {{"diffusion_number", "D·dt/dx²",
             "Beyond 1/4 neighbouring cells overshoot each other and the field explodes.",
             parameters_.diffusivity * parameters_.time_step, 0.25, "time_step", false, 0.2}};
  }

  State save() const override {
    State state = state_without_fields(now_.width(), now_.height());
    state.put<float>("temperature", shape(), "degree", now_.download());
    return state;
  }
  void load(const State& state) override {
    // All that must hold of a saved state, before anything changes.
    const GridSize size{now_.width(), now_.height()};
    require_state_of(state, info().id);
    require_grid(state, size, "the plate");
    const std::vector<float> temperature = state.get<float>("temperature", shape());
    require_finite("temperature", std::span<const float>(temperature), place_in_grid(size));
    now_.upload(temperature);
    steps_ = state.steps, time_ = state.time, seed_ = state.seed;
    sums_.wait(), measuring_.forget();
  }

  void select_kernel(const std::string& id) override {
    if (id != "auto") kernel_on_backend(id);
    kernel_ = id;
  }
  StepCost step_cost(const std::string&) const override {
    const double cells = static_cast<double>(now_.width()) * now_.height();
    return {8 * cells, 7 * cells, cells, "cell/s"};  // one read, one write of four bytes
  }
  LaunchShape launch_shape(const std::string&) const override { return {}; }

 protected:
  void act(const Action& action) override {
    static constexpr ActionHandler<Heat> handlers[] = {{"spot", [](Heat& h, const Action& a) { h.add_spot(a); }}};
    act_by(handlers, *this, action);
  }
  std::string value_inside(double x, double y, const ViewSettings&) override {
    const auto i = static_cast<int>(x * now_.width()), j = static_cast<int>(y * now_.height());
    float value = 0;
    backend().copy_to_host(&value, &now_.view()(i, j), sizeof value);
    return in_unit(value, info().quantities.front());
  }

 private:
  struct Measured {
    HeatSums sums;
    std::int64_t step;
    double time;
  };

  void add_spot(const Action& action) {
    const auto x = static_cast<float>(action.get("x", 0) * now_.width());
    const auto y = static_cast<float>(action.get("y", 0) * now_.height());
    parallel_for(backend(), "heat.spot", range(),
                 HeatSpot{now_.view(), x, y, static_cast<float>(action.get("radius", 8)),
                          static_cast<float>(action.get("amount", 1))});
  }
  Range2D range() const { return {now_.width(), now_.height()}; }
  View2D<const float> now() const { return now_.view(); }
  std::vector<std::size_t> shape() const {
    return {static_cast<std::size_t>(now_.height()), static_cast<std::size_t>(now_.width())};
  }
  static Diagnostics describe(const Measured& measured) {
    const HeatSums& s = measured.sums;
    Diagnostics d;
    d.step = measured.step, d.time = measured.time;
    d.scalars = {{"heat", "Heat", "degree·length²", s.total}};
    d.minimum = s.low, d.maximum = s.high;
    d.finite = s.not_finite == 0;
    if (!d.finite)
      d.trouble = std::to_string(s.not_finite) +
                  " cells are no longer finite: lower time_step, so that D·dt/dx² stays below 1/4.";
    return d;
  }

  Field<float> now_, next_;
  Reduction<HeatSums> sums_;
  Measuring<Measured> measuring_;
  double time_ = 0;
};

GridSize size_of(const Setup& setup) { return grid_size_of(setup, {256, 256}, 3, 32768, "A heat plate"); }

std::size_t memory_needed(const Backend&, const Setup& setup) {
  const GridSize size = size_of(setup);
  return 2 * Field<float>::bytes_of(size.width, size.height);
}

std::unique_ptr<Simulation> create(Backend& backend, const Setup& setup) {
  return std::make_unique<Heat>(backend, setup, size_of(setup));
}

// A single mode sin(pi x/L)·sin(pi y/L) decays by the same factor in every step of the scheme.
std::vector<TheoryCheck> verify(Backend& backend, bool) {
  Setup setup;
  setup.simulation = "heat", setup.width = setup.height = 65;
  Heat heat(backend, setup, size_of(setup));
  std::vector<float> mode(65 * 65);
  for (int j = 0; j < 65; ++j)
    for (int i = 0; i < 65; ++i)
      mode[j * 65 + i] = static_cast<float>(std::sin(M_PI * i / 64) * std::sin(M_PI * j / 64));
  State state = heat.save();
  state.put<float>("temperature", {65, 65}, "degree", mode);
  heat.load(state);
  heat.step(100);
  const double s = std::sin(M_PI / 128), factor = 1 - 8 * 0.2 * s * s;
  const double expected = std::pow(factor, 100), got = heat.save().get<float>("temperature", {65, 65})[32 * 65 + 32];
  return {{"decay of a mode over 100 steps", "", expected, got, std::abs(got / expected - 1), 1e-5,
           "the scheme's own factor, to the rounding of 32-bit numbers"}};
}

}  // namespace

const SimulationInfo& heat_simulation() {
  static const SimulationInfo info = [] {
    SimulationInfo i;
    i.id = "heat", i.title = "Heat plate", i.summary = "Heat spreads over a plate whose rim is kept cold.";
    i.equation = "T_t = D (T_xx + T_yy)";
    i.default_width = i.default_height = 256;
    i.parameters = parameter_table();
    const double required = std::numeric_limits<double>::quiet_NaN();
    i.actions = {{"spot",
                  "Spot",
                  "Adds a warm or a cold spot.",
                  {real_value("x", "x", "", "", required, -1, 2, "Fraction of the width."),
                   real_value("y", "y", "", "", required, -1, 2, "Fraction of the height."),
                   real_value("radius", "Radius", "length", "s", 8, 0.5, 200, "How wide the spot is."),
                   real_value("amount", "Amount", "degree", "", 1, -100, 100, "How warm the spot is.")},
                  false}};
    i.tools = {{"spot",
                "Spot",
                "Left: warm, right: cold. Drag to paint.",
                {real_value("radius", "Radius", "length", "s", 8, 0.5, 200, "How wide the brush is.")}}};
    i.quantities = {{"temperature", "Temperature", "degree", 0, 1, "magma", false}};
    i.kernels = {{"plain", "Plain", "A thread per cell.", true, true, 1}};
    i.create = create, i.verify = verify, i.memory_needed = memory_needed;
    return i;
  }();
  return info;
}

const std::vector<SavedField>& heat_saved_fields() {
  static const std::vector<SavedField> fields = {{"temperature", {ElementType::float32}, {grid_height, grid_width}}};
  return fields;
}

}  // namespace perturb
