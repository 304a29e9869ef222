#include "cuda/wave/wave.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>
#include <optional>
#include <span>
#include <vector>

#include "cuda/core/check.h"
#include "cuda/core/kernel_choice.h"
#include "cuda/core/measuring.h"
#include "cuda/core/parallel_for.h"
#include "cuda/core/places.h"
#include "cuda/core/random.h"
#include "cuda/core/reduce.h"
#include "cuda/core/shown.h"
#include "cuda/core/simulation_of.h"
#include "cuda/core/words.h"
#include "cuda/wave/wave_actions.h"
#include "cuda/wave/wave_cpu_steps.h"
#include "cuda/wave/wave_edit.h"
#include "cuda/wave/wave_kernels.h"
#include "cuda/wave/wave_limit.h"
#include "cuda/wave/wave_paint.h"
#include "cuda/wave/wave_params.h"
#include "cuda/wave/wave_saved.h"
#include "cuda/wave/wave_setup.h"
#include "cuda/wave/wave_source.h"
#include "cuda/wave/wave_sums.h"

namespace perturb {

namespace {

// In the order of info().kernels.
constexpr std::array<WaveKernel, 4> wave_kernels{WaveKernel::fused, WaveKernel::vectorised, WaveKernel::temporal,
                                                 WaveKernel::convolution};

WaveShown shown_quantity(const std::string& id) {
  return static_cast<WaveShown>(quantity_index(wave_simulation(), id));
}

template <class Real>
class Wave final : public SimulationOf<WaveParameters> {
 public:
  Wave(Backend& backend, const Setup& setup, const WaveParameters& parameters, GridSize size)
      : SimulationOf(backend, wave_simulation(), setup, parameters),
        width_(size.width),
        height_(size.height),
        u_(backend, width_, height_, "wave height"),
        u_previous_(backend, width_, height_, "wave height of the last step"),
        auto_kernel_(backend, wave_simulation()),
        sums_(backend),
        profile_(backend, static_cast<std::size_t>(width_) * sizeof(Real)) {
    if (backend.is_cuda()) {
      spare_ = Field<Real>(backend, width_, height_, "spare wave height");
      spare_previous_ = Field<Real>(backend, width_, height_, "spare wave height of the last step");
      for (std::size_t k = 0; k < wave_kernels.size(); ++k)
        cuda_steps_[k] = wave_kernel_steps(wave_kernels[k], width_, height_, static_cast<int>(sizeof(Real)));
    } else {
      cpu_steps_ = wave_cpu_most_steps(width_, static_cast<int>(sizeof(Real)));
    }
    prepare_sponge(parameters_);
    for (const Action& action : setup.actions) apply(action);
  }

  void set_parameter(const std::string& id, double value) override {
    WaveParameters changed = with(id, value, "the tank runs: start it anew");
    pair_changed(changed.boundary_left, changed.boundary_right, parameters_.boundary_left, parameters_.boundary_right);
    pair_changed(changed.boundary_bottom, changed.boundary_top, parameters_.boundary_bottom, parameters_.boundary_top);
    prepare_sponge(changed);
    if (changed.time_step != parameters_.time_step) {
      // Time goes on from where it is, and so does every cell's velocity.
      anchor_time_ = time();
      anchor_step_ = steps_;
      const double ratio = changed.time_step / parameters_.time_step;
      parallel_for(backend(), "wave.keep_velocity", whole(),
                   WaveKeepVelocity<Real>{u_.view(), u_previous_.view(), static_cast<Real>(ratio)});
    }
    parameters_ = changed;
  }

  double time() const override { return time_at(steps_); }

  void step(std::int64_t count) override {
    auto_kernel_.run(
        kernel_, count, [this] { return work(); },
        [this](std::int64_t steps, std::size_t kernel) { take_steps(steps, kernel); });
  }

  std::vector<Action> interpret(const Gesture& gesture) const override {
    return wave_interpret(gesture, parameters_, domain_width(), domain_height());
  }

  double domain_width() const override { return width_ * parameters_.cell_size; }
  double domain_height() const override { return height_ * parameters_.cell_size; }

  void paint(Pixels pixels, const Camera& camera, const ViewSettings& view, const ColorTable& table) override {
    WavePaint<Real> body{};
    body.pixels = pixels;
    body.sampler = PixelSampler(camera.pixel_to_domain(pixels.width, pixels.height, domain_width(), domain_height()),
                                width_, height_, view.smooth);
    body.u = u_.view(), body.u_previous = u_previous_.view(), body.medium = medium_.view();
    body.shown = shown_quantity(view.quantity);
    const auto [low, high] = shown_range(view, info().quantities[static_cast<std::size_t>(body.shown)]);
    body.scale = table.scale(low, high);
    body.own_colors = table.id() == info().quantities[static_cast<std::size_t>(WaveShown::water)].colormap;
    body.steepest = static_cast<float>(std::max({std::abs(low), std::abs(high), 1e-30}));
    body.per_step = static_cast<float>(1 / parameters_.time_step);
    body.per_cell = static_cast<float>(1 / parameters_.cell_size);
    body.medium_is_even = !speed_is_painted_;
    body.mark_count = static_cast<int>(sources_.size());
    for (int s = 0; s < body.mark_count; ++s) {
      const WaveHold<Real> hold = wave_source_hold<Real>(sources_[static_cast<std::size_t>(s)], shape(), time());
      body.marks[s] = {hold.x0, hold.y0, hold.x1, hold.y1, hold.radius};
    }
    parallel_for(backend(), "wave.paint", Range2D{pixels.width, pixels.height}, body);
  }

