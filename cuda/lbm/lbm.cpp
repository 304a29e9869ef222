#include "cuda/lbm/lbm.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <span>

#include "cuda/core/kernel_choice.h"
#include "cuda/core/measuring.h"
#include "cuda/core/parallel_for.h"
#include "cuda/core/places.h"
#include "cuda/core/reduce.h"
#include "cuda/core/shown.h"
#include "cuda/core/simulation_of.h"
#include "cuda/core/words.h"
#include "cuda/lbm/lbm_actions.h"
#include "cuda/lbm/lbm_dye_limit.h"
#include "cuda/lbm/lbm_edit.h"
#include "cuda/lbm/lbm_history.h"
#include "cuda/lbm/lbm_kernels.h"
#include "cuda/lbm/lbm_paint.h"
#include "cuda/lbm/lbm_params.h"
#include "cuda/lbm/lbm_planes.h"
#include "cuda/lbm/lbm_report.h"
#include "cuda/lbm/lbm_saved.h"
#include "cuda/lbm/lbm_setup.h"
#include "cuda/lbm/lbm_stability.h"
#include "cuda/lbm/lbm_sums.h"
#include "cuda/lbm/lbm_tables.h"
#include "cuda/lbm/lbm_walls.h"

namespace perturb {

namespace {

constexpr int dye_interval = 6;  // steps: at speeds far below 1 the dye moves less than two cells between two updates
constexpr float fastest_push = 0.25f;  // cells a step
// Over the cells from side to side, the share of its density's distance from 1 that an outlet takes away in a step: the
// mean pressure comes back within some crossings of sound, and waves that are much shorter do not notice.
constexpr double outlet_pull = 0.58;
constexpr double most_cell_reynolds = 60;  // beyond, walls and layers have been seen to blow up
constexpr double fast = 0.3;               // peak speed beyond which the low-Mach model no longer holds: Mach 0.5

// In the order of info().kernels.
constexpr std::array<LbmKernel, 6> lbm_kernels{LbmKernel::fused, LbmKernel::unsplit,  LbmKernel::split,
                                               LbmKernel::half,  LbmKernel::in_place, LbmKernel::temporal};
constexpr std::size_t fused_index = 0, half_index = 3, temporal_index = 5;

class Lbm final : public SimulationOf<LbmParameters> {
 public:
  Lbm(Backend& backend, const Setup& setup, const LbmParameters& parameters, GridSize size)
      : SimulationOf(backend, lbm_simulation(), setup, parameters),
        width_(size.width),
        height_(size.height),
        auto_kernel_(backend, lbm_simulation()),
        sums_(backend) {
    if (parameters_.storage == LbmStorage::fp16) {
      half_now_ = half_planes(), half_next_ = half_planes();
    } else {
      now_ = full_planes(), next_ = full_planes();
    }
    mark_links({});
    for (const Action& action : setup.actions) apply(action);
  }

  void set_parameter(const std::string& id, double value) override {
    LbmParameters changed = with(id, value, "the fluid flows: start it anew");
    pair_changed(changed.boundary_left, changed.boundary_right, parameters_.boundary_left);
    pair_changed(changed.boundary_bottom, changed.boundary_top, parameters_.boundary_bottom);
    lbm_check_balance(changed);
    const LbmParameters before = std::exchange(parameters_, changed);
    if (lbm_is_periodic(before.boundary_left) == wraps_x() && lbm_is_periodic(before.boundary_bottom) == wraps_y())
      return;  // the marks know no more of a side than this
    try {
      sides_changed();
    } catch (...) {
      parameters_ = before;
      throw;
    }
  }

  double time() const override { return static_cast<double>(steps_); }

  void step(std::int64_t count) override {
    auto_kernel_.run(
        kernel_, count, [this] { return work(); },
        [this](std::int64_t steps, std::size_t kernel) { take_steps(steps, kernel); });
  }

  std::vector<Action> interpret(const Gesture& gesture) const override {
    return lbm_interpret(gesture, width_, height_);
  }

  double domain_width() const override { return width_; }
  double domain_height() const override { return height_; }

  void paint(Pixels pixels, const Camera& camera, const ViewSettings& view, const ColorTable& table) override {
    if (is_half())
      paint_from(half_now(), pixels, camera, view, table);
    else
      paint_from(now(), pixels, camera, view, table);
  }

  std::string value_inside(double x, double y, const ViewSettings& view) override {
    const int i = static_cast<int>(x * width_), j = static_cast<int>(y * height_);
    if (wall_at(i, j)) return "wall";
    double value = 0;
    const LbmShown shown = lbm_shown_quantity(view.quantity);
    const LbmMoments m = moments_at(i, j);
    const auto near = [&](int a, int b) {
      a = wraps_x() ? lbm_wrap(a, width_) : clamp_index(a, width_);
      b = wraps_y() ? lbm_wrap(b, height_) : clamp_index(b, height_);
      return wall_at(a, b) ? LbmMoments{0, 0, 0} : moments_at(a, b);
    };
    switch (shown) {
      case LbmShown::speed:
        value = std::hypot(m.ux, m.uy);
        break;
      case LbmShown::vorticity:
        value = 0.5 * ((near(i + 1, j).uy - near(i - 1, j).uy) - (near(i, j + 1).ux - near(i, j - 1).ux));
        break;
      case LbmShown::density:
        value = 1 + static_cast<double>(m.drho);
        break;
      case LbmShown::dye: {
        float dye = 0;
        if (!dye_.empty()) backend().copy_to_host(&dye, dye_.view().row(j) + i, sizeof dye);
        value = dye;
        break;
      }
      case LbmShown::velocity_x:
        value = m.ux;
        break;
      case LbmShown::velocity_y:
        value = m.uy;
        break;
    }
    return in_unit(value, info().quantities[static_cast<std::size_t>(shown)]);
  }

