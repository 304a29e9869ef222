#include "cuda/particles/particles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <deque>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>

#include "cuda/core/measuring.h"
#include "cuda/core/parallel_for.h"
#include "cuda/core/random.h"
#include "cuda/core/reduce.h"
#include "cuda/core/shown.h"
#include "cuda/core/simulation_of.h"
#include "cuda/core/start.h"
#include "cuda/core/words.h"
#include "cuda/particles/particles_actions.h"
#include "cuda/particles/particles_describe.h"
#include "cuda/particles/particles_exact_stepper.h"
#include "cuda/particles/particles_host.h"
#include "cuda/particles/particles_observe.h"
#include "cuda/particles/particles_paint.h"
#include "cuda/particles/particles_params.h"
#include "cuda/particles/particles_saved.h"
#include "cuda/particles/particles_start.h"
#include "cuda/particles/particles_stepper.h"
#include "cuda/particles/particles_sums.h"
#include "cuda/particles/particles_trails.h"

namespace perturb {

namespace {

constexpr int most_path_points = 4000;

DiscShown shown_quantity(const std::string& id) {
  return static_cast<DiscShown>(quantity_index(particles_simulation(), id));
}

// Of the kernels in the order of the info, the threads in a block of the source's pair check; 0: by cells.
constexpr std::array<int, 5> pairs_blocks{0, 32, 64, 128, 256};
std::size_t disc_kernel(const std::string& id) { return id == "auto" ? 0 : kernel_index(particles_simulation(), id); }

template <class Real, bool contract>
class Particles final : public SimulationOf<ParticlesParameters> {
 public:
  Particles(Backend& backend, const Setup& setup, const ParticlesParameters& parameters, DiscStart start)
      : SimulationOf(backend, particles_simulation(), setup, parameters),
        width_(parameters.box),
        height_(parameters.box * parameters.aspect),
        right_(parameters.box),
        bins_of_speed_(backend, speed_bins, "speed histogram"),
        sums_(backend),
        nearest_(backend),
        histogram_(backend, speed_bins * sizeof(int)),
        observer_(backend),
        stepper_(backend) {
    if (parameters.collisions == DiscCollisions::exact) exact_.emplace(backend);
    const double speed = std::max(1e-6, parameters.velocity_max) / parameters.slow_factor;
    impulse_unit_ = speed / (1 << 20);
    const auto host = discs_of_start<Real>(start, parameters.slow_factor);
    for (const Disc<Real>& d : host.discs) {
      const double vx = d.vx, vy = d.vy, slow = parameters.slow_factor;
      start_thermal_ += 0.5 * (vx * vx + vy * vy) * slow * slow / static_cast<double>(host.discs.size());
    }
    adopt(host);
    for (const Action& action : setup.actions) apply(action);
  }

  void set_parameter(const std::string& id, double value) override {
    const ParticlesParameters changed = with(id, value, "the discs run: start them anew");
    if (changed.trail != parameters_.trail) trails_.reset(backend(), count_, changed.trail);
    parameters_ = changed;
  }
  double time() const override { return static_cast<double>(steps_) / parameters_.slow_factor; }

  void step(std::int64_t count) override {
    push_ = 0;
    if (searches())
      stepper_.share_out(
          count, storage_, [this] { return world(); }, [this] { take_step(); });
    else
      for (std::int64_t k = 0; k < count; ++k) take_step();
  }
  std::vector<Action> interpret(const Gesture& gesture) const override {
    return particles_interpret(gesture, width_, height_, held_);
  }
  double domain_width() const override { return width_; }
  double domain_height() const override { return height_; }