  std::string value_inside(double x, double y, const ViewSettings& view) override {
    const int i = cell(x, width_), j = cell(y, height_);
    const auto read = [&](const Field<Real>& field, int a, int b) {
      Real value = 0;
      backend().copy_to_host(&value, field.view().row(b) + a, sizeof value);
      return static_cast<double>(value);
    };
    const double factor = medium_.empty() ? 1 : read(medium_, i, j);
    if (std::signbit(factor)) return "wall";
    const WaveShown shown = shown_quantity(view.quantity);
    double value = 0;
    switch (shown) {
      case WaveShown::height:
        value = read(u_, i, j);
        break;
      case WaveShown::velocity:
        value = (read(u_, i, j) - read(u_previous_, i, j)) / parameters_.time_step;
        break;
      case WaveShown::water: {
        const int i0 = std::max(i - 1, 0), i1 = std::min(i + 1, width_ - 1);
        const int j0 = std::max(j - 1, 0), j1 = std::min(j + 1, height_ - 1);
        value = std::hypot(read(u_, i1, j) - read(u_, i0, j), read(u_, i, j1) - read(u_, i, j0)) /
                (2 * parameters_.cell_size);
        break;
      }
      case WaveShown::speed:
        value = factor;
        break;
    }
    return in_unit(value, info().quantities[static_cast<std::size_t>(shown)]);
  }

  Diagnostics diagnostics(const ViewSettings& view, bool wait) override {
    const auto start = [this] {
      sums_.start("wave.sums", whole(), WaveSum<Real>{make_pass(0), u_.view(), u_previous_.view()});
      profile_.start(u_.view().row(height_ / 2));
      return Measured{{}, steps_, time(), parameters_.time_step, courant()};
    };
    const auto finish = [this](Measured& measured) {
      measured.sums = sums_.result();
      profile_values_.resize(static_cast<std::size_t>(width_));
      std::memcpy(profile_values_.data(), profile_.data(), profile_values_.size() * sizeof(Real));
    };
    const auto ready = [this] { return sums_.ready() && profile_.ready(); };
    const auto wait_for = [this] { sums_.wait(), profile_.wait(); };
    return describe(measuring_.look(backend(), wait, start, ready, wait_for, finish), view);
  }

  std::vector<Gauge> gauges() const override {
    Gauge gauge;
    gauge.id = "courant";
    gauge.label = "c dt/dx";
    gauge.help =
        "The Courant number: how many cells a wave crosses in a step, taken where the water is fastest. The scheme is "
        "stable up to 1/√2; a little further where fast water is confined to few cells.";
    gauge.value = courant();
    gauge.limit = courant_limit();
    // Up to the limit nothing grows, and the nearer the more exact the scheme: near is what a stroke
    // of faster water crosses.
    gauge.near = 0.97 * gauge.limit;
    gauge.remedy =
        "Lower the time step (time_step) or the wave speed (wave_speed), or raise the cell size (cell_size).";
    return {gauge};
  }

  State save() const override {
    State state = state_without_fields(width_, height_);
    const std::vector<std::size_t> grid = grid_shape();
    state.put<Real>("u", grid, "height", u_.download());
    state.put<Real>("u_previous", grid, "height", u_previous_.download());
    if (!medium_.empty()) {
      std::vector<Real> medium = medium_.download();
      std::vector<std::uint8_t> wall(medium.size());
      for (std::size_t k = 0; k < medium.size(); ++k) {
        wall[k] = std::signbit(medium[k]) ? 1 : 0;
        medium[k] = std::abs(medium[k]);
      }
      if (has_walls_) state.put<std::uint8_t>("wall", grid, "", wall);
      if (speed_is_painted_) state.put<Real>("speed", grid, "c", medium);
    }
    if (!sources_.empty())
      state.put<double>("sources", {sources_.size(), wave_source_columns}, "", wave_sources_to_table(sources_));
    // Time counts from here, at the present time step; needed only where the time step has changed on the way.
    if (anchor_step_ != 0)
      state.put<double>("clock", {2}, "step, time",
                        std::vector<double>{static_cast<double>(anchor_step_), anchor_time_});
    return state;
  }

  void load(const State& state) override {
    WaveSaved<Real> saved = read_wave_state<Real>(state, {width_, height_}, parameters_.time_step);
    if (saved.medium.empty())
      medium_ = {};
    else if (medium_.empty())
      medium_ = Field<Real>(backend(), width_, height_, "walls and speed map");

    // Nothing below can be refused.
    u_.upload(saved.u), u_previous_.upload(saved.u_previous);
    if (!medium_.empty()) medium_.upload(saved.medium);
    measure_medium();
    sources_ = std::move(saved.sources);
    steps_ = state.steps, seed_ = state.seed;
    anchor_step_ = saved.anchor_step, anchor_time_ = saved.anchor_time;
    drop_cache_ = {};
    forget_measurements();
  }

  void select_kernel(const std::string& id) override {
    if (id != "auto") {
      const std::size_t k = kernel_on_backend(id);
      if (backend().is_cuda() && cuda_steps_[k] == 0)
        throw InputError("The kernel " + id + " cannot run on a tank of " + in_words({width_, height_}) + ".");
    }
    kernel_ = id;
  }
  std::string choice() const override { return kernel_ == "auto" ? auto_kernel_.words() : std::string(); }

