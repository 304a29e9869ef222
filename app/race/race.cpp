#include "app/race/race.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "cuda/core/backend/check.h"
#include "cuda/core/backend/loop_blocks.h"
#include "cuda/core/backend/stop.h"
#include "cuda/core/backend/timeline.h"
#include "cuda/core/launch/launch_map.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/paint/panes.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/field_difference.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/inspection.h"
#include "cuda/core/simulation/shortest_period.h"

namespace perturb {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

// The time per step is an average over about this many seconds of computing.
constexpr double averaged_seconds = 1;
// A lane's speed is known once the average covers this many seconds: fewer steps depend on what else the machine does.
constexpr double known_seconds = 0.5;
static_assert(known_seconds <= averaged_seconds / 2, "a speed that is known would become unknown");
// While frames are shown, comparing takes at most this share of the time: it may copy all states to main memory.
constexpr double comparison_share = 0.1;

// While a lane has no measured time per step yet, a race by time takes this many steps in all lanes: the first ones
// load the kernels. A kernel that takes several steps at once needs as many to show its speed.
std::int64_t equal_steps_at_once(const SimulationInfo& info) {
  int at_once = 1;
  for (const KernelVariant& kernel : info.kernels) at_once = std::max(at_once, kernel.steps_per_pass);
  return at_once;
}

// The number of steps between points of the curves of differences. It depends on the lanes only, never on a clock: the
// Lyapunov exponent must not depend on the speed of the machine. A difference of discs grows within tens of steps. A
// kernel that takes several steps at once does so twice; lanes whose large fields have to be copied are compared less
// often.
std::int64_t steps_per_comparison(const SimulationInfo& info, bool copies) {
  int at_once = 1;
  for (const KernelVariant& kernel : info.kernels) at_once = std::max(at_once, kernel.steps_per_pass);
  if (at_once == 1) return 4;
  return 2 * at_once * (copies ? 8 : 1);
}

Setup setup_of(const Setup& setup, const Lane& lane) {
  Setup own = setup;
  for (const auto& [id, value] : lane.parameters) own.parameters[id] = value;
  return own;
}

bool uses(const Lane& lane, const Backend& backend) { return lane.backend.empty() || lane.backend == backend.id(); }

// The number of largest magnitude in the dataset, one rounding nearer to zero; so it stays in its range. False: all are
// zero.
template <class Real>
bool nudge_largest(Dataset& dataset) {
  std::size_t largest = 0;
  Real value = 0;
  for (std::size_t k = 0; k < dataset.count(); ++k) {
    Real here;
    std::memcpy(&here, dataset.bytes.data() + k * sizeof(Real), sizeof(Real));
    if (std::abs(here) > std::abs(value)) {
      value = here;
      largest = k;
    }
  }
  if (value == 0) return false;
  value = std::nextafter(value, Real(0));
  std::memcpy(dataset.bytes.data() + largest * sizeof(Real), &value, sizeof(Real));
  return true;
}

// Changes the first field of the state that is not zero everywhere.
bool nudge_state(State& state) {
  const std::vector<SavedField>* fields = find_saved_fields(state.simulation);
  if (!fields) return false;
  for (const SavedField& field : *fields) {
    const auto found = state.datasets.find(field.name);
    if (found == state.datasets.end()) continue;
    Dataset& dataset = found->second;
    if (dataset.type == ElementType::float32 && nudge_largest<float>(dataset)) return true;
    if (dataset.type == ElementType::float64 && nudge_largest<double>(dataset)) return true;
  }
  return false;
}

}  // namespace

struct Race::Entry {
  Lane lane;
  std::size_t number = 0;                // of the lane, from 1
  std::unique_ptr<Backend> own_backend;  // null: that of the race
  std::unique_ptr<Simulation> simulation;
  double seconds = 0, steps = 0;  // measured lately
  bool is_warm = false;           // the first steps also loaded the kernels, and count only until others are measured
  double credit = 0;              // seconds of its shares that it has not used; by time
  double largest_difference = 0;  // from the first lane
  Divergence divergence;
  // For an image of a lane on another backend.
  Array<std::uint32_t> painted, arrived;
  std::vector<std::uint32_t> on_host;
  std::unique_ptr<ColorTable> colors;