  void paint(Pixels pixels, const Camera& camera, const ViewSettings& view, const ColorTable& table) override {
    const double unit = Camera::units_per_pixel(pixels.width, pixels.height, width_, height_, camera.zoom);
    DiscPicture<Real> picture;
    picture.value = disc_value(shown_quantity(view.quantity));
    const ShownRange range = shown_range(view, info().quantities[static_cast<std::size_t>(picture.value.shown)]);
    picture.scale = table.scale(range.low, range.high);
    picture.x0 = camera.center_x * width_ - 0.5 * pixels.width * unit;
    picture.y0 = camera.center_y * height_ - 0.5 * pixels.height * unit;
    picture.pixels_per_unit = 1 / unit;
    // A few tiny discs in a wide box would be paler than the eye can see: they are shown larger than they are, as long
    // as all of them together cover no more than a tenth of the box.
    const double share_each = 0.1 * width_ * height_ / (unit * unit) / (std::numbers::pi * count_);
    picture.least_radius = static_cast<float>(std::min(1.3, std::sqrt(share_each)));
    const float radius = std::max(static_cast<float>(cell_radius_ / unit), picture.least_radius);
    const BoxGround ground{picture.x0, picture.y0, unit, right_, width_, height_};
    const Array<int>& giants = giants_;
    if (trails_.empty()) {
      raster_.paint(backend(), "particles.paint", pixels, count_, picture, radius, giants.view(), ground);
      return;
    }
    trails_.paint(backend(), pixels, picture.x0, picture.y0, picture.pixels_per_unit, radius, ground);
    raster_.paint(backend(), "particles.paint", pixels, count_, picture, radius, giants.view(), PaintedGround{pixels});
  }

  std::string value_inside(double x, double y, const ViewSettings& view) override {
    const NearestDisc found = nearest(x * width_, y * height_);
    if (beyond_rim(found) > 0) return "nothing here";
    Disc<Real> d;
    backend().copy_to_host(&d, discs_.data() + found.slot, sizeof d);
    const double slow = parameters_.slow_factor;
    const double speed = std::hypot(static_cast<double>(d.vx), static_cast<double>(d.vy)) * slow;
    std::uint32_t walls = 0, discs = 0;
    backend().copy_to_host(&walls, wall_collisions_.data() + found.slot, sizeof walls);
    backend().copy_to_host(&discs, disc_collisions_.data() + found.slot, sizeof discs);
    const std::string who = "disc " + std::to_string(found.id);
    switch (shown_quantity(view.quantity)) {
      case DiscShown::collisions:
        return who + ": " + std::to_string(discs) + " with discs, " + std::to_string(walls) + " with walls";
      case DiscShown::id:
        return who;
      case DiscShown::origin: {
        Disc<Real> origin;
        backend().copy_to_host(&origin, origins_.data() + found.id, sizeof origin);
        return who + (static_cast<double>(origin.x) < 0.5 * width_ ? ": from the left" : ": from the right");
      }
      default:
        return who + ": speed " + number_in_words(speed, 4);
    }
  }

  Diagnostics diagnostics(const ViewSettings& view, bool wait) override {
    const auto start = [&] { return measure(view); };
    const auto ready = [this] { return sums_.ready() && histogram_.ready() && observer_.ready(); };
    const auto finish = [this](DiscMeasured& measured) { collect(measured); };
    const auto wait_for = [this] { await_measurement(); };
    const DiscMeasured& measured = measuring_.look(backend(), wait, start, ready, wait_for, finish);
    return describe_discs(measured, story());  // the story has this measurement in it
  }

  std::vector<Gauge> gauges() const override {
    const DiscMeasured* latest = measuring_.latest();
    return disc_gauges(latest ? *latest : DiscMeasured{}, story());
  }

  State save() const override {
    const HostDiscs<Real> host = download();
    State state = state_without_fields();
    put_discs(state, host, parameters_.slow_factor);
    if (right_ != width_) state.put<double>("piston", {1}, "length", std::vector<double>{right_});
    return state;
  }

  void load(const State& state) override {
    DiscsSaved<Real> saved = read_disc_state<Real>(state, parameters_);
    adopt(saved.host);
    right_ = saved.right;
    note_ = std::move(saved.note);
    steps_ = state.steps, seed_ = state.seed;
    forget_measurements();
  }

  void select_kernel(const std::string& id) override {
    const std::size_t k = id == "auto" ? 0 : kernel_on_backend(id);
    if (pairs_blocks[k] > 0 && !exact_) stepper_.prepare_all_pairs(count_);
    kernel_index_ = k;
    kernel_ = id;
  }
  std::string choice() const override { return searches() ? stepper_.choice() : std::string(); }

