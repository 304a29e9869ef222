// Findings about the paper's figures, independent of the measurement.
#include <algorithm>
#include <cmath>
#include <limits>

#include "cuda/core/bench/paper_table.h"
#include "cuda/particles/particles.h"
#include "cuda/particles/study/studies.h"

namespace perturb::particles {

namespace {

std::vector<double> times_of(std::vector<double> repeats, double factor) {
  for (double& value : repeats) value *= factor;
  return repeats;
}

}  // namespace

void add_square_findings(std::vector<Finding>& findings, const std::string& what, const char* place,
                         const std::vector<double>& half, const std::vector<double>& whole) {
  // For the power itself, the paper's ratio is 2 squared over the bound.
  const double least = std::exp2(1.5), most = std::exp2(2.5), squared = 4;
  findings.push_back({what + " grows faster than N to the 3/2", place, squared / least, times_of(half, least), whole});
  findings.push_back({what + " grows slower than N to the 5/2", place, most / squared, whole, times_of(half, most)});
}

void add_gain_findings(std::vector<Finding>& findings, const std::string& what, const std::string& of,
                       const char* place, const std::vector<double>& quick, const std::vector<double>& slow) {
  const PaperTable& paper = paper_table("particles");
  const double least = paper.at("figure 17", "float over double", "smallest speed-up"),
               most = paper.at("figure 17", "float over double", "largest speed-up");
  const auto times = [](double factor) { return std::to_string(static_cast<int>(factor)) + " times"; };
  findings.push_back(
      {what + " makes a step at least " + times(least) + " shorter" + of, place, NAN, times_of(quick, least), slow});
  findings.push_back(
      {what + " makes a step at most " + times(most) + " shorter" + of, place, NAN, slow, times_of(quick, most)});
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
