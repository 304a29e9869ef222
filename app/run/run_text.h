// Texts about a run for every front end: messages about gauges that exceed their limit, and a description of the image.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/run/experiment.h"
#include "cuda/core/simulation/diagnostics.h"
#include "cuda/core/simulation/parameters.h"

namespace perturb {

// Whether the gauge exceeds its limit, so that its message must be shown.
bool gauge_is_crossed(const Gauge& gauge);
// Explains the gauge and gives a remedy. A remedy that is a parameter's id becomes "Lower ..." and its name.
Message gauge_advice(const Gauge& gauge, const std::vector<Parameter>& parameters);

// Length of the gauge's bar relative to that at its limit; the whole bar ends at gauge_span, so that an excess is
// visible. A gauge without a limit, which only warns, has an empty bar while it is good, otherwise a full one.
constexpr double gauge_span = 1.25;
double gauge_share(const Gauge& gauge);

// "Number of fibers: 150 of 700, as many as this computer can run smoothly.", for a scene with a count.
Message count_text(const Scene& scene);

// Messages for a text front end. Each crossing is printed once, until the gauge has been below its limit again. A gauge
// near its limit is reported only once: a value that oscillates about that bound would fill a terminal.
class GaugeLines {
 public:
  // One or two sentences for each gauge that has exceeded its limit, or come near it, since the last call.
  std::vector<std::string> new_lines(const std::vector<Gauge>& gauges, const std::vector<Parameter>& parameters);

 private:
  std::set<std::string> crossed_, near_;  // ids
};

// One-line description of the image, for screen readers: "Wave tank, Double slit, step 1200, time 600. Shown: Height,
// from -0.041 (at the lower left) to 0.043 (at the middle right); the colours go from -0.05 to 0.05. ..." `view` has
// every automatic setting resolved. Numbers are in displayed units. Waits for the device.
Message describe(Experiment& experiment, const ViewSettings& view, const DisplayUnits& units = {});

// Positions of a quantity's minimum and maximum, as fractions of the domain. None where pixel colours do not correspond
// to values: for quantities with depth or shading.
struct Extremes {
  Camera::Point lowest, highest;
};
std::optional<Extremes> find_extremes(Experiment& experiment, const ViewSettings& view, const Diagnostics& now);

// "lower left", "middle", "upper right".
const char* position_text(Camera::Point place);

}  // namespace perturb