  StepCost step_cost(const std::string& kernel) const override {
    StepCost cost;
    const double n = count_;
    cost.cells = n;
    cost.rate_unit = "disc/s";
    // Each disc is read for sorting, for searching and for settling, and written; its cell, its
    // place and its partner too.
    cost.bytes = n * (4 * sizeof(Disc<Real>) + 8 * sizeof(int));
    cost.flops = n * 20;
    if (pairs_blocks[disc_kernel(kernel)] > 0) cost.flops = 0.5 * n * (n - 1) * 17;
    return cost;
  }
  LaunchShape launch_shape(const std::string& kernel) const override {
    if (!backend().is_cuda()) return {};
    if (exact_) return exact_->launch_shape();
    const int block = pairs_blocks[disc_kernel(kernel)];
    return block > 0 ? particles_pairs_shape(std::is_same_v<Real, float>, contract, block) : stepper_.launch_shape();
  }

 protected:
  void act(const Action& action) override {
    constexpr auto stop_or_throw = [](Particles& p, const Action& a) { p.grab_or_throw(a); };
    static constexpr ActionHandler<Particles> handlers[] = {
        {"kick", [](Particles& p, const Action& a) { p.kick(a); }},
        {"grab", stop_or_throw},
        {"throw", stop_or_throw},
        {"reverse", [](Particles& p, const Action&) { p.reverse(); }},
        {"add", [](Particles& p, const Action& a) { p.add_discs(p.x_of(a), p.y_of(a), a); }},
        {"remove", [](Particles& p, const Action& a) { p.remove_discs(p.x_of(a), p.y_of(a), a.get("radius", 25)); }},
    };
    act_by(handlers, *this, action);
    look_again();
  }

  bool name_members(Copier& copy) override {
    if (copy.is_giving()) forget_measurements();
    copy(parameters_, seed_, steps_, right_, count_, cell_radius_, largest_radius_, heavy_slot_);
    copy(discs_, ids_, kinds_, wall_collisions_, disc_collisions_, giants_, origins_, trails_, history_, path_);
    copy(way_, mixing_, reversed_at_, start_thermal_);
    if (copy.is_giving()) take_up_again();
    return true;
  }

 private:
  double x_of(const Action& action) const { return action.get("x", 0.5) * width_; }
  double y_of(const Action& action) const { return action.get("y", 0.5) * height_; }
  void kick(const Action& action) {
    parallel_for(backend(), "particles.kick", all(),
                 KickDiscs<Real>{discs_.data(), x_of(action), y_of(action), action.get("radius", 25),
                                 action.get("strength", 2) / parameters_.slow_factor});
  }
  void grab_or_throw(const Action& action) {
    const bool thrown = action.kind == "throw";
    const double x = x_of(action), y = y_of(action), slow = parameters_.slow_factor;
    const int slot = thrown ? disc_to_throw(x, y, action) : disc_to_grab(x, y, action.get("reach", 1e9));
    Disc<Real> d;
    backend().copy_to_host(&d, discs_.data() + slot, sizeof d);
    d.vx = thrown ? static_cast<Real>(action.get("vx", 0) / slow) : Real(0);
    d.vy = thrown ? static_cast<Real>(action.get("vy", 0) / slow) : Real(0);
    backend().copy_from_host(discs_.data() + slot, &d, sizeof d);
  }
  void reverse() {
    parallel_for(backend(), "particles.reverse", all(), ReverseDiscs<Real>{discs_.data()});
    reversed_at_ = time();
  }

  Range1D all() const { return {count_}; }
  Range2D sum_range() const { return {sum_row, (count_ + sum_row - 1) / sum_row}; }

  HostDiscs<Real> download() const {
    const std::size_t n = static_cast<std::size_t>(count_);
    const std::vector<int> ids = ids_.download();
    const std::vector<Disc<Real>> discs = discs_.download();
    const std::vector<DiscKind<Real>> kinds = kinds_.empty() ? std::vector<DiscKind<Real>>() : kinds_.download();
    const std::vector<std::uint32_t> walls = wall_collisions_.download(), pairs = disc_collisions_.download();
    HostDiscs<Real> host;
    host.discs.resize(n), host.wall_collisions.resize(n), host.disc_collisions.resize(n),
        host.kinds.resize(kinds.size());
    for (std::size_t slot = 0; slot < n; ++slot) {
      const auto id = static_cast<std::size_t>(ids[slot]);
      host.discs[id] = discs[slot], host.wall_collisions[id] = walls[slot], host.disc_collisions[id] = pairs[slot];
      if (!kinds.empty()) host.kinds[id] = kinds[slot];
    }
    host.origins = origins_.download();
    return host;
  }