  Diagnostics diagnostics(const ViewSettings& view, bool wait) override {
    const auto start = [this] {
      const LbmPass p = make_pass();
      const auto [i, j] = probe_cell();
      if (is_half())
        sums_.start("lbm.sums", whole(), LbmSum<Half>{p, velocity(half_now()), i, j});
      else
        sums_.start("lbm.sums", whole(), LbmSum<float>{p, velocity(now()), i, j});
      return Measured{{}, steps_};
    };
    const auto finish = [this](Measured& measured) {
      measured.sums = sums_.result();
      remember(measured);
    };
    return describe(measuring_.look(
                        backend(), wait, start, [this] { return sums_.ready(); }, [this] { sums_.wait(); }, finish),
                    view);
  }

  std::vector<Gauge> gauges() const override {
    Gauge tau;
    tau.id = "relaxation", tau.label = "1/τ";
    tau.help =
        "The relaxation rate 1/τ, with τ = 3ν + 1/2. At 2 (τ = 1/2, no viscosity) nothing damps what the grid cannot "
        "resolve.";
    tau.value = 1 / (3 * parameters_.viscosity + 0.5), tau.limit = 2;
    // Within half a percent of no viscosity at all. What speeds a viscosity bears is the next gauge's to say.
    tau.near = 1.99;
    tau.remedy = "Raise viscosity, or choose the collision les.";
    Gauge speed;
    speed.id = "speed", speed.label = "peak speed";
    speed.help =
        "The highest speed in cells a step. The scheme is a low-Mach model: beyond 0.3 (Mach 0.5) it is wrong. At low "
        "viscosity ripples of a few cells grow in slower streams already (von Neumann's analysis of this collision), "
        "with TRT much earlier than with BGK.";
    const Measured* latest = measuring_.latest();
    speed.value = latest ? std::sqrt(static_cast<double>(latest->sums.fastest2)) : 0, speed.limit = stable_speed();
    // Mach 0.4, where the density swings by Ma²/2, eight percent; or just before ripples grow.
    speed.near = speed.limit < fast ? 0.9 * speed.limit : 0.4 / std::sqrt(3.0);
    speed.remedy = speed.limit < fast ? "Raise viscosity, choose the collision bgk or les, or lower inlet_speed, "
                                        "wall_speed or the force."
                                      : "Lower inlet_speed, wall_speed or the force.";
    Gauge shear;
    shear.id = "cell_reynolds", shear.label = "cell Reynolds";
    shear.help =
        "The Reynolds number of one cell: the largest rate of strain over the viscosity (with the eddies' of LES). "
        "Near 1 the grid resolves every layer of the flow; far above, layers are thinner than a cell.";
    shear.value = latest ? cell_reynolds(latest->sums) : 0, shear.limit = most_cell_reynolds;
    shear.near = 0.75 * most_cell_reynolds;
    shear.remedy =
        "Raise viscosity, choose the collision les or raise smagorinsky, or lower inlet_speed, wall_speed "
        "or the force.";
    std::vector<Gauge> all = {tau, speed, shear};
    // With one relaxation time an inlet bears what the stream does.
    if (has_side(LbmBoundary::inlet) && parameters_.collision == LbmCollision::trt)
      all.push_back(lbm_inlet_gauge(parameters_, mean_density(), fast));
    return all;
  }

  State save() const override {
    State s = state_without_fields(width_, height_);
    const std::size_t cells = static_cast<std::size_t>(width_) * height_, w = width_, h = height_;
    const std::vector<float> g = shifted_populations();
    std::vector<float> f(g.size()), density(cells), velocity(2 * cells);
    const std::vector<std::uint8_t> wall = wall_bytes();
    const LbmRates r = rates();
    for (std::size_t k = 0; k < cells; ++k) {
      float cell[lbm_links];
      for (int q = 0; q < lbm_links; ++q) cell[q] = g[static_cast<std::size_t>(q) * cells + k];
      for (int q = 0; q < lbm_links; ++q) f[static_cast<std::size_t>(q) * cells + k] = lbm_unshift(q, cell[q]);
      LbmMoments m{0, 0, 0};
      if (wall[k] == 0) m = lbm_moments(cell, -0.5f * r.force_x, -0.5f * r.force_y);
      density[k] = 1.f + m.drho, velocity[2 * k] = m.ux, velocity[2 * k + 1] = m.uy;
    }
    s.put("density", {h, w}, "", density);
    s.put("velocity", {h, w, 2}, "cell/step", velocity);
    s.put("wall", {h, w}, "", wall);
    s.put("populations", {lbm_links, h, w}, "", f);
    s.put("populations_shifted", {lbm_links, h, w}, "", g);
    if (probe_) s.put("probe", {2}, "", std::vector<double>{probe_->x, probe_->y});
    if (!dye_.empty()) {
      s.put("dye", {h, w}, "", dye_.download());
      std::vector<double> table;
      for (const LbmDyeSource& source : dye_sources_) table.insert(table.end(), {source.x, source.y, source.radius});
      s.put("dye_sources", {dye_sources_.size(), 3}, "", table);
    }
    return s;
  }