  Backend& backend() const { return simulation->backend(); }
  double seconds_per_step() const { return steps > 0 ? seconds / steps : no_value; }
  bool has_known_speed() const { return is_warm && seconds >= known_seconds; }
  // Paints into memory of its own backend, and copies this to `pixels` in that of `shown_on`.
  void paint_elsewhere(Pixels pixels, Backend& shown_on, const Camera& camera, const ViewSettings& view,
                       const ColorTable& table);
};

struct Race::Pane {
  Entry* entry;
  bool shows_difference;
};

// Of each lane its state, and its parameters: a lane's may differ from those of the first.
class Race::Copy final : public StateCopy {
 public:
  struct Part {
    std::map<std::string, double> live;
    std::unique_ptr<StateCopy> copy;
    Divergence divergence;
  };
  std::vector<Part> parts;

  std::size_t bytes() const override {
    std::size_t all = 0;
    for (const Part& part : parts) all += part.copy->bytes();
    return all;
  }
};

std::size_t shown_lane(const std::vector<Lane>& lanes, std::size_t lane) {
  for (std::size_t k = 1; k < lane && lanes[lane].shows_difference; ++k) {
    Lane shown = lanes[lane];
    shown.shows_difference = lanes[k].shows_difference;
    if (shown == lanes[k]) return k;
  }
  return lane;
}

std::size_t computing_lanes(const std::vector<Lane>& lanes) {
  std::size_t count = 0;
  for (std::size_t k = 0; k < lanes.size(); ++k) count += shown_lane(lanes, k) == k;
  return count;
}

std::size_t race_memory_needed(const Backend& backend, const Setup& setup, const std::vector<Lane>& lanes) {
  const SimulationInfo& info = find_simulation(setup.simulation);
  if (lanes.empty()) return info.memory_needed(backend, setup);
  std::size_t needed = 0;
  for (std::size_t k = 0; k < lanes.size(); ++k)
    if (shown_lane(lanes, k) == k && uses(lanes[k], backend))
      needed += info.memory_needed(backend, setup_of(setup, lanes[k]));
  return needed;
}

Race::Race(Backend& backend, const Setup& setup, const std::vector<Lane>& lanes, bool begins_here,
           std::shared_ptr<LaneRecord> by_time)
    : Simulation(backend), record_(std::move(by_time)) {
  require_lane_count(lanes.size());
  const SimulationInfo& info = find_simulation(setup.simulation);
  for (std::size_t k = 0; k < lanes.size(); ++k) {
    const Lane& lane = lanes[k];
    if (const std::size_t shown = shown_lane(lanes, k); shown != k) {
      panes_.push_back({panes_[shown].entry, true});
      continue;
    }
    auto entry = std::make_unique<Entry>();
    entry->lane = lane;
    entry->number = k + 1;
    if (!uses(lane, backend)) {
      // A GPU that is missing is an error of the machine for --backend, but of the input here.
      try {
        entry->own_backend = make_backend(lane.backend, 0);
      } catch (const Error& error) {
        throw InputError(Message("Cannot start lane {} of the race. {}", k + 1, error.message()) +
                         "Choose another backend for it.");
      }
    }
    Backend& where = entry->own_backend ? *entry->own_backend : backend;
    try {
      entry->simulation = info.create(where, setup_of(setup, lane));
      if (!lane.kernel.empty()) entry->simulation->select_kernel(lane.kernel);
    } catch (const InputError& error) {
      throw InputError(Message("Cannot start lane {} of the race. {}", k + 1, error.message()));
    }
    panes_.push_back({entry.get(), lane.shows_difference && k > 0});
    entries_.push_back(std::move(entry));
  }
  bool copies = false;
  for (const auto& entry : entries_) copies = copies || entry->own_backend;
  comparison_interval_ = steps_per_comparison(info, copies);
  for (const auto& entry : entries_) entry->divergence = Divergence(comparison_interval_);
  if (!begins_here) return;
  for (const auto& entry : entries_) nudge(*entry);
}

Race::~Race() = default;

Simulation& Race::first() const { return *entries_.front()->simulation; }

