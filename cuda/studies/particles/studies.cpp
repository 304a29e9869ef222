#include "cuda/studies/particles/studies.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <utility>

#include "cuda/core/backend/check.h"
#include "cuda/core/backend/field.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/timing/timing_duration.h"
#include "cuda/particles/particles.h"
#include "cuda/particles/verify/checks.h"
#include "cuda/studies/paper.h"

namespace perturb::particles {

namespace {

// Seconds per repetition: the best of three groups of at least 0.05 s each of `run(times)`, after a first one that
// allocates memory. A first one of more than a second is returned as it is.
template <class F>
double best_seconds(Backend& backend, const F& run) {
  const auto group = [&](std::int64_t times) {
    return seconds_to_run(backend, [&] { run(times); }) / static_cast<double>(times);
  };
  const double first = group(1);
  if (first > 1) return first;
  group(2);
  const double rough = group(4);
  const auto times = static_cast<std::int64_t>(std::clamp(timing_duration(0.05) / std::max(rough, 1e-7), 1.0, 5000.0));
  double best = group(times);
  for (int k = 0; k < 2; ++k) best = std::min(best, group(times));
  return best;
}

// ---- growth

// The slope of log t over log N: the least squares line.
double exponent_of(const std::vector<CurvePoint>& points) {
  double x = 0, y = 0, xx = 0, xy = 0;
  const auto n = static_cast<double>(points.size());
  for (const CurvePoint& p : points) {
    const double a = std::log(p.x), b = std::log(p.y);
    x += a;
    y += b;
    xx += a * a;
    xy += a * b;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

void reject_size(const char* study) {
  if (study_request().size_given) throw InputError("--{} has numbers of discs of its own. Omit --size.", study);
}

StudyResult growth(Backend& backend, const Setup&, const StudyProgress& progress) {
  reject_size("growth");
  StudyTable table("growth", "Time per step against N at an area fraction of 0.3, speeds of about a radius a step",
                   {column("discs", "N", 7), column("fp64", "FP64", "s"), column("fp64_rate", "rate", "disc/s"),
                    column("fp32", "FP32", "s"), column("fp32_rate", "rate", "disc/s")});
  StudyTable exponents("exponents", "Time grows as N to the power of", {column("precision"), column("exponent")});
  for (const int count : {10000, 30000, 100000, 300000, 1000000}) {
    progress("N = " + std::to_string(count));
    std::vector<StudyValue> row = {count};
    for (const bool single : {false, true}) {
      Setup setup = report_setup(count, {"", "grid", single, false});
      setup.parameters["box"] = std::sqrt(count * 3.14159265358979323846 / 0.3);
      setup.parameters["velocity_max"] = 1;
      const auto run = make_discs(backend, setup, "grid");
      run->step(8);
      const double seconds = seconds_per_step(*run);
      row.emplace_back(seconds);
      row.emplace_back(count / seconds);
    }
    table.add(std::move(row));
  }
  std::vector<StudyLine> lines = table.lines("discs", {"fp64", "fp32"});
  for (const StudyLine& line : lines) exponents.add({line.label, exponent_of(line.points)});
  StudyLine linear{"theory: linear", {}, LineKind::theory};
  const CurvePoint last = lines[0].points.back();
  for (const CurvePoint& p : lines[0].points) linear.add(p.x, last.y * p.x / last.x);
  lines.push_back(std::move(linear));
  return {{std::move(table), std::move(exponents)},
          {plot_of("Area fraction 0.3", {"N", "", Scale::logarithmic}, {"Time per step", "s", Scale::logarithmic},
                   std::move(lines))}};
}

// ---- drawing

StudyResult drawing(Backend& backend, const Setup&, const StudyProgress& progress) {
  reject_size("drawing");
  StudyTable table("drawing", "Time to draw all discs, by image size",
                   {column("discs", "N", 7), column("radius_4k", "radius, 3840 x 2160", "pixels")});
  const ColorTable colors(backend, find_colormap("turbo"));
  struct Size {
    const char* label;
    int width, height;
  };
  const std::vector<Size> sizes = {{"1280 x 720", 1280, 720}, {"1920 x 1080", 1920, 1080}, {"3840 x 2160", 3840, 2160}};
  std::vector<std::string> seconds;
  for (const Size& size : sizes) {
    seconds.push_back("seconds_" + std::to_string(size.width));
    table.columns.push_back(column(seconds.back(), size.label, "s"));
  }
  for (const int count : {100, 10000, 100000, 1000000}) {
    progress("N = " + std::to_string(count));
    Setup setup = report_setup(count, {"", "grid", true, false});
    setup.parameters["box"] = std::sqrt(count * 3.14159265358979323846 / 0.3);
    setup.parameters["velocity_max"] = 1;
    const auto run = make_discs(backend, setup, "grid");
    run->step(2);
    ViewSettings view;
    view.quantity = "speed";
    view.minimum = 0;
    view.maximum = 1.5;
    std::vector<StudyValue> row = {count, 2160 / setup.parameters["box"]};
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      const auto pixels = static_cast<std::size_t>(sizes[k].width) * static_cast<std::size_t>(sizes[k].height);
      Array<std::uint32_t> picture(backend, pixels, "image");
      row.emplace_back(best_seconds(backend, [&](std::int64_t pictures) {
        for (; pictures > 0; --pictures)
          run->paint({picture.data(), sizes[k].width, sizes[k].height}, Camera{}, view, colors);
      }));
    }
    table.add(std::move(row));
  }
  table.note = "The whole box, coloured by speed, FP32, at an area fraction of 0.3.";
  return {{table},
          {plot_of("Drawing discs", {"N", "", Scale::logarithmic}, {"Time per image", "s", Scale::logarithmic},
                   table.lines("discs", seconds))}};
}

}  // namespace

Setup report_setup(int count, const Variant& variant) {
  Setup setup;
  setup.simulation = "particles";
  setup.seed = static_cast<std::uint32_t>(paper_table("particles").at("section 2.2", "random numbers", "seed"));
  setup.parameters = {{"count", static_cast<double>(count)},
                      {"precision", variant.single ? 0.0 : 1.0},
                      {"contraction", variant.contraction ? 1.0 : 0.0}};
  return setup;
}

std::unique_ptr<Simulation> make_discs(Backend& backend, const Setup& setup, const char* kernel) {
  auto run = particles_simulation().create(backend, setup);
  run->select_kernel(kernel);
  return run;
}

double seconds_per_step(Simulation& run) {
  return best_seconds(run.backend(), [&](std::int64_t steps) { run.step(steps); });
}

int max_discs_of_studies(bool cuda, const Setup& scene) {
  const std::vector<CurvePoint> numbers = paper_table("particles").curve("section 5.2", "N");
  const bool sized = study_request().size_given;
  double limit = cuda || study_request().long_too ? numbers.back().x : 16000;
  if (sized) limit = static_cast<double>(scene.width) * scene.height;
  if (limit < numbers.front().x)
    throw InputError("The paper's numbers of discs begin with {}. Give at least --size {}x1.",
                     format_number(numbers.front().x), format_number(numbers.front().x));
  double most = 0;
  for (const CurvePoint& number : numbers)
    if (number.x <= limit) most = number.x;
  return static_cast<int>(most);
}

std::string particles_left_out(int most) {
  std::string left_out;
  for (const CurvePoint& number : paper_table("particles").curve("section 5.2", "N"))
    if (number.x > most) left_out += (left_out.empty() ? "N = " : ", ") + std::to_string(static_cast<int>(number.x));
  return left_out_note(left_out);
}

std::vector<Study> particles_studies() {
  return {
      {"sweeps",
       "The paper's sweeps: time against N, the block size, the precision and contraction, and each kernel's share.",
       true,
       [](Backend& backend, const Setup& scene, const StudyProgress& progress) {
         return sweeps_study(backend, max_discs_of_studies(backend.is_cuda(), scene), progress);
       }},
      {"figures", "The paper's figures of the parts of a step: each kernel, sorting and filter, candidates.", false,
       [](Backend& backend, const Setup& scene, const StudyProgress& progress) {
         return figures_study(backend, max_discs_of_studies(backend.is_cuda(), scene), progress);
       }},
      {"chunks", "The paper's sweep over threads per block for nine numbers of discs (CUDA).", false,
       [](Backend& backend, const Setup& scene, const StudyProgress& progress) {
         return chunks_study(backend, max_discs_of_studies(backend.is_cuda(), scene), progress);
       }},
      {"memory", "Kinds of memory for the check of pairs, and threads that add to one counter.", false, memory_study},
      {"growth", "How the time of a step grows with the number of discs, from 10000 to a million.", true, growth},
      {"rules", "Cost of a step with one collision per step and with exact collisions, dilute and dense.", false,
       rules_study},
      {"drawing", "Time to draw a hundred to a million discs into images of several sizes.", false, drawing},
      {"divergence", "Counts, step by step, the discs whose state differs between variants at the 8th decimal.", false,
       divergence_study},
  };
}

// ---- cost of the rule exact

StudyResult rules_study(Backend& backend, const Setup&, const StudyProgress& progress) {
  reject_size("rules");
  struct Row {
    double count, fraction, velocity;
  };
  // Velocities (Maxwell distribution, or the largest component if uniform) with which about 2 % of all discs collide in
  // a step at φ = 0.3.
  std::vector<Row> rows = {{10000, 0.3, 0.0288}, {100000, 0.3, 0.0288}, {100000, 0.3, 0.288}, {3000, 0.63, 0.125}};
  constexpr Row largest = {1000000, 0.3, 0.0288};
  const bool all = backend.is_cuda() || study_request().long_too;
  if (all) rows.insert(rows.begin() + 2, largest);
  StudyTable table(
      "rules", "Time per step with both rules",
      {column("discs", "N", 7), column("fraction", "area fraction"), column("colliding", "collisions per disc"),
       column("one", "one", "s"), column("exact", "exact", "s"), column("ratio", "exact over one"),
       column("exact_fp32", "exact, FP32", "s")});
  for (const Row& row : rows) {
    progress("N = " + std::to_string(static_cast<int>(row.count)));
    double seconds[3] = {}, colliding = 0;
    for (int k = 0; k < 3; ++k) {
      const auto run = discs_for_check(backend, {{"count", row.count},
                                                 {"box", std::sqrt(row.count * std::numbers::pi / row.fraction)},
                                                 {"velocity_max", row.velocity},
                                                 {"velocities", 1},
                                                 {"collisions", k > 0 ? 1.0 : 0.0},
                                                 {"precision", k == 2 ? 0.0 : 1.0}});
      run->step(20);
      seconds[k] = seconds_per_step(*run);
      if (k != 1) continue;
      scalar_of(*run, "collisions");
      run->step(20);
      colliding = 2 * scalar_of(*run, "collisions") / row.count;
    }
    table.add({row.count, row.fraction, colliding, seconds[0], seconds[1], seconds[1] / seconds[0], seconds[2]});
  }
  table.note = "Velocities from a Maxwell-Boltzmann distribution. Each disc collides this many times per step." +
               left_out_note(all ? "" : "N = " + std::to_string(static_cast<int>(largest.count)));
  return {{std::move(table)}, {}};
}

// ---- findings about the paper's figures, independent of the measurement

Power power_of(const std::vector<CurvePoint>& points) {
  const auto n = static_cast<double>(points.size());
  if (points.size() < 3) return {NAN, std::numeric_limits<double>::infinity()};
  double mean_x = 0, mean_y = 0;
  for (const CurvePoint& p : points) {
    mean_x += std::log(p.x) / n;
    mean_y += std::log(p.y) / n;
  }
  double xx = 0, xy = 0, yy = 0;
  for (const CurvePoint& p : points) {
    const double x = std::log(p.x) - mean_x, y = std::log(p.y) - mean_y;
    xx += x * x;
    xy += x * y;
    yy += y * y;
  }
  const double exponent = xy / xx, rest = std::max(0.0, yy - exponent * xy);
  // Student's t, two-sided 95 %, for 1, 2, ... degrees of freedom.
  constexpr double student[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306};
  const std::size_t freedom = std::min(points.size() - 2, std::size(student));
  return {exponent, student[freedom - 1] * std::sqrt(rest / (n - 2) / xx)};
}

void add_square_finding(std::vector<Finding>& findings, const std::string& what, const char* place,
                        std::vector<CurvePoint> points) {
  constexpr double from = 8000, to = 32000, square = 2;
  std::erase_if(points, [](const CurvePoint& p) { return p.x < from || p.x > to; });
  if (points.empty() || points.back().x < to) points.clear();
  const Power power = power_of(points);
  const bool known = power.half_width < 1;
  const std::vector<double> here = known ? std::vector<double>{power.exponent} : std::vector<double>{};
  Finding finding =
      agreement(what + " grows as N squared: the power of N, from " + format_number(from) + " to " + format_number(to),
                place, square, here, std::max(power.half_width, smallest_effect * square));
  if (known)
    finding.measured = format_number(power.exponent, 3) + " ± " + format_number(power.half_width, 2) + " (power of N)";
  findings.push_back(std::move(finding));
}

void add_gain_finding(std::vector<Finding>& findings, const std::string& what, const std::string& of, const char* place,
                      const std::vector<double>& quick, const std::vector<double>& slow) {
  const PaperTable& paper = paper_table("particles");
  const double least = paper.at("figure 17", "float over double", "smallest speed-up"),
               most = paper.at("figure 17", "float over double", "largest speed-up");
  const double middle = (least + most) / 2, within = (most - least) / 2;
  findings.push_back(agreement(what + " makes a step " + format_number(least) + " to " + format_number(most) +
                                   " times shorter (" + format_number(middle) + " within " + format_number(within) +
                                   ")" + of,
                               place, middle, quotients_of(slow, quick), within));
}

double crossing(const std::vector<CurvePoint>& longer_first, const std::vector<CurvePoint>& longer_later) {
  double before = 0;
  for (std::size_t k = 0; k < std::min(longer_first.size(), longer_later.size()); ++k) {
    const double here = std::log(longer_later[k].y / longer_first[k].y);
    if (here >= 0) {
      if (k == 0) return 0;
      const double a = std::log(longer_later[k - 1].x), b = std::log(longer_later[k].x);
      return std::exp(a + (b - a) * before / (before - here));
    }
    before = here;
  }
  return std::numeric_limits<double>::infinity();
}

double disc_parameter(const Setup& setup, const char* id) {
  const auto given = setup.parameters.find(id);
  if (given != setup.parameters.end()) return given->second;
  for (const Parameter& p : particles_simulation().parameters)
    if (p.id == id) return p.initial;
  return 0;
}

}  // namespace perturb::particles
