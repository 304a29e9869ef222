#include "cuda/fibers/fibers.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "cuda/core/parallel_for.h"
#include "cuda/core/reduce.h"
#include "cuda/core/words.h"
#include "cuda/fibers/fibers_actions.h"
#include "cuda/fibers/fibers_flow.h"
#include "cuda/fibers/fibers_motion.h"
#include "cuda/fibers/fibers_params.h"
#include "cuda/fibers/fibers_start.h"
#include "cuda/fibers/fibers_sums.h"
#include "cuda/fibers/fibers_view.h"

namespace perturb {

namespace {

constexpr int default_fibers = 300;
constexpr int most_lines = 32;  // a box's edges for the picture, and the arrow of a pull

FiberParameters parameters_of(const Setup& setup) {
  FiberParameters parameters;
  ParameterSet set(fiber_parameter_table(), &parameters);
  for (const auto& [id, value] : setup.parameters) set.set(id, value);
  check_fiber_parameters(parameters);
  return parameters;
}

int fibers_of(const Setup& setup) {
  const int count = setup.width == 0 ? default_fibers : setup.width;
  if (count < 1 || count > most_fibers)
    throw InputError("A run of " + std::to_string(setup.width) +
                     " fibers cannot be made: their number, the first of size, is " + "from 1 to " +
                     std::to_string(most_fibers) + ".");
  return count;
}

constexpr std::size_t state_vectors = 8 + 8;  // places, directions, velocities, spins, those before, and the stages

std::size_t bytes_of(int count, const FiberParameters& p, int tile, bool stored) {
  const std::size_t fibers = static_cast<std::size_t>(count);
  return FiberFlow::bytes(count, p, tile, stored) +
         fibers * 3 * sizeof(double) * (state_vectors + static_cast<std::size_t>(p.terms)) +
         2 * (fibers + most_lines) * sizeof(Capsule) + (std::size_t{256} << 10);
}

// Everything that has a fiber's number in its size.
struct FiberArrays {
  FiberArrays(Backend& backend, int fibers, const FiberParameters& p) {
    const std::size_t size = 3 * static_cast<std::size_t>(fibers);
    for (Array<double>* array : {&x, &t, &v, &w, &x_previous, &t_previous, &v_previous, &w_previous})
      *array = Array<double>(backend, size, "fibers' state");
    for (Array<double>* array : {&x_stage, &t_stage, &v2, &w2, &v3, &w3, &v4, &w4})
      *array = Array<double>(backend, size, "stages of a step");
    a = Array<double>(backend, size * static_cast<std::size_t>(p.terms), "force coefficients");
    flow = std::make_unique<FiberFlow>(backend, fibers, p);
  }
  Array<double> x, t, v, w, x_previous, t_previous, v_previous, w_previous, a;
  Array<double> x_stage, t_stage, v2, w2, v3, w3, v4, w4;
  std::unique_ptr<FiberFlow> flow;
};

FiberShown shown_quantity(const std::string& id) {
  if (id.empty() || id == "speed") return FiberShown::speed;
  if (id == "fall") return FiberShown::fall;
  if (id == "orientation") return FiberShown::orientation;
  if (id == "index") return FiberShown::index;
  const std::string near = nearest_word(id, {"speed", "fall", "orientation", "index"});
  throw InputError("There is no quantity \"" + id + "\"" +
                   (near.empty() ? ": choose speed, fall, orientation or index." : "; did you mean \"" + near + "\"?"));
}

class Fibers final : public Simulation {
 public:
  Fibers(Backend& backend, const Setup& setup, const FiberParameters& parameters, int count)
      : Simulation(backend),
        parameters_(parameters),
        seed_(setup.seed),
        preset_(setup.preset),
        sums_(backend),
        frame_sums_(backend),
        overlaps_(backend),
        raster_(backend),
        lines_(backend, most_lines, "lines of the picture") {
    view_half_ = fiber_view_of_start(parameters_, count);
    adopt(make_fiber_start(parameters_, count, seed_));
    for (const Action& action : setup.actions) apply(action);
  }

  const SimulationInfo& info() const override { return fibers_simulation(); }
  ParameterSet parameters() override { return {fiber_parameter_table(), &parameters_}; }

  void set_parameter(const std::string& id, double value) override {
    FiberParameters changed = parameters_;
    ParameterSet set(fiber_parameter_table(), &changed);
    const Parameter& parameter = set.find(id);
    set.set(id, value);
    if (parameter.get(&changed) == parameter.get(&parameters_)) return;
    if (parameter.apply == Apply::restart) throw InputError(id + " cannot change while the fibers fall: start anew.");
    check_fiber_parameters(changed);
    // A two-step scheme needs two steps of one length: it begins again, with one of Euler's.
    if (changed.time_step != parameters_.time_step || changed.scheme != parameters_.scheme) has_previous_ = false;
    const bool moves = changed.slenderness != parameters_.slenderness || changed.tolerance != parameters_.tolerance ||
                       changed.box != parameters_.box || changed.alone != parameters_.alone ||
                       changed.pull_core != parameters_.pull_core;
    parameters_ = changed;
    if (moves) forget_velocities();
  }