  // Takes these discs instead of those there are. When memory runs out, everything stays as it was.
  void adopt(const HostDiscs<Real>& host) {
    const std::size_t n = host.discs.size();
    DiscStorage<Real> fresh(backend(), n, !host.kinds.empty());
    const std::vector<int> giants = choose_giants(host.kinds);
    Array<int> giants_there;
    if (!giants.empty()) giants_there = Array<int>(backend(), giants.size(), "large discs");
    std::vector<int> ids(n);
    for (std::size_t k = 0; k < n; ++k) ids[k] = static_cast<int>(k);
    fresh.discs.upload(host.discs), fresh.ids.upload(ids);
    fresh.wall_collisions.upload(host.wall_collisions), fresh.disc_collisions.upload(host.disc_collisions);
    if (!host.kinds.empty()) fresh.kinds.upload(host.kinds);
    if (!giants.empty()) giants_there.upload(giants);
    Array<Disc<Real>> origins(backend(), n, "where discs began");
    origins.upload(host.origins);
    observer_.reset(n);
    double fastest = 0;
    for (const Disc<Real>& d : host.discs)
      fastest = std::max({fastest, std::abs(static_cast<double>(d.vx)), std::abs(static_cast<double>(d.vy))});
    const double radius = radius_in_cells(host.kinds, giants, parameters_.radius);
    DiscTrails<Real> trails;
    trails.reset(backend(), static_cast<int>(n), parameters_.trail);
    const DiscScene scene{width_, height_, radius, impulse_unit_, static_cast<int>(n), !host.kinds.empty()};
    exact_ ? exact_->adopt(scene, fastest) : stepper_.adopt(scene, fastest);

    // Nothing below can be refused.
    storage_ = std::move(fresh);
    origins_ = std::move(origins);
    giants_ = std::move(giants_there);
    trails_ = std::move(trails);
    count_ = static_cast<int>(n);
    cell_radius_ = radius;
    largest_radius_ = radius;
    heavy_slot_ = giants.empty() ? -1 : giants.front();
    for (const int g : giants)
      largest_radius_ = std::max(largest_radius_, static_cast<double>(host.kinds[static_cast<std::size_t>(g)].radius));
  }

  // The discs are those of a kept moment: their scratch memory and the search follow them.
  void take_up_again() {
    storage_.make_scratch(backend(), static_cast<std::size_t>(count_));
    observer_.reset(static_cast<std::size_t>(count_));
    double fastest = 0;
    for (const Disc<Real>& d : discs_.download())
      fastest = std::max({fastest, std::abs(static_cast<double>(d.vx)), std::abs(static_cast<double>(d.vy))});
    const DiscScene scene{width_, height_, cell_radius_, impulse_unit_, count_, !kinds_.empty()};
    exact_ ? exact_->adopt(scene, fastest) : stepper_.adopt(scene, fastest);
  }

  // Whether neighbours are found in one of the stepper's ways.
  bool searches() const { return !exact_ && pairs_blocks[kernel_index_] == 0; }
  void take_step() {
    push_ = 0;
    backend().stop_point();
    const double travel = parameters_.piston_speed / parameters_.slow_factor;
    const double end = std::max(parameters_.piston_end * width_, 4 * largest_radius_);
    push_ = right_ > end ? -std::min(travel, right_ - end) : 0;
    if (exact_)
      exact_->step(storage_, world(), pairs_blocks[kernel_index_] > 0);
    else
      stepper_.step(storage_, world(), pairs_blocks[kernel_index_]);  // may be given up before any disc has moved
    right_ += push_, push_ = 0;
    ++steps_;
    if (steps_ % parameters_.trail_every == 0) trails_.record(backend(), world());
  }

  const StepControl* control() const { return exact_ ? exact_->control() : stepper_.control(); }
  void look_again() { exact_ ? exact_->look_again() : stepper_.look_again(); }

