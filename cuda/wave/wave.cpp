#include "cuda/wave/wave.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "cuda/core/backend/loop_blocks.h"
#include "cuda/core/launch/launch_map.h"
#include "cuda/core/paint/field_image.h"
#include "cuda/core/paint/image_cells.h"
#include "cuda/core/simulation/columns.h"
#include "cuda/core/simulation/edited_pass.h"
#include "cuda/core/simulation/edited_state.h"
#include "cuda/core/simulation/field_difference.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/inspection.h"
#include "cuda/core/simulation/setup.h"
#include "cuda/core/simulation/shortest_period.h"
#include "cuda/core/simulation/simulation_of.h"
#include "cuda/core/simulation/stability.h"
#include "cuda/core/simulation/state_copy.h"
#include "cuda/wave/actions.h"
#include "cuda/wave/kernels/edited_pass.h"
#include "cuda/wave/kernels/stepper.h"
#include "cuda/wave/measure/measure.h"
#include "cuda/wave/measure/microscope.h"
#include "cuda/wave/measure/screen.h"
#include "cuda/wave/model/disturbances.h"
#include "cuda/wave/model/grid.h"
#include "cuda/wave/model/limit.h"
#include "cuda/wave/model/medium.h"
#include "cuda/wave/model/objects.h"
#include "cuda/wave/model/source.h"
#include "cuda/wave/model/sponge.h"
#include "cuda/wave/model/step_params.h"
#include "cuda/wave/model/surface.h"
#include "cuda/wave/parameters.h"
#include "cuda/wave/setup.h"
#include "cuda/wave/state/saved.h"
#include "cuda/wave/view/picture.h"

namespace perturb {
std::span<const EmbeddedFile> embedded_wave_kernel();
}

