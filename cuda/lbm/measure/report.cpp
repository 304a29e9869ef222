#include "cuda/lbm/measure/report.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "cuda/core/simulation/diagnostics.h"
#include "cuda/core/simulation/format.h"
#include "cuda/lbm/measure/marks.h"
#include "cuda/lbm/measure/reattachment.h"
#include "cuda/lbm/measure/theory.h"
#include "cuda/lbm/model/scheme.h"

namespace perturb::lbm {

namespace {

// The body that the numbers refer to.
const Body* chosen_body(const Report& r) {
  const auto place = static_cast<std::size_t>(r.parameters.body - 1);
  return place < r.bodies.reported.size() ? &r.bodies.reported[place] : nullptr;
}

Message named(const Report& r, std::size_t body, const Message& what) {
  const Body& b = r.bodies.reported[body];
  return Message("Body {} ({}, {}): {}", body + 1, static_cast<int>(b.x), static_cast<int>(b.y), what);
}

// The inlet speed is the peak of a parabola. Benchmarks of channels (Schäfer & Turek 1996) use its mean, so numbers are
// shown by both.
constexpr double mean_of_parabola = 2. / 3;
bool has_parabolic_inlet(const Parameters& p) {
  return has_side(p, Boundary::inlet) && p.inlet_profile == Profile::parabolic;
}
Message by_mean_speed(const char* number) { return {"{}, by the mean speed", Message(number)}; }

// The history from which a frequency of shedding is read must span this time, in steps: more than one period of the
// slowest wake (Strouhal number 0.12 at Re 50). Before, the lift only shows the sound of the start.
double shortest_span(double length, double speed) { return 10 * length / speed; }

// The frequency that the history shows; 0 with the reason as a remark if it shows none.
double frequency_of(const History& history, double shortest, const Message& number, std::vector<Message>& remarks) {
  const double frequency = history.frequency(shortest);
  if (!(frequency > 0)) {
    const std::size_t samples = history.entries().size();
    if (samples < History::min_for_frequency)
      remarks.push_back(Message("{}: no value yet, because there are only {} of {} samples.", number, samples,
                                History::min_for_frequency));
    else if (const double left = 2 * (shortest - history.later_half()); left > 0)
      remarks.push_back(
          Message("{}: no value yet. It appears in some {} steps.", number, format_number(std::max(left, 10.), 2)));
    else
      remarks.push_back(Message("{}: no value, because there is no regular oscillation.", number));
    return 0;
  }
  constexpr int min_samples = 6;
  const double samples = history.samples_in(1 / frequency);
  if (samples >= min_samples) return frequency;
  remarks.push_back(
      Message("{}: no value, because a period has only {} samples and needs {}. Use a larger body, or a "
              "slower stream.",
              number, format_number(samples, 2), min_samples));
  return 0;
}

// The label of a curve of this history, which says from when it is kept.
Message kept(const History& history, const char* label) {
  if (history.is_whole()) return label;
  return {"{}, kept from step {}", Message(label), static_cast<std::int64_t>(history.entries().front().time)};
}

void add_annulus(const Annulus& annulus, const Report& r, Diagnostics& d) {
  const auto first = r.changed + static_cast<std::int64_t>(
                                     std::ceil(steps_to_steady(annulus.outer - annulus.inner, r.parameters.viscosity)));
  d.scalars.push_back({"torque_expected", "Torque of the steady flow, theory", "",
                       annulus_torque(annulus, r.parameters.viscosity), Meaning::forces});
  if (r.step < first)
    d.remarks.push_back(
        Message("The flow is not steady yet, and its torque not that of theory before step {}.", first));
}

// Adds all numbers of the chosen body.
void add_forces(const Report& r, std::size_t body, Diagnostics& d) {
  if (r.forces[body].turns) d.scalars.push_back({"torque", "Torque", "", r.forces[body].torque, Meaning::forces});
  if (r.annulus) return add_annulus(*r.annulus, r, d);
  const Stream stream = stream_of(r.parameters);
  const double drag = lbm_drag(r.forces[body], stream), lift = lbm_lift(r.forces[body], stream);
  const std::int64_t first = first_step_of_forces(r, body);
  const bool due = r.step >= first;
  if (!due)
    d.remarks.push_back(Message(
        "Drag and lift: no value before step {}, because the force is still that of the start of the flow.", first));
  d.scalars.push_back(value_if(due, {"drag", "Drag", "", drag, Meaning::forces}));
  d.scalars.push_back(value_if(due, {"lift", "Lift", "", lift, Meaning::forces}));
  if (!(r.speed > 0)) return;
  const int length = r.bodies.reported[body].length(stream);
  const double pressure = 0.5 * r.speed * r.speed * length, reynolds = r.speed * length / r.parameters.viscosity;
  const History& history = r.force_histories[body];
  const double frequency = frequency_of(history, shortest_span(length, r.speed), "Strouhal number (lift)", d.remarks);
  d.scalars.push_back(value_if(due, {"drag_coefficient", "Drag coefficient", "", drag / pressure, Meaning::forces}));
  d.scalars.push_back(value_if(due, {"lift_coefficient", "Lift coefficient", "", lift / pressure, Meaning::forces}));
  d.scalars.push_back(value_if(
      frequency > 0, {"strouhal", "Strouhal number (lift)", "", frequency * length / r.speed, Meaning::oscillation}));
  if (has_parabolic_inlet(r.parameters)) {
    const double mean_pressure = mean_of_parabola * mean_of_parabola * pressure;
    d.scalars.push_back(value_if(
        due, {"drag_coefficient_mean", by_mean_speed("Drag coefficient"), "", drag / mean_pressure, Meaning::forces}));
    d.scalars.push_back(value_if(
        due, {"lift_coefficient_mean", by_mean_speed("Lift coefficient"), "", lift / mean_pressure, Meaning::forces}));
    d.scalars.push_back(
        value_if(frequency > 0, {"strouhal_mean", by_mean_speed("Strouhal number (lift)"), "",
                                 frequency * length / (mean_of_parabola * r.speed), Meaning::oscillation}));
  }
  const Expected expected =
      expected_of(r.parameters, r.bodies, body, stream, stream.along_y ? r.width : r.height, reynolds);
  if (expected.strouhal > 0)
    d.scalars.push_back(
        {"strouhal_expected", "Strouhal number, Henderson (1997)", "", expected.strouhal, Meaning::oscillation});
  if (!expected.remark.empty()) d.remarks.push_back(expected.remark);
  Curve drags{"drag", kept(history, "Drag coefficient"), "time", "step", "drag", "", {}, {}};
  Curve lifts{"lift", kept(history, "Lift coefficient"), "time", "step", "lift", "", {}, {}};
  for (const History::Entry& m : history.entries())
    if (m.time >= static_cast<double>(first)) {
      drags.points.push_back({m.time, m.along / pressure});
      lifts.points.push_back({m.time, m.across / pressure});
    }
  d.curves.push_back(std::move(drags));
  d.curves.push_back(std::move(lifts));
}

// If there are few bodies, adds the forces on the others.
void add_other_forces(const Report& r, std::size_t body, Diagnostics& d) {
  constexpr std::size_t max_bodies = 4;
  if (r.bodies.reported.size() > max_bodies || !(r.speed > 0)) return;
  const Stream stream = stream_of(r.parameters);
  for (std::size_t k = 0; k < r.bodies.reported.size(); ++k) {
    if (k == body) continue;
    const int length = r.bodies.reported[k].length(stream);
    const double pressure = 0.5 * r.speed * r.speed * length;
    const std::string number = std::to_string(k + 1);
    d.scalars.push_back({"reynolds_" + number, named(r, k, "Reynolds number"), "",
                         r.speed * length / r.parameters.viscosity, Meaning::regime});
    const bool due = r.step >= first_step_of_forces(r, k);
    d.scalars.push_back(value_if(due, {"drag_coefficient_" + number, named(r, k, "drag coefficient"), "",
                                       lbm_drag(r.forces[k], stream) / pressure, Meaning::forces}));
    d.scalars.push_back(value_if(due, {"lift_coefficient_" + number, named(r, k, "lift coefficient"), "",
                                       lbm_lift(r.forces[k], stream) / pressure, Meaning::forces}));
    std::vector<Message> not_shown;  // the reasons are those of the chosen body
    const double frequency =
        frequency_of(r.force_histories[k], shortest_span(length, r.speed), named(r, k, "Strouhal number"), not_shown);
    d.scalars.push_back(value_if(frequency > 0, {"strouhal_" + number, named(r, k, "Strouhal number"), "",
                                                 frequency * length / r.speed, Meaning::oscillation}));
  }
}

void add_reattachment(const Report& r, Diagnostics& d) {
  const auto step = step_of(r.parameters, r.bodies, r.width, r.height);
  if (!step || !(r.speed > 0)) return;
  const double length = reattachment_of(*step, step->upper ? r.profiles.upper : r.profiles.lower);
  // The flow has passed the channel once.
  const std::int64_t first = r.changed + static_cast<std::int64_t>(std::ceil(2 * r.width / r.speed));
  d.scalars.push_back(value_if(length > 0 && r.step >= first, {"reattachment", "Reattachment length, in step heights",
                                                               "", length / step->height, Meaning::oscillation}));
  const double opening = r.height - step->height, reynolds = r.speed * step->height / r.parameters.viscosity;
  constexpr double tolerance = 0.03;
  if (std::abs(opening - step->height) > tolerance * step->height || r.parameters.inlet_profile != Profile::uniform)
    return;
  const double expected = expected_reattachment(reynolds);
  d.scalars.push_back(value_if(expected > 0, {"reattachment_expected", "Reattachment length, Erturk (2008)", "",
                                              expected, Meaning::oscillation}));
  if (expected > 0)
    d.remarks.push_back(
        Message("Erturk's reattachment length is for a developed inflow. Here the channel before the "
                "step is {} step heights long.",
                format_number(static_cast<double>(step->edge) / step->height, 2)));
  else
    d.remarks.push_back(
        Message("No expected reattachment length: Erturk's values (2008) are for Reynolds numbers from "
                "{} to {}.",
                format_number(min_step_reynolds, 2), format_number(max_step_reynolds, 3)));
}

// States which body the numbers refer to, where there is a choice.
void add_body_remark(const Report& r, Diagnostics& d) {
  if (r.bodies.all == 0 && r.bodies.sides)
    d.remarks.push_back(
        "The walls span the whole length of the flow, so they count as sides of the channel, not as a body.");
  else if (const Body* body = chosen_body(r); r.bodies.all > 0 && body == nullptr)
    d.remarks.push_back(
        Message("There is no body {}. Choose a number from 1 to {}.", r.parameters.body, r.bodies.reported.size()));
  else if (r.bodies.all > 1)
    d.remarks.push_back(
        Message("There are {} bodies. The measurements are for number {} by size, at column {}, row {}. Choose another "
                "with {}.",
                r.bodies.all, r.parameters.body, static_cast<int>(body->x), static_cast<int>(body->y),
                Message::parameter("body", find_parameter(parameter_table(), "body")->label)));
  if (!r.bodies.reported.empty() && r.forces.empty())
    d.remarks.push_back("Cannot compute the forces on bodies: not enough memory. Choose a smaller size.");
}

void add_permeability(const Report& r, Diagnostics& d) {
  const double momentum = stream_of(r.parameters).along_y ? r.sums.momentum_y : r.sums.momentum_x;
  const auto k =
      permeability_of(r.parameters, r.bodies, momentum, r.sums.fluid, static_cast<std::int64_t>(r.width) * r.height);
  if (!k) return;
  // The flow follows the force within some k/(porosity viscosity), by Darcy's law. While it gains speed, the measured k
  // is too small, and so is this time.
  constexpr double relaxations = 8;
  const double relaxation = std::max(k->got, k->kozeny_carman) / (k->porosity * r.parameters.viscosity);
  const std::int64_t first =
      std::max(r.changed, r.forces_begin) + static_cast<std::int64_t>(std::ceil(relaxations * relaxation));
  const bool due = r.step >= first;
  d.scalars.push_back({"porosity", "Porosity", "", k->porosity, Meaning::matter});
  d.scalars.push_back(value_if(due, {"permeability", "Permeability", "cell²", k->got, Meaning::matter}));
  d.scalars.push_back(value_if(!(k->reynolds > 1), {"permeability_expected", "Permeability, Kozeny-Carman", "cell²",
                                                    k->kozeny_carman, Meaning::matter}));
  d.scalars.push_back(
      value_if(due, {"reynolds_pores", "Reynolds number of the pores", "", k->reynolds, Meaning::regime}));
  if (!due)
    d.remarks.push_back(
        Message("Permeability: no value yet, because the flow is not steady. It appears at about step {}.", first));
  else if (k->reynolds > 1)
    d.remarks.push_back("The flow is too fast for Darcy's law: its resistance depends on its speed. Lower the force.");
}

void add_probe(const Report& r, double length, Diagnostics& d) {
  d.scalars.push_back(
      {"probe_velocity_x", "Velocity probe: to the right", "cell/step", r.sums.probe_ux, Meaning::motion});
  d.scalars.push_back({"probe_velocity_y", "Velocity probe: upwards", "cell/step", r.sums.probe_uy, Meaning::motion});
  const double frequency = frequency_of(*r.probe, length > 0 && r.speed > 0 ? shortest_span(length, r.speed) : 0,
                                        "Velocity probe: frequency", d.remarks);
  d.scalars.push_back(value_if(
      frequency > 0, {"probe_frequency", "Velocity probe: frequency", "1/step", frequency, Meaning::oscillation}));
  if (length > 0 && r.speed > 0)
    d.scalars.push_back(value_if(frequency > 0, {"probe_strouhal", "Strouhal number (probe)", "",
                                                 frequency * length / r.speed, Meaning::oscillation}));
  Curve along{"probe_x", kept(*r.probe, "Velocity probe, to the right"), "time", "step", "velocity", "cell/step", {},
              {}};
  Curve across{"probe_y", kept(*r.probe, "Velocity probe, upwards"), "time", "step", "velocity", "cell/step", {}, {}};
  for (const History::Entry& m : r.probe->entries()) {
    along.points.push_back({m.time, m.along});
    across.points.push_back({m.time, m.across});
  }
  d.curves.push_back(std::move(along));
  d.curves.push_back(std::move(across));
}

}  // namespace

// Before, it is that of the start, up to a hundred times as large: the stream has passed the body twice by then, or
// slow flow has spread over half its length by diffusion. Nothing has to develop where nothing drives the fluid.
std::int64_t first_step_of_forces(const Report& r, std::size_t body) {
  const Parameters& p = r.parameters;
  if (!(given_speed(p) > 0) && p.force_x == 0 && p.force_y == 0) return 0;
  const double length = r.bodies.reported[body].length(stream_of(p));
  double steps = 0.25 * length * length / p.viscosity;
  if (r.speed > 0) steps = std::min(steps, 2 * length / r.speed);
  return r.forces_begin + static_cast<std::int64_t>(std::ceil(steps));
}

Diagnostics lbm_describe(const Report& r) {
  const Sums& s = r.sums;
  Diagnostics d;
  d.step = r.step;
  d.time = static_cast<double>(r.step);
  const double cells = static_cast<double>(std::max<std::int64_t>(s.fluid, 1)),
               peak = std::sqrt(static_cast<double>(s.fastest2));
  const Body* body = chosen_body(r);
  const double length = r.annulus ? r.annulus->outer - r.annulus->inner : length_of(r.parameters, r.bodies, r.height);
  const double speed = r.annulus ? std::abs(r.annulus->speed) : r.speed;
  d.scalars = {
      {"max_speed", "Peak speed", "cell/step", peak, Meaning::motion},
      {"reynolds", "Reynolds number", "", speed * length / r.parameters.viscosity, Meaning::regime},
      {"energy", "Kinetic energy", "", s.energy / cells, Meaning::energy},
      {"mass", "Mass per cell", "", 1 + s.mass / cells, Meaning::matter},
      {"momentum_x", "Momentum to the right", "", s.momentum_x, Meaning::motion},
      {"momentum_y", "Momentum upwards", "", s.momentum_y, Meaning::motion},
  };
  if (has_parabolic_inlet(r.parameters))
    d.scalars.push_back({"reynolds_mean", by_mean_speed("Reynolds number"), "",
                         mean_of_parabola * speed * length / r.parameters.viscosity, Meaning::regime});
  if (body != nullptr && !r.forces.empty()) {
    const auto place = static_cast<std::size_t>(r.parameters.body - 1);
    add_forces(r, place, d);
    add_other_forces(r, place, d);
  }
  if (r.walls && !r.annulus && (r.bodies.all != 1 || r.bodies.sides)) {
    d.scalars.push_back({"force_x", "Force on all walls, to the right", "", s.force_x, Meaning::forces});
    d.scalars.push_back({"force_y", "Force on all walls, upwards", "", s.force_y, Meaning::forces});
  }
  add_permeability(r, d);
  add_reattachment(r, d);
  add_body_remark(r, d);
  if (r.probe != nullptr) add_probe(r, body ? body->length(stream_of(r.parameters)) : 0, d);
  if (r.annulus)
    for (Curve& curve : annulus_curves(*r.annulus, r.parameters, r.profiles, r.step - r.changed))
      d.curves.push_back(std::move(curve));
  for (Curve& curve : profile_curves(r.parameters, r.profiles, r.walls, r.step - r.changed))
    d.curves.push_back(std::move(curve));
  add_marks(r, d);
  const bool none = s.density_low > s.density_high;
  switch (r.shown) {
    case Shown::speed:
      d.minimum = 0;
      d.maximum = peak;
      break;
    case Shown::vorticity:
      d.maximum = peak / 8;
      d.minimum = -d.maximum;
      break;
    case Shown::density:
      d.minimum = none ? 1 : s.density_low;
      d.maximum = none ? 1 : s.density_high;
      break;
    case Shown::dye:
      d.minimum = 0;
      d.maximum = 1;
      break;
    default:
      d.minimum = -peak;
      d.maximum = peak;
      break;
  }
  if (s.first_bad != INT64_MAX) {
    d.finite = false;
    d.error = Message(
                  "The flow in column {}, row {} is not finite at step {}: it became too fast for the scheme, or "
                  "the viscosity is too low for this grid.",
                  s.first_bad % r.width, s.first_bad / r.width, r.step) +
              Message("Raise the viscosity (now {}), or lower the inlet speed, the wall speed or the force.",
                      format_number(r.parameters.viscosity, 3));
  }
  return d;
}

}  // namespace perturb::lbm