  StepCost step_cost(const std::string& kernel) const override {
    const std::size_t k = kernel_meant(kernel);
    const int steps_per_pass = std::max(1, most_steps(k));
    // One pass reads both levels and writes the new one; several steps in one read two levels and write two. The walls
    // and the speed map are read once a pass.
    double fields = steps_per_pass == 1 ? 3 : 4;
    double flops = 10;  // see wave_update: five additions and products that count once, five that fuse
    if (!medium_.empty()) fields += 1, flops += 2;
    if (has_sponge_) flops += 4;
    StepCost cost;
    cost.cells = static_cast<double>(width_) * height_;
    cost.bytes = cost.cells * sizeof(Real) * fields / steps_per_pass;
    cost.flops = cost.cells * flops;
    cost.rate_unit = "cell/s";
    return cost;
  }

  LaunchShape launch_shape(const std::string& kernel) const override {
    const std::size_t k = kernel_meant(kernel);
    if (!backend().is_cuda()) return {};
    return wave_kernel_shape(wave_kernels[k], width_, height_, static_cast<int>(sizeof(Real)));
  }

 protected:
  void act(const Action& action) override {
    constexpr auto wall = [](Wave& w, const Action& a) { w.paint_wall(a); };
    constexpr auto speed = [](Wave& w, const Action& a) { w.paint_speed(a); };
    constexpr auto image = [](Wave& w, const Action& a) { w.paint_image(a); };
    constexpr auto source = [](Wave& w, const Action& a) { w.add_source(a); };
    static constexpr ActionHandler<Wave> handlers[] = {
        {"droplet",
         [](Wave& w, const Action& a) { w.add_droplet(a.get("x"), a.get("y"), a.get("radius"), a.get("amplitude")); }},
        {"wall-line", wall},
        {"wall-rectangle", wall},
        {"wall-ellipse", wall},
        {"wall-image", image},
        {"clear-walls", [](Wave& w, const Action&) { w.clear_medium(false, true); }},
        {"speed-disc", speed},
        {"speed-line", speed},
        {"speed-rectangle", speed},
        {"speed-ellipse", speed},
        {"speed-gradient", speed},
        {"speed-image", image},
        {"clear-speed", [](Wave& w, const Action&) { w.clear_medium(true, false); }},
        {"oscillator", source},
        {"line-source", source},
        {"remove-source",
         [](Wave& w, const Action& a) { w.remove_source(a.get("x", 0.5), a.get("y", 0.5), a.get("reach", 1e9)); }},
        {"remove-sources", [](Wave& w, const Action&) { w.sources_.clear(); }},
        {"mode", [](Wave& w, const Action& a) { w.add_mode(a); }},
        {"calm", [](Wave& w, const Action&) { w.u_.fill_zero(), w.u_previous_.fill_zero(); }},
    };
    act_by(handlers, *this, action);
  }

  bool name_members(Copier& copy) override {
    copy(parameters_, seed_, steps_, anchor_step_, anchor_time_, u_, u_previous_, medium_, sources_);
    copy(sponge_x_, sponge_y_, sponge_x_values_, sponge_y_values_, has_sponge_);
    copy(slowest_, fastest_, has_walls_, speed_is_painted_);
    if (copy.is_giving()) drop_cache_ = {}, forget_measurements();
    return true;
  }

 private:
  // The numbers of one state, and what of it they are told with.
  struct Measured {
    WaveSums sums;
    std::int64_t step = 0;
    double time = 0, time_step = 1, courant = 0;
  };

  void forget_measurements() { sums_.wait(), profile_.wait(), measuring_.forget(); }

  Range2D whole() const { return {width_, height_}; }
  std::vector<std::size_t> grid_shape() const {
    return {static_cast<std::size_t>(height_), static_cast<std::size_t>(width_)};
  }
  WaveTankShape shape() const {
    return {width_, height_, parameters_.cell_size, wave_is_periodic(parameters_.boundary_left),
            wave_is_periodic(parameters_.boundary_bottom)};
  }
  double time_at(std::int64_t step) const {
    return anchor_time_ + static_cast<double>(step - anchor_step_) * parameters_.time_step;
  }
  // The cell that a fraction of the domain lies in; also for fractions outside of it.
  static int cell(double fraction, int count) { return static_cast<int>(std::floor(fraction * count)); }

  // The largest c·dt/dx in the tank.
  double courant() const { return parameters_.wave_speed * fastest_ * parameters_.time_step / parameters_.cell_size; }
  // How large it may be (wave_limit.h).
  double courant_limit() const {
    const bool one_sided = parameters_.damping_form == WaveDamping::one_sided;
    const double damping = one_sided ? 0.5 * parameters_.damping * parameters_.time_step : 0;
    constexpr double nothing = 1e-6;  // a spectrum of zero, where nothing can move, would leave no number to show
    return 2 * fastest_ * std::sqrt(std::max(0.0, 1 - damping) / std::max(spectrum(), nothing));
  }
  double spectrum() const {
    const WavePass<Real> tank = make_pass(0);
    if (medium_.empty()) return wave_even_spectrum(tank);
    const std::array<WaveBoundary, 4> sides{tank.left, tank.right, tank.bottom, tank.top};
    if (medium_spectrum_ == 0 || sides != medium_spectrum_sides_) {
      try {
        if (backend().is_cuda()) {  // between two passes nobody needs the spare fields
          medium_spectrum_ = wave_medium_spectrum(backend(), tank, spare_.view(), spare_previous_.view(), fastest_);
        } else {
          Field<Real> scratch(backend(), width_, height_, "stability of the speed map"),
              other(backend(), width_, height_, "stability of the speed map");
          medium_spectrum_ = wave_medium_spectrum(backend(), tank, scratch.view(), other.view(), fastest_);
        }
      } catch (const Error&) {  // no memory to look closer
        medium_spectrum_ = 8 * fastest_ * fastest_;
      }
      medium_spectrum_sides_ = sides;
    }
    return medium_spectrum_;
  }
  // 1 + k·dt/2 where the damping is centred: what the weights of wave_cell.h are divided by.
  static double damping_divisor(const WaveParameters& p) {
    return p.damping_form == WaveDamping::centred ? 1 + 0.5 * p.damping * p.time_step : 1;
  }