  DiscWorld<Real> world() const {
    DiscWorld<Real> w;
    w.discs = discs_.data(), w.ids = ids_.data(), w.kinds = kinds_.data();
    w.count = count_;
    w.radius = static_cast<Real>(cell_radius_);
    w.giants = giants_.data(), w.giant_count = static_cast<int>(giants_.size());
    w.box = {static_cast<Real>(right_), static_cast<Real>(height_), static_cast<Real>(push_)};
    return w;
  }

  // ---- what is asked about the discs

  NearestDisc nearest(double x, double y) {
    nearest_.start("particles.nearest", sum_range(), FindNearestDisc<Real>{world(), x, y});
    nearest_.wait();
    return nearest_.result();
  }
  // How far outside of the disc found the point lies that it was looked for at; negative inside.
  double beyond_rim(const NearestDisc& found) {
    DiscKind<Real> kind{static_cast<Real>(parameters_.radius), Real(1)};
    if (!kinds_.empty()) backend().copy_to_host(&kind, kinds_.data() + found.slot, sizeof kind);
    return std::sqrt(found.distance2) - static_cast<double>(kind.radius);
  }
  // Slots of the discs that are meant.
  int disc_to_grab(double x, double y, double reach) {
    held_ = -1;
    const NearestDisc found = nearest(x, y);
    if (beyond_rim(found) > reach) throw InputError("There is no disc here: press on one, drag, and let go.");
    held_ = found.id;
    return found.slot;
  }
  int disc_to_throw(double x, double y, const Action& action) {
    const int number = static_cast<int>(action.get("disc", -1));
    if (number < 0) return nearest(x, y).slot;
    const std::vector<int> ids = ids_.download();
    const auto found = std::find(ids.begin(), ids.begin() + count_, number);
    if (found == ids.begin() + count_)
      throw InputError("There is no disc " + std::to_string(number) + " to throw: it has been taken out of the box.");
    return static_cast<int>(found - ids.begin());
  }

  DiscValue<Real> disc_value(DiscShown shown) {
    DiscValue<Real> value;
    value.world = world();
    value.wall_collisions = wall_collisions_.data(), value.disc_collisions = disc_collisions_.data();
    value.shown = shown, value.slow = parameters_.slow_factor;
    value.origins = origins_.data(), value.middle = 0.5 * width_;
    if (shown == DiscShown::density) value.density = map_density();
    return value;
  }

  DensityMap map_density() {
    const auto n = static_cast<std::size_t>(count_);
    DensityMap map;
    const double side =
        std::max(2 * cell_radius_, std::sqrt(4 * width_ * height_ / static_cast<double>(n)));  // four discs each
    map.cells.nx = std::max(1, static_cast<int>(width_ / side)),
    map.cells.ny = std::max(1, static_cast<int>(height_ / side));
    map.cells.per_x = map.cells.nx / width_, map.cells.per_y = map.cells.ny / height_;
    const auto cells = static_cast<std::size_t>(map.cells.nx) * static_cast<std::size_t>(map.cells.ny);
    if (density_bins_.most_items() < n || density_bins_.most_cells() < cells) {
      density_bins_ = {};
      density_bins_ = CellBins(backend(), n, cells, "discs by cell of density");
    }
    density_bins_.build("particles.density", count_, DensityCellOf<Real>{world(), map.cells});
    map.starts = density_bins_.starts().data;
    map.per_disc =
        static_cast<float>(std::numbers::pi * cell_radius_ * cell_radius_ * map.cells.per_x * map.cells.per_y / 9);
    return map;
  }

