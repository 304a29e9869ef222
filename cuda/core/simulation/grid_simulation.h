// A simulation of a few fields on a grid of cells, with one step at a time: the common implementation. A simulation
// with other needs overrides the call, or derives from SimulationOf directly.
//
// A file that includes this is a launch (scripts/cmake/Simulation.cmake).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/loops/reduce.h"
#include "cuda/core/paint/sampling.h"
#include "cuda/core/simulation/action.h"
#include "cuda/core/simulation/async_measurement.h"
#include "cuda/core/simulation/field_difference.h"
#include "cuda/core/simulation/setup.h"
#include "cuda/core/simulation/simulation_of.h"
#include "cuda/core/simulation/stability.h"
#include "cuda/core/simulation/state.h"

namespace perturb {

namespace detail {

struct PaintField {
  Pixels pixels;
  PixelSampler sampler;
  View2D<const float> field;
  ColorScale scale;
  PERTURB_HD void operator()(int px, int py) const {
    const GridPoint p = sampler.point(px, py);
    pixels(px, py) = sampler.inside(p) ? scale(sampler.at(p, field)) : rgba(20, 22, 26);
  }
};

}  // namespace detail

// The setup's size, or the simulation's default: at least one cell that is not at the edge.
inline GridSize grid_size_of(const Setup& setup, const SimulationInfo& info, const Message& what) {
  return grid_size_of(setup, {info.default_width, info.default_height}, 3, 32768, what);
}

// Each of info().quantities is a field of the state (see `keep_field`), shown, measured and saved under the quantity's
// id and in its unit. The limits of its gauges are limits of stability, unless they are advisory.
template <class Parameters>
class GridSimulation : public SimulationOf<Parameters>,
                       public StabilityLimit,
                       public ComparesFields,
                       public CopiesMembers {
 public:
  using SimulationOf<Parameters>::backend;
  using SimulationOf<Parameters>::info;

  double time() const override { return time_; }
  // Cells are one unit of length wide.
  double domain_width() const override { return size_.width; }
  double domain_height() const override { return size_.height; }

  void step(std::int64_t count) override {
    for (std::int64_t k = 0; k < count; ++k) {
      backend().stop_point();
      add_step(take_step());
    }
  }

  // A gauge that is beyond its limit already restricts nothing.
  void require_stable_with(const std::string& id, double value) override {
    const std::vector<Gauge> before = this->gauges();
    const Parameters now = this->parameters_;
    this->parameters().set(id, value);
    const std::vector<Gauge> after = this->gauges();
    this->parameters_ = now;
    for (std::size_t k = 0; k < after.size(); ++k) {
      if (after[k].level() != Gauge::Level::exceeded || before[k].level() == Gauge::Level::exceeded) continue;
      const Parameter& parameter = this->parameters().find(id);
      const Message why("{} would be {}, and the scheme is stable only below {}.", after[k].label,
                        format_number(after[k].value, 3), format_number(after[k].limit, 3));
      throw InputError(Message("{} cannot be {}: {}", Message::parameter(id, parameter.label), parameter.format(value),
                               why + after[k].remedy));
    }
  }
  void require_stable_after(const Action& /*action*/) override {}

  void paint(Pixels pixels, const Camera& camera, const ViewSettings& view, const ColorTable& table) override {
    const PixelSampler sampler(camera.pixel_to_domain(pixels.width, pixels.height, domain_width(), domain_height()),
                               size_.width, size_.height, view.smooth);
    const auto [low, high] = shown_range(view, info().quantities[quantity_index(info(), view.quantity)]);
    parallel_for(backend(), paint_label_.c_str(), Range2D{pixels.width, pixels.height},
                 detail::PaintField{pixels, sampler, shown(view).view(), table.scale(low, high)});
  }

  Diagnostics diagnostics(const ViewSettings& view, bool wait) override {
    const auto start = [this] {
      for (std::size_t f = 0; f < fields_.size(); ++f)
        sums_[f]->start(sums_label_.c_str(), cells(), FieldSum{View2D<const float>(fields_[f]->view())});
      return Measured{{}, this->steps_, time_};
    };
    const auto finish = [this](Measured& measured) {
      for (const auto& sums : sums_) measured.sums.push_back(sums->result());
    };
    const auto ready = [this] {
      bool all = true;
      for (const auto& sums : sums_) all = sums->ready() && all;
      return all;
    };
    return describe(measurement_.update(
                        backend(), wait, start, ready, [this] { wait_for_sums(); }, finish),
                    view);
  }

  State save() const override {
    State state = this->state_without_fields(size_.width, size_.height);
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      const Quantity& quantity = info().quantities[f];
      state.template put<float>(quantity.id, grid(), quantity.unit, fields_[f]->download());
    }
    return state;
  }
  double difference_from(const Simulation& other) override {
    return difference_.between(compared(), dynamic_cast<const GridSimulation&>(other).compared());
  }
  void load(const State& state) override {
    require_state_of(state, info().id);
    require_grid(state, size_, "this run");
    std::vector<std::vector<float>> values;
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      const std::string& name = info().quantities[f].id;
      values.push_back(state.template get<float>(name, grid()));
      require_finite(name, std::span<const float>(values.back()), grid_index_formatter(size_));
    }
    // No input error below.
    for (std::size_t f = 0; f < fields_.size(); ++f) fields_[f]->upload(values[f]);
    this->steps_ = state.steps;
    time_ = state.time;
    this->seed_ = state.seed;
    forget_measurements();
  }

  void select_kernel(const std::string& id) override {
    if (id != "auto") this->kernel_on_backend(id);
    this->kernel_ = id;
  }
  LaunchShape launch_shape(const std::string& /*kernel*/) const override { return {}; }

 protected:
  // `simulation_info` must outlive it.
  GridSimulation(Backend& place, const SimulationInfo& simulation_info, const Setup& setup, GridSize grid_size)
      : SimulationOf<Parameters>(place, simulation_info, setup,
                                 parameters_from<Parameters>(setup, simulation_info.parameters)),
        size_(grid_size),
        paint_label_(simulation_info.id + ".paint"),
        sums_label_(simulation_info.id + ".sums"),
        difference_(place) {}

  // Registers the field of the next quantity, in the order of info().quantities; a member of the derived class, for its
  // whole lifetime. The following steps depend only on these fields, the parameters, the seed, the steps and the time.
  void keep_field(Field<float>& field) {
    PERTURB_ASSERT(fields_.size() < info().quantities.size());
    fields_.push_back(&field);
    sums_.push_back(std::make_unique<Reduction<FieldSums>>(backend()));
  }

  // Queues one step; returns the time that it covers.
  virtual double take_step() = 0;
  // Counts a step that has been taken.
  void add_step(double time) {
    time_ += time;
    ++this->steps_;
  }
  // Diagnostics of the fields in addition to their extremes, from the sums of each: their means.
  virtual std::vector<Scalar> scalars(const std::vector<FieldSums>& sums) const {
    std::vector<Scalar> means;
    for (std::size_t f = 0; f < sums.size(); ++f) {
      const Quantity& q = info().quantities[f];
      means.push_back({"mean_" + q.id, Message("Mean of {}", Message(q.label)), q.unit, sums[f].total / cell_count(),
                       Meaning::field});
    }
    return means;
  }

  GridSize size() const { return size_; }
  Range2D cells() const { return {size_.width, size_.height}; }
  double cell_count() const { return static_cast<double>(size_.width) * size_.height; }
  // The cost of one step of any kernel, from the bytes and operations per cell.
  StepCost cost_of_cells(double bytes, double flops) const {
    return {bytes * cell_count(), flops * cell_count(), cell_count(), "cell/s"};
  }

  std::optional<double> number_inside(double x, double y, const ViewSettings& view) override {
    const auto i = static_cast<int>(x * size_.width), j = static_cast<int>(y * size_.height);
    float value = 0;
    backend().copy_to_host(&value, shown(view).view().row(j) + i, sizeof value);
    return static_cast<double>(value);
  }

  void visit_members(MemberCopier& copy) override {
    copy(this->parameters_, this->seed_, this->steps_, time_);
    for (Field<float>* field : fields_) copy(*field);
    if (copy.is_restoring()) forget_measurements();
  }

 private:
  // The measurements of one state.
  struct Measured {
    std::vector<FieldSums> sums;
    std::int64_t step = 0;
    double time = 0;
  };

  ComparedState compared() const {
    ComparedState state;
    for (std::size_t f = 0; f < fields_.size(); ++f)
      state.fields.push_back({info().quantities[f].id, View2D<const float>(fields_[f]->view())});
    return state;
  }
  const Field<float>& shown(const ViewSettings& view) const { return *fields_[quantity_index(info(), view.quantity)]; }
  std::vector<std::size_t> grid() const {
    return {static_cast<std::size_t>(size_.height), static_cast<std::size_t>(size_.width)};
  }
  void wait_for_sums() {
    for (const auto& sums : sums_) sums->wait();
  }
  void forget_measurements() {
    wait_for_sums();
    measurement_.forget();
  }

  Diagnostics describe(const Measured& measured, const ViewSettings& view) const {
    Diagnostics d;
    d.step = measured.step;
    d.time = measured.time;
    d.scalars = scalars(measured.sums);
    const FieldSums& seen = measured.sums[quantity_index(info(), view.quantity)];
    if (seen.low <= seen.high) {
      d.minimum = static_cast<double>(seen.low);
      d.maximum = static_cast<double>(seen.high);
    }
    for (std::size_t f = 0; f < measured.sums.size() && d.finite; ++f) {
      if (measured.sums[f].finite()) continue;
      d.finite = false;
      d.error = Message("{} is not finite at step {}, in {}.", Message(info().quantities[f].label), measured.step,
                        grid_index_formatter(size_)(static_cast<std::size_t>(measured.sums[f].first_bad)));
      for (const Gauge& gauge : this->gauges())
        if (gauge.level() == Gauge::Level::exceeded)
          d.error = d.error + Message("{} is too large.", Message(gauge.label)) + gauge.remedy;
    }
    return d;
  }

  GridSize size_;
  std::string paint_label_, sums_label_;
  std::vector<Field<float>*> fields_;  // not owned
  std::vector<std::unique_ptr<Reduction<FieldSums>>> sums_;
  AsyncMeasurement<Measured> measurement_;
  FieldDifference difference_;
  double time_ = 0;
};

}  // namespace perturb
