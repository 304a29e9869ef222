#include "app/run/gauge_text.h"

#include "cuda/core/simulation/format.h"

namespace perturb {

bool gauge_is_crossed(const Gauge& gauge) {
  return gauge.advisory ? gauge.level() == Gauge::Level::near : gauge.level() == Gauge::Level::exceeded;
}

std::vector<std::string> GaugeLines::new_lines(const std::vector<Gauge>& gauges,
                                               const std::vector<Parameter>& parameters) {
  std::vector<std::string> lines;
  for (const Gauge& gauge : gauges) {
    if (!gauge.measured) continue;
    const bool crossed = gauge_is_crossed(gauge);
    if (!crossed) crossed_.erase(gauge.id);
    if (gauge.level() == Gauge::Level::good) continue;
    if (!(crossed ? crossed_ : near_).insert(gauge.id).second) continue;
    std::string line = gauge.label + " is " + format_number(gauge.value, 3);
    if (!gauge.advisory)
      line += (crossed ? ", past its limit of " : ", near its limit of ") + format_number(gauge.limit, 3);
    lines.push_back(line + ". " + gauge_advice(gauge, parameters, [](const Parameter& p) { return p.id; }));
  }
  return lines;
}

}  // namespace perturb