Simulation& Race::provider_of(const std::type_info& capability) {
  const bool is_of_first = capability == typeid(StabilityRemedies) || capability == typeid(ObjectPlacer) ||
                           capability == typeid(ShortestPeriod) || capability == typeid(Inspectable) ||
                           capability == typeid(MapsLaunch) || capability == typeid(HasLoopBlocks);
  return is_of_first ? first() : *this;
}

void Race::nudge(Entry& entry) {
  if (!entry.lane.nudged) return;
  State state = entry.simulation->save();
  if (!nudge_state(state))
    throw InputError(
        "Cannot start a lane one rounding apart: all numbers of the start are zero. Use a scene that does not start at "
        "rest, or continue a saved state (--load).");
  entry.simulation->load(state);
}

// ---- changes

void Race::set_parameter(const std::string& id, double value) {
  std::vector<std::pair<Simulation*, double>> changed;
  for (const auto& entry : entries_) {
    if (entry->lane.parameters.contains(id)) continue;
    Simulation& simulation = *entry->simulation;
    const double before = simulation.parameters().get(id);
    try {
      simulation.set_parameter(id, value);
    } catch (...) {
      for (const auto& [other, old] : changed) other->set_parameter(id, old);
      throw;
    }
    changed.emplace_back(&simulation, before);
  }
  const Parameter& parameter = first().parameters().find(id);
  if (changed.empty())
    throw InputError("Cannot change {}: every lane of the race sets it by itself. Start a race without it.",
                     Message::parameter(id, parameter.label));
  if (entries_.front()->lane.parameters.contains(id))
    warning_ = Message("{} changes in the lanes that do not set it by themselves.", Message(parameter.label));
}

void Race::apply(const Action& action) {
  first().apply(action);
  for (std::size_t k = 1; k < entries_.size(); ++k) {
    try {
      entries_[k]->simulation->apply(action);
    } catch (const InputError& error) {
      warning_ = warning_ + Message("Lane {} did not follow: {}", entries_[k]->number, error.message());
    }
  }
}

Message Race::take_warning() {
  Message warning = std::exchange(warning_, {});
  Message first;
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    const Message own = entries_[k]->simulation->take_warning();
    if (k == 0) first = own;
    if (k == 0 || own.empty())
      warning = warning + own;
    else if (own.english() != first.english())
      warning = warning + Message("Lane {}: {}", entries_[k]->number, own);
  }
  return warning;
}

void Race::select_kernel(const std::string& id) {
  std::vector<std::pair<Simulation*, std::string>> changed;
  for (const auto& entry : entries_) {
    if (!entry->lane.kernel.empty()) continue;
    Simulation& simulation = *entry->simulation;
    const std::string before = simulation.selected_kernel();
    try {
      simulation.select_kernel(id);
    } catch (...) {
      for (const auto& [other, old] : changed) other->select_kernel(old);
      throw;
    }
    changed.emplace_back(&simulation, before);
  }
  // A run begins with the choice "auto".
  if (changed.empty() && id != "auto")
    throw InputError("Cannot choose the kernel {}: every lane of the race has its own. Start a race with it in a lane.",
                     id);
}

// ---- steps

double Race::advance(Entry& entry, std::int64_t count) {
  constexpr const char* names[] = {"lane 1", "lane 2", "lane 3", "lane 4"};
  const Timeline::Scope timed(TimeUse::lane, names[entry.number - 1]);
  const Timeline::LoopScope loops(entry.backend());
  const bool waits = entry.backend().is_cuda();
  if (waits && !time_next_step_ && !is_by_time()) {
    entry.simulation->step(count);
    return 0;
  }
  if (waits) entry.backend().synchronize();
  const auto begin = clock_();
  entry.simulation->step(count);
  if (waits) entry.backend().synchronize();
  const double seconds = seconds_between(begin, clock_());
  if (!std::exchange(entry.is_warm, entry.steps > 0)) entry.seconds = entry.steps = 0;
  entry.seconds += seconds;
  entry.steps += static_cast<double>(count);
  if (entry.seconds > averaged_seconds && entry.steps > 1) {
    entry.seconds /= 2;
    entry.steps /= 2;
  }
  return seconds;
}

