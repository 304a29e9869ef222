// A ball of fibers compared with the same ball of point forces, the model of the publications on falling clouds.
#include "cuda/fibers/model/points.h"

#include <cmath>
#include <string>

#include "cuda/fibers/fibers.h"
#include "cuda/fibers/model/core.h"
#include "cuda/fibers/study/studies.h"

namespace perturb::fibers {

namespace {

constexpr double points_dt = 0.1;
constexpr int points_samples = 12, points_steps = 20;  // steps from one sample to the next
constexpr int points_clouds = 4;

// Shape of a cloud at an instant: its ring's radius and section, the fibers left behind, its parting.
struct CloudShape {
  double ring = 0, section = 0, left = 0, parting = 0;
  void add(const FiberCore& core, double all, double weight) {
    ring += weight * core.ring_radius, section += weight * core.ring_section / core.ring_radius;
    left += weight * (1 - core.fibers / all), parting += weight * core.parting;
  }
};

}  // namespace

StudyResult points_study(Backend& backend, const Setup&, const StudyProgress& progress) {
  const int fibers = backend.is_cuda() ? 700 : 200;
  const double radius = backend.is_cuda() ? 6 : 5, d = fiber_d(FiberParameters{}.slenderness);
  CloudShape of_fibers[points_samples + 1], of_points[points_samples + 1];
  for (int cloud = 1; cloud <= points_clouds; ++cloud) {
    progress("cloud " + std::to_string(cloud) + " of " + std::to_string(points_clouds));
    Setup setup;
    setup.simulation = "fibers", setup.width = fibers, setup.seed = static_cast<std::uint32_t>(cloud);
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
      const State state = run->save();
      const std::vector<double> tangent = state.get<double>("tangent", shape);
      of_fibers[k].add(
          find_fiber_core(state.get<double>("position", shape), tangent, state.get<double>("velocity", shape), d),
          fibers, 1.0 / points_clouds);
      of_points[k].add(find_fiber_core(points.position(), tangent, points.velocity(), d), fibers, 1.0 / points_clouds);
    }
  }
  StudyTable table;
  table.id = "points";
  table.title = format_fiber_count(fibers) + " in a ball, and as many point forces at the same places: means over " +
                std::to_string(points_clouds) + " clouds";
  table.columns = {{"time", "time", "", 4},
                   {"ring_radius", "ring radius", "length"},
                   {"ring_radius_points", "points", "length"},
                   {"section", "section over radius", ""},
                   {"section_points", "points", ""},
                   {"left_behind", "left behind, share", ""},
                   {"left_behind_points", "points", ""},
                   {"parting", "ring's parting", ""},
                   {"parting_points", "points", ""}};
  table.note =
      "Point forces are the model by which Nitsche & Batchelor (J. Fluid Mech. 340 (1997) 161-175) followed falling "
      "clouds: each falls as a fiber of any direction does on average, and carries the others by the first term of its "
      "flow. A ball has the section 1.2 and the ring radius 0.59 R.";
  StudyPlot plot;
  plot.title = "A ball of fibers and one of point forces", plot.x_label = "time",
  plot.y_label = "share left behind, and parting";
  StudyLine lines[4] = {{"fibers, left behind", {}},
                        {"fibers, parting", {}},
                        {"point forces, left behind", {}, true},
                        {"point forces, parting", {}, true}};
  for (int k = 0; k <= points_samples; ++k) {
    const CloudShape &f = of_fibers[k], &p = of_points[k];
    const double time = k * points_steps * points_dt;
    table.rows.push_back({time, f.ring, p.ring, f.section, p.section, f.left, p.left, f.parting, p.parting});
    lines[0].points.push_back({time, f.left}), lines[1].points.push_back({time, f.parting});
    lines[2].points.push_back({time, p.left}), lines[3].points.push_back({time, p.parting});
  }
  plot.lines.assign(std::begin(lines), std::end(lines));
  StudyResult result;
  result.tables = {table}, result.plots = {plot};
  return result;
}

}  // namespace perturb::fibers