  // A side that becomes periodic takes its opposite along; one that no longer is gives it its own new kind.
  static void pair_changed(WaveBoundary& a, WaveBoundary& b, WaveBoundary a_before, WaveBoundary b_before) {
    if (wave_is_periodic(a) == wave_is_periodic(b)) return;
    if (a != a_before)
      b = a;
    else if (b != b_before)
      a = b;
  }

  // Damping by column and row along absorbing sides, growing with the square of the depth into the sponge; as a factor
  // of the weights (wave_pass.h), such that away from the corners k and the sponge's damping add up.
  void prepare_sponge(const WaveParameters& p) {
    const auto profile = [&](int count, WaveBoundary low, WaveBoundary high) {
      std::vector<Real> values(static_cast<std::size_t>(count));
      for (int i = 0; i < count; ++i) {
        double extra = 0;
        const auto side = [&](WaveBoundary boundary, int cells_away) {
          if (boundary != WaveBoundary::absorbing || p.sponge_width <= 0) return;
          const double depth = 1 - (cells_away + 0.5) * p.cell_size / p.sponge_width;
          if (depth > 0) extra += p.sponge_strength * depth * depth;
        };
        side(low, i), side(high, count - 1 - i);
        values[static_cast<std::size_t>(i)] =
            static_cast<Real>(1 / (1 + 0.5 * extra * p.time_step / damping_divisor(p)));
      }
      return values;
    };
    const std::vector<Real> x = profile(width_, p.boundary_left, p.boundary_right);
    const std::vector<Real> y = profile(height_, p.boundary_bottom, p.boundary_top);
    const auto any = [](const std::vector<Real>& values) {
      return std::any_of(values.begin(), values.end(), [](Real v) { return v != Real(1); });
    };
    const bool wanted = any(x) || any(y);
    if (wanted) {
      if (sponge_x_.empty()) {
        Array<Real> column(backend(), x.size(), "sponge"), row(backend(), y.size(), "sponge");
        sponge_x_ = std::move(column), sponge_y_ = std::move(row);
      }
      if (x != sponge_x_values_) sponge_x_.upload(x);
      if (y != sponge_y_values_) sponge_y_.upload(y);
      sponge_x_values_ = x, sponge_y_values_ = y;
    }
    has_sponge_ = wanted;
  }

  // What a pass of `steps` steps from here must know.
  WavePass<Real> make_pass(int steps) const {
    WavePass<Real> p;
    p.width = width_, p.height = height_;
    const double courant1 = parameters_.wave_speed * parameters_.time_step / parameters_.cell_size;
    const double divisor = damping_divisor(parameters_);
    p.courant2 = static_cast<Real>(courant1 * courant1 / divisor);
    p.inertia = static_cast<Real>(parameters_.damping_form == WaveDamping::centred
                                      ? 2 / divisor
                                      : 2 - parameters_.damping * parameters_.time_step);
    p.left = parameters_.boundary_left, p.right = parameters_.boundary_right;
    p.bottom = parameters_.boundary_bottom, p.top = parameters_.boundary_top;
    p.medium = medium_.view();
    if (has_sponge_) p.sponge_x = sponge_x_.view(), p.sponge_y = sponge_y_.view();
    p.sources.count = static_cast<int>(sources_.size());
    for (int s = 0; s < p.sources.count; ++s)
      for (int k = 0; k < steps; ++k)
        p.sources.holds[s][k] =
            wave_source_hold<Real>(sources_[static_cast<std::size_t>(s)], shape(), time_at(steps_ + k + 1));
    return p;
  }

  // Steps that one pass of this kernel can take here.
  int most_steps(std::size_t kernel) const {
    if (backend().is_cuda()) return std::min(cuda_steps_[kernel], max_wave_steps_per_pass);
    return wave_kernels[kernel] == WaveKernel::temporal ? cpu_steps_ : 1;
  }
  // The kernels that `auto` tries: all that are made for this backend but the source's, which
  // are there to be looked at.
  std::span<const std::size_t> candidates() const {
    static const auto places = [](std::vector<WaveKernel> kernels) {
      std::vector<std::size_t> list;
      for (const WaveKernel kernel : kernels) list.push_back(index_of(kernel));
      return list;
    };
    static const std::vector<std::size_t> on_cuda =
        places({WaveKernel::temporal, WaveKernel::vectorised, WaveKernel::fused});
    static const std::vector<std::size_t> on_cpu = places({WaveKernel::temporal, WaveKernel::fused});
    return backend().is_cuda() ? on_cuda : on_cpu;
  }
  static std::size_t index_of(WaveKernel kernel) {
    return static_cast<std::size_t>(std::find(wave_kernels.begin(), wave_kernels.end(), kernel) - wave_kernels.begin());
  }
  // What a step's time depends on.
  std::string kind_of_work() const {
    const WavePass<Real> p = make_pass(0);
    std::string kind = sizeof(Real) == 8 ? "fp64 " : "fp32 ";
    kind += std::to_string(width_) + "x" + std::to_string(height_);
    if (!medium_.empty()) kind += " map";
    if (has_sponge_) kind += " sponge";
    if (p.has_absorbing()) kind += " absorbing";
    if (!sources_.empty()) kind += " sources";
    return kind;
  }
  AutoKernel::Work work() const { return {kind_of_work(), candidates()}; }
  std::size_t kernel_meant(const std::string& id) const {
    return id == "auto" ? auto_kernel_.best(work()) : kernel_index(info(), id);
  }