namespace perturb::wave {

namespace {

const KernelSource& source_of_kernel() {
  static const KernelSource source(embedded_wave_kernel());
  return source;
}

template <class Real>
class Wave final : public SimulationOf<Parameters>,
                   public StabilityLimit,
                   public StabilityRemedies,
                   public ObjectPlacer,
                   public FieldImageSource,
                   public EditableCell,
                   public ComparesFields,
                   public HasColumns,
                   public ShortestPeriod,
                   public Inspectable,
                   public MapsLaunch,
                   public HasLoopBlocks,
                   public CopiesMembers {
 public:
  Wave(Backend& backend, const Setup& setup, const Parameters& parameters, GridSize size)
      : SimulationOf(backend, wave_simulation(), setup, parameters),
        width_(size.width),
        height_(size.height),
        surface_(backend, width_, height_),
        medium_(backend, width_, height_),
        sponge_(backend, width_, height_),
        screen_(backend, width_, height_),
        stepper_(backend, width_, height_, parameters.stencil),
        measure_(backend, width_, height_),
        microscope_(backend),
        difference_(backend) {
    sponge_.prepare(parameters_);
    if (!setup.actions.empty()) medium_.change_together([&] { apply_all(setup.actions); });
  }

  void set_parameter(const std::string& id, double value) override {
    Parameters changed = with_changed(id, value, "the tank is running. Restart the scene");
    pair_sides_changed(changed, parameters_, partner);
    sources_.require_carried(id, changed, parameters_);
    const bool held_mean = holds_the_mean();
    sponge_.prepare(changed);
    try {
      rebuild_for(grid_of(changed));
    } catch (...) {
      sponge_.prepare(parameters_);
      throw;
    }
    if (changed.time_step != parameters_.time_step) {
      // The time and every cell's velocity are continuous.
      clock_ = {steps_, time()};
      surface_.keep_velocity(changed.time_step / parameters_.time_step);
    }
    // Modes keep their shapes only in the same tank.
    if (id.starts_with("boundary_") || id.starts_with("sponge_")) disturb();
    parameters_ = changed;
    if (held_mean && !holds_the_mean()) surface_.stop_drift();
    screen_.restart_average();
    if (!id.starts_with("droplet_")) changed_ = time();
  }

  void require_stable_with(const std::string& id, double value) override {
    if (courant() > courant_limit()) return;
    Parameters changed = parameters_;
    ParameterSet(info().parameters, &changed).set(id, value);
    const double fastest = medium_.fastest();
    const double spectrum = same_matrix(changed, parameters_) ? medium_.spectrum(make_step_params(1), surface_)
                                                              : largest_spectrum(changed.stencil) * fastest * fastest;
    require_stable(id, changed, fastest, spectrum);
  }
  void require_stable_after(const Action& action) override {
    double fastest = medium_.fastest();
    for (const char* factor : {"factor", "from", "to"})
      if (const auto given = action.numbers.find(factor); given != action.numbers.end())
        fastest = std::max(fastest, given->second);
    if (fastest > medium_.fastest() && courant() <= courant_limit())
      require_stable(action.kind, parameters_, fastest, largest_spectrum(parameters_.stencil) * fastest * fastest);
  }

  // Smaller time steps: just below the limit if the run exceeds it. The spectrum of this state is not measured, because
  // its fields may contain anything; that of uniform water is an upper bound.
  std::vector<StabilityRemedy> remedies() const override {
    const double fastest = medium_.fastest();
    const double limit =
        wave_courant_limit(parameters_, fastest, largest_spectrum(parameters_.stencil) * fastest * fastest);
    const double share = std::min(1.0, 0.98 * limit / courant());
    std::vector<StabilityRemedy> all;
    for (const double part : {1.0, 0.5, 0.25}) {
      if (share * part >= 1) continue;
      const double step = rounded(share * part * parameters_.time_step, 3);
      if (step >= find_parameter(parameter_table(), "time_step")->minimum) all.push_back({"time_step", step});
    }
    return all;
  }

  double time() const override { return time_at(steps_); }
  double domain_width() const override { return width_ * parameters_.cell_size; }
  double domain_height() const override { return height_ * parameters_.cell_size; }

  void step(std::int64_t count) override {
    if (edited_) return take_steps(count, 0);
    stepper_.run_timed(
        kernel_, count, [this] { return make_step_params(1); },
        [this](std::int64_t steps, std::size_t kernel) { take_steps(steps, kernel); });
  }
  void select_kernel(const std::string& id) override {
    if (id != "auto") stepper_.require(kernel_on_backend(id));
    kernel_ = id;
    if (!edited_) return;
    edited_.reset();
    surface_.unshare();
    medium_.unshare();
  }
  const KernelSource& kernel_source() const override { return source_of_kernel(); }
  std::string rows_class() const override {
    return std::string("perturb::wave::EditedRows<") + (sizeof(Real) == 8 ? "double" : "float") +
           (parameters_.stencil == Stencil::nine ? ", true>" : ", false>");
  }
  void use_edited_kernel(const std::string& id, std::unique_ptr<EditedKernel> kernel) override {
    surface_.share(*kernel);
    medium_.share(*kernel);
    kernel_ = id;
    edited_ = std::move(kernel);
  }
  Message choice() const override { return kernel_ == "auto" ? stepper_.text() : Message(); }
  StepCost step_cost(const std::string& kernel) const override { return stepper_.cost(kernel, make_step_params(1)); }
  LaunchShape launch_shape(const std::string& kernel) const override {
    return stepper_.launch_shape(kernel, make_step_params(1));
  }
  void set_loop_block(LoopBlock block) override { stepper_.set_loop_block(block); }
  LaunchMap launch_map() const override {
    if (!edited_) return stepper_.launch_map(kernel_, make_step_params(1));
    LaunchMap map;
    map.reason = "The launch of an edited kernel is not shown. Choose another kernel.";
    return map;
  }

  std::vector<SceneObject> objects() const override {
    std::vector<SceneObject> objects;
    for (std::size_t k = 0; k < sources_.count(); ++k) objects.push_back(source_object(sources_[k], grid(), time()));
    for (const BuiltObject& built : built_) objects.push_back(built_object(built, grid()));
    for (SceneObject& object : objects) repeat_outline(object, grid().repeating());
    std::sort(objects.begin(), objects.end(), [](const SceneObject& a, const SceneObject& b) { return a.id < b.id; });
    return objects;
  }

  std::vector<std::string> placeable() const override {
    return {"oscillator", "line-source", "slits", "lens", "region"};
  }
  Action placed(const std::string& kind, double x, double y) const override {
    return placed_object(kind, x, y, grid(), parameters_,
                         sources_.count() > 0 ? &sources_[sources_.count() - 1] : nullptr);
  }

  std::vector<Action> interpret(const Gesture& gesture) const override {
    return wave_interpret(gesture, parameters_, domain_width(), domain_height());
  }

  void paint(Pixels pixels, const Camera& camera, const ViewSettings& view, const ColorTable& table) override {
    paint_scene(paint_input(), pixels, camera, view, table);
  }
  bool describe_image(FieldImage& image, int width, int height, const Camera& camera, const ViewSettings& view,
                      const ColorTable& table) override {
    return describe_scene(paint_input(), image, width, height, camera, view, table);
  }
  std::optional<double> number_inside(double x, double y, const ViewSettings& view) override {
    return wave_value_at(paint_input(), x, y, shown_quantity(view.quantity));
  }

  // Of waves of eight cells, where they are fastest; of the sources, in front of the fastest one.
  double shortest_period() const override {
    double steps = courant() > 0 ? 8 / courant() : 8;
    const double waves = parameters_.wave_speed * medium_.slowest();
    if (const double highest = sources_.highest_frequency() * parameters_.time_step; highest > 0)
      steps = std::min(steps, (waves > 0 ? std::max(0.125, 1 - sources_.fastest() / waves) : 1) / highest);
    return steps;
  }

  Inspection inspect_inside(double x, double y) override {
    return microscope_.inspect(make_step_params(1), surface_, grid(), parameters_, grid().column(x), grid().row(y));
  }

  Diagnostics diagnostics(const ViewSettings& view, bool wait) override {
    say_if_screen_is_missing(shown_quantity(view.quantity));
    const std::function<double()> limit = [this] { return courant_limit(); };
    return measure_.update(
        make_step_params(1), surface_, medium_, screen_, {steps_, time(), parameters_.time_step, courant(), changed_},
        wait,
        {parameters_, shown_quantity(view.quantity), medium_.slowest(), medium_.fastest(), limit, sources_, grid(),
         !medium_.has_speed_map() && !medium_.has_walls(), medium_.has_speed_map(), modes_});
  }
  std::vector<Column> columns() const override {
    return {{"max_height", "height"},
            {"mean_height", "height"},
            {"rms_height", "height"},
            {"energy", "height²/time²"},
            {"mode_frequency", "1/time"},
            {"mode_frequency_theory", "1/time"},
            {"wedge_angle", "°"},
            {"wedge_angle_theory", "°"},
            {"wavelength_ahead", "length"},
            {"wavelength_ahead_theory", "length"},
            {"wavelength_behind", "length"},
            {"wavelength_behind_theory", "length"},
            {"samples", ""},
            {"first_fringe", "length"},
            {"first_fringe_theory", "length"},
            {"first_dark", "length"},
            {"first_dark_theory", "length"},
            {"fringe_spacing", "length"},
            {"fringe_spacing_theory", "length"},
            {"fringe_error", ""},
            {"fringe_spacing_far", "length"},
            {"fringe_error_far", ""},
            {"direction_before", "°"},
            {"direction_before_theory", "°"},
            {"direction_after", "°"},
            {"direction_after_theory", "°"},
            {"direction_error", "°"},
            {"focus", "length"},
            {"focus_theory", "length"}};
  }
  std::vector<Gauge> gauges() const override {
    std::vector<Gauge> gauges{courant_gauge(courant(), courant_limit())};
    const double source = sources_.fastest(), waves = parameters_.wave_speed * medium_.slowest();
    if (source > 0 && waves > 0) gauges.push_back(source_gauge(source / waves));
    if (sources_.highest_frequency() > 0) {
      gauges.push_back(period_gauge(sources_.highest_frequency() * parameters_.time_step));
      if (waves > 0) gauges.push_back(wavelength_gauge(sources_.shortest_waves(parameters_, medium_.slowest())));
      if (waves > 0 && sponge_.is_active()) gauges.push_back(sponge_gauge(sponge_.reflection(parameters_, sources_)));
    }
    return gauges;
  }

  State save() const override {
    State state = state_without_fields(width_, height_);
    surface_.save_to(state);
    medium_.save_to(state);
    screen_.save_to(state);
    save_tables_to(state);
    return state;
  }
  double difference_from(const Simulation& other) override {
    const auto* const single = dynamic_cast<const Wave<float>*>(&other);
    return difference_.between(compared(),
                               single ? single->compared() : dynamic_cast<const Wave<double>&>(other).compared());
  }
  // The state as save() returns it, with the fields in the backend's memory.
  ComparedState compared() const {
    ComparedState state{medium_.compared_fields(), state_without_fields(width_, height_)};
    state.fields.push_back({"u", surface_.u()});
    state.fields.push_back({"u_previous", surface_.u_previous()});
    if (screen_.is_active()) state.fields.push_back({"intensity", screen_.mean()});
    screen_.save_tables_to(state.others);
    save_tables_to(state.others);
    return state;
  }
  void load(const State& state) override {
    Saved<Real> saved = read_wave_state<Real>(state, {width_, height_}, parameters_.time_step);
    for (const AddedMode& mode : saved.modes)  // throws if the sides let waves leave
      standing_mode(parameters_, width_, height_, mode.m, mode.n, mode.amplitude);
    medium_.load(saved.medium, saved.painted, !saved.built.empty());
    screen_.load(saved.screen, saved.intensity, saved.apertures);
    // Nothing below can throw.
    surface_.load(saved.u, saved.u_previous);
    sources_.load(std::move(saved.sources));
    built_ = std::move(saved.built);
    clock_ = saved.clock;
    created_ = saved.created;
    changed_ = saved.changed;
    used_text_ = std::move(saved.edited_kernel);
    steps_ = state.steps;
    seed_ = state.seed;
    modes_ = std::move(saved.modes);
    is_disturbed_ = modes_.empty();
    measure_.forget(screen_);
  }

 protected:
  void act(const Action& action) override {
    constexpr auto wall = [](Wave& w, const Action& a) {
      w.medium_.paint_wall(action_shape(a, w.grid()), a.get("erase") != 0, w.surface_);
    };
    constexpr auto speed = [](Wave& w, const Action& a) {
      w.medium_.paint_speed(action_shape(a, w.grid()), action_ramp(a, w.grid()));
    };
    constexpr auto source = [](Wave& w, const Action& a) {
      w.sources_.add(a, w.created_ + 1, w.time(), w.parameters_);
      ++w.created_;
    };
    constexpr auto change_source = [](Wave& w, const Action& a) {
      w.sources_.change(a, w.named_object(a).id, w.grid(), w.time(), w.parameters_);
    };
    constexpr auto build = [](Wave& w, const Action& a) { w.build(a); };
    constexpr auto change_built = [](Wave& w, const Action& a) { w.change_built(a, w.named_object(a).id); };
    const bool held_mean = holds_the_mean();
    static constexpr ActionHandler<Wave> handlers[] = {
        {"droplet",
         [](Wave& w, const Action& a) {
           const Droplet droplet{a.get("x"), a.get("y"), a.get("radius"), a.get("amplitude")};
           w.level_out(w.surface_.add_droplet(droplet, w.grid(), w.parameters_, w.medium_.view()));
         }},
        {"wall-line", wall},
        {"wall-rectangle", wall},
        {"wall-ellipse", wall},
        {"wall-image",
         [](Wave& w, const Action& a) {
           const Grid grid = w.grid();
           const GridSize size{grid.width, grid.height};
           ImageWalls walls = walls_of_image(*a.image, a.get("threshold"), a.get("invert") != 0, size, grid.periodic_x,
                                             grid.periodic_y);
           w.medium_.paint_walls(std::move(walls.wall), grid, w.surface_);
           if (walls.loses_details) w.warning_ = w.warning_ + lost_details_text(a.file, *a.image, size);
         }},
        {"clear-walls", [](Wave& w, const Action&) { w.clear_walls(); }},
        {"speed-disc", speed},
        {"speed-line", speed},
        {"speed-rectangle", speed},
        {"speed-ellipse", speed},
        {"speed-gradient", speed},
        {"speed-image",
         [](Wave& w, const Action& a) { w.medium_.paint_speed(*a.image, a.get("from"), a.get("to"), w.grid()); }},
        {"clear-speed", [](Wave& w, const Action&) { w.clear_speed(); }},
        {"oscillator", source},
        {"line-source", source},
        {"change-oscillator", change_source},
        {"change-line-source", change_source},
        {"slits", build},
        {"lens", build},
        {"region", build},
        {"change-slits", change_built},
        {"change-lens", change_built},
        {"change-region", change_built},
        {remove_object_kind, [](Wave& w, const Action& a) { w.remove_object(w.named_object(a)); }},
        {"remove-source",
         [](Wave& w, const Action& a) {
           w.sources_.remove_nearest(a.get("x"), a.get("y"), a.get("reach"), w.grid(), w.time());
         }},
        {"remove-sources", [](Wave& w, const Action&) { w.sources_.clear(); }},
        {"mode",
         [](Wave& w, const Action& a) {
           const int m = static_cast<int>(a.get("m")), n = static_cast<int>(a.get("n"));
           w.surface_.add_mode(standing_mode(w.parameters_, w.width_, w.height_, m, n, a.get("amplitude")),
                               w.medium_.view());
           if (!w.is_disturbed_) w.modes_.push_back({m, n, a.get("amplitude"), w.time()});
         }},
        {"calm",
         [](Wave& w, const Action&) {
           w.surface_.set_zero();
           w.modes_.clear();
           w.is_disturbed_ = w.medium_.has_walls() || w.medium_.has_speed_map() || !w.sources_.empty();
         }},
        {"screen", [](Wave& w, const Action& a) { w.add_screen_at(a.get("x")); }},
        {"remove-screen",
         [](Wave& w, const Action&) {
           w.measure_.forget(w.screen_);
           w.screen_.remove();
         }},
        {"reset-intensity", [](Wave&, const Action&) {}},
    };
    const bool changes_object = action.kind.starts_with("change-");
    const std::vector<SceneObject> before = changes_object ? objects() : std::vector<SceneObject>();
    dispatch_action(handlers, *this, action);
    if (held_mean && !holds_the_mean()) surface_.stop_drift();
    // Every action except a droplet changes the waves permanently.
    if (action.kind != "droplet") screen_.restart_average();
    static constexpr std::string_view keeps_waves[] = {"droplet", "screen", "remove-screen", "reset-intensity"};
    if (std::find(std::begin(keeps_waves), std::end(keeps_waves), action.kind) == std::end(keeps_waves) &&
        !(changes_object && objects() == before))
      changed_ = time();
    static constexpr std::string_view keeps_modes[] = {"mode", "calm", "screen", "remove-screen", "reset-intensity"};
    if (std::find(std::begin(keeps_modes), std::end(keeps_modes), action.kind) == std::end(keeps_modes)) disturb();
  }

  void visit_members(MemberCopier& copy) override {
    copy(parameters_, seed_, steps_, clock_, changed_, surface_, medium_, sources_, sponge_, screen_, built_, created_,
         modes_, is_disturbed_, used_text_);
    if (copy.is_restoring()) measure_.forget(screen_);
  }

 private:
  void say_if_screen_is_missing(Shown shown) {
    const bool is_missing = shown == Shown::intensity && !screen_.is_active();
    if (is_missing && !said_screen_is_missing_)
      warning_ =
          warning_ + "The mean intensity is computed once there is a screen. Place one with the tool \"Screen\".";
    said_screen_is_missing_ = is_missing;
  }
  // The part of the saved state that is not in fields.
  void save_tables_to(State& state) const {
    sources_.save_to(state);
    save_built(built_, state);
    clock_.save_to(state);
    if (changed_ > 0) state.put<double>("changed", {1}, "time", std::vector<double>{changed_});
    save_modes(modes_, state);
    save_kernel(state, kernel_, used_text_);
    if (created_ > 0) state.put<double>("created", {1}, "", std::vector<double>{static_cast<double>(created_)});
  }
  Grid grid() const { return grid_of(parameters_); }
  Grid grid_of(const Parameters& p) const {
    return {width_, height_, p.cell_size, is_periodic(p.boundary_left), is_periodic(p.boundary_bottom)};
  }
  PaintInput<Real> paint_input() const {
    return {backend(), parameters_, grid(), surface_, medium_, sources_, screen_, time(), relief_};
  }
  // The object that the action changes or removes. Throws InputError if there is none, or if it is of another kind.
  SceneObject named_object(const Action& action) const {
    const std::vector<SceneObject> all = objects();
    const SceneObject& object = object_of(action, all);
    if (action.kind != remove_object_kind && action.kind != change_kind_of(object.kind))
      throw InputError("Object {} is not changed by \"{}\". Use \"{}\".", object.id, action.kind,
                       change_kind_of(object.kind));
    return object;
  }
  void remove_object(const SceneObject& object) {
    if (sources_.remove(object.id)) return;
    std::vector<BuiltObject> objects = built_;
    const auto found = find_built(objects, object.id);
    const Shape shape = overlay_of(*found, grid()).shape;
    objects.erase(found);
    rebuild(std::move(objects), {shape});
  }
  void build(const Action& action) {
    if (built_.size() >= max_overlays)
      throw InputError(
          "Cannot place another object: at most {} slits, lenses and regions are allowed. Remove one first.",
          max_overlays);
    std::vector<BuiltObject> objects = built_;
    objects.push_back({created_ + 1, action.kind, action.numbers});
    const bool merges = are_merged(objects.back());
    const Shape shape = overlay_of(objects.back(), grid()).shape;
    rebuild(std::move(objects), {shape});
    ++created_;
    if (merges) warn_of_merged_slits();
  }
  void change_built(const Action& action, int id) {
    std::vector<BuiltObject> objects = built_;
    BuiltObject& object = *find_built(objects, id);
    const Shape before = overlay_of(object, grid()).shape;
    const bool were_merged = are_merged(object);
    for (auto& [number, value] : object.numbers)
      if (const auto given = action.numbers.find(number); given != action.numbers.end()) value = given->second;
    const Shape after = overlay_of(object, grid()).shape;
    const bool merges = are_merged(object) && !were_merged;
    rebuild(std::move(objects), {before, after});
    if (merges) warn_of_merged_slits();
  }
  void warn_of_merged_slits() {
    warning_ = warning_ + "The slits have merged into one opening. Make their width smaller than their distance.";
  }
  static std::vector<BuiltObject>::iterator find_built(std::vector<BuiltObject>& objects, int id) {
    return std::find_if(objects.begin(), objects.end(), [&](const BuiltObject& object) { return object.id == id; });
  }
  // Replaces the objects of the medium; `regions`: where they differ.
  void rebuild(std::vector<BuiltObject> objects, const std::vector<Shape>& regions) {
    medium_.compose(overlays_of(objects, grid()), regions, surface_);
    built_ = std::move(objects);
  }
  // The objects of the medium keep their lengths when cells get another size, and reach round a side as soon as it
  // repeats.
  void rebuild_for(const Grid& changed) {
    if (built_.empty() || changed == grid()) return;
    std::vector<Shape> regions;
    for (const Grid& tank : {grid(), changed})
      for (const Overlay& overlay : overlays_of(built_, tank)) regions.push_back(overlay.shape);
    medium_.compose(overlays_of(built_, changed), regions, surface_);
  }
  void clear_walls() {
    medium_.clear_walls();
    std::erase_if(built_, [](const BuiltObject& object) { return object.kind == "slits"; });
    if (built_.empty()) medium_.drop_painted();
  }
  void clear_speed() {
    medium_.clear_speed();
    std::erase_if(built_, [](const BuiltObject& object) { return object.kind != "slits"; });
    if (built_.empty()) medium_.drop_painted();
  }
  double time_at(std::int64_t step) const { return clock_.time_at(step, parameters_.time_step); }

  // The largest c·dt/dx in the tank, and its limit.
  double courant() const {
    return parameters_.wave_speed * medium_.fastest() * parameters_.time_step / parameters_.cell_size;
  }
  double courant_limit() const {
    return wave_courant_limit(parameters_, medium_.fastest(), medium_.spectrum(make_step_params(1), surface_));
  }

  // Step parameters for a pass of `steps` >= 1 steps from here. The sources are set for these steps alone.
  StepParams<Real> make_step_params(int steps) const {
    StepParams<Real> params = step_params_of<Real>(parameters_, width_, height_);
    params.medium = medium_.view();
    sponge_.add_to(params);
    held_now(steps).add_to(params.sources);
    return params;
  }
  // Where the sources hold the surface in the next steps.
  HeldCells<Real> held_now(int steps) const {
    return sources_.held<Real>(grid(), steps, [this](int level) { return time_at(steps_ + level + 1); });
  }

  // The number of steps, up to `max_steps`, in which the same sources are active.
  std::int64_t steps_to_end_of_train(std::int64_t max_steps) const {
    const std::size_t active = sources_.active(time_at(steps_ + 1));
    std::int64_t steps = max_steps;
    while (steps > 1 && sources_.active(time_at(steps_ + steps)) != active) --steps;
    return steps;
  }

  // Drops fall between steps, so a multi-step pass ends where the next drop falls. It also ends where a train of waves
  // does.
  void take_steps(std::int64_t count, std::size_t kernel) {
    const std::int64_t end = steps_ + count;
    if (screen_.is_active()) screen_.prepare(medium_, sources_, grid(), parameters_.wave_speed, time());
    while (steps_ < end) {
      backend().stop_point();
      fall_rain();
      std::int64_t group = 1;
      std::int64_t max_steps = std::min<std::int64_t>(end - steps_, max_wave_steps_per_pass);
      if (screen_.is_active()) max_steps = std::min(max_steps, screen_.steps_to_sample(steps_));
      const bool has_trains = sources_.has_trains(), held_mean = has_trains && holds_the_mean();
      if (has_trains) max_steps = std::min(max_steps, steps_to_end_of_train(max_steps));
      while (group < max_steps && drops_at(parameters_, seed_, steps_ + group) == 0) ++group;
      // More copies of sources than a pass has room for are held after each step.
      const bool are_many = sources_.may_need_more_room(grid()) && held_now(static_cast<int>(group)).needs_more_room();
      while (group > 0) {
        const int steps = are_many ? 1 : static_cast<int>(group);
        const HeldCells<Real> held = are_many ? held_now(1) : HeldCells<Real>();
        if (edited_) medium_.share(*edited_);
        const int taken = edited_ ? edited_pass(backend(), *edited_, make_step_params(steps), surface_, steps)
                                  : stepper_.pass(make_step_params(steps), surface_, steps, kernel);
        if (are_many) surface_.hold(held);
        steps_ += taken;
        group -= taken;
        if (edited_) used_text_ = edited_text(kernel_);
      }
      if (held_mean && !holds_the_mean()) surface_.stop_drift();
      if (screen_.is_active() && steps_ % steps_per_sample == 0) screen_.sample(surface_.u(), time());
    }
  }
  void add_screen_at(double x) {
    measure_.forget(screen_);
    screen_.place(x);
  }
  void fall_rain() {
    const int drops = drops_at(parameters_, seed_, steps_);
    if (drops > 0) disturb();
    double added = 0;
    for (int d = 0; d < drops; ++d)
      added += surface_.add_droplet(rain_drop(parameters_, seed_, steps_, d), grid(), parameters_, medium_.view());
    level_out(added);
  }
  // Something other than standing modes moves in the tank.
  void disturb() {
    modes_.clear();
    is_disturbed_ = true;
  }
  // A fixed side brings the mean height back to zero. Without one, the mean would keep drifting at the velocity that a
  // droplet gives it, since a uniform height exerts no force. In that case the mean height that droplets add, `added`,
  // is subtracted from all cells. This changes only the mean: between free and periodic sides, u + a + b t solves the
  // scheme if u does.
  void level_out(double added) {
    const auto fixed = [](Boundary side) { return side == Boundary::fixed; };
    const Parameters& p = parameters_;
    if (added == 0 || fixed(p.boundary_left) || fixed(p.boundary_right) || fixed(p.boundary_bottom) ||
        fixed(p.boundary_top))
      return;
    surface_.raise(-added, medium_.view());
  }
  // Whether something determines the mean height: a fixed or absorbing side, a wall, a source. When the last of them is
  // removed, the current mean velocity would persist.
  bool holds_the_mean() const {
    const auto acts = [](Boundary side) { return side == Boundary::fixed || side == Boundary::absorbing; };
    const Parameters& p = parameters_;
    return acts(p.boundary_left) || acts(p.boundary_right) || acts(p.boundary_bottom) || acts(p.boundary_top) ||
           medium_.has_walls() || sources_.active(time_at(steps_ + 1)) > 0;
  }

  int width_, height_;
  Clock clock_;
  double changed_ = 0;  // time of the last change that the waves must follow
  Surface<Real> surface_;
  Medium<Real> medium_;
  Sponge<Real> sponge_;
  Sources sources_;
  std::vector<BuiltObject> built_;
  int created_ = 0;               // objects since the start
  std::vector<AddedMode> modes_;  // all that moves in the tank, unless it is disturbed
  bool is_disturbed_ = false;
  Screen<Real> screen_;
  bool said_screen_is_missing_ = false;
  mutable ReliefBuffers relief_;  // for painting
  Stepper<Real> stepper_;
  std::unique_ptr<EditedKernel> edited_;  // takes the steps instead; null: none
  std::string used_text_;                 // of the edited kernel that took the last steps with one; saved
  Measure<Real> measure_;
  Microscope<Real> microscope_;
  FieldDifference difference_;
};

}  // namespace

std::unique_ptr<Simulation> create(Backend& backend, const Setup& setup) {
  const Parameters parameters = parameters_of(setup);
  const GridSize size = wave_size_of(setup);
  require_memory(backend, memory_needed(backend, setup),
                 Message("A tank of {} x {} cells needs", size.width, size.height), "Choose a smaller size.");
  if (parameters.precision == Precision::fp64) return std::make_unique<Wave<double>>(backend, setup, parameters, size);
  return std::make_unique<Wave<float>>(backend, setup, parameters, size);
}

}  // namespace perturb::wave