  std::int64_t steps() const override { return steps_; }
  double time() const override { return time_; }

  void step(std::int64_t count) override {
    // Diagnostics tell of a failure; whoever asks for more steps all the same is told here.
    if (count > 0 && !failure_.empty()) throw InputError(failure_);
    for (std::int64_t k = 0; k < count; ++k) {
      evaluate();
      if (!failure_.empty()) return;
      if (parameters_.scheme == FiberScheme::runge_kutta) {
        if (!step_runge_kutta()) return;
      } else {
        FiberArrays& s = *arrays_;
        parallel_for(backend(), "fibers.step", Range1D{count_},
                     FiberMultistep{parameters_.scheme, !has_previous_, parameters_.time_step, s.x.data(), s.t.data(),
                                    s.x_previous.data(), s.t_previous.data(), s.v.data(), s.w.data(),
                                    s.v_previous.data(), s.w_previous.data()});
        has_previous_ = true;
      }
      ++steps_;
      time_ += parameters_.time_step;
      evaluated_ = false;
      evaluate();
      if (!failure_.empty()) return;
    }
  }

  std::vector<Action> interpret(const Gesture& gesture) const override;
  void apply(const Action& action) override;

  double domain_width() const override { return views().domain_width(); }
  double domain_height() const override { return views().domain_height(); }

  void paint(Pixels pixels, const Camera& camera, const ViewSettings& view, const ColorTable& table) override {
    evaluate();
    camera_yaw_ = camera.yaw, camera_pitch_ = camera.pitch;
    const FiberSums sums = frame_sums();
    center_ = parameters_.follow ? followed_center() : Vector3<double>{0, 0, 0};
    FiberProject body;
    body.position = arrays_->x.data(), body.tangent = arrays_->t.data(), body.velocity = arrays_->v.data();
    body.fibers = count_;
    body.views = views();
    body.map = camera.pixel_to_domain(pixels.width, pixels.height, domain_width(), domain_height());
    body.center = center_, body.mean_fall = sums.fall / count_;
    body.radius = 2 * parameters_.slenderness * parameters_.drawn_radius, body.box = parameters_.box;
    body.shown = shown_quantity(view.quantity);
    double low = view.minimum, high = view.maximum;
    if (!(low < high)) {
      const Quantity& quantity = info().quantities[static_cast<std::size_t>(body.shown)];
      low = quantity.minimum, high = body.shown == FiberShown::index ? std::max(1, count_ - 1) : quantity.maximum;
    }
    body.scale = table.scale(low, high);
    body.chosen = chosen_;
    const std::vector<FiberLine> lines = lines_of_picture();
    if (!lines.empty()) lines_.upload(lines);
    body.lines = lines_.data(), body.line_count = static_cast<int>(lines.size());
    const int per_view = count_ + body.line_count;
    if (capsules_.size() < static_cast<std::size_t>(2 * per_view)) {
      backend().synchronize();
      capsules_ = Array<Capsule>(backend(), 2 * static_cast<std::size_t>(count_ + most_lines), "capsules");
    }
    body.capsules = capsules_.data();
    parallel_for(backend(), "fibers.project", Range2D{per_view, body.views.views}, body);
    FiberBackground background{-1e30f, pixels.height};
    if (body.views.views == 2) background.divider = (0.5f - body.map.x0) / body.map.dx;
    raster_.paint(pixels, capsules_.data(), per_view * body.views.views, background);
  }

  std::string value_at(double x, double y, const ViewSettings& view) override {
    if (!(x >= 0 && x < 1 && y >= 0 && y < 1)) return "";
    const int m = fiber_at(x, y);
    if (m < 0) return "";
    evaluate();
    double v[3], t[3];
    backend().copy_to_host(v, arrays_->v.data() + 3 * m, sizeof v);
    backend().copy_to_host(t, arrays_->t.data() + 3 * m, sizeof t);
    std::string value;
    switch (shown_quantity(view.quantity)) {
      case FiberShown::speed:
        value = "speed " + number_in_words(std::hypot(v[0], v[1], v[2]), 4);
        break;
      case FiberShown::fall:
        value = "falls at " + number_in_words(-v[2], 4);
        break;
      case FiberShown::orientation:
      case FiberShown::index:
        value = "falls at " + number_in_words(-v[2], 4);
        break;
    }
    return "fiber " + std::to_string(m) + ": " + value + ", " +
           number_in_words(std::acos(std::min(1.0, std::abs(t[2]))) * 180 / M_PI, 3) + "° from the vertical";
  }

  Diagnostics diagnostics(const ViewSettings& view, bool wait) override {
    if (pending_ && (wait || (sums_.ready() && overlaps_.ready()))) collect();
    if (wait || !latest_ || !pending_) {
      ask();
      if (wait || !latest_ || (sums_.ready() && overlaps_.ready())) collect();
    }
    return describe(*latest_, view);
  }