  void take_steps(std::int64_t count, std::size_t kernel) {
    const std::int64_t end = steps_ + count;
    while (steps_ < end) {
      backend().stop_point();
      fall_rain(steps_);
      // As many steps as one pass can take, up to the next drop.
      std::int64_t group = 1;
      const std::int64_t most = std::min<std::int64_t>(end - steps_, max_wave_steps_per_pass);
      while (group < most && drops_at(steps_ + group) == 0) ++group;
      for (std::int64_t left = group; left > 0;) {
        const int taken = pass(static_cast<int>(left), kernel);
        steps_ += taken;
        left -= taken;
      }
    }
  }

  // Takes up to `steps` steps with one pass over memory; returns how many.
  int pass(int steps, std::size_t kernel) {
    const WavePass<Real> p = make_pass(steps);
    // A single step has nothing to gain from a sweep made for many: the rest of a group goes the plain way.
    if (steps == 1 && kernel_ == "auto" && backend().is_cuda() && wave_kernels[kernel] == WaveKernel::temporal)
      kernel = index_of(WaveKernel::vectorised);
    const int taken = std::min(steps, std::max(1, most_steps(kernel)));
    if (backend().is_cuda()) {
      const WaveLevels<Real> levels{u_.view(), u_previous_.view(), spare_.view(), spare_previous_.view()};
      if (wave_run_kernel(backend(), wave_kernels[kernel], p, levels, taken))
        u_.swap(spare_), u_previous_.swap(spare_previous_);
      else
        u_.swap(u_previous_);
      return taken;
    }
    wave_cpu_steps(backend(), p, u_.view(), u_previous_.view(), taken);
    if (taken % 2 == 1) u_.swap(u_previous_);
    return taken;
  }

  // How many drops fall between step `step` and the next: decided by (seed, step) alone.
  int drops_at(std::int64_t step) {
    if (parameters_.rain_rate <= 0) return 0;
    if (drop_cache_.step != step) {
      drop_cache_.step = step;
      drop_cache_.random = philox(seed_, 0, static_cast<std::uint64_t>(step));
    }
    const double expected = parameters_.rain_rate * parameters_.time_step, whole_drops = std::floor(expected);
    const bool one_more = uniform_float(drop_cache_.random.v[0]) < expected - whole_drops;
    return static_cast<int>(whole_drops) + (one_more ? 1 : 0);
  }
  void fall_rain(std::int64_t step) {
    const int drops = drops_at(step);
    for (int d = 0; d < drops; ++d) {
      const Random4 r = philox(seed_, 1 + static_cast<std::uint64_t>(d), static_cast<std::uint64_t>(step));
      const double strength = 0.5 + 0.5 * uniform_float(r.v[2]);
      add_droplet(uniform_float(r.v[0]), uniform_float(r.v[1]), parameters_.droplet_radius,
                  parameters_.droplet_amplitude * strength);
    }
  }

  void add_droplet(double x, double y, double radius, double amplitude) {
    const double cells = radius / parameters_.cell_size;
    WaveAddDroplet<Real> body{};
    body.u = u_.view(), body.medium = medium_.view();
    body.center_i = cell(x, width_), body.center_j = cell(y, height_);
    body.reach = static_cast<int>(std::min(std::ceil(2 * cells - 1e-9), 4.0 * wave_largest_side));
    body.wrap_x = wave_is_periodic(parameters_.boundary_left),
    body.wrap_y = wave_is_periodic(parameters_.boundary_bottom);
    body.radius = static_cast<Real>(cells), body.amplitude = static_cast<Real>(amplitude);
    // The patch, cut to the tank; where it may wrap, it covers no cell twice.
    const auto cut = [&](int center, int count, bool wrap, int& first) {
      first = center - body.reach;
      int size = 2 * body.reach + 1;
      if (wrap && center >= 0 && center < count) {
        if (size > count) first = center - count / 2, size = count;
        return size;
      }
      const int last = std::min(center + body.reach, count - 1);
      first = std::max(first, 0);
      return last - first + 1;
    };
    body.wrap_x = body.wrap_x && body.center_i >= 0 && body.center_i < width_;
    body.wrap_y = body.wrap_y && body.center_j >= 0 && body.center_j < height_;
    Range2D patch;
    patch.width = cut(body.center_i, width_, body.wrap_x, body.first_i);
    patch.height = cut(body.center_j, height_, body.wrap_y, body.first_j);
    if (patch.width > 0 && patch.height > 0) parallel_for(backend(), "wave.droplet", patch, body);
  }