void Race::step(std::int64_t count) {
  if (is_by_time()) return step_by_time(count);
  const Divergence& curve = entries_.back()->divergence;
  while (count > 0) {
    const std::int64_t taken = entries_.size() > 1 ? std::min(count, curve.steps_to_point(steps())) : count;
    advance_all(taken);
    count -= taken;
    if (entries_.size() == 1 || !curve.takes(steps())) continue;
    compare();
    for (std::size_t k = 1; k < entries_.size(); ++k)
      entries_[k]->divergence.add(steps(), time(), entries_[k]->largest_difference);
  }
  time_next_step_ = false;
}

void Race::advance_all(std::int64_t count) {
  const std::int64_t end = steps() + count;
  bool stopped = false;
  for (const auto& entry : entries_) {
    try {
      advance(*entry, count);
    } catch (const Stopped&) {
      stopped = true;
    }
  }
  if (!stopped) return;
  std::int64_t reached = steps();
  for (const auto& entry : entries_) reached = std::max(reached, entry->simulation->steps());
  const StopRequest never;
  for (const auto& entry : entries_) {
    const StopScope scope(entry->backend(), never);
    if (const std::int64_t missing = reached - entry->simulation->steps(); missing > 0)
      entry->simulation->step(missing);
  }
  if (reached < end) throw Stopped();
}

// ---- by time

std::int64_t Race::lane_steps(std::size_t lane) const { return entries_[lane]->simulation->steps(); }

LaneRecord::Steps Race::all_steps() const {
  LaneRecord::Steps all{};
  for (std::size_t k = 0; k < entries_.size(); ++k) all[k] = lane_steps(k);
  return all;
}

void Race::set_clock(LaneClock clock) {
  clock_ = std::move(clock);
  for (const auto& entry : entries_) {
    entry->seconds = entry->steps = entry->credit = 0;
    entry->is_warm = false;
  }
}

void Race::forget_recorded_future() {
  if (is_by_time()) record_->cut(steps());
}

void Race::step_by_time(std::int64_t count) {
  while (count > 0) {
    record_->add(all_steps());
    const bool all_are_warm =
        std::all_of(entries_.begin(), entries_.end(), [](const auto& entry) { return entry->is_warm; });
    const std::int64_t recorded = record_->next_after(steps()) - steps();
    count -= recorded > 0    ? follow_record(std::min(count, recorded))
             : !all_are_warm ? take_equal_steps(std::min(count, equal_steps_at_once(info())))
                             : take_shares(count);
    record_->add(all_steps());
  }
}

// A lane that is stopped on the way catches up at the next entry of the record.
std::int64_t Race::follow_record(std::int64_t count) {
  const LaneRecord::Steps target = record_->at(steps() + count).value_or(all_steps());
  for (std::size_t k = 0; k < entries_.size(); ++k)
    if (const std::int64_t missing = target[k] - lane_steps(k); missing > 0) advance(*entries_[k], missing);
  return count;
}

std::int64_t Race::take_equal_steps(std::int64_t count) {
  for (const auto& entry : entries_) advance(*entry, count);
  return count;
}

// Unused time is kept for the next call, and so is time that a step has taken in excess: over many frames all lanes get
// the same, also one whose step is longer than its share.
std::int64_t Race::take_shares(std::int64_t count) {
  const double share = advance(*entries_.front(), count);
  for (std::size_t k = 1; k < entries_.size(); ++k) {
    Entry& entry = *entries_[k];
    entry.credit += share;
    for (std::int64_t left = max_lead * count; left > 0;) {
      const double each = entry.seconds / entry.steps;
      // A clock too coarse for these steps tells no difference between the lanes.
      const bool is_measured = each > 0;
      const double steps = is_measured ? std::round(entry.credit / each) : static_cast<double>(count);
      const std::int64_t taken = steps < static_cast<double>(left) ? static_cast<std::int64_t>(steps) : left;
      if (taken <= 0) break;
      entry.credit -= advance(entry, taken);
      left -= taken;
      if (left == 0) entry.credit = 0;
      if (!is_measured) break;
    }
  }
  return count;
}

// ---- state