  void load(const State& state) override {
    LbmSaved saved = read_lbm_state(state, {width_, height_});
    Field<std::uint8_t> drawn;
    LbmWallSums sums;
    if (!saved.wall.empty()) {
      drawn = flag_field("saved walls");
      drawn.upload(saved.wall);
      sums = settle_walls(drawn);
      if (sums.fluid == 0) throw InputError("In the saved state every cell is a wall: nothing is left to flow.");
      saved.wall = drawn.download();
      const std::size_t cells = saved.wall.size();
      for (int q = 0; q < lbm_links; ++q)
        for (std::size_t k = 0; k < cells; ++k)
          if (saved.wall[k]) saved.shifted[static_cast<std::size_t>(q) * cells + k] = 0;
    }
    Field<float> new_dye, new_dye_next;
    if (!saved.dye.empty())
      new_dye = Field<float>(backend(), width_, height_, "dye"),
      new_dye_next = Field<float>(backend(), width_, height_, "dye");
    if (!saved.wall.empty()) need_links();

    // Nothing below can be refused.
    upload_shifted(saved.shifted);
    take_walls(drawn, sums);
    tell_filled(sums);
    dye_ = std::move(new_dye), dye_next_ = std::move(new_dye_next);
    if (!saved.dye.empty()) dye_.upload(saved.dye);
    dye_sources_ = std::move(saved.dye_sources);
    steps_ = state.steps, seed_ = state.seed;
    probe_.reset();
    if (saved.probe) put_probe(saved.probe->x, saved.probe->y);
    forget_measurements(), history_.clear();
  }

  void select_kernel(const std::string& id) override {
    if (id != "auto") {
      const std::size_t k = kernel_on_backend(id);
      if (parameters_.storage == LbmStorage::fp16 && k != half_index)
        throw InputError("The kernel " + id +
                         " computes on FP32 storage, and this flow is kept in FP16: set storage to fp32, or "
                         "choose the kernel half.");
    }
    prepare_storage(id == "auto" ? parameters_.storage == LbmStorage::fp16 : kernel_index(info(), id) == half_index,
                    id == "in-place");
    kernel_ = id;
  }
  std::string choice() const override { return kernel_ == "auto" ? auto_kernel_.words() : std::string(); }

  StepCost step_cost(const std::string& kernel) const override {
    const std::size_t k = kernel_meant(kernel);
    const int group = std::max(1, k == temporal_index ? steps_of(k, 1 << 20) : 1);
    StepCost cost;
    cost.cells = static_cast<double>(width_) * height_;
    // Every population is read and written once a pass, and a byte of marks with it.
    const double bytes = 2 * lbm_links * (k == half_index ? 2.0 : 4.0) + (links_.empty() ? 0 : 1);
    cost.bytes = cost.cells * bytes / group;
    double flops = 74;  // counted in lbm_collide: BGK and TRT are the same code
    if ((features() & lbm_forced) != 0) flops += 12;
    if ((features() & lbm_eddies) != 0) flops += 38;
    cost.flops = cost.cells * flops;
    cost.rate_unit = "cell/s";
    return cost;
  }
  LaunchShape launch_shape(const std::string& kernel) const override {
    const std::size_t k = kernel_meant(kernel);
    if (!backend().is_cuda()) return {};
    return lbm_kernel_shape(lbm_kernels[k], make_pass(), features());
  }

 protected:
  void act(const Action& action) override {
    constexpr auto wall = [](Lbm& f, const Action& a) { f.paint_wall(a); };
    constexpr auto flow = [](Lbm& f, const Action& a) { f.set_flow(a); };
    static constexpr ActionHandler<Lbm> handlers[] = {
        {"push", [](Lbm& f, const Action& a) { f.push(a); }},
        {"dye", [](Lbm& f, const Action& a) { f.drop_dye(a); }},
        {"dye-source", [](Lbm& f, const Action& a) { f.add_dye_source(a); }},
        {"clear-dye", [](Lbm& f, const Action&) { f.dye_ = {}, f.dye_next_ = {}, f.dye_sources_.clear(); }},
        {"wall-line", wall},
        {"wall-rectangle", wall},
        {"wall-disc", wall},
        {"wall-ellipse", wall},
        {"wall-airfoil", wall},
        {"wall-grains", wall},
        {"wall-image", [](Lbm& f, const Action& a) { f.paint_image(a); }},
        {"move-body", [](Lbm& f, const Action& a) { f.move_body(a); }},
        {"probe", [](Lbm& f, const Action& a) { f.put_probe(a.get("x", 0), a.get("y", 0)); }},
        {"clear-probe", [](Lbm& f, const Action&) { f.probe_.reset(); }},
        {"clear-walls", [](Lbm& f, const Action&) { f.clear_walls(); }},
        {"calm", flow},
        {"stream", flow},
        {"taylor-green", flow},
        {"shear-layer", flow},
    };
    act_by(handlers, *this, action);
  }