  void need_medium() {
    if (!medium_.empty()) return;
    Field<Real> medium(backend(), width_, height_, "walls and speed map");
    parallel_for(backend(), "wave.set_medium", whole(), WaveSetMedium<Real>{medium.view(), false, false});
    medium_ = std::move(medium);
  }
  // After any change: what the gauge, the files and the drawing must know. A field that says nothing is given back.
  void measure_medium() {
    slowest_ = fastest_ = 1;
    medium_spectrum_ = 0;
    has_walls_ = speed_is_painted_ = false;
    if (medium_.empty()) return;
    if (!medium_sums_) medium_sums_.emplace(backend());
    medium_sums_->start("wave.medium_sums", whole(), WaveMediumSum<Real>{medium_.view()});
    medium_sums_->wait();
    const WaveMediumSums sums = medium_sums_->result();
    slowest_ = sums.slowest, fastest_ = sums.fastest;
    has_walls_ = sums.walls > 0, speed_is_painted_ = sums.altered > 0;
    if (!has_walls_ && !speed_is_painted_) medium_ = {};
  }
  void clear_medium(bool keep_walls, bool keep_speed) {
    if (medium_.empty()) return;
    parallel_for(backend(), "wave.set_medium", whole(), WaveSetMedium<Real>{medium_.view(), keep_walls, keep_speed});
    measure_medium();
  }

  // The cells that a shape can hold: a box of the tank.
  struct Box {
    int i, j;
    Range2D size;
  };
  Box box_of(const WaveShape& s) const {
    if (s.outside || s.kind == WaveShape::Kind::everywhere) return {0, 0, whole()};
    float left = std::min(s.x0, s.x1) - s.radius, right = std::max(s.x0, s.x1) + s.radius;
    float low = std::min(s.y0, s.y1) - s.radius, high = std::max(s.y0, s.y1) + s.radius;
    if (s.kind == WaveShape::Kind::ellipse)
      left = s.x0 - s.x1, right = s.x0 + s.x1, low = s.y0 - s.y1, high = s.y0 + s.y1;
    const auto index = [](float at, int count) {
      return static_cast<int>(std::clamp(std::floor(at), 0.f, static_cast<float>(count)));
    };
    const int i0 = index(left - 1, width_), i1 = index(right + 2, width_);
    const int j0 = index(low - 1, height_), j1 = index(high + 2, height_);
    return {i0, j0, {i1 - i0, j1 - j0}};
  }
  void paint_wall(const Action& action) {
    const bool erase = action.get("erase", 0) != 0;
    if (erase && medium_.empty()) return;
    const WaveShape region = wave_action_shape(action, width_, height_, parameters_.cell_size);
    const Box box = box_of(region);
    need_medium();
    parallel_for(backend(), "wave.paint_wall", box.size,
                 WavePaintWall<Real>{medium_.view(), u_.view(), u_previous_.view(), region, erase, box.i, box.j});
    measure_medium();
  }
  void paint_speed(const Action& action) {
    const WaveShape region = wave_action_shape(action, width_, height_, parameters_.cell_size);
    const Box box = box_of(region);
    WavePaintSpeed<Real> body{};
    body.shape = region, body.first_i = box.i, body.first_j = box.j;
    if (action.kind == "speed-gradient") {
      const CellPlaces at(action, width_, height_);
      body.x0 = at.x("x0"), body.y0 = at.y("y0"), body.x1 = at.x("x1"), body.y1 = at.y("y1");
      body.from = static_cast<float>(action.get("from", 1)), body.to = static_cast<float>(action.get("to", 0.4));
    } else {
      body.from = body.to = static_cast<float>(action.get("factor", 0.6));
    }
    if (medium_.empty() && body.from == 1.f && body.to == 1.f) return;
    need_medium();
    body.medium = medium_.view();
    parallel_for(backend(), "wave.paint_speed", box.size, body);
    measure_medium();
  }

  // The picture's mean over the area of cell (i, j), when it is stretched over the tank.
  double image_at(const GreyImage& image, int i, int j) const {
    const double across = static_cast<double>(image.width) / width_,
                 along = static_cast<double>(image.height) / height_;
    const int nx = std::max(1, static_cast<int>(std::ceil(across))),
              ny = std::max(1, static_cast<int>(std::ceil(along)));
    const auto pixel = [&](int x, int y) {
      return static_cast<double>(image.values[static_cast<std::size_t>(clamp_index(y, image.height)) * image.width +
                                              clamp_index(x, image.width)]);
    };
    double sum = 0;
    for (int b = 0; b < ny; ++b)
      for (int a = 0; a < nx; ++a) {
        const double x = (i + (a + 0.5) / nx) * across - 0.5, y = (j + (b + 0.5) / ny) * along - 0.5;
        const int x0 = static_cast<int>(std::floor(x)), y0 = static_cast<int>(std::floor(y));
        const double s = x - x0, t = y - y0;
        sum += (1 - t) * ((1 - s) * pixel(x0, y0) + s * pixel(x0 + 1, y0)) +
               t * ((1 - s) * pixel(x0, y0 + 1) + s * pixel(x0 + 1, y0 + 1));
      }
    return sum / (nx * ny);
  }
  void paint_image(const Action& action) {
    const GreyImage& image = *action.image;
    const bool walls = action.kind == "wall-image", invert = action.get("invert", 0) != 0;
    const double threshold = action.get("threshold", 0.5), from = action.get("from", 0.4), to = action.get("to", 1);
    std::vector<Real> medium(static_cast<std::size_t>(width_) * height_, Real(1));
    if (!medium_.empty()) medium = medium_.download();
    for (int j = 0; j < height_; ++j)
      for (int i = 0; i < width_; ++i) {
        Real& m = medium[static_cast<std::size_t>(j) * width_ + i];
        const double value = image_at(image, i, j);
        if (walls) {
          if (invert ? value > threshold : value < threshold) m = -std::abs(m);
        } else {
          m = std::copysign(static_cast<Real>(from + (to - from) * value), m);
        }
      }
    need_medium();
    medium_.upload(medium);
    if (walls)
      parallel_for(backend(), "wave.calm_walls", whole(),
                   WaveCalmWalls<Real>{medium_.view(), u_.view(), u_previous_.view()});
    measure_medium();
  }

