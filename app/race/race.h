// A race: the same start advanced by different kernels, backends or parameters, or with inputs that differ by one
// rounding.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/race/divergence.h"
#include "app/race/lane.h"
#include "app/race/lane_record.h"
#include "cuda/core/backend/field.h"
#include "cuda/core/launch/launch_map.h"
#include "cuda/core/simulation/columns.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/core/simulation/stability.h"

namespace perturb {

// The lane whose simulation lane `lane` shows: itself, or an earlier one (not the first) that is the same except that
// `lane` shows the difference. Such a lane is another image and computes nothing.
std::size_t shown_lane(const std::vector<Lane>& lanes, std::size_t lane);
// The number of lanes that compute.
std::size_t computing_lanes(const std::vector<Lane>& lanes);

// Bytes of `backend`'s memory that a race uses; those of the scene alone if there are no lanes.
std::size_t race_memory_needed(const Backend& backend, const Setup& setup, const std::vector<Lane>& lanes);

// A simulation that consists of 2 to 4 others of the same kind. Steps, actions and changes of parameters go to all
// lanes, so replay and scripts do not depend on a race. The first lane answers everything else: parameters,
// objects, readings, the saved state.
//
// A parameter or kernel that a lane sets by itself stays there; changes of it go to the other lanes.
//
// In a race by time, the first lane takes the requested steps, and each other one as many whole steps as it manages in
// the time that these took. The steps and the time of the race are those of the first lane.
class Race final : public Simulation, public StabilityLimit, public HasColumns {
 public:
  // Measurements of a lane that computes, for output as a table.
  struct LaneResult {
    Lane lane;
    std::string kernel;  // in use, or "auto"
    const Backend* backend = nullptr;
    std::int64_t steps = 0;
    double time = 0;
    double seconds_per_step = no_value;
    double largest_difference = 0;  // from the first lane, of any number of the saved state; no_value by time
    std::optional<Growth> growth;
  };

  // `begins_here`: false if a state is loaded next, from which nudged lanes then differ. Throws InputError for a wrong
  // number of lanes, and for a kernel, a parameter or a backend that is not possible here. `by_time`: the record of a
  // race by time, which the lanes follow as far as it reaches, and then extend; null: by steps.
  Race(Backend& backend, const Setup& setup, const std::vector<Lane>& lanes, bool begins_here = true,
       std::shared_ptr<LaneRecord> by_time = nullptr);
  ~Race() override;

  // Steps of a race by time that a lane takes for one of the first lane, at most: the share of a frame must end.
  static constexpr std::int64_t max_lead = 64;
  bool is_by_time() const { return record_ != nullptr; }
  // Steps of a computing lane (from 0).
  std::int64_t lane_steps(std::size_t lane) const;
  // From here on a race by time measures again: the run continues, it does not repeat its past.
  void forget_recorded_future();
  // The clock that times the lanes, for tests: without a call, the steady one. Forgets what another one has measured.
  using LaneClock = std::function<std::chrono::steady_clock::time_point()>;
  void set_clock(LaneClock clock);

  // Waits for the device, and compares the lanes' current states.
  std::vector<LaneResult> results();

  const SimulationInfo& info() const override { return first().info(); }
  ParameterSet parameters() override { return first().parameters(); }
  void set_parameter(const std::string& id, double value) override;
  std::int64_t steps() const override { return first().steps(); }
  double time() const override { return first().time(); }
  // If a lane stops early on request, the others follow or catch up, so that all have taken the same steps.
  void step(std::int64_t count) override;
  std::vector<Action> interpret(const Gesture& gesture) const override { return first().interpret(gesture); }
  // An action that only another lane than the first rejects is reported by take_warning().
  void apply(const Action& action) override;
  std::vector<SceneObject> objects() const override { return first().objects(); }
  Message take_warning() override;
  double domain_width() const override { return first().domain_width(); }
  double domain_height() const override { return first().domain_height(); }
  // All lanes with the same camera and range (lane_areas). Those that show the difference are drawn from two images.
  void paint(Pixels pixels, const Camera& camera, const ViewSettings& view, const ColorTable& table) override;
  Message value_at(double x, double y, const ViewSettings& view) override { return first().value_at(x, y, view); }
  std::optional<double> number_at(double x, double y, const ViewSettings& view) override {
    return first().number_at(x, y, view);
  }
  // Those of the first lane; and of each lane the time per step, the largest difference and its growth, or by time its
  // steps, its time, and its speed relative to lane 1. A speed has no value before half a second of each of the two
  // lanes is measured, not counting their first steps.
  Diagnostics diagnostics(const ViewSettings& view, bool wait) override;
  std::vector<Gauge> gauges() const override { return first().gauges(); }
  State save() const override { return first().save(); }
  // All lanes continue this state; nudged ones differ from it by one rounding.
  void load(const State& state) override;
  // A copy of all lanes, and its return (Run::copy_state). Those of Simulation know the saved state only: one lane.
  std::unique_ptr<StateCopy> copy_lanes(std::unique_ptr<StateCopy> spare);
  void restore_lanes(const StateCopy& copy);
  // For the lanes that have no kernel of their own.
  void select_kernel(const std::string& id) override;
  std::string selected_kernel() const override { return first().selected_kernel(); }
  Message choice() const override { return first().choice(); }
  StepCost step_cost(const std::string& kernel) const override { return first().step_cost(kernel); }
  LaunchShape launch_shape(const std::string& kernel) const override { return first().launch_shape(kernel); }
  BlockRecorder& block_recorder() override { return first().block_recorder(); }

  // Those of the first lane, and of the lanes.
  std::vector<Column> columns() const override;
  void require_stable_with(const std::string& parameter, double value) override;
  void require_stable_after(const Action& action) override;

 private:
  struct Entry;
  struct Pane;
  class Copy;

  // The first lane for what it answers alone; not for what would change it alone.
  Simulation& provider_of(const std::type_info& capability) override;
  Simulation& first() const;
  void nudge(Entry& entry);
  // Returns the seconds that this took; 0 if they were not measured.
  double advance(Entry& entry, std::int64_t count);
  void advance_all(std::int64_t count);
  LaneRecord::Steps all_steps() const;
  // One part of a race by time; returns the steps that the first lane has taken. May throw Stopped.
  std::int64_t follow_record(std::int64_t count);
  std::int64_t take_equal_steps(std::int64_t count);
  std::int64_t take_shares(std::int64_t count);
  void step_by_time(std::int64_t count);
  void compare();
  void paint_lane(Entry& entry, Pixels pixels, const Camera& camera, const ViewSettings& view, const ColorTable& table);
  void paint_difference_of(Entry& entry, Pixels pixels, const Camera& camera, const ViewSettings& view,
                           const ColorTable& table);

  std::vector<std::unique_ptr<Entry>> entries_;  // the lanes that compute
  std::vector<Pane> panes_;                      // all lanes
  std::shared_ptr<LaneRecord> record_;           // null: by steps
  LaneClock clock_ = &std::chrono::steady_clock::now;
  bool time_next_step_ = true;  // on CUDA, where this waits for the device
  std::int64_t compared_step_ = -1;
  std::int64_t comparison_interval_ = 1;  // steps, of the points of the curves at first
  std::chrono::steady_clock::time_point next_comparison_{};
  // For the difference of two lanes.
  std::array<Array<std::uint32_t>, 4> compared_;
  std::unique_ptr<ColorTable> numbers_, counted_, difference_colors_;
  Message warning_;
};

}  // namespace perturb
