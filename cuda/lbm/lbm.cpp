#include "cuda/lbm/lbm.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cuda/core/backend/check.h"
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
#include "cuda/lbm/actions.h"
#include "cuda/lbm/kernels/edited_pass.h"
#include "cuda/lbm/kernels/stepper.h"
#include "cuda/lbm/kernels/tables.h"
#include "cuda/lbm/measure/gauges.h"
#include "cuda/lbm/measure/measure.h"
#include "cuda/lbm/measure/microscope.h"
#include "cuda/lbm/measure/theory.h"
#include "cuda/lbm/model/dye.h"
#include "cuda/lbm/model/lattice.h"
#include "cuda/lbm/model/scheme.h"
#include "cuda/lbm/model/solids.h"
#include "cuda/lbm/model/tracers.h"
#include "cuda/lbm/model/walls.h"
#include "cuda/lbm/objects.h"
#include "cuda/lbm/parameters.h"
#include "cuda/lbm/setup.h"
#include "cuda/lbm/state/saved.h"
#include "cuda/lbm/view/picture.h"
#include "cuda/lbm/view/streamlines.h"

namespace perturb {
std::span<const EmbeddedFile> embedded_lbm_kernel();
}

namespace perturb::lbm {

namespace {

class Lbm final : public SimulationOf<Parameters>,
                  public EditableCell,
                  public StabilityRemedies,
                  public ObjectPlacer,
                  public FieldImageSource,
                  public ComparesFields,
                  public HasColumns,
                  public ShortestPeriod,
                  public Inspectable,
                  public MapsLaunch,
                  public CopiesMembers {
 public:
  Lbm(Backend& backend, const Setup& setup, const Parameters& parameters, GridSize size)
      : SimulationOf(backend, lbm_simulation(), setup, parameters),
        width_(size.width),
        height_(size.height),
        lattice_(backend, width_, height_, parameters.storage),
        solids_(backend, width_, height_),
        dye_(backend, width_, height_),
        tracers_(backend),
        stepper_(backend),
        streamlines_(backend, width_, height_),
        measure_(backend, width_, height_),
        microscope_(backend),
        difference_(backend) {
    solids_.follow_sides(parameters_, lattice_);
    lattice_.change_force(flow(), parameters_.force_x, parameters_.force_y);
    apply_all(setup.actions);
    tracers_.spread(parameters_.tracers, flow(), lattice_, seed_);
    // A viscosity that is not possible yet may be possible with the walls of a state that is loaded later.
    if (const Message why = follow_reynolds(); !why.empty()) warning_ = why;
  }

  void set_parameter(const std::string& id, double value) override {
    Parameters changed = with_changed(id, value, "the fluid is flowing. Restart the scene");
    pair_sides_changed(changed, parameters_, partner);
    check_balance(changed);
    if (id == "viscosity") changed.reynolds = 0;
    if (id == "reynolds" && changed.reynolds > 0)
      changed.viscosity = viscosity_of(changed, measure_.length(changed, flow(), solids_.boundary_links()));
    if (changed.tracers != parameters_.tracers) tracers_.spread(changed.tracers, flow(), lattice_, seed_);
    const Parameters before = std::exchange(parameters_, changed);
    if (stream_of(before) != stream_of(changed)) measure_.forget_forces(steps_);
    // A stream that begins, or another one, round the bodies that are there.
    if (changed.disturbance != before.disturbance || stream_of(before) != stream_of(changed) ||
        drives_stream(before) != drives_stream(changed))
      disturb_later({});
    // The walls depend only on whether a side is periodic.
    if (is_periodic(before.boundary_left) != is_periodic(changed.boundary_left) ||
        is_periodic(before.boundary_bottom) != is_periodic(changed.boundary_bottom)) {
      try {
        warn_of_filled_holes(solids_.follow_sides(parameters_, lattice_));
      } catch (...) {
        parameters_ = before;
        throw;
      }
    }
    lattice_.change_force(flow(), changed.force_x - before.force_x, changed.force_y - before.force_y);
    keep_reynolds();
    static constexpr std::string_view drawn[] = {"tracers", "arrows", "streamlines", "body"};
    if (std::find(std::begin(drawn), std::end(drawn), id) == std::end(drawn)) changed_ = steps_;
  }

  // Another scheme for the same fluid first, then a more viscous or slower one.
  std::vector<StabilityRemedy> remedies() const override {
    std::vector<StabilityRemedy> all;
    if (parameters_.outlines == Outlines::curved) all.push_back({"outlines", static_cast<double>(Outlines::cells)});
    if (parameters_.collision == Collision::trt) all.push_back({"collision", static_cast<double>(Collision::bgk)});
    if (parameters_.collision != Collision::les) all.push_back({"collision", static_cast<double>(Collision::les)});
    for (const double factor : {3., 10., 100.}) {
      const double viscosity = rounded(factor * parameters_.viscosity, 2);
      if (viscosity < 0.2) all.push_back({"viscosity", viscosity});
    }
    for (const auto& [id, value] :
         {std::pair("inlet_speed", parameters_.inlet_speed), std::pair("wall_speed", parameters_.wall_speed),
          std::pair("force_x", parameters_.force_x), std::pair("force_y", parameters_.force_y)})
      if (value != 0) all.push_back({id, rounded(0.5 * static_cast<double>(value), 3)});
    return all;
  }

  double time() const override { return static_cast<double>(steps_); }
  double domain_width() const override { return width_; }
  double domain_height() const override { return height_; }

  void step(std::int64_t count) override {
    // Not within the steps, which may be timed.
    if (has_history()) measure_.prepare(parameters_, flow(), solids_.boundary_links(), steps_, count);
    if (edited_) return take_steps(count, 0);
    stepper_.run_timed(
        kernel_, count, [this] { return task(); },
        [this](std::int64_t steps, std::size_t kernel) { take_steps(steps, kernel); });
  }
  void select_kernel(const std::string& id) override {
    const std::optional<std::size_t> kernel =
        id == "auto" ? std::nullopt : std::optional<std::size_t>(kernel_on_backend(id));
    stepper_.prepare(lattice_, kernel, parameters_.storage);
    kernel_ = id;
    if (!edited_) return;
    edited_.reset();
    lattice_.unshare();
  }
  const KernelSource& kernel_source() const override {
    static const KernelSource source(embedded_lbm_kernel());
    return source;
  }
  std::string rows_class() const override {
    if (parameters_.storage == Storage::fp16)
      throw InputError(
          "An edited kernel needs FP32 storage, and this flow is stored in FP16. Choose the storage FP32.");
    return "perturb::lbm::EditedRows";
  }
  void use_edited_kernel(const std::string& id, std::unique_ptr<EditedKernel> kernel) override {
    stepper_.prepare(lattice_, std::nullopt, parameters_.storage);
    lattice_.need_next();
    lattice_.share(*kernel);
    kernel_ = id;
    edited_ = std::move(kernel);
  }
  Message choice() const override { return kernel_ == "auto" ? stepper_.text() : Message(); }
  StepCost step_cost(const std::string& kernel) const override { return stepper_.cost(kernel, task()); }
  LaunchShape launch_shape(const std::string& kernel) const override { return stepper_.launch_shape(kernel, task()); }
  LaunchMap launch_map() const override { return stepper_.launch_map(kernel_, task(), lattice_, solids_.bands()); }

  std::vector<Action> interpret(const Gesture& gesture) const override {
    return lbm_interpret(gesture, width_, height_);
  }

  std::vector<std::string> placeable() const override {
    return {"wall-disc", "wall-ellipse", "wall-rectangle", "wall-airfoil", "dye-source"};
  }
  Action placed(const std::string& kind, double x, double y) const override {
    return placed_object(kind, x, y, width_, height_);
  }

  std::vector<SceneObject> objects() const override {
    std::vector<SceneObject> all;
    for (const PlacedBody& body : solids_.bodies()) all.push_back(scene_object(body, width_, height_));
    for (const DyeSource& source : dye_.sources()) all.push_back(scene_object(source, width_, height_));
    for (SceneObject& object : all) repeat_outline(object, repeating(flow()));
    std::sort(all.begin(), all.end(), [](const SceneObject& a, const SceneObject& b) { return a.id < b.id; });
    return all;
  }

  void paint(Pixels pixels, const Camera& camera, const ViewSettings& view, const ColorTable& table) override {
    paint_scene(paint_input_with_streamlines(), pixels, camera, view, table);
    if (!tracers_.empty()) tracers_.paint(flow(), pixels, camera, measure_.reference_speed(parameters_));
  }
  bool describe_image(FieldImage& image, int width, int height, const Camera& camera, const ViewSettings& view,
                      const ColorTable& table) override {
    return tracers_.empty() &&
           describe_scene(paint_input_with_streamlines(), image, width, height, camera, view, table);
  }
  std::optional<double> number_inside(double x, double y, const ViewSettings& view) override {
    const int i = static_cast<int>(x * width_), j = static_cast<int>(y * height_);
    return lbm_value_at(paint_input(), i, j, shown_quantity(view.quantity));
  }

  // Of sound waves of ten cells: the fluid changes far more slowly.
  double shortest_period() const override { return 10 * std::sqrt(3.); }

  Inspection inspect_inside(double x, double y) override {
    return microscope_.inspect(flow(), features_of(parameters_), lattice_,
                               solids_.moves_at(steps_) || !solids_.curve(parameters_).empty(),
                               static_cast<int>(x * width_), static_cast<int>(y * height_));
  }

  Diagnostics diagnostics(const ViewSettings& view, bool wait) override {
    return measure_.update(parameters_, flow(), lattice_, solids_, steps_, wait, shown_quantity(view.quantity),
                           changed_);
  }
  std::vector<Column> columns() const override {
    return {{"max_speed", "cell/step"},
            {"reynolds", ""},
            {"reynolds_mean", ""},
            {"energy", ""},
            {"mass", ""},
            {"momentum_x", ""},
            {"momentum_y", ""},
            {"drag", ""},
            {"lift", ""},
            {"drag_coefficient", ""},
            {"lift_coefficient", ""},
            {"strouhal", ""},
            {"strouhal_expected", ""},
            {"drag_coefficient_mean", ""},
            {"lift_coefficient_mean", ""},
            {"strouhal_mean", ""},
            {"reattachment", ""},
            {"reattachment_expected", ""},
            {"reynolds_1", ""},
            {"drag_coefficient_1", ""},
            {"lift_coefficient_1", ""},
            {"strouhal_1", ""},
            {"reynolds_2", ""},
            {"drag_coefficient_2", ""},
            {"lift_coefficient_2", ""},
            {"strouhal_2", ""},
            {"reynolds_3", ""},
            {"drag_coefficient_3", ""},
            {"lift_coefficient_3", ""},
            {"strouhal_3", ""},
            {"reynolds_4", ""},
            {"drag_coefficient_4", ""},
            {"lift_coefficient_4", ""},
            {"strouhal_4", ""},
            {"force_x", ""},
            {"force_y", ""},
            {"torque", ""},
            {"torque_expected", ""},
            {"porosity", ""},
            {"permeability", "cell²"},
            {"permeability_expected", "cell²"},
            {"reynolds_pores", ""},
            {"probe_velocity_x", "cell/step"},
            {"probe_velocity_y", "cell/step"},
            {"probe_frequency", "1/step"},
            {"probe_strouhal", ""}};
  }
  std::vector<Gauge> gauges() const override {
    return lbm_gauges(parameters_, measure_.latest(), measure_.latest_length(parameters_), solids_.has_walls());
  }

  State save() const override {
    State state = state_without_fields(width_, height_);
    lattice_.save_to(state, flow(), solids_.boundary_links().wall_bytes());
    solids_.save_to(state, steps_);
    dye_.save_to(state);
    save_tables_to(state);
    return state;
  }
  double difference_from(const Simulation& other) override {
    const auto& lane = dynamic_cast<const Lbm&>(other);
    return std::max(lattice_.difference_from(flow(), lane.lattice_, lane.flow()),
                    difference_.between(compared_without_lattice(), lane.compared_without_lattice()));
  }
  void load(const State& state) override {
    Saved saved = read_lbm_state(state, {width_, height_});
    BoundaryLinks::Drawn walls = solids_.fill_holes(saved, parameters_);
    Solids::Layers layers = solids_.layers_of(saved, parameters_);
    Dye dye(backend(), width_, height_);
    dye.load(saved.dye, std::move(saved.dye_sources));
    Tracers tracers(backend());
    if (!saved.tracers.empty()) tracers.load(saved.tracers);
    solids_.prepare(saved, parameters_);

    // Nothing below can throw.
    lattice_.load(saved.shifted);
    warn_of_filled_holes(solids_.take(std::move(walls), parameters_));
    solids_.take_layers(std::move(layers));
    last_object_ = saved.last_object;
    disturbed_from_ = saved.disturbed_from;
    changed_ = saved.changed;
    used_text_ = std::move(saved.edited_kernel);
    dye_.swap(dye);
    steps_ = state.steps;
    seed_ = state.seed;
    // A state saved before the tracers were requested has none.
    if (tracers.count() == parameters_.tracers)
      tracers_.swap(tracers);
    else
      tracers_.spread_again(flow(), lattice_, seed_);
    measure_.load(saved.probe, steps_);
    if (follow_reynolds().empty() && parameters_.reynolds > 0) warning_ = {};
  }

 protected:
  void act(const Action& action) override {
    constexpr auto wall = [](Lbm& f, const Action& a) { f.draw_wall(a, a.get("erase") != 0); };
    constexpr auto body = [](Lbm& f, const Action& a) { f.place_body(a); };
    constexpr auto change = [](Lbm& f, const Action& a) { f.change_object(a); };
    constexpr auto set_flow = [](Lbm& f, const Action& a) {
      f.lattice_.set_flow(f.flow(), action_flow(a, f.width_, f.height_), action_box(a, repeating(f.flow())));
    };
    static constexpr ActionHandler<Lbm> handlers[] = {
        {"push",
         [](Lbm& f, const Action& a) {
           const auto number = [&](const char* id) { return static_cast<float>(a.get(id)); };
           f.lattice_.push(f.flow(), {f.segment_of(a), number("vx"), number("vy"), number("radius")});
         }},
        {"dye",
         [](Lbm& f, const Action& a) {
           f.dye_.drop(f.flow(), f.segment_of(a), static_cast<float>(a.get("radius")),
                       static_cast<float>(a.get("amount")));
         }},
        {"dye-source",
         [](Lbm& f, const Action& a) {
           f.dye_.add_source(f.flow(), {a.get("x"), a.get("y"), a.get("radius"), f.last_object_ + 1});
           ++f.last_object_;
         }},
        {"dye-image", [](Lbm& f, const Action& a) { f.draw_image_action(a); }},
        {"clear-dye", [](Lbm& f, const Action&) { f.dye_.clear(); }},
        {"wall-line", wall},
        {"wall-rectangle", body},
        {"wall-disc", body},
        {"wall-ellipse", body},
        {"wall-airfoil", body},
        {"change-wall-rectangle", change},
        {"change-wall-disc", change},
        {"change-wall-ellipse", change},
        {"change-wall-airfoil", change},
        {"change-dye-source", change},
        {remove_object_kind, [](Lbm& f, const Action& a) { f.remove_object(a); }},
        {"wall-grains", [](Lbm& f, const Action& a) { f.draw_wall(a, false); }},
        {"wall-image", [](Lbm& f, const Action& a) { f.draw_image(a); }},
        {"move-body", [](Lbm& f, const Action& a) { f.move_body(a); }},
        {"probe", [](Lbm& f, const Action& a) { f.measure_.set_probe(a.get("x"), a.get("y")); }},
        {"clear-probe", [](Lbm& f, const Action&) { f.measure_.take_probe(); }},
        {"clear-walls",
         [](Lbm& f, const Action&) {
           if (f.solids_.has_walls()) f.follow_walls(f.solids_.clear(f.parameters_, f.lattice_));
         }},
        {"calm", set_flow},
        {"stream", set_flow},
        {"taylor-green", set_flow},
        {"shear-layer", set_flow},
    };
    const bool changes_object = action.kind.starts_with("change-");
    const std::vector<SceneObject> before = changes_object ? objects() : std::vector<SceneObject>();
    dispatch_action(handlers, *this, action);
    if (changes_object && objects() == before) return;
    if (action.kind.find("dye") == std::string::npos && !action.kind.ends_with("probe")) changed_ = steps_;
  }

  void visit_members(MemberCopier& copy) override {
    copy(parameters_, seed_, steps_, lattice_, solids_, dye_, tracers_, measure_, last_object_, disturbed_from_,
         changed_, used_text_);
  }

 private:
  // The part of the saved state that is not in fields, except for walls and dye.
  void save_tables_to(State& state) const {
    measure_.save_to(state);
    if (disturbed_from_)
      state.put("disturbed_from", {2}, "", std::vector<double>{disturbed_from_->x, disturbed_from_->y});
    if (changed_ > 0) state.put("changed", {1}, "step", std::vector<double>{static_cast<double>(changed_)});
    if (last_object_ > 0) state.put("last_object", {1}, "", std::vector<double>{static_cast<double>(last_object_)});
    save_kernel(state, kernel_, used_text_);
    if (!tracers_.empty()) state.put("tracers", {static_cast<std::size_t>(tracers_.count()), 4}, "", tracers_.save());
  }
  ComparedState compared_without_lattice() const {
    ComparedState state{solids_.compared_fields(), state_without_fields(width_, height_)};
    if (!dye_.empty()) state.fields.push_back({"dye", dye_.view()});
    solids_.save_tables_to(state.others, steps_);
    dye_.save_sources_to(state.others);
    save_tables_to(state.others);
    return state;
  }
  // The current step parameters.
  StepParams flow() const { return solids_.flow(parameters_); }
  Task task() const {
    return {flow(),
            features_of(parameters_),
            parameters_.storage,
            preset_,
            !solids_.curve(parameters_).empty(),
            solids_.moves_at(steps_)};
  }
  PaintInput paint_input() const {
    return {backend(),
            flow(),
            solids_.curve(parameters_),
            lattice_,
            dye_,
            measure_.probe(),
            parameters_.arrows,
            measure_.reference_speed(parameters_),
            parameters_.streamlines,
            {}};
  }
  PaintInput paint_input_with_streamlines() {
    PaintInput shown = paint_input();
    if (shown.streamlines > 0)
      shown.stream_function = stream_function();
    else
      streamlines_.forget();
    return shown;
  }
  View2D<const float> stream_function() {
    try {
      return streamlines_.of(flow(), lattice_);
    } catch (const Error&) {
      parameters_.streamlines = 0;
      add_warning("Cannot draw streamlines: not enough memory. Choose a smaller size.");
      return {};
    }
  }
  CellSegment segment_of(const Action& action) const { return action_segment(action, width_, height_); }

  // Dye and tracers move between steps, and forces are sampled, so a multi-step pass ends where they are due.
  void take_steps(std::int64_t count, std::size_t kernel) {
    const std::int64_t end = steps_ + count;
    if (count > 0) disturb();
    while (steps_ < end) {
      std::int64_t group = end - steps_;
      if (has_history()) group = std::min(group, measure_.steps_to_sample(steps_));
      if (!dye_.empty()) group = std::min(group, Dye::interval - steps_ % Dye::interval);
      if (!tracers_.empty()) group = std::min(group, Tracers::interval - steps_ % Tracers::interval);
      while (group > 0) {
        backend().stop_point();
        const Task task = this->task();
        const int taken = edited_ ? edited_steps(task, group) : built_in_steps(task, group, kernel);
        steps_ += taken;
        group -= taken;
      }
      if (!dye_.empty() && steps_ % Dye::interval == 0) dye_.carry(flow(), lattice_);
      if (!tracers_.empty() && steps_ % Tracers::interval == 0) tracers_.move(flow(), lattice_, seed_, steps_);
      if (has_history() && measure_.is_due(steps_)) measure_.sample(parameters_, flow(), lattice_, solids_, steps_);
    }
  }
  // Whether forces or a probe's velocity are sampled.
  bool has_history() const { return solids_.has_walls() || measure_.probe(); }

  // The stream round a body is symmetric to the last bit where the body is, and then sheds no vortices. It is therefore
  // disturbed once, at the next step after a body was placed there.
  static bool drives_stream(const Parameters& p) {
    return (has_side(p, Boundary::inlet) && p.inlet_speed > 0) || p.force_x != 0 || p.force_y != 0;
  }
  // `from`: where, in fractions of the domain, so that a flow that is shifted gets the same disturbance.
  void disturb_later(DisturbedFrom from) { disturbed_from_ = from; }
  void disturb() {
    if (!disturbed_from_) return;
    const DisturbedFrom from = *std::exchange(disturbed_from_, std::nullopt);
    if (!parameters_.disturbance || !drives_stream(parameters_) ||
        !measure_.has_body(parameters_, flow(), solids_.boundary_links()))
      return;
    constexpr float rounding = 1.f / (1 << 24), rounding_of_half = 1.f / (1 << 11);
    const RepeatingGrid grid = repeating(flow());
    lattice_.disturb(flow(), {parameters_.storage == Storage::fp16 ? rounding_of_half : rounding, seed_, steps_,
                              grid.column(cell_at(from.x * width_)), grid.row(cell_at(from.y * height_))});
  }

  // Both take up to `steps` steps with one pass over memory and return how many.
  int built_in_steps(const Task& task, std::int64_t steps, std::size_t kernel) {
    CurvedRows curved;
    if (stepper_.computes_curved(task, kernel))
      curved = solids_.curved_rows(parameters_);
    else
      solids_.correct_boundaries(steps_, parameters_, lattice_);
    return stepper_.pass(task, curved, lattice_, solids_.bands(), steps, kernel);
  }
  int edited_steps(const Task& task, std::int64_t steps) {
    solids_.correct_boundaries(steps_, parameters_, lattice_);
    // Past curved walls and moving bodies, each step begins with a correction.
    const bool one = task.curved || task.moves;
    const int taken = edited_pass(backend(), *edited_, task.flow, task.features, lattice_,
                                  one ? 1 : static_cast<int>(std::min<std::int64_t>(steps, 1 << 20)));
    used_text_ = edited_text(kernel_);
    return taken;
  }

  // Sets the viscosity for the requested Reynolds number, if there is one. Returns why it is not possible, or an empty
  // message.
  Message follow_reynolds() {
    if (!(parameters_.reynolds > 0)) return {};
    try {
      parameters_.viscosity = viscosity_of(parameters_, measure_.length(parameters_, flow(), solids_.boundary_links()));
    } catch (const InputError& error) {
      return error.message();
    }
    return {};
  }
  // To be called after a speed or the walls changed.
  void keep_reynolds() {
    const Message why = follow_reynolds();
    if (why.empty()) return;
    parameters_.reynolds = 0;
    add_warning(Message("The viscosity stays, and the Reynolds number changes.") + why);
  }
  void add_warning(const Message& sentence) { warning_ = warning_ + sentence; }

  void warn_of_filled_holes(std::int64_t holes) {
    if (holes == 0) return;
    add_warning(holes == 1
                    ? Message("A one-cell hole in the walls was filled, because no fluid can flow there.")
                    : Message("{} one-cell holes in the walls were filled, because no fluid can flow there.", holes));
  }

  void warn_of_rescaling(const Action& action) {
    const GreyImage& image = *action.image;
    if (image.width != width_ || image.height != height_)
      warning_ = Message("The image \"{}\" has {} x {} pixels and the flow {} x {} cells. The image was rescaled.",
                         action.file, image.width, image.height, width_, height_);
  }
  void draw_image_action(const Action& action) {
    warn_of_rescaling(action);
    dye_.lay(shades_from_image(*action.image, action.get("amount"), action.get("invert") != 0, width_, height_),
             solids_.has_walls() ? solids_.boundary_links().wall_bytes() : std::vector<std::uint8_t>());
  }
  // The position that an action is given by.
  static DisturbedFrom start_of(const Action& action) {
    const auto number = [&](const char* id, const char* other) {
      return action.get(action.numbers.contains(id) ? id : other);
    };
    return {number("x", "x0"), number("y", "y0")};
  }
  void draw_wall(const Action& action, bool erase) {
    if (erase && !solids_.has_walls()) return;
    follow_walls(solids_.draw(action_shape(action, width_, height_, seed_), erase, parameters_, lattice_));
    disturb_later(start_of(action));
  }
  void place_body(const Action& action) {
    if (!places_body(action)) return draw_wall(action, true);
    follow_walls(solids_.place(placed_body(last_object_ + 1, action, width_, height_), parameters_, lattice_));
    disturb_later(start_of(action));
    ++last_object_;
  }
  void change_object(const Action& action) {
    const std::vector<SceneObject> all = objects();
    const SceneObject& object = object_of(action, all);
    if (action.kind != change_kind_of(object.kind))
      throw InputError("Object {} cannot be changed by \"{}\". Use \"{}\".", object.id, action.kind,
                       change_kind_of(object.kind));
    SceneObject changed = object;
    for (auto& [id, value] : changed.numbers)
      if (const auto given = action.numbers.find(id); given != action.numbers.end()) value = given->second;
    if (changed == object) return;
    if (object.kind == "dye-source") {
      const auto& n = changed.numbers;
      dye_.change_source(flow(), {n.at("x"), n.at("y"), n.at("radius"), object.id});
      return;
    }
    const PlacedBody body = placed_body(object.id, {object.kind, changed.numbers, "", nullptr}, width_, height_);
    const std::int64_t filled = solids_.change_body(body, steps_, parameters_, lattice_);
    // A drag continues the measurement of forces, as that by the tool does.
    if (solids_.dragged_body().moves_at(steps_)) {
      warn_of_filled_holes(filled);
      keep_reynolds();
    } else {
      follow_walls(filled);
      disturb_later(start_of(body.action));
    }
  }
  void remove_object(const Action& action) {
    const std::vector<SceneObject> all = objects();
    const SceneObject& object = object_of(action, all);
    if (object.kind == "dye-source")
      dye_.remove_source(object.id);
    else
      follow_walls(solids_.remove_body(object.id, parameters_, lattice_));
  }
  void draw_image(const Action& action) {
    const ImageWalls walls = walls_of_image(*action.image, action.get("threshold"), action.get("invert") != 0,
                                            {width_, height_}, lbm_wraps_x(flow()), lbm_wraps_y(flow()));
    const std::int64_t filled = solids_.draw_cells(walls.wall, parameters_, lattice_);
    warn_of_rescaling(action);
    if (walls.loses_details) add_warning(lost_details_text(action.file, *action.image, {width_, height_}));
    follow_walls(filled);
    disturb_later({});
  }
  void move_body(const Action& action) {
    const std::optional<std::int64_t> filled = solids_.move_body(segment_of(action), steps_, parameters_, lattice_);
    if (!filled) return;
    warn_of_filled_holes(*filled);
    keep_reynolds();
  }
  // To be called after the walls changed; `filled`: number of holes filled in the new walls.
  void follow_walls(std::int64_t filled) {
    warn_of_filled_holes(filled);
    measure_.forget_forces(steps_);
    keep_reynolds();
  }

  int width_, height_;
  Lattice lattice_;
  Solids solids_;
  Dye dye_;
  Tracers tracers_;
  Stepper stepper_;
  Streamlines streamlines_;
  Measure measure_;
  Microscope microscope_;
  FieldDifference difference_;
  int last_object_ = 0;                          // id that was given last
  std::int64_t changed_ = 0;                     // step of the last change that the flow must follow
  std::optional<DisturbedFrom> disturbed_from_;  // the stream is to be disturbed
  std::unique_ptr<EditedKernel> edited_;         // takes the steps instead; null: none
  std::string used_text_;                        // of the edited kernel that took the last steps with one; saved
};

}  // namespace

std::unique_ptr<Simulation> create(Backend& backend, const Setup& setup) {
  const Parameters parameters = parameters_of(setup);
  const GridSize size = lbm_size_of(setup);
  require_memory(backend, lbm_bytes_of(backend, setup),
                 Message("A flow of {} x {} cells needs", size.width, size.height),
                 "Choose a smaller size, or the storage FP16.");
  return std::make_unique<Lbm>(backend, setup, parameters, size);
}

}  // namespace perturb::lbm