  std::vector<Gauge> gauges() const override {
    Gauge terms;
    terms.id = "terms", terms.label = "λ_N / d";
    terms.help =
        "The system of the forces is regular only while λ_N = 2 (1 + 1/2 + ... + 1/N) stays below d = -ln(ε² e).";
    terms.value = fiber_lambda(parameters_.terms) / fiber_d(parameters_.slenderness), terms.limit = 1;
    terms.remedy = "Lower the number of terms (terms) or the slenderness (slenderness).";
    Gauge overlaps;
    overlaps.id = "overlaps", overlaps.label = "Overlapping pairs";
    overlaps.help =
        "Pairs whose axes are closer than one thickness. The model has no contact force, so fibers may pass through "
        "each "
        "other; near-parallel ones that do make the system indefinite, and GMRES takes over.";
    overlaps.value = latest_ ? static_cast<double>(latest_->overlaps.pairs) : 0, overlaps.limit = 0.5;
    overlaps.remedy = "The run goes on. To begin without any, raise the least distance (min_distance).";
    return {terms, overlaps};
  }

  State save() const override {
    evaluate();
    State state;
    state.simulation = info().id, state.preset = preset_;
    state.steps = steps_, state.time = time_, state.seed = seed_;
    state.width = count_, state.height = 1;
    for (const Parameter& p : info().parameters) state.parameters[p.id] = p.format(p.get(&parameters_));
    const std::size_t fibers = static_cast<std::size_t>(count_);
    const std::vector<std::size_t> shape = {fibers, 3};
    const FiberArrays& s = *arrays_;
    state.put<double>("position", shape, "length", s.x.download());
    state.put<double>("tangent", shape, "", s.t.download());
    state.put<double>("velocity", shape, "length/time", s.v.download());
    state.put<double>("spin", shape, "1/time", s.w.download());
    state.put<double>("force_coefficients", {fibers, static_cast<std::size_t>(parameters_.terms), 3}, "weight/length",
                      s.a.download());
    if (has_previous_) {
      state.put<double>("position_previous", shape, "length", s.x_previous.download());
      state.put<double>("tangent_previous", shape, "", s.t_previous.download());
      state.put<double>("velocity_previous", shape, "length/time", s.v_previous.download());
      state.put<double>("spin_previous", shape, "1/time", s.w_previous.download());
    }
    if (pull_.any())
      state.put<double>(
          "pull", {6}, "",
          std::vector<double>{pull_.at.x, pull_.at.y, pull_.at.z, pull_.force.x, pull_.force.y, pull_.force.z});
    return state;
  }

  void load(const State& state) override;

  void select_kernel(const std::string& id) override {
    if (id != "auto") kernel_of(id);
    if (id == kernel_) return;
    kernel_ = id;
    forget_velocities();
  }
  std::string selected_kernel() const override { return kernel_; }

  StepCost step_cost(const std::string&) const override {
    // Counted: the pairs' closed forms once (a far one; near ones cost about the same), and the solver's passes over what is
    // stored. A multiply-add counts as two.
    const int n = arrays_->flow->layout().order + 1;
    const double points = parameters_.subintervals * parameters_.points_per_subinterval;
    const double pairs = 0.5 * count_ * (count_ - 1.0) * (parameters_.pairing == FiberPairing::both ? 2 : 1);
    const double inner = 28 * 17 + n * (n + 2) * 4 + n * fiber_tensor * 5 + 60, outer = 2.0 * fiber_tensor * n * n;
    const double real = parameters_.precision == FiberPrecision::fp32 ? 4 : 8,
                 passes = std::max(1, solve_.iterations) + 1.5;
    const int evaluations = parameters_.scheme == FiberScheme::runge_kutta ? 4 : 1;
    StepCost cost;
    cost.cells = pairs * evaluations;
    cost.flops = evaluations * pairs * (points * (inner + outer) + passes * 4 * 9 * (n - 1) * (n - 1));
    cost.bytes = evaluations * pairs * fiber_tensor * real * (n * n + passes * (n - 1) * (n - 1));
    cost.rate_unit = "pair/s";
    return cost;
  }
  LaunchShape launch_shape(const std::string& kernel) const override {
    return fiber_kernel_shape(backend(), kernel == "auto" ? FiberKernel::stable : kernel_of(kernel),
                              arrays_->flow->layout().order, parameters_.precision == FiberPrecision::fp32);
  }

 private:
  struct Measured {
    FiberSums sums;
    FiberOverlaps overlaps;
    Vector3<double> reference{0, 0, 0};
    std::int64_t step = 0;
    double time = 0;
    int fibers = 1;
    FiberSolve solve;
    std::string failure;
  };

  static FiberKernel kernel_of(const std::string& id) {
    if (id == "stable") return FiberKernel::stable;
    if (id == "recursion") return FiberKernel::recursion;
    throw InputError("The fibers have no kernel \"" + id + "\": choose auto, stable or recursion.");
  }

  // Takes other fibers. Everything that can fail comes first.
  void adopt(const FiberPlacement& placement) {
    const int count = placement.count();
    auto arrays = std::make_unique<FiberArrays>(backend(), count, parameters_);
    arrays->x.upload(placement.position), arrays->t.upload(placement.tangent);
    arrays_ = std::move(arrays);
    count_ = count, chosen_ = -1;
    has_previous_ = false;
    sums_.wait(), overlaps_.wait(), pending_.reset();
    forget_velocities();
  }
  FiberPlacement placement() const { return {arrays_->x.download(), arrays_->t.download()}; }