  bool name_members(Copier& copy) override {
    copy(parameters_, seed_, steps_, now_, half_now_, links_, painted_, body_);
    copy(dye_, dye_sources_, probe_, history_, probe_history_);
    if (!copy.is_giving()) return true;
    if (dye_.empty())
      dye_next_ = {};
    else if (dye_next_.empty())
      dye_next_ = Field<float>(backend(), width_, height_, "dye");
    bands_.known = false;
    forget_measurements();
    return true;
  }

 private:
  struct Measured {
    LbmSums sums;
    std::int64_t step = 0;
  };
  struct Probe {
    double x, y;  // fractions of the domain
  };

  void forget_measurements() { sums_.wait(), measuring_.forget(); }

  Range2D whole() const { return {width_, height_}; }
  bool wraps_x() const { return lbm_is_periodic(parameters_.boundary_left); }
  bool wraps_y() const { return lbm_is_periodic(parameters_.boundary_bottom); }
  bool is_half() const { return !half_now_.empty(); }
  LbmPlanes<float> full_planes() { return {backend(), width_, height_, "populations"}; }
  LbmPlanes<Half> half_planes() { return {backend(), width_, height_, "populations in 16 bits"}; }
  Field<std::uint8_t> flag_field(const char* label) { return {backend(), width_, height_, label}; }
  LbmPopulations<float> now() const { return now_.populations(); }
  LbmPopulations<Half> half_now() const { return half_now_.populations(); }
  LbmWalls walls() const { return painted_ ? LbmWalls{links_.view()} : LbmWalls{}; }
  template <class T>
  LbmVelocity<T> velocity(const LbmPopulations<T>& g) const {
    const LbmRates r = rates();
    return {g, walls(), 0.5f * r.force_x, 0.5f * r.force_y};
  }

  std::vector<float> shifted_populations() const {
    if (!is_half()) return now_.download();
    const std::vector<Half> stored = half_now_.download();
    std::vector<float> g(stored.size());
    for (std::size_t k = 0; k < g.size(); ++k) g[k] = lbm_read(stored[k]);
    return g;
  }
  void upload_shifted(const std::vector<float>& g) {
    if (!is_half()) {
      now_.upload(g);
      return;
    }
    std::vector<Half> stored(g.size());
    for (std::size_t k = 0; k < g.size(); ++k) lbm_write(stored[k], g[k]);
    half_now_.upload(stored);
  }

  // ---- what is stable

  double mean_density() const {
    const Measured* latest = measuring_.latest();
    if (!latest) return 1;
    return 1 + latest->sums.mass / static_cast<double>(std::max<std::int64_t>(latest->sums.fluid, 1));
  }
  // LES has no limit of its own: what grows in a uniform stream feeds the eddy viscosity that ends it.
  double stable_speed() const {
    if (parameters_.collision == LbmCollision::les) return fast;
    const double magic = parameters_.collision == LbmCollision::trt ? parameters_.magic : 0;
    return LbmStableSpeeds(LbmStableSpeeds::Where::stream, magic, fast).at(parameters_.viscosity);
  }
  double cell_reynolds(const LbmSums& sums) const {
    const double shear = std::sqrt(static_cast<double>(sums.shear2));
    const double eddies =
        parameters_.collision == LbmCollision::les ? parameters_.smagorinsky * parameters_.smagorinsky * shear : 0;
    return shear / (parameters_.viscosity + eddies);
  }

  // ---- what a pass must know

  LbmRates rates() const {
    LbmRates r;
    const double tau = 3 * parameters_.viscosity + 0.5;
    const auto plus = static_cast<float>(1 / tau);
    const float minus = parameters_.collision == LbmCollision::trt
                            ? static_cast<float>(1 / (parameters_.magic / (tau - 0.5) + 0.5))
                            : plus;  // equal: BGK
    r.relaxation = lbm_relaxation(plus, minus);
    r.force_x = static_cast<float>(parameters_.force_x), r.force_y = static_cast<float>(parameters_.force_y);
    r.tau = static_cast<float>(tau);
    r.forcing = lbm_forcing(r.tau, minus, r.force_x, r.force_y);
    r.eddy = static_cast<float>(18 * std::numbers::sqrt2 * parameters_.smagorinsky * parameters_.smagorinsky);
    return r;
  }
  int features() const {
    return (parameters_.force_x != 0 || parameters_.force_y != 0 ? lbm_forced : 0) |
           (parameters_.collision == LbmCollision::les ? lbm_eddies : 0);
  }
  LbmSide side(LbmBoundary kind, float inward_x, float inward_y) const {
    LbmSide s;
    s.kind = kind;
    if (kind == LbmBoundary::inlet) {
      const auto u = static_cast<float>(parameters_.inlet_speed);
      s.ux = inward_x * u, s.uy = inward_y * u;
      s.parabolic = parameters_.inlet_profile == LbmProfile::parabolic;
    } else if (kind == LbmBoundary::outlet) {
      s.pull = static_cast<float>(std::min(1.0, outlet_pull / (inward_x != 0 ? width_ : height_)));
    } else if (kind == LbmBoundary::moving) {
      const auto u = static_cast<float>(parameters_.wall_speed);
      (inward_x != 0 ? s.uy : s.ux) = u;
    }
    return s;
  }
  LbmPass make_pass() const {
    LbmPass p;
    p.width = width_, p.height = height_;
    p.rates = rates();
    p.left = side(parameters_.boundary_left, 1, 0), p.right = side(parameters_.boundary_right, -1, 0);
    p.bottom = side(parameters_.boundary_bottom, 0, 1), p.top = side(parameters_.boundary_top, 0, -1);
    if (!links_.empty()) p.links = links_.view();
    p.painted = painted_;
    return p;
  }
  static void pair_changed(LbmBoundary& a, LbmBoundary& b, LbmBoundary a_before) {
    if (lbm_is_periodic(a) == lbm_is_periodic(b)) return;
    if (a != a_before)
      b = lbm_partner(a);
    else
      a = lbm_partner(b);
  }