void Race::load(const State& state) {
  for (const auto& entry : entries_) {
    // Some fields of a state mean something else under other parameters: the height before the last step belongs to its
    // time step, populations to their force. So a lane takes the state under the state's own parameters.
    Simulation& simulation = *entry->simulation;
    std::vector<std::pair<std::string, double>> own;
    for (const auto& [id, value] : entry->lane.parameters) {
      const Parameter& parameter = simulation.parameters().find(id);
      const auto saved = state.parameters.find(parameter.id);
      if (parameter.apply != Apply::live || saved == state.parameters.end()) continue;
      const double before = simulation.parameters().get(parameter);
      if (const double then = parameter.parse(saved->second); then != before) {
        simulation.set_parameter(parameter.id, then);
        own.emplace_back(parameter.id, before);
      }
    }
    simulation.load(state);
    for (const auto& [id, value] : own) simulation.set_parameter(id, value);
    nudge(*entry);
    entry->divergence = Divergence(comparison_interval_);
  }
  compared_step_ = -1;
}

std::unique_ptr<StateCopy> Race::copy_lanes(std::unique_ptr<StateCopy> spare) {
  auto made = std::make_unique<Copy>();
  auto* const before = dynamic_cast<Copy*>(spare.get());
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    std::unique_ptr<StateCopy> reused;
    if (before && k < before->parts.size()) reused = std::move(before->parts[k].copy);
    Simulation& simulation = *entries_[k]->simulation;
    Copy::Part& part = made->parts.emplace_back();
    const ParameterSet parameters = simulation.parameters();
    for (const Parameter& p : parameters.table())
      if (p.apply == Apply::live) part.live[p.id] = parameters.get(p);
    part.copy = simulation.copy_state(std::move(reused));
    part.divergence = entries_[k]->divergence;
  }
  return made;
}

void Race::restore_lanes(const StateCopy& copy) {
  const auto& parts = dynamic_cast<const Copy&>(copy).parts;
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    Simulation& simulation = *entries_[k]->simulation;
    for (const auto& [id, value] : parts[k].live)
      if (simulation.parameters().get(id) != value) simulation.set_parameter(id, value);
    simulation.restore(*parts[k].copy);
    entries_[k]->divergence = parts[k].divergence;
  }
  compared_step_ = -1;
}

// ---- image

void Race::Entry::paint_elsewhere(Pixels pixels, Backend& shown_on, const Camera& camera, const ViewSettings& view,
                                  const ColorTable& table) {
  const auto size = static_cast<std::size_t>(pixels.width) * static_cast<std::size_t>(pixels.height);
  if (painted.size() != size) {
    painted = Array<std::uint32_t>(backend(), size, "image of a lane");
    arrived = {};
    on_host.resize(size);
  }
  if (!colors || !colors->holds(table.map())) colors = std::make_unique<ColorTable>(backend(), table.map());
  simulation->paint({painted.data(), pixels.width, pixels.height, pixels.width}, camera, view, *colors);
  painted.download(on_host);
  View2D<const std::uint32_t> image{on_host.data(), pixels.width, pixels.height, pixels.width};
  if (shown_on.is_cuda()) {
    if (arrived.size() != size) arrived = Array<std::uint32_t>(shown_on, size, "image of a lane");
    arrived.upload(on_host);
    image.data = arrived.data();
  }
  copy_pixels(shown_on, pixels, image);
}

void Race::paint_lane(Entry& entry, Pixels pixels, const Camera& camera, const ViewSettings& view,
                      const ColorTable& table) {
  if (entry.own_backend)
    entry.paint_elsewhere(pixels, backend(), camera, view, table);
  else
    entry.simulation->paint(pixels, camera, view, table);
}