  DiscMeasured measure(const ViewSettings& view) {
    DiscMeasured begun;
    begun.step = steps_, begun.right = right_;
    // Bins up to four times the mean speed of the last measurement (of the start's, at first).
    const DiscMeasured* latest = measuring_.latest();
    const double speed2 = latest && latest->sums.energy > 0
                              ? 2 * latest->sums.energy / count_
                              : std::pow(parameters_.velocity_max / parameters_.slow_factor, 2) / 1.5;
    begun.bin = std::max(1e-30, 3.5 * std::sqrt(speed2) / speed_bins);
    bins_of_speed_.fill_zero();
    parallel_for(backend(), "particles.speeds", all(),
                 CountSpeeds<Real>{world(), 1 / begun.bin, bins_of_speed_.data()});
    histogram_.start(bins_of_speed_.data());
    sums_.start("particles.sums", sum_range(), DiscSum<Real>{disc_value(shown_quantity(view.quantity)), control()});
    observer_.start(world(), origins_.data(), look());
    if (heavy_slot_ >= 0) {
      // The path of the largest disc is what a Brownian scene shows. (Unequal discs stay where they are in memory.)
      Disc<Real> heavy;
      backend().copy_to_host(&heavy, discs_.data() + heavy_slot_, sizeof heavy);
      begun.heavy_x = static_cast<double>(heavy.x), begun.heavy_y = static_cast<double>(heavy.y);
    }
    return begun;
  }

  void await_measurement() { sums_.wait(), histogram_.wait(), observer_.wait(); }
  DiscLook look() const {
    // Rounding of places moves discs together by so much at most.
    constexpr double epsilon = static_cast<double>(std::numeric_limits<Real>::epsilon());
    DiscLook look;
    look.tolerance = std::max(1e-9 * cell_radius_, 8 * epsilon * std::max(width_, height_));
    look.distances = kinds_.empty(), look.profile = kinds_.empty() && parameters_.piston_speed > 0;
    look.mixing = parameters_.arrangement == DiscArrangement::halves;
    look.right = right_, look.width = width_, look.height = height_;
    return look;
  }

  void collect(DiscMeasured& measured) {
    measured.sums = sums_.result();
    std::memcpy(measured.histogram.data(), histogram_.data(), speed_bins * sizeof(int));
    measured.seen = observer_.sums(), measured.counts = observer_.counts();
    if (!history_.empty() && history_.back().step == measured.step) return;
    history_.push_back({measured.step, measured.sums.impulse, measured.sums.disc_collisions,
                        measured.sums.wall_collisions, measured.right});
    if (history_.size() > 64) history_.pop_front();
    if (heavy_slot_ >= 0) {
      path_.push_back({measured.heavy_x, measured.heavy_y});
      if (path_.size() > most_path_points) path_.erase(path_.begin(), path_.begin() + most_path_points / 2);
    }
    const double now = static_cast<double>(measured.step) / parameters_.slow_factor;
    keep(way_, {now, measured.seen.displacement2 / count_});
    if (look().mixing) keep(mixing_, {now, mixing_entropy(measured.counts)});
  }
  void forget_measurements() {
    await_measurement();
    measuring_.forget();
    history_.clear(), path_.clear(), way_.clear(), mixing_.clear();
    reversed_at_ = -1;
  }
  // A curve in time that is never forgotten: where it gets long, every other point goes.
  static void keep(std::vector<CurvePoint>& curve, CurvePoint point) {
    if (!curve.empty() && point.x <= curve.back().x) return;
    curve.push_back(point);
    if (curve.size() < 2000) return;
    std::size_t kept = 0;
    for (std::size_t k = 0; k < curve.size(); k += 2) curve[kept++] = curve[k];
    curve.resize(kept);
  }

  DiscStory story() const {
    DiscStory story;
    const double slow = parameters_.slow_factor;
    story.slow = slow, story.width = width_, story.height = height_, story.radius = parameters_.radius;
    story.count = count_, story.alike = kinds_.empty(), story.exact = exact_.has_value();
    story.halves = look().mixing;
    story.piston_speed = parameters_.piston_speed, story.piston_end = parameters_.piston_end;
    story.start_thermal = start_thermal_, story.reversed_at = reversed_at_;
    story.path = path_, story.way = way_, story.mixing = mixing_;
    if (history_.size() > 1) {
      const Mark &from = history_.front(), &to = history_.back();
      const double span = static_cast<double>(to.step - from.step);
      const double rim = from.right + to.right + 2 * height_;
      story.pressure = static_cast<double>(to.impulse - from.impulse) * impulse_unit_ / (span * rim) * slow * slow;
      story.pairs = 0.5 * static_cast<double>(to.pairs - from.pairs) / span;
      story.walls = static_cast<double>(to.walls - from.walls) / span;
    }
    return story;
  }