  // ---- stepping

  int steps_of(std::size_t kernel, int wanted) const {
    return lbm_kernel_steps(backend(), lbm_kernels[kernel], make_pass(), wanted);
  }
  // The kernels that `auto` tries in this storage: those that are made for speed and give the same bits.
  std::span<const std::size_t> candidates() const {
    static constexpr std::array<std::size_t, 2> full{temporal_index, fused_index};
    static constexpr std::array<std::size_t, 1> half{half_index};
    if (parameters_.storage == LbmStorage::fp16) return half;
    return full;
  }
  // What a step's time depends on: the size, the terms of a collision, and how its walls lie, for
  // which the preset stands.
  std::string kind_of_work() const {
    std::string kind = std::to_string(width_) + "x" + std::to_string(height_);
    if ((features() & lbm_forced) != 0) kind += " force";
    if ((features() & lbm_eddies) != 0) kind += " eddies";
    if (!links_.empty()) kind += " walls " + preset_;
    return kind;
  }
  AutoKernel::Work work() const { return {kind_of_work(), candidates()}; }
  std::size_t kernel_meant(const std::string& id) const {
    return id == "auto" ? auto_kernel_.best(work()) : kernel_index(info(), id);
  }

  void take_steps(std::int64_t count, std::size_t kernel) {
    const std::int64_t end = steps_ + count;
    while (steps_ < end) {
      std::int64_t group = end - steps_;
      if (!dye_.empty()) group = std::min(group, dye_interval - steps_ % dye_interval);
      while (group > 0) {
        backend().stop_point();
        const int taken = pass(static_cast<int>(std::min<std::int64_t>(group, 1 << 20)), kernel);
        steps_ += taken, group -= taken;
      }
      if (!dye_.empty() && steps_ % dye_interval == 0) carry_dye();
    }
  }

  // Takes up to `steps` steps with one pass over memory; returns how many.
  int pass(int steps, std::size_t k) {
    if (kernel_ == "auto" && k == temporal_index && steps_of(k, steps) <= 1) k = fused_index;
    const LbmPass p = make_pass();
    if (k == half_index) {
      lbm_run_half(backend(), p, half_now(), half_next_.populations(), features());
      half_now_.swap(half_next_);
      return 1;
    }
    const int taken = steps_of(k, steps);
    if (next_.empty() && lbm_kernels[k] != LbmKernel::in_place) next_ = full_planes();
    if (lbm_run_kernel(backend(), lbm_kernels[k], p, now(), next_.populations(), features(), taken, bands_))
      now_.swap(next_);
    return taken;
  }

  // The populations in the storage that a kernel needs.
  void prepare_storage(bool half, bool one_copy) {
    if (half && !is_half()) {
      LbmPlanes<Half> a = half_planes(), b = half_planes();
      parallel_for(backend(), "lbm.convert", whole(), LbmConvert<float, Half>{now(), a.populations()});
      half_now_ = std::move(a), half_next_ = std::move(b);
      now_ = {}, next_ = {};
    } else if (!half && is_half()) {
      LbmPlanes<float> a = full_planes(), b = one_copy ? LbmPlanes<float>() : full_planes();
      parallel_for(backend(), "lbm.convert", whole(), LbmConvert<Half, float>{half_now(), a.populations()});
      now_ = std::move(a), next_ = std::move(b);
      half_now_ = {}, half_next_ = {};
    } else if (!half) {
      if (one_copy)
        next_ = {};
      else if (next_.empty())
        next_ = full_planes();
    }
  }

  // ---- what is done to the flow

  // The box of cells that a stroke of this reach can touch.
  struct Box {
    int i, j;
    Range2D size;
  };
  Box box_of(const LbmSegment& s, float reach) const {
    const auto index = [](float at, int count) {
      return static_cast<int>(std::clamp(std::floor(at), 0.f, static_cast<float>(count)));
    };
    const int i0 = index(std::min(s.x0, s.x1) - reach, width_), i1 = index(std::max(s.x0, s.x1) + reach + 1, width_);
    const int j0 = index(std::min(s.y0, s.y1) - reach, height_), j1 = index(std::max(s.y0, s.y1) + reach + 1, height_);
    return {i0, j0, {i1 - i0, j1 - j0}};
  }
  LbmSegment segment_of(const Action& a) const {
    const CellPlaces at(a, width_, height_);
    return {at.x("x0"), at.y("y0"), at.x("x1"), at.y("y1")};
  }