void Race::paint_difference_of(Entry& entry, Pixels pixels, const Camera& camera, const ViewSettings& view,
                               const ColorTable& table) {
  const auto size = static_cast<std::size_t>(pixels.width) * static_cast<std::size_t>(pixels.height);
  if (!counted_) {
    counted_ = std::make_unique<ColorTable>(backend(), counted_colormap());
    numbers_ = std::make_unique<ColorTable>(backend(), bits24_colormap());
    difference_colors_ = std::make_unique<ColorTable>(backend(), find_colormap("inferno"));
  }
  if (is_by_time()) return fill_pixels(backend(), pixels, outside_color());  // the lanes are at different steps
  std::size_t used = 0;
  const auto image = [&](Entry& of, const ColorTable& colors) -> View2D<const std::uint32_t> {
    Array<std::uint32_t>& memory = compared_[used++];
    if (memory.size() != size) memory = Array<std::uint32_t>(backend(), size, "difference of two lanes");
    const Pixels painted{memory.data(), pixels.width, pixels.height, pixels.width};
    ViewSettings with_colors = view;
    with_colors.colormap = colors.id();
    paint_lane(of, painted, camera, with_colors, colors);
    return painted;
  };
  // A quantity without a number at every point is compared by its colours.
  Entry& first_lane = *entries_.front();
  ComparedImages images;
  if (info().quantities[quantity_index(info(), view.quantity)].can_overlay)
    images = {image(first_lane, *numbers_), image(entry, *numbers_), image(first_lane, *counted_),
              image(entry, *counted_)};
  else
    images = {image(first_lane, table), image(entry, table), {}, {}};
  paint_difference(backend(), pixels, images, difference_colors_->scale(0, 1));
}

void Race::paint(Pixels pixels, const Camera& camera, const ViewSettings& view, const ColorTable& table) {
  const Viewport whole{0, 0, pixels.width, pixels.height};
  const std::vector<Viewport> areas = lane_areas(whole, panes_.size());
  const Viewport& top = areas.front();
  const std::uint32_t line = rgba(110, 116, 128);
  fill_pixels(backend(), pane_of(pixels, {top.width, 0, whole.width - 2 * top.width, whole.height}), line);
  if (panes_.size() > 2)
    fill_pixels(backend(), pane_of(pixels, {0, top.height, whole.width, whole.height - 2 * top.height}), line);
  if (panes_.size() == 3) {
    const Viewport last = lane_areas(whole, max_lanes).back();
    fill_pixels(backend(), pane_of(pixels, last), outside_color());
  }
  for (std::size_t k = 0; k < panes_.size(); ++k) {
    const Pixels pixels_of_lane = pane_of(pixels, areas[k]);
    if (panes_[k].shows_difference && !table.is_counted())
      paint_difference_of(*panes_[k].entry, pixels_of_lane, camera, view, table);
    else
      paint_lane(*panes_[k].entry, pixels_of_lane, camera, view, table);
  }
}

// ---- measurements

void Race::compare() {
  if (is_by_time() || compared_step_ == steps()) return;
  const auto begin = Clock::now();
  std::optional<State> expected;
  for (std::size_t k = 1; k < entries_.size(); ++k) {
    Entry& entry = *entries_[k];
    auto* const fields = entry.own_backend ? nullptr : entry.simulation->find<ComparesFields>();
    if (fields && !entries_.front()->own_backend) {
      entry.largest_difference = fields->difference_from(first());
    } else {
      if (!expected) expected = first().save();
      entry.largest_difference = largest_difference(entry.simulation->save(), *expected);
    }
  }
  compared_step_ = steps();
  const auto end = Clock::now();
  next_comparison_ = end + std::chrono::duration_cast<Clock::duration>((end - begin) * (1 / comparison_share - 1));
}