  [[noreturn]] static void refuse_source() {
    throw InputError("There can be at most " + std::to_string(max_wave_sources) +
                     " sources: remove one first (right button of the oscillator tool, or remove-source).");
  }
  void add_source(const Action& action) {
    if (sources_.size() >= max_wave_sources) refuse_source();
    WaveSource s;
    const bool line = action.kind == "line-source";
    s.x0 = action.get(line ? "x0" : "x", 0.5), s.y0 = action.get(line ? "y0" : "y", 0.5);
    s.x1 = line ? action.get("x1", s.x0) : s.x0, s.y1 = line ? action.get("y1", s.y0) : s.y0;
    if (!line && !(s.x0 >= 0 && s.x0 < 1 && s.y0 >= 0 && s.y0 < 1))
      throw InputError("An oscillator must lie in the tank: x and y from 0 to 1.");
    s.frequency = action.get("frequency", 0.05), s.amplitude = action.get("amplitude", 0.1),
    s.phase = action.get("phase", 0);
    s.radius = line ? 0 : action.get("radius", 2);
    s.velocity_x = action.get("vx", 0), s.velocity_y = action.get("vy", 0);
    s.start = time();
    sources_.push_back(s);
  }
  void remove_source(double x, double y, double reach) {
    const auto distance = [&](const WaveSource& s) {
      const WaveSourcePlace at = wave_source_place(s, shape(), time());
      const double dx = (at.x1 - at.x0) * width_, dy = (at.y1 - at.y0) * height_, length2 = dx * dx + dy * dy;
      const double px = (x - at.x0) * width_, py = (y - at.y0) * height_;
      const double t = length2 > 0 ? std::clamp((px * dx + py * dy) / length2, 0.0, 1.0) : 0;
      return std::hypot(px - t * dx, py - t * dy) * parameters_.cell_size - s.radius;
    };
    const auto nearest =
        std::min_element(sources_.begin(), sources_.end(),
                         [&](const WaveSource& a, const WaveSource& b) { return distance(a) < distance(b); });
    if (nearest == sources_.end() || distance(*nearest) > reach)
      throw InputError("There is no source here: click on the ring or the line that marks one.");
    sources_.erase(nearest);
  }