  template <class T>
  void push_in(const LbmPopulations<T>& g, const Action& action) {
    const auto radius = static_cast<float>(action.get("radius", 12));
    const LbmSegment stroke = segment_of(action);
    const Box box = box_of(stroke, 3 * radius);
    if (box.size.width <= 0 || box.size.height <= 0) return;
    parallel_for(backend(), "lbm.push", box.size,
                 LbmPush<T>{g, velocity(g), stroke, static_cast<float>(action.get("vx", 0)),
                            static_cast<float>(action.get("vy", 0)), radius, fastest_push, box.i, box.j});
  }
  void push(const Action& action) {
    if (is_half())
      push_in(half_now(), action);
    else
      push_in(now(), action);
  }

  template <class T>
  void set_flow_in(const LbmPopulations<T>& g, const LbmFlow& flow, const Box& box) {
    if (box.size.width <= 0 || box.size.height <= 0) return;
    parallel_for(backend(), "lbm.set_flow", box.size, LbmSetFlow<T>{g, walls(), flow, box.i, box.j});
  }
  void set_flow(const Action& action) {
    constexpr double turn = 2 * std::numbers::pi;
    LbmFlow flow;
    Box box{0, 0, whole()};
    flow.speed = static_cast<float>(action.get("speed", action.kind == "shear-layer" ? 0.08 : 0.05));
    if (action.kind == "stream") {
      flow.kind = LbmFlow::Kind::uniform;
      flow.ux = static_cast<float>(action.get("vx", 0)), flow.uy = static_cast<float>(action.get("vy", 0));
      const auto cell = [](double place, int count) { return static_cast<int>(std::lround(place * count)); };
      box.i = cell(action.get("x0", 0), width_), box.j = cell(action.get("y0", 0), height_);
      box.size = {cell(action.get("x1", 1), width_) - box.i, cell(action.get("y1", 1), height_) - box.j};
    } else if (action.kind == "taylor-green") {
      flow.kind = LbmFlow::Kind::vortices;
      flow.kx = static_cast<float>(turn * action.get("m", 1) / width_),
      flow.ky = static_cast<float>(turn * action.get("n", 1) / height_);
    } else if (action.kind == "shear-layer") {
      flow.kind = LbmFlow::Kind::shear;
      flow.kx = static_cast<float>(turn / width_), flow.height = static_cast<float>(height_);
      flow.thickness = static_cast<float>(action.get("steepness", 80)),
      flow.nudge = static_cast<float>(action.get("nudge", 0.05));
    }
    if (is_half())
      set_flow_in(half_now(), flow, box);
    else
      set_flow_in(now(), flow, box);
  }

  // ---- walls