  void forget_velocities() { evaluated_ = false, failure_.clear(); }

  FiberPull pull() const {
    FiberPull pull = pull_;
    pull.core = parameters_.pull_core;
    return pull;
  }

  // Velocities of the state as it is; once for each state.
  void evaluate() const {
    if (evaluated_) return;
    FiberArrays& s = *arrays_;
    solve_ = s.flow->evaluate(parameters_, kernel_ == "recursion" ? FiberKernel::recursion : FiberKernel::stable,
                              s.x.data(), s.t.data(), pull(), s.v.data(), s.w.data(), s.a.data());
    note(solve_);
    evaluated_ = true;
  }
  void note(const FiberSolve& solve) const {
    if (solve.converged) return;
    failure_ = "The forces were not found at step " + std::to_string(steps_) + ": after " +
               std::to_string(solve.iterations) + " iterations the residual is " + number_in_words(solve.residual, 3) +
               ", and " + number_in_words(parameters_.tolerance, 3) +
               " was asked for. Raise tolerance, or lower time_step so that fibers do not jump into each other.";
  }

  bool step_runge_kutta() {
    FiberArrays& s = *arrays_;
    const double dt = parameters_.time_step;
    const auto stage = [&](const Array<double>& v, const Array<double>& w, double h, Array<double>& to_v,
                           Array<double>& to_w) {
      parallel_for(backend(), "fibers.stage", Range1D{count_},
                   FiberStage{s.x.data(), s.t.data(), v.data(), w.data(), h, s.x_stage.data(), s.t_stage.data()});
      const FiberSolve solve =
          s.flow->evaluate(parameters_, kernel_ == "recursion" ? FiberKernel::recursion : FiberKernel::stable,
                           s.x_stage.data(), s.t_stage.data(), pull(), to_v.data(), to_w.data(), s.a.data());
      note(solve);
      return solve.converged;
    };
    if (!stage(s.v, s.w, dt / 2, s.v2, s.w2) || !stage(s.v2, s.w2, dt / 2, s.v3, s.w3) ||
        !stage(s.v3, s.w3, dt, s.v4, s.w4))
      return false;
    parallel_for(
        backend(), "fibers.step", Range1D{count_},
        FiberRungeKutta{s.x.data(), s.t.data(), s.x_previous.data(), s.t_previous.data(), s.v.data(), s.w.data(),
                        s.v2.data(), s.w2.data(), s.v3.data(), s.w3.data(), s.v4.data(), s.w4.data(), dt});
    has_previous_ = false;
    return true;
  }

  FiberViewsOfPicture views() const {
    FiberViewsOfPicture views;
    views.views = parameters_.views == FiberViews::side_and_top ? 2 : 1;
    views.half = parameters_.view_size > 0 ? parameters_.view_size : view_half_;
    const double yaw = camera_yaw_ + parameters_.yaw * M_PI / 180;
    views.axes[0] = fiber_axes(yaw, camera_pitch_ + parameters_.pitch * M_PI / 180);
    views.axes[1] = fiber_axes(yaw, M_PI / 2);
    return views;
  }

  FiberSum sum_functor() const {
    const FiberArrays& s = *arrays_;
    return {s.x.data(), s.t.data(), s.v.data(), s.w.data(), count_, reference_, fiber_d(parameters_.slenderness)};
  }
  Range2D sum_range() const { return {FiberSum::width, (count_ + FiberSum::width - 1) / FiberSum::width}; }
  FiberSums frame_sums() {
    frame_sums_.start("fibers.sums", sum_range(), sum_functor());
    frame_sums_.wait();
    return frame_sums_.result();
  }
  // The middle of those fibers that stay together: what is lost in the wake drags the mean of all far behind.
  Vector3<double> followed_center() const {
    const std::vector<double> x = arrays_->x.download();
    Vector3<double> median{0, 0, 0};
    double* const axes = &median.x;
    std::vector<double> sorted(static_cast<std::size_t>(count_));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (std::size_t m = 0; m < sorted.size(); ++m) sorted[m] = x[3 * m + axis];
      const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
      std::nth_element(sorted.begin(), middle, sorted.end());
      axes[axis] = *middle;
    }
    Vector3<double> sum{0, 0, 0};
    double near = 0;
    for (std::size_t m = 0; m < sorted.size(); ++m) {
      const Vector3<double> own{x[3 * m], x[3 * m + 1], x[3 * m + 2]}, d = own - median;
      if (!(dot(d, d) < view_half_ * view_half_)) continue;
      sum = sum + own, near += 1;
    }
    if (!(near > 0)) return median;
    return {sum.x / near, sum.y / near, sum.z / near};
  }