  // ---- adding and removing

  void add_discs(double x, double y, const Action& action) {
    HostDiscs<Real> host = download();
    const double radius = action.get("disc_radius", 0) > 0 ? action.get("disc_radius", 0) : parameters_.radius;
    const double mass = action.get("disc_mass", 1), reach = action.get("radius", 25);
    const auto wanted = static_cast<int>(action.get("discs", 20));
    const std::size_t before = host.discs.size();
    if (before + static_cast<std::size_t>(wanted) > static_cast<std::size_t>(most_discs))
      throw InputError("There can be at most " + std::to_string(most_discs) + " discs.");
    const bool alike = host.kinds.empty() && radius == parameters_.radius && mass == 1;
    if (!alike && host.kinds.empty()) host.kinds.assign(before, {static_cast<Real>(parameters_.radius), Real(1)});
    DiscPlaces places(width_, height_, std::max(cell_radius_, radius), before);
    for (std::size_t k = 0; k < before; ++k)
      places.add(static_cast<double>(host.discs[k].x), static_cast<double>(host.discs[k].y),
                 host.kinds.empty() ? parameters_.radius : static_cast<double>(host.kinds[k].radius));
    const double speed = action.get("speed", 0) / parameters_.slow_factor, gap = disc_gap(parameters_);
    // Their own stream of random numbers, by the step: what is added at a step is the same in every replay.
    const std::uint64_t stream = 1000 + static_cast<std::uint64_t>(steps_) + (static_cast<std::uint64_t>(before) << 32);
    int added = 0;
    for (std::uint64_t attempt = 0; attempt < 60000 && added < wanted; ++attempt) {
      const Random4 random = philox(seed_, stream, 2 * attempt);
      const double angle = 2 * std::numbers::pi * uniform_double(random.v[0], random.v[1]);
      const double away = attempt == 0 ? 0 : reach * std::sqrt(uniform_double(random.v[2], random.v[3]));
      const double px = x + away * std::cos(angle), py = y + away * std::sin(angle);
      if (px > right_ - radius || !places.is_free(px, py, radius, gap)) continue;
      places.add(px, py, radius);
      const Random4 heading = philox(seed_, stream, 2 * attempt + 1);
      const double course = 2 * std::numbers::pi * uniform_double(heading.v[0], heading.v[1]);
      host.discs.push_back({static_cast<Real>(px), static_cast<Real>(py), static_cast<Real>(speed * std::cos(course)),
                            static_cast<Real>(speed * std::sin(course))});
      host.wall_collisions.push_back(0), host.disc_collisions.push_back(0);
      host.origins.push_back(host.discs.back());
      if (!host.kinds.empty()) host.kinds.push_back({static_cast<Real>(radius), static_cast<Real>(mass)});
      ++added;
    }
    if (added == 0)
      throw InputError("No disc of radius " + number_in_words(radius) + " fits within " + number_in_words(reach) +
                       " of this point: choose an emptier place or a larger circle.");
    adopt(host);
  }

  void remove_discs(double x, double y, double reach) {
    const HostDiscs<Real> host = download();
    HostDiscs<Real> kept;
    for (std::size_t k = 0; k < host.discs.size(); ++k) {
      const double dx = static_cast<double>(host.discs[k].x) - x, dy = static_cast<double>(host.discs[k].y) - y;
      const bool last = k + 1 == host.discs.size() && kept.discs.empty();
      if (dx * dx + dy * dy < reach * reach && !last) continue;
      kept.discs.push_back(host.discs[k]);
      kept.wall_collisions.push_back(host.wall_collisions[k]), kept.disc_collisions.push_back(host.disc_collisions[k]);
      if (!host.kinds.empty()) kept.kinds.push_back(host.kinds[k]);
      kept.origins.push_back(host.origins[k]);
    }
    if (kept.discs.size() == host.discs.size()) return;
    adopt(kept);
    history_.clear();
  }

  // Sums at some step, to tell rates from.
  struct Mark {
    std::int64_t step, impulse, pairs, walls;
    double right;
  };