  // The walls as bytes to draw on, 1 or 0.
  Field<std::uint8_t> walls_to_draw_on() {
    Field<std::uint8_t> drawn = flag_field("walls while they change");
    if (painted_) parallel_for(backend(), "lbm.read_walls", whole(), LbmReadWalls{walls(), drawn.view()});
    return drawn;
  }
  std::vector<std::uint8_t> wall_bytes() const {
    if (!painted_) return std::vector<std::uint8_t>(static_cast<std::size_t>(width_) * height_);
    std::vector<std::uint8_t> bytes = links_.download();
    for (std::uint8_t& b : bytes) b = b == lbm_wall_mark ? 1 : 0;
    return bytes;
  }
  // Fills the holes of one cell.
  LbmWallSums settle_walls(Field<std::uint8_t>& drawn) {
    Reduction<LbmWallSums> reduction(backend());
    reduction.start("lbm.settle_walls", whole(), LbmSettleWalls{make_pass(), drawn.view()});
    reduction.wait();
    return reduction.result();
  }
  void need_links() {
    if (links_.empty()) links_ = flag_field("marked links");
  }
  void mark_links(View2D<const std::uint8_t> wall) {
    bands_.known = false;
    if (wall.empty() && !lbm_has_sides(parameters_)) {
      links_ = {};
      return;
    }
    need_links();
    parallel_for(backend(), "lbm.mark_links", whole(), LbmMarkLinks{make_pass(), wall, links_.view()});
  }
  // From now on these are the walls. They have been settled, and nothing here can be refused once there are marks.
  void take_walls(const Field<std::uint8_t>& drawn, const LbmWallSums& sums) {
    painted_ = sums.high >= 0;
    body_ = lbm_body_of(sums, width_, height_);
    mark_links(painted_ ? drawn.view() : View2D<const std::uint8_t>{});
  }
  template <class T>
  void adopt_walls(const LbmPopulations<T>& g, const Field<std::uint8_t>& drawn) {
    parallel_for(backend(), "lbm.adopt_walls", whole(),
                 LbmAdoptWalls<T>{g, velocity(g), drawn.view(), wraps_x(), wraps_y()});
  }
  // Makes these the walls of the flow. When nothing would be left to flow everything stays as it was.
  void put_walls(Field<std::uint8_t>& drawn) {
    const LbmWallSums sums = settle_walls(drawn);
    if (sums.fluid == 0) throw InputError("That would make every cell a wall: leave some fluid to flow.");
    need_links();  // before anything has changed, for it may be refused
    if (is_half())
      adopt_walls(half_now(), drawn);
    else
      adopt_walls(now(), drawn);
    take_walls(drawn, sums);
    tell_filled(sums);
  }
  void tell_filled(const LbmWallSums& sums) {
    if (sums.filled == 0) return;
    note_ += (note_.empty() ? "" : " ") +
             (sums.filled == 1 ? "A hole of one cell in the walls was filled"
                               : std::to_string(sums.filled) + " holes of one cell in the walls were filled") +
             ": no fluid can flow there.";
  }
  // `change` draws on a copy of the walls.
  template <class F>
  void change_walls(const F& change) {
    Field<std::uint8_t> drawn = walls_to_draw_on();
    change(drawn);
    put_walls(drawn);
    history_.clear();
  }
  // Where there are walls they are the same as before, but for holes that only a periodic side had kept open.
  void sides_changed() {
    if (!painted_) {
      mark_links({});
      return;
    }
    Field<std::uint8_t> drawn = walls_to_draw_on();
    put_walls(drawn);
  }
  void clear_walls() {
    if (!painted_) return;
    change_walls([](Field<std::uint8_t>& wall) { wall.fill_zero(); });
  }
  void paint_wall(const Action& action) {
    const bool erase = action.get("erase", 0) != 0;
    if (erase && !painted_) return;
    const LbmShape shape = lbm_action_shape(action, width_, height_, seed_);
    change_walls([&](Field<std::uint8_t>& wall) {
      parallel_for(backend(), "lbm.draw_wall", whole(), LbmDrawWall{wall.view(), shape, erase});
    });
  }
  void paint_image(const Action& action) {
    const GreyImage& image = *action.image;
    const bool invert = action.get("invert", 0) != 0;
    const double threshold = action.get("threshold", 0.5);
    if (image.width != width_ || image.height != height_)
      note_ = "The picture \"" + action.file + "\" has " + std::to_string(image.width) + " x " +
              std::to_string(image.height) + " pixels and the flow " + in_words({width_, height_}) +
              ": it was rescaled to fit.";
    change_walls([&](Field<std::uint8_t>& wall) {
      std::vector<std::uint8_t> values = wall.download();
      lbm_walls_from_image(image, threshold, invert, width_, height_, values);
      wall.upload(values);
    });
  }
  void move_body(const Action& action) {
    const LbmSegment s = segment_of(action);
    const int i0 = static_cast<int>(std::floor(s.x0)), j0 = static_cast<int>(std::floor(s.y0));
    const int di = static_cast<int>(std::floor(s.x1)) - i0, dj = static_cast<int>(std::floor(s.y1)) - j0;
    const bool inside = i0 >= 0 && i0 < width_ && j0 >= 0 && j0 < height_;
    if (!painted_ || !inside || !wall_at(i0, j0))
      throw InputError("There is no obstacle here: press on one, and drag it.");
    std::vector<std::uint8_t> values = wall_bytes();
    if (!lbm_move_body(values, width_, height_, i0, j0, di, dj)) return;
    change_walls([&](Field<std::uint8_t>& wall) { wall.upload(values); });
  }

  // ---- dye

  void need_dye() {
    if (!dye_.empty()) return;
    Field<float> a(backend(), width_, height_, "dye"), b(backend(), width_, height_, "dye");
    dye_ = std::move(a), dye_next_ = std::move(b);
  }
  void drop(const LbmSegment& stroke, float radius, float amount, bool hold) {
    const Box box = box_of(stroke, 3 * radius);
    if (box.size.width <= 0 || box.size.height <= 0) return;
    parallel_for(backend(), "lbm.drop_dye", box.size,
                 LbmDropDye{dye_.view(), walls(), stroke, radius, amount, hold, box.i, box.j});
  }
  void drop_dye(const Action& action) {
    need_dye();
    drop(segment_of(action), static_cast<float>(action.get("radius", 8)), static_cast<float>(action.get("amount", 1)),
         false);
  }
  [[noreturn]] static void refuse_dye_source() {
    throw InputError("There can be at most " + std::to_string(lbm_most_dye_sources) +
                     " dye sources: clear-dye takes them away.");
  }
  void add_dye_source(const Action& action) {
    if (dye_sources_.size() >= lbm_most_dye_sources) refuse_dye_source();
    need_dye();
    dye_sources_.push_back({action.get("x", 0), action.get("y", 0), action.get("radius", 0.01)});
    feed_dye();
  }
  void feed_dye() {
    for (const LbmDyeSource& s : dye_sources_) {
      const auto x = static_cast<float>(s.x * width_), y = static_cast<float>(s.y * height_);
      drop({x, y, x, y}, std::max(1.f, static_cast<float>(s.radius * height_)), 1, true);
    }
  }
  template <class T>
  void carry_dye_in(const LbmPopulations<T>& g) {
    LbmCarryDye<T> body{};
    body.velocity = velocity(g);
    body.from = dye_.view(), body.to = dye_next_.view();
    body.span = dye_interval;
    body.wrap_x = wraps_x(), body.wrap_y = wraps_y();
    const auto open = [](LbmBoundary b) { return b == LbmBoundary::inlet || b == LbmBoundary::outlet; };
    body.open_left = open(parameters_.boundary_left), body.open_right = open(parameters_.boundary_right);
    body.open_bottom = open(parameters_.boundary_bottom), body.open_top = open(parameters_.boundary_top);
    parallel_for(backend(), "lbm.carry_dye", whole(), body);
    dye_.swap(dye_next_);
  }
  void carry_dye() {
    if (is_half())
      carry_dye_in(half_now());
    else
      carry_dye_in(now());
    feed_dye();
  }