  // A standing mode along one axis: its values, and the phase kx·dx by which it goes on from cell to cell.
  static std::vector<double> mode_profile(int count, int number, WaveBoundary low, WaveBoundary high, double& phase) {
    constexpr double pi = std::numbers::pi;
    if (low == WaveBoundary::absorbing || high == WaveBoundary::absorbing)
      throw InputError("A standing mode needs sides that turn waves back: an absorbing side lets them leave.");
    std::vector<double> values(static_cast<std::size_t>(count));
    const bool low_fixed = low == WaveBoundary::fixed, high_fixed = high == WaveBoundary::fixed;
    const auto fill = [&](auto&& value) {
      for (int i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = value(i);
    };
    if (wave_is_periodic(low)) {
      phase = 2 * pi * number / count;
      fill([&](int i) { return std::cos(phase * i); });
    } else if (low_fixed && high_fixed) {  // the zero lines lie one cell outside
      phase = pi * number / (count + 1);
      fill([&](int i) { return std::sin(phase * (i + 1)); });
    } else if (!low_fixed && !high_fixed) {  // the crests lie on the outermost faces
      phase = pi * number / count;
      fill([&](int i) { return std::cos(phase * (i + 0.5)); });
    } else {
      phase = pi * (number - 0.5) / (count + 0.5);
      fill([&](int i) { return std::sin(phase * (low_fixed ? i + 1 : count - i)); });
    }
    return values;
  }
  void add_mode(const Action& action) {
    const int m = static_cast<int>(action.get("m", 1)), n = static_cast<int>(action.get("n", 1));
    double phase_x = 0, phase_y = 0;
    std::vector<double> x = mode_profile(width_, m, parameters_.boundary_left, parameters_.boundary_right, phase_x);
    const std::vector<double> y =
        mode_profile(height_, n, parameters_.boundary_bottom, parameters_.boundary_top, phase_y);
    const double amplitude = action.get("amplitude", 0.5);
    for (double& value : x) value *= amplitude;
    // The level before, such that the level after is the same: the mode is at rest now. For a mode L u = -4 S u with
    // S = sin²(kx dx/2) + sin²(ky dx/2), and the scheme with u(t+1) = u(t-1) gives u(t-1)/u(t).
    const double courant1 = parameters_.wave_speed * parameters_.time_step / parameters_.cell_size;
    const bool one_sided = parameters_.damping_form == WaveDamping::one_sided;
    const double s = std::pow(std::sin(phase_x / 2), 2) + std::pow(std::sin(phase_y / 2), 2);
    const double previous =
        1 - 4 * courant1 * courant1 * s / (2 - (one_sided ? parameters_.damping * parameters_.time_step : 0));
    Array<double> x_there(backend(), x.size(), "mode"), y_there(backend(), y.size(), "mode");
    x_there.upload(x), y_there.upload(y);
    parallel_for(
        backend(), "wave.mode", whole(),
        WaveAddMode<Real>{u_.view(), u_previous_.view(), medium_.view(), x_there.view(), y_there.view(), previous});
    backend().synchronize();  // the profiles are given back here
  }

  // The height along the middle row of the last measured state, in no more points than a plot can show.
  Curve profile() const {
    Curve curve;
    curve.id = "profile", curve.label = "Height along the middle";
    curve.x_label = "x", curve.x_unit = "length", curve.y_label = "u", curve.y_unit = "height";
    constexpr int most_points = 1024;
    const int stride = (width_ + most_points - 1) / most_points;
    for (int i = 0; i < width_; i += stride)
      curve.points.push_back(
          {(i + 0.5) * parameters_.cell_size, static_cast<double>(profile_values_[static_cast<std::size_t>(i)])});
    return curve;
  }

  Diagnostics describe(const Measured& measured, const ViewSettings& view) const {
    const WaveSums& sums = measured.sums;
    const double cells = static_cast<double>(width_) * height_;
    const double low = std::min<double>(sums.low, sums.high), high = std::max<double>(sums.low, sums.high);
    const double per_dt = 1 / measured.time_step, rate = parameters_.wave_speed / parameters_.cell_size;
    Diagnostics d;
    d.step = measured.step, d.time = measured.time;
    const bool no_water = sums.low > sums.high;  // walls everywhere
    d.scalars = {
        {"max_height", "Highest |u|", "height", no_water ? 0 : std::max(std::abs(low), std::abs(high))},
        {"mean_height", "Mean height", "height", sums.sum / cells},
        {"rms_height", "RMS height", "height", std::sqrt(sums.squares / cells)},
        {"energy", "Energy", "height²/time²", sums.kinetic * per_dt * per_dt - rate * rate * sums.potential},
    };
    switch (shown_quantity(view.quantity)) {
      case WaveShown::height:
        d.minimum = no_water ? 0 : sums.low, d.maximum = no_water ? 0 : sums.high;
        break;
      case WaveShown::velocity:
        d.maximum = sums.fastest * per_dt, d.minimum = -d.maximum;
        break;
      case WaveShown::water:
        d.maximum = sums.steepest / parameters_.cell_size, d.minimum = -d.maximum;
        break;
      case WaveShown::speed:
        d.minimum = slowest_, d.maximum = fastest_;
        break;
    }
    d.curves = {profile()};
    if (sums.first_bad != INT64_MAX) {
      d.finite = false;
      const std::string where = "The height in column " + std::to_string(sums.first_bad % width_) + ", row " +
                                std::to_string(sums.first_bad / width_) + " is no longer a finite number at step " +
                                std::to_string(measured.step);
      if (measured.courant > courant_limit())
        d.trouble = where + ": c·dt/dx is " + number_in_words(measured.courant, 3) +
                    ", and waves are stable only up to " + number_in_words(courant_limit(), 3) +
                    ". Lower time_step to " +
                    number_in_words(0.99 * measured.time_step * courant_limit() / measured.courant, 3) + " or less.";
      else
        d.trouble = where + ". Lower time_step or the amplitude of what was added.";
    }
    return d;
  }

  int width_, height_;
  // Time counts from here: time = anchor_time + (steps - anchor_step)·dt, whatever groups the steps were taken in.
  std::int64_t anchor_step_ = 0;
  double anchor_time_ = 0;

  Field<Real> u_, u_previous_;                  // the levels t and t-1
  mutable Field<Real> spare_, spare_previous_;  // CUDA only: kernels that cannot work in place write here
  Field<Real> medium_;                          // empty until walls or a speed map are painted (wave_cell.h)
  Array<Real> sponge_x_, sponge_y_;             // damping added by the sponge
  std::vector<Real> sponge_x_values_, sponge_y_values_;
  bool has_sponge_ = false;
  double slowest_ = 1, fastest_ = 1;  // of the speed map
  // Found when it is asked for; 0: not yet. Of these sides.
  mutable double medium_spectrum_ = 0;
  mutable std::array<WaveBoundary, 4> medium_spectrum_sides_{};
  bool has_walls_ = false, speed_is_painted_ = false;
  std::vector<WaveSource> sources_;

  AutoKernel auto_kernel_;
  std::array<int, wave_kernels.size()> cuda_steps_{};
  int cpu_steps_ = 1;

  struct DropCache {
    std::int64_t step = -1;
    Random4 random{};
  } drop_cache_;

  Reduction<WaveSums> sums_;
  AsyncReadback profile_;  // the middle row
  std::vector<Real> profile_values_;
  std::optional<Reduction<WaveMediumSums>> medium_sums_;
  Measuring<Measured> measuring_;
};

}  // namespace

std::unique_ptr<Simulation> wave_create(Backend& backend, const Setup& setup) {
  const WaveParameters parameters = wave_parameters_of(setup);
  const GridSize size = wave_size_of(setup);
  require_memory(backend, wave_memory_needed(backend, setup), "A tank of " + in_words(size) + " needs",
                 "Choose a smaller size.");
  if (parameters.precision == WavePrecision::fp64)
    return std::make_unique<Wave<double>>(backend, setup, parameters, size);
  return std::make_unique<Wave<float>>(backend, setup, parameters, size);
}

}  // namespace perturb