  double width_, height_;
  double right_;     // where the right wall is
  double push_ = 0;  // how far it moves in the step being taken
  double impulse_unit_ = 1;
  int count_ = 0;
  double cell_radius_ = 1, largest_radius_ = 1;
  int heavy_slot_ = -1;

  DiscStorage<Real> storage_;
  Array<Disc<Real>>& discs_ = storage_.discs;
  Array<int>& ids_ = storage_.ids;
  Array<std::uint32_t>&wall_collisions_ = storage_.wall_collisions, &disc_collisions_ = storage_.disc_collisions;
  Array<DiscKind<Real>>& kinds_ = storage_.kinds;
  Array<int> giants_;
  Array<Disc<Real>> origins_;  // by id
  CellBins density_bins_;

  std::size_t kernel_index_ = 0;

  DiscRaster raster_;
  DiscTrails<Real> trails_;
  Array<int> bins_of_speed_;
  Reduction<DiscSums> sums_;
  Reduction<NearestDisc> nearest_;
  int held_ = -1;  // the number of the disc that was grabbed last
  AsyncReadback histogram_;
  DiscObserver<Real> observer_;
  DiscStepper<Real, contract> stepper_;      // the source's rule
  std::optional<ExactStepper<Real>> exact_;  // or all collisions
  Measuring<DiscMeasured> measuring_;
  std::deque<Mark> history_;
  std::vector<CurvePoint> path_, way_, mixing_;
  double reversed_at_ = -1, start_thermal_ = 0;
};

std::size_t bytes_for(const Backend& backend, const ParticlesParameters& p) {
  const std::size_t n = static_cast<std::size_t>(p.count) + (p.heavy_radius > 0 ? 1 : 0);
  const std::size_t disc =
      p.precision == DiscPrecision::fp32 ? DiscStorage<float>::bytes_per_disc() : DiscStorage<double>::bytes_per_disc();
  const bool single = p.precision == DiscPrecision::fp32;
  const std::size_t one =
      single ? DiscStepper<float, false>::bytes_for(backend, n) : DiscStepper<double, false>::bytes_for(backend, n);
  const std::size_t exact = single ? ExactStepper<float>::bytes_for(n) : ExactStepper<double>::bytes_for(n);
  const std::size_t stepper = p.collisions == DiscCollisions::exact ? exact : one;
  const std::size_t observer = single ? DiscObserver<float>::bytes_for(n) : DiscObserver<double>::bytes_for(n);
  return n * disc + stepper + observer + DiscTrails<float>::bytes_for(n, p.trail) +
         DiscRaster::bytes_of(n, std::size_t{1} << 20) + (std::size_t{1} << 20);
}

template <class Real>
std::unique_ptr<Simulation> create_with(Backend& backend, const Setup& setup, const ParticlesParameters& p,
                                        DiscStart start) {
  if (p.contraction) return std::make_unique<Particles<Real, true>>(backend, setup, p, std::move(start));
  return std::make_unique<Particles<Real, false>>(backend, setup, p, std::move(start));
}

std::unique_ptr<Simulation> create(Backend& backend, const Setup& setup) {
  const ParticlesParameters p = particles_parameters_of(setup);
  require_memory(backend, bytes_for(backend, p), std::to_string(p.count) + " discs need", "Choose a smaller count.");
  DiscStart start = make_disc_start(p, setup.seed);
  if (p.precision == DiscPrecision::fp32) return create_with<float>(backend, setup, p, std::move(start));
  return create_with<double>(backend, setup, p, std::move(start));
}

std::size_t memory_needed(const Backend& backend, const Setup& setup) {
  // A size beyond what can be made: more than any memory, so that whoever asks leaves it out.
  if (setup.width > 0 && setup.height > 0 && static_cast<double>(setup.width) * setup.height > most_discs)
    return static_cast<std::size_t>(setup.width) * static_cast<std::size_t>(setup.height) * (std::size_t{1} << 16);
  return bytes_for(backend, particles_parameters_of(setup));
}

SimulationInfo make_info() {
  SimulationInfo info = particles_info();
  info.create = create;
  info.verify = particles_verify;
  info.memory_needed = memory_needed;
  return info;
}

}  // namespace

const SimulationInfo& particles_simulation() {
  static const SimulationInfo info = make_info();
  return info;
}

}  // namespace perturb