  std::vector<FiberLine> lines_of_picture() const {
    std::vector<FiberLine> lines;
    if (parameters_.box > 0) {
      const double h = 0.5 * parameters_.box;
      for (int axis = 0; axis < 3; ++axis)
        for (int corner = 0; corner < 4; ++corner) {
          const double a = corner % 2 == 0 ? -h : h, b = corner / 2 == 0 ? -h : h;
          FiberLine line{{0, 0, 0}, {0, 0, 0}, 0.01, rgba(92, 100, 116)};
          double* const from = &line.from.x;
          double* const to = &line.to.x;
          from[axis] = -h, to[axis] = h;
          from[(axis + 1) % 3] = to[(axis + 1) % 3] = a, from[(axis + 2) % 3] = to[(axis + 2) % 3] = b;
          lines.push_back(line);
        }
    }
    if (pull_.any()) {
      const double size = std::sqrt(dot(pull_.force, pull_.force)), length = 0.4 * view_half_ * size / (size + 50);
      const Vector3<double> from = pull_.at - center_;
      lines.push_back({from, add_scaled(from, length / size, pull_.force), 0.012 * view_half_, rgba(255, 214, 102)});
    }
    return lines;
  }

  // The fiber nearest to a point of the picture, within a short reach; -1: none.
  int fiber_at(double x, double y) const {
    const FiberViewsOfPicture seen = views();
    const int view = seen.view_at(x);
    const FiberAxes& e = seen.axes[view];
    const double a = x * seen.domain_width() - (2 * view + 1) * seen.half, b = (y - 0.5) * seen.domain_height();
    const FiberPlacement now = placement();
    int nearest = -1;
    double least = 0.03 * seen.half + 2 * parameters_.slenderness * parameters_.drawn_radius;
    for (int m = 0; m < count_; ++m) {
      const double *at = &now.position[static_cast<std::size_t>(3 * m)],
                   *t = &now.tangent[static_cast<std::size_t>(3 * m)];
      const Vector3<double> own{at[0] - center_.x, at[1] - center_.y, at[2] - center_.z}, axis{t[0], t[1], t[2]};
      const double px = a - dot(own, e.right), py = b - dot(own, e.up), tx = dot(axis, e.right), ty = dot(axis, e.up);
      const double length2 = tx * tx + ty * ty;
      const double s = length2 > 0 ? std::clamp((px * tx + py * ty) / length2, -1.0, 1.0) : 0;
      const double distance = std::hypot(px - s * tx, py - s * ty);
      if (distance < least) least = distance, nearest = m;
    }
    return nearest;
  }

  void ask() {
    evaluate();
    pending_ = Measured{{}, {}, reference_, steps_, time_, count_, solve_, failure_};
    sums_.start("fibers.sums", sum_range(), sum_functor());
    overlaps_.start("fibers.overlaps", Range2D{count_, count_},
                    FiberOverlap{arrays_->x.data(), arrays_->t.data(), 4 * parameters_.slenderness, parameters_.box});
  }
  void collect() {
    sums_.wait(), overlaps_.wait();
    pending_->sums = sums_.result(), pending_->overlaps = overlaps_.result();
    latest_ = pending_;
    pending_.reset();
  }

  Diagnostics describe(const Measured& m, const ViewSettings& view) const {
    const FiberSums& s = m.sums;
    const double n = m.fibers, d = fiber_d(parameters_.slenderness);
    const double x = s.x / n, y = s.y / n, z = s.z / n;
    const double across2 = std::max(0.0, (s.xx + s.yy) / n - x * x - y * y), along2 = std::max(0.0, s.zz / n - z * z);
    const double radius = std::sqrt(5.0 / 3.0 * (across2 + along2));
    Diagnostics result;
    result.step = m.step, result.time = m.time;
    // A uniform ball of point forces: J. Comput. Phys. 215 (2006) has the law for one fiber, README.md the sum.
    const double estimate = s.lone_fall / n + (radius > 0 && !parameters_.alone ? (n - 1) * 8 / (5 * radius * d) : 0);
    result.scalars = {
        {"fall", "Mean fall", "length/time", s.fall / n},
        {"fall_theory",
         n > 1 && !parameters_.alone ? "Mean fall, estimate for a ball" : "Mean fall of lone fibers, exact",
         "length/time", estimate},
        {"drift", "Mean height", "length", m.reference.z + z},
        {"radius", "Cloud radius", "length", radius},
        {"aspect", "Height over width", "", across2 > 0 ? std::sqrt(2 * along2 / across2) : 0},
        {"order", "Orientation order", "", 1.5 * s.upright / n - 0.5},
        {"fibers", "Fibers", "", n},
        {"overlaps", "Overlapping pairs", "", static_cast<double>(m.overlaps.pairs)},
        {"iterations", "Iterations", "", static_cast<double>(m.solve.iterations)},
        {"residual", "Residual", "", std::isfinite(m.solve.residual) ? m.solve.residual : 1}};
    switch (shown_quantity(view.quantity)) {
      case FiberShown::speed:
        result.minimum = s.slowest, result.maximum = s.fastest;
        break;
      case FiberShown::fall:
        result.minimum = s.least_fall - s.fall / n, result.maximum = s.most_fall - s.fall / n;
        break;
      case FiberShown::orientation:
        result.minimum = 0, result.maximum = 1;
        break;
      case FiberShown::index:
        result.minimum = 0, result.maximum = std::max(1.0, n - 1);
        break;
    }
    if (s.not_finite > 0) {
      result.finite = false;
      result.trouble =
          "Fiber " + std::to_string(s.first_bad) +
          (s.not_finite > 1 ? " and " + std::to_string(s.not_finite - 1) + " more" : "") +
          " have no finite place, direction or velocity at step " + std::to_string(m.step) +
          ". Two fibers may lie exactly in each other: lower time_step, or begin with a larger min_distance.";
      for (Scalar& scalar : result.scalars)
        if (!std::isfinite(scalar.value)) scalar.value = 0;
      result.minimum = 0, result.maximum = 1;
    } else if (!m.failure.empty()) {
      result.finite = false, result.trouble = m.failure;
    }
    return result;
  }

