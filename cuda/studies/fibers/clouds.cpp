// Clouds: the paper's figure 6.1, a ball of fibers that opens into a ring as it falls; and a ball of fibers compared
// with the same ball of point forces, the model of the publications on falling clouds.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "cuda/core/backend/check.h"
#include "cuda/core/backend/stop.h"
#include "cuda/core/simulation/format.h"
#include "cuda/fibers/fibers.h"
#include "cuda/fibers/model/core.h"
#include "cuda/studies/fibers/studies.h"
#include "cuda/studies/paper.h"

namespace perturb::fibers {

namespace {

// The state with its velocities. Throws Stopped if a stop request ended their evaluation: the state has none then.
State state_with_velocities(const Simulation& run) {
  State state = run.save();
  if (!state.has("velocity")) throw Stopped();
  return state;
}

Core core_of(const Simulation& run, int fibers, double d) {
  const State state = state_with_velocities(run);
  const std::vector<std::size_t> shape = {static_cast<std::size_t>(fibers), 3};
  return find_fiber_core(state.get<double>("position", shape), state.get<double>("tangent", shape),
                         state.get<double>("velocity", shape), d);
}

}  // namespace

int ring_fibers(bool cuda, const Setup& scene) {
  const int its_own = static_cast<int>(paper_table("fibers").at("figure 6.1", "run", "fibers"));
  if (study_request().size_given) return scene.width;
  constexpr int cpu_fibers = 300;
  return cuda || study_request().long_too ? its_own : cpu_fibers;
}

StudyResult ring_study(Backend& backend, int fibers, int starts, int steps, const StudyProgress& progress) {
  const PaperTable& paper = paper_table("fibers");
  PaperRun paper_run = fiber_paper_run();
  paper_run.end = steps * paper_run.time_step;
  constexpr int looks = 4;
  const int between = std::max(1, steps / looks);
  const double d = fiber_d(Parameters{}.slenderness);
  // [sample][start]
  std::vector<std::vector<double>> radii(looks + 1), sections(looks + 1), together(looks + 1);
  StudyTable table("ring",
                   format_fiber_count(fibers) + " in a ball, " + paper_run.text() + ", FP64: medians of " +
                       std::to_string(starts) + " starts",
                   {column("time", "time", 4), column("ring_radius", "distance from the axis"),
                    column("section", "section over that distance"), column("least_section", "least"),
                    column("most_section", "most"), column("together", "still together", "%")});
  const int its_own = static_cast<int>(paper.at("figure 6.1", "run", "fibers"));
  table.note = "The paper shows an image of one run with " + format_fiber_count(its_own) +
               ", without numbers. Section: the radius of a round section that spreads as much as the fibers about "
               "their mean distance from the vertical through the cloud's middle; over that distance it is 1.2 in an "
               "even ball, and below 3/4 in a ring with a hole. Only the fibers that stay together count.";
  if (fibers != its_own) table.note += left_out_note(format_fiber_count(its_own) + ", the paper's number");
  StudyResult result;
  for (int start = 1; start <= starts; ++start) {
    progress(format_fiber_count(fibers) + ", start " + std::to_string(start) + " of " + std::to_string(starts));
    const auto run =
        cloud_of_paper(backend, fibers, Precision::fp64, paper_run.time_step, static_cast<std::uint32_t>(start));
    for (std::size_t look = 0; look <= looks; ++look) {
      if (look > 0) run->step(between);
      const Core core = core_of(*run, fibers, d);
      radii[look].push_back(core.ring_radius);
      sections[look].push_back(core.ring_section / core.ring_radius);
      together[look].push_back(100.0 * core.fibers / fibers);
    }
    table.rows.clear();
    for (std::size_t look = 0; look <= looks; ++look) {
      const auto [least, most] = std::minmax_element(sections[look].begin(), sections[look].end());
      table.add({static_cast<double>(look) * between * paper_run.time_step, median_of(radii[look]),
                 median_of(sections[look]), *least, *most, median_of(together[look])});
    }
    result.tables = {table};
    report_partial(progress, result);
  }
  StudyLine bound{"theory: a ring with a hole is below", {}, LineKind::theory};
  for (const auto& row : table.rows) bound.add(number_of(row[0]), thickest_ring);
  result.plots = {plot_of("Figure 6.1: " + format_fiber_count(fibers), {"time"},
                          {"section over distance from the axis"}, {table.line("time", "section", "median"), bound})};
  const std::string of =
      ", " + format_fiber_count(fibers) + ", t = " + format_number(looks * between * paper_run.time_step);
  const std::vector<double> ring(sections.back().size(), thickest_ring);
  result.tables.push_back(findings_table(
      {paired_finding("a ball opens into a ring: its section over its distance from the axis falls" + of, "figure 6.1",
                      NAN, sections.back(), sections.front()),
       paired_finding("what has become of the ball is a ring with a hole" + of, "figure 6.1", NAN, sections.back(),
                      ring)},
      "End of each start compared with its beginning, and with the section of a ring without a hole, 3/4."));
  return result;
}

double mean_lone_fall(double d) { return (d + 2 + (d - 2) / 3) / (2 * d); }

std::vector<double> point_velocities(std::span<const double> position, double lone, double d) {
  std::vector<double> velocity(position.size(), 0.0);
  for (std::size_t m = 0; m < position.size(); m += 3) {
    velocity[m + 2] -= lone;
    for (std::size_t l = 0; l < m; l += 3) {  // G is even: both get the same
      const double x = position[m] - position[l], y = position[m + 1] - position[l + 1],
                   z = position[m + 2] - position[l + 2];
      const double inverse = 1 / std::sqrt(x * x + y * y + z * z), axial = z * inverse * inverse * inverse / d;
      const double u[3] = {x * axial, y * axial, inverse / d + z * axial};
      for (std::size_t c = 0; c < 3; ++c) {
        velocity[m + c] -= u[c];
        velocity[l + c] -= u[c];
      }
    }
  }
  return velocity;
}

FallingPoints::FallingPoints(std::vector<double> position, double d)
    : d_(d), position_(std::move(position)), velocity_(point_velocities(position_, mean_lone_fall(d), d)) {}

void FallingPoints::step(double dt) {
  const double older = before_.empty() ? 0 : 0.5;
  for (std::size_t k = 0; k < position_.size(); ++k)
    position_[k] += dt * ((1 + older) * velocity_[k] - (older > 0 ? older * before_[k] : 0));
  before_ = std::exchange(velocity_, point_velocities(position_, mean_lone_fall(d_), d_));
}

// ---- fibers compared with point forces

namespace {

constexpr double points_dt = 0.1;
constexpr int points_samples = 12, points_steps = 20;  // steps from one sample to the next

// Shape of a cloud at an instant: its ring's radius and section, the fibers left behind, its parting.
struct CloudShape {
  double ring = 0, section = 0, left = 0, parting = 0;
  void add(const Core& core, double all, double weight) {
    ring += weight * core.ring_radius;
    section += weight * core.ring_section / core.ring_radius;
    left += weight * (1 - core.fibers / all);
    parting += weight * core.parting;
  }
};

}  // namespace

StudyResult points_study(Backend& backend, const Setup&, const StudyProgress& progress) {
  const int fibers = backend.is_cuda() ? 700 : 200;
  const double radius = backend.is_cuda() ? 6 : 5, d = fiber_d(Parameters{}.slenderness);
  const int points_clouds = study_request().starts > 0 ? study_request().starts : 4;
  CloudShape of_fibers[points_samples + 1], of_points[points_samples + 1];
  for (int cloud = 1; cloud <= points_clouds; ++cloud) {
    progress("cloud " + std::to_string(cloud) + " of " + std::to_string(points_clouds));
    Setup setup;
    setup.simulation = "fibers";
    setup.width = fibers;
    setup.seed = static_cast<std::uint32_t>(cloud);
    setup.parameters = {{"radius", radius},
                        {"min_distance", 0.1},
                        {"contact", 1},
                        {"time_step", points_dt},
                        {"scheme", static_cast<double>(Scheme::adams_bashforth)}};
    const auto run = fibers_simulation().create(backend, setup);
    const std::vector<std::size_t> shape = {static_cast<std::size_t>(fibers), 3};
    FallingPoints points(run->save().get<double>("position", shape), d);
    for (int k = 0; k <= points_samples; ++k) {
      if (k > 0) {
        run->step(points_steps);
        for (int step = 0; step < points_steps; ++step) points.step(points_dt);
      }
      const State state = state_with_velocities(*run);
      const std::vector<double> tangent = state.get<double>("tangent", shape);
      of_fibers[k].add(
          find_fiber_core(state.get<double>("position", shape), tangent, state.get<double>("velocity", shape), d),
          fibers, 1.0 / points_clouds);
      of_points[k].add(find_fiber_core(points.position(), tangent, points.velocity(), d), fibers, 1.0 / points_clouds);
    }
  }
  StudyTable table("points",
                   format_fiber_count(fibers) + " in a ball, and as many point forces at the same places: means over " +
                       std::to_string(points_clouds) + " clouds",
                   {column("time", "time", 4), column("ring_radius", "ring radius", "length"),
                    column("ring_radius_points", "points", "length"), column("section", "section over radius"),
                    column("section_points", "points"), column("left_behind", "left behind, share"),
                    column("left_behind_points", "points"), column("parting", "ring's parting"),
                    column("parting_points", "points")});
  table.note =
      "Point forces are the model by which Nitsche & Batchelor (J. Fluid Mech. 340 (1997) 161-175) followed falling "
      "clouds: each falls as a fiber of any direction does on average, and carries the others by the first term of its "
      "flow. A ball has the section 1.2 and the ring radius 0.59 R.";
  for (int k = 0; k <= points_samples; ++k) {
    const CloudShape &f = of_fibers[k], &p = of_points[k];
    const double time = k * points_steps * points_dt;
    table.add({time, f.ring, p.ring, f.section, p.section, f.left, p.left, f.parting, p.parting});
  }
  return {
      {table},
      {plot_of(
          "A ball of fibers and one of point forces", {"time"}, {"share left behind, and parting"},
          {table.line("time", "left_behind", "fibers, left behind"), table.line("time", "parting", "fibers, parting"),
           table.line("time", "left_behind_points", "reference: point forces, left behind", LineKind::reference),
           table.line("time", "parting_points", "reference: point forces, parting", LineKind::reference)})}};
}

}  // namespace perturb::fibers