Diagnostics Race::diagnostics(const ViewSettings& view, bool wait) {
  Diagnostics all = first().diagnostics(view, wait);
  for (std::size_t k = 1; k < entries_.size() && all.finite; ++k) {
    const Diagnostics own = entries_[k]->simulation->diagnostics(view, wait);
    all.finite = own.finite;
    if (!own.finite) all.error = Message("Lane {}: {}", entries_[k]->number, own.error);
  }
  if (wait || Clock::now() >= next_comparison_) compare();
  time_next_step_ = true;
  for (const auto& entry : entries_)
    all.scalars.push_back({"lane_" + std::to_string(entry->number) + "_step",
                           Message("Time per step, lane {}", entry->number), "s", entry->seconds_per_step(),
                           Meaning::computing});
  if (is_by_time()) {
    for (const auto& entry : entries_) {
      const std::string lane = "lane_" + std::to_string(entry->number);
      all.scalars.push_back({lane + "_steps", Message("Steps, lane {}", entry->number), "",
                             static_cast<double>(entry->simulation->steps()), Meaning::computing});
      all.scalars.push_back({lane + "_time", Message("Simulated time, lane {}", entry->number), "time",
                             entry->simulation->time(), Meaning::computing});
      if (entry->number == 1) continue;
      const double speed = entries_.front()->seconds_per_step() / entry->seconds_per_step();
      all.scalars.push_back(value_if(entries_.front()->has_known_speed() && entry->has_known_speed(),
                                     {lane + "_speed", Message("Speed relative to lane 1, lane {}", entry->number), "",
                                      speed, Meaning::computing}));
    }
    all.remarks.push_back(
        "By time the lanes are at different steps, so their difference is not shown. Race by steps to see it.");
    return all;
  }
  std::vector<Curve> differences;
  for (std::size_t k = 1; k < entries_.size(); ++k) {
    const Entry& entry = *entries_[k];
    const std::string lane = "lane_" + std::to_string(entry.number);
    all.scalars.push_back({lane + "_difference", Message("Largest difference, lane {}", entry.number), "",
                           entry.largest_difference, Meaning::accuracy});
    const std::optional<Growth> growth = entry.divergence.growth();
    all.scalars.push_back(
        value_if(growth.has_value(), {lane + "_lyapunov", Message("Lyapunov exponent, lane {}", entry.number), "1/time",
                                      growth ? growth->rate : 0, Meaning::accuracy}));
    Curve curve{lane + "_difference",
                Message("Largest difference, lane {}", entry.number),
                "Time",
                "time",
                "Largest difference",
                "",
                entry.divergence.logarithms(),
                {},
                true,
                true};
    for (const CurvePoint& point : curve.points)
      if (growth && point.x >= growth->begin && point.x <= growth->end)
        curve.theory.push_back({point.x, (growth->logarithm_at_0 + growth->rate * point.x) / std::log(10.0)});
    if (!curve.points.empty()) differences.push_back(std::move(curve));
    if (entry.largest_difference == 0 && compared_step_ > 0)
      all.remarks.push_back(Message("Lane {} has the same bits as lane 1.", entry.number));
    else if (entry.largest_difference == std::numeric_limits<double>::infinity())
      all.remarks.push_back(
          Message("Lane {} cannot be compared with lane 1: their states differ in size.", entry.number));
  }
  // First, because the first plot is the one that is shown.
  all.curves.insert(all.curves.begin(), std::make_move_iterator(differences.begin()),
                    std::make_move_iterator(differences.end()));
  return all;
}

std::vector<Race::LaneResult> Race::results() {
  compare();
  std::vector<LaneResult> results;
  for (const auto& entry : entries_)
    results.push_back({entry->lane, entry->simulation->selected_kernel(), &entry->backend(), entry->simulation->steps(),
                       entry->simulation->time(), entry->seconds_per_step(),
                       is_by_time() ? no_value : entry->largest_difference, entry->divergence.growth()});
  return results;
}

std::vector<Column> Race::columns() const {
  const auto* lane = first().find<HasColumns>();
  std::vector<Column> all = lane ? lane->columns() : std::vector<Column>();
  for (const auto& entry : entries_) all.push_back({"lane_" + std::to_string(entry->number) + "_step", "s"});
  if (is_by_time()) {
    for (const auto& entry : entries_) {
      const std::string id = "lane_" + std::to_string(entry->number);
      all.push_back({id + "_steps", ""});
      all.push_back({id + "_time", "time"});
      if (entry->number > 1) all.push_back({id + "_speed", ""});
    }
    return all;
  }
  for (std::size_t k = 1; k < entries_.size(); ++k) {
    const std::string id = "lane_" + std::to_string(entries_[k]->number);
    all.push_back({id + "_difference", ""});
    all.push_back({id + "_lyapunov", "1/time"});
  }
  return all;
}

// ---- limits

void Race::require_stable_with(const std::string& parameter, double value) {
  for (const auto& entry : entries_)
    if (auto* limit = entry->simulation->find<StabilityLimit>(); limit && !entry->lane.parameters.contains(parameter))
      limit->require_stable_with(parameter, value);
}

void Race::require_stable_after(const Action& action) {
  for (const auto& entry : entries_)
    if (auto* limit = entry->simulation->find<StabilityLimit>()) limit->require_stable_after(action);
}

}  // namespace perturb