  FiberParameters parameters_;
  std::uint32_t seed_;
  std::string preset_, kernel_ = "auto";
  std::int64_t steps_ = 0;
  double time_ = 0;
  int count_ = 0, chosen_ = -1;
  double view_half_ = 10;
  std::unique_ptr<FiberArrays> arrays_;
  bool has_previous_ = false;
  FiberPull pull_;
  std::uint64_t drops_ = 0;
  // Velocities belong to the state: they are found when somebody asks, be it to save it.
  mutable bool evaluated_ = false;
  mutable FiberSolve solve_;
  mutable std::string failure_;

  Vector3<double> center_{0, 0, 0}, reference_{0, 0, 0};
  double camera_yaw_ = 0, camera_pitch_ = 0;
  Reduction<FiberSums> sums_, frame_sums_;
  Reduction<FiberOverlaps> overlaps_;
  std::optional<Measured> pending_, latest_;
  CapsuleRaster raster_;
  Array<FiberLine> lines_;
  Array<Capsule> capsules_;
};

std::vector<Action> Fibers::interpret(const Gesture& g) const {
  const FiberViewsOfPicture seen = views();
  const int view = seen.view_at(g.start_x);
  const auto action = [](const char* kind, std::map<std::string, double> numbers) {
    return Action{kind, std::move(numbers), "", nullptr};
  };
  // Actions hold places in space, not in the picture, so that a replay needs no picture.
  const auto at = [&](Vector3<double> p) {
    return std::map<std::string, double>{{"x", center_.x + p.x}, {"y", center_.y + p.y}, {"z", center_.z + p.z}};
  };
  const Vector3<double> here = seen.point_at(view, g.x, g.y), start = seen.point_at(view, g.start_x, g.start_y);
  const bool press = g.phase == Gesture::Phase::press, left = g.button == Gesture::Button::left;
  const auto drop = [&] {
    const Vector3<double> t =
        random_direction(seed_, 7001 + static_cast<std::uint64_t>(count_), static_cast<std::uint64_t>(steps_));
    std::map<std::string, double> numbers = at(here);
    numbers["tx"] = t.x, numbers["ty"] = t.y, numbers["tz"] = t.z;
    return action("fiber", numbers);
  };
  if (g.tool == "pull") {
    if (!left) return press ? std::vector<Action>{drop()} : std::vector<Action>{};
    if (g.phase == Gesture::Phase::release) return {action("let-go", {})};
    const double strength = g.setting("strength", 20);
    const Vector3<double> drag = here - start;
    std::map<std::string, double> numbers = at(here);
    numbers["fx"] = strength * drag.x, numbers["fy"] = strength * drag.y, numbers["fz"] = strength * drag.z;
    return {action("pull", numbers)};
  }
  if (g.tool == "drop") {
    if (!press) return {};
    const double count = std::round(g.setting("count", 20)), radius = g.setting("radius", 1.5);
    if (left) return {drop()};
    std::map<std::string, double> numbers = at(g.shift ? Vector3<double>{0, 0, 0} : here);
    if (g.shift) {
      numbers["count"] = std::min<double>(count * 15, most_fibers), numbers["radius"] = 4 * radius;
      return {action("new-cloud", numbers)};
    }
    numbers["count"] = count, numbers["radius"] = radius;
    return {action("burst", numbers)};
  }
  if (g.tool == "turn") {
    if (!left) return press ? std::vector<Action>{action("choose", {{"fiber", -1}})} : std::vector<Action>{};
    if (press) return {action("choose", {{"fiber", static_cast<double>(fiber_at(g.x, g.y))}})};
    if (g.phase == Gesture::Phase::release || chosen_ < 0) return {};
    // The fiber points from its centre to the pointer, and keeps what it had towards the eye.
    double x[3], t[3];
    backend().copy_to_host(x, arrays_->x.data() + 3 * chosen_, sizeof x);
    backend().copy_to_host(t, arrays_->t.data() + 3 * chosen_, sizeof t);
    const FiberAxes& e = seen.axes[view];
    const Vector3<double> own{x[0] - center_.x, x[1] - center_.y, x[2] - center_.z}, to = here - own;
    const double a = dot(to, e.right), b = dot(to, e.up), length = std::hypot(a, b);
    if (length < 1e-6) return {};
    const double depth = std::clamp(dot(Vector3<double>{t[0], t[1], t[2]}, e.away), -0.95, 0.95),
                 flat = std::sqrt(1 - depth * depth);
    const Vector3<double> direction = add_scaled(
        add_scaled(Vector3<double>{depth * e.away.x, depth * e.away.y, depth * e.away.z}, flat * a / length, e.right),
        flat * b / length, e.up);
    return {action(
        "turn",
        {{"fiber", static_cast<double>(chosen_)}, {"tx", direction.x}, {"ty", direction.y}, {"tz", direction.z}})};
  }
  if (g.tool == "orbit") {
    if (!left) return press ? std::vector<Action>{action("orbit", {{"yaw", 0}, {"pitch", 0}})} : std::vector<Action>{};
    if (g.phase != Gesture::Phase::move) return {};
    const double yaw = std::remainder(parameters_.yaw - 180 * (g.x - g.previous_x) * seen.views, 360);
    return {action("orbit",
                   {{"yaw", yaw}, {"pitch", std::clamp(parameters_.pitch - 120 * (g.y - g.previous_y), -90.0, 90.0)}})};
  }
  return {};
}

void Fibers::apply(const Action& action) {
  check_action(action, fiber_action_kinds());
  const Vector3<double> at{action.get("x", 0), action.get("y", 0), action.get("z", 0)};
  const auto direction = [&] {
    Vector3<double> t{action.get("tx", 0), action.get("ty", 0), action.get("tz", 1)};
    const double length = std::sqrt(dot(t, t));
    if (!(length > 1e-12))
      throw InputError("A fiber needs a direction: tx, ty and tz of " + action.kind + " are all zero.");
    return Vector3<double>{t.x / length, t.y / length, t.z / length};
  };
  const auto room_for = [&](int more) {
    if (count_ + more > most_fibers)
      throw InputError("There can be at most " + std::to_string(most_fibers) + " fibers; there are " +
                       std::to_string(count_) + ".");
  };
  const std::string& kind = action.kind;
  if (kind == "pull") {
    pull_.at = at, pull_.force = {action.get("fx", 0), action.get("fy", 0), action.get("fz", 0)};
    forget_velocities();
  } else if (kind == "let-go") {
    if (pull_.any()) forget_velocities();
    pull_.force = {0, 0, 0};
  } else if (kind == "fiber") {
    room_for(1);
    FiberPlacement now = placement();
    now.add(at, direction());
    adopt(now);
  } else if (kind == "burst") {
    const int count = static_cast<int>(action.get("count", 20));
    room_for(count);
    FiberPlacement now = placement();
    add_fiber_ball(now, count, at, action.get("radius", 1.5), std::min(parameters_.min_distance, 0.05), seed_,
                   100 + drops_);
    adopt(now);
    ++drops_;
  } else if (kind == "new-cloud") {
    FiberPlacement fresh;
    add_fiber_ball(fresh, static_cast<int>(action.get("count", 300)), at, action.get("radius", 6),
                   parameters_.min_distance, seed_, 100 + drops_);
    adopt(fresh);
    ++drops_;
  } else if (kind == "turn") {
    const int m = static_cast<int>(action.get("fiber", 0));
    if (m >= count_)
      throw InputError("There is no fiber " + std::to_string(m) + ": there are " + std::to_string(count_) +
                       ", counted from 0.");
    const Vector3<double> t = direction();
    backend().copy_from_host(arrays_->t.data() + 3 * m, &t, sizeof t);
    has_previous_ = false;
    forget_velocities();
  } else if (kind == "choose") {
    const int m = static_cast<int>(action.get("fiber", -1));
    if (m >= count_)
      throw InputError("There is no fiber " + std::to_string(m) + ": there are " + std::to_string(count_) +
                       ", counted from 0.");
    chosen_ = m;
  } else if (kind == "orbit") {
    parameters_.yaw = action.get("yaw", 0), parameters_.pitch = action.get("pitch", 0);
  }
}

void Fibers::load(const State& state) {
  if (state.steps < 0 || !std::isfinite(state.time)) throw InputError("The saved state's steps or time make no sense.");
  if (!state.has("position") || state.datasets.at("position").shape.size() != 2)
    throw InputError("The saved state has no dataset \"position\" of [fibers, 3].");
  const std::size_t fibers = state.datasets.at("position").shape[0];
  if (fibers < 1 || fibers > static_cast<std::size_t>(most_fibers))
    throw InputError("The saved state holds " + std::to_string(fibers) + " fibers: from 1 to " +
                     std::to_string(most_fibers) + " can be taken.");
  const std::vector<std::size_t> shape = {fibers, 3};
  const auto read = [&](const char* name, const std::vector<std::size_t>& of) {
    std::vector<double> values = state.get<double>(name, of);
    for (std::size_t k = 0; k < values.size(); ++k)
      if (!std::isfinite(values[k]))
        throw InputError("\"" + std::string(name) + "\" in the saved state is not finite for fiber " +
                         std::to_string(k / (of.size() > 1 ? values.size() / fibers : 1)) + ".");
    return values;
  };
  FiberPlacement now{read("position", shape), read("tangent", shape)};
  for (std::size_t m = 0; m < fibers; ++m) {
    double* const t = &now.tangent[3 * m];
    const double length = std::hypot(t[0], t[1], t[2]);
    if (!(length > 1e-6))
      throw InputError("\"tangent\" in the saved state is zero for fiber " + std::to_string(m) +
                       ": it must be a direction.");
    if (std::abs(length - 1) > 1e-9) t[0] /= length, t[1] /= length, t[2] /= length;
  }
  const bool known = state.has("velocity") && state.has("spin") && state.has("force_coefficients");
  std::vector<double> v, w, a, before[4];
  if (known) {
    v = read("velocity", shape), w = read("spin", shape);
    a = read("force_coefficients", {fibers, static_cast<std::size_t>(parameters_.terms), 3});
  }
  const char* const names[] = {"position_previous", "tangent_previous", "velocity_previous", "spin_previous"};
  const bool previous = state.has(names[0]);
  if (previous)
    for (int k = 0; k < 4; ++k) before[k] = read(names[k], shape);
  FiberPull pull;
  if (state.has("pull")) {
    const std::vector<double> p = read("pull", {6});
    pull.at = {p[0], p[1], p[2]}, pull.force = {p[3], p[4], p[5]};
  }
  if (static_cast<int>(fibers) != count_) {
    adopt(now);
  } else {
    arrays_->x.upload(now.position), arrays_->t.upload(now.tangent);
    sums_.wait(), overlaps_.wait(), pending_.reset();
    forget_velocities();
  }
  // Nothing below can be refused.
  if (known) {
    arrays_->v.upload(v), arrays_->w.upload(w), arrays_->a.upload(a);
    evaluated_ = true, solve_ = {};
  }
  if (previous) {
    arrays_->x_previous.upload(before[0]), arrays_->t_previous.upload(before[1]);
    arrays_->v_previous.upload(before[2]), arrays_->w_previous.upload(before[3]);
  }
  has_previous_ = previous;
  pull_ = pull;
  steps_ = state.steps, time_ = state.time, seed_ = state.seed;
  latest_.reset();
}

std::unique_ptr<Simulation> create(Backend& backend, const Setup& setup) {
  const FiberParameters parameters = parameters_of(setup);
  const int count = fibers_of(setup);
  const bool stored = parameters.storage == FiberStorage::stored;
  const std::size_t needed = bytes_of(count, parameters, fiber_tile(backend), stored), free = backend.free_memory();
  const std::size_t least = std::min(needed, bytes_of(count, parameters, fiber_tile(backend), false));
  if ((stored ? needed : least) > free)
    throw InputError(std::to_string(count) + " fibers need " + bytes_in_words(stored ? needed : least) +
                     " of memory, and " + bytes_in_words(free) + " are free on " + backend.device_name() +
                     ". Choose fewer fibers" + (stored ? ", precision fp32, or storage recomputed." : "."));
  return std::make_unique<Fibers>(backend, setup, parameters, count);
}

// What a run takes at least: with `storage` automatic more where there is more.
std::size_t memory_needed(const Backend&, const Setup& setup) {
  const FiberParameters parameters = parameters_of(setup);
  const int count = fibers_of(setup);
  std::size_t most = 0;
  for (const int tile : {32, detail::fiber_tile_cpu()}) {
    const std::size_t stored = bytes_of(count, parameters, tile, true),
                      least = bytes_of(count, parameters, tile, false);
    most = std::max(most, parameters.storage == FiberStorage::stored ? stored : std::min(stored, least));
  }
  return most;
}

SimulationInfo make_info() {
  SimulationInfo info;
  info.id = "fibers";
  info.title = "Falling fibers";
  info.summary = "Rigid slender fibers sink in a viscous fluid, each in the flow of all others.";
  info.equation = "d (v + s w) = [d (I + t t) + 2 (I - t t)] f + (I + t t) K[f] + Σ ∫ G f ds";
  info.default_width = default_fibers, info.default_height = 1;
  info.parameters.assign(fiber_parameter_table().begin(), fiber_parameter_table().end());
  info.actions = fiber_action_kinds();
  info.tools = fiber_tools();
  // In the order of FiberShown.
  info.quantities = {
      {"speed", "Speed", "length/time", 0, 12, "viridis", false},
      {"fall", "Fall against the mean", "length/time", -4, 4, "balance", true},
      {"orientation", "Upright |t_z|", "", 0, 1, "cividis", false},
      {"index", "Order of birth", "", 0, 1000, "turbo", false},
  };
  info.kernels = {
      {"stable", "Stable", "Closed-form inner integrals from starts that do not cancel: safe in single precision too.",
       true, true, 1},
      {"recursion", "Recursion",
       "The source's: closed forms that cancel near a fiber's extension, forward and backward recursions. In single "
       "precision its velocities are wrong by up to a percent: the source's finding, and its cause.",
       true, true, 1},
  };
  info.create = create, info.verify = fiber_verify, info.memory_needed = memory_needed;
  return info;
}

}  // namespace

const SimulationInfo& fibers_simulation() {
  static const SimulationInfo info = make_info();
  return info;
}

}  // namespace perturb