  // ---- what is seen and told

  void put_probe(double x, double y) {
    probe_ = Probe{std::clamp(x, 0., 1.), std::clamp(y, 0., 1.)};
    probe_history_.clear();
    forget_measurements();  // of another place
  }
  std::pair<int, int> probe_cell() const {
    if (!probe_) return {-1, -1};
    return {clamp_index(static_cast<int>(probe_->x * width_), width_),
            clamp_index(static_cast<int>(probe_->y * height_), height_)};
  }

  bool wall_at(int i, int j) const {
    std::uint8_t marks = 0;
    if (painted_) backend().copy_to_host(&marks, links_.view().row(j) + i, 1);
    return marks == lbm_wall_mark;
  }
  LbmMoments moments_at(int i, int j) const {
    float g[lbm_links];
    for (int q = 0; q < lbm_links; ++q) {
      if (is_half()) {
        Half h;
        backend().copy_to_host(&h, half_now().row(q, j) + i, sizeof h);
        g[q] = lbm_read(h);
      } else {
        backend().copy_to_host(&g[q], now().row(q, j) + i, sizeof(float));
      }
    }
    const LbmRates r = rates();
    return lbm_moments(g, -0.5f * r.force_x, -0.5f * r.force_y);
  }

  template <class T>
  void paint_from(const LbmPopulations<T>& g, Pixels pixels, const Camera& camera, const ViewSettings& view,
                  const ColorTable& table) {
    LbmPaint<T> body{};
    body.pixels = pixels;
    body.sampler = PixelSampler(camera.pixel_to_domain(pixels.width, pixels.height, domain_width(), domain_height()),
                                width_, height_, view.smooth);
    const LbmShown shown = lbm_shown_quantity(view.quantity);
    body.cell = {velocity(g), dye_.empty() ? View2D<const float>{} : std::as_const(dye_).view(), shown, wraps_x(),
                 wraps_y()};
    const auto [low, high] = shown_range(view, info().quantities[static_cast<std::size_t>(shown)]);
    body.scale = table.scale(low, high);
    body.arrows = parameters_.arrows;
    body.probed = probe_.has_value();
    if (probe_) body.probe = {static_cast<float>(probe_->x * width_), static_cast<float>(probe_->y * height_)};
    body.arrow_speed = static_cast<float>(std::max(reference_speed(), 1e-6));
    parallel_for(backend(), "lbm.paint", Range2D{pixels.width, pixels.height}, body);
  }

  bool has_side(LbmBoundary kind) const {
    return parameters_.boundary_left == kind || parameters_.boundary_right == kind ||
           parameters_.boundary_bottom == kind || parameters_.boundary_top == kind;
  }
  // The speed that this flow is about: for arrows, coefficients and the Reynolds number.
  double reference_speed() const {
    if (has_side(LbmBoundary::inlet) && parameters_.inlet_speed > 0) return parameters_.inlet_speed;
    if (has_side(LbmBoundary::moving) && parameters_.wall_speed != 0) return std::abs(parameters_.wall_speed);
    const Measured* latest = measuring_.latest();
    return latest ? std::sqrt(static_cast<double>(latest->sums.fastest2)) : 0.1;
  }

  void remember(const Measured& m) {
    const auto time = static_cast<double>(m.step);
    if (painted_) history_.add(time, m.sums.drag, m.sums.lift);
    if (probe_) probe_history_.add(time, m.sums.probe_ux, m.sums.probe_uy);
  }

  Diagnostics describe(const Measured& measured, const ViewSettings& view) const {
    return lbm_describe({parameters_, width_, height_, measured.step, measured.sums, reference_speed(),
                         has_side(LbmBoundary::inlet), body_, painted_ ? &history_ : nullptr,
                         probe_ ? &probe_history_ : nullptr, lbm_shown_quantity(view.quantity)});
  }

  int width_, height_;

  // Either FP32 (two copies; one while `in-place` steps) or FP16 (two copies).
  LbmPlanes<float> now_, next_;
  LbmPlanes<Half> half_now_, half_next_;
  Field<std::uint8_t> links_;    // marks; empty while every link comes from fluid
  LbmMarkedBands bands_;         // of these marks
  bool painted_ = false;         // whether any cell is a wall
  LbmBody body_;                 // what the painted walls are, for coefficients
  Field<float> dye_, dye_next_;  // empty until there is dye
  std::vector<LbmDyeSource> dye_sources_;

  AutoKernel auto_kernel_;
  Reduction<LbmSums> sums_;
  Measuring<Measured> measuring_;
  LbmHistory history_, probe_history_;
  std::optional<Probe> probe_;
};

}  // namespace

std::unique_ptr<Simulation> lbm_create(Backend& backend, const Setup& setup) {
  const LbmParameters parameters = lbm_parameters_of(setup);
  const GridSize size = lbm_size_of(setup);
  require_memory(backend, lbm_bytes_of(backend, setup), "A flow of " + in_words(size) + " needs",
                 "Choose a smaller size, or storage fp16.");
  return std::make_unique<Lbm>(backend, setup, parameters, size);
}

}  // namespace perturb
