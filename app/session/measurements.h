// All current measurements of the simulation and the instruments: as curves for plots and tables, and as text.
#pragma once

#include <string>
#include <vector>

#include "app/instruments/instruments.h"
#include "app/session/diagnostics_poller.h"
#include "app/session/run_client.h"

namespace perturb {

class Measurements {
 public:
  // All arguments must outlive it.
  Measurements(const RunClient& client, const DiagnosticsPoller& diagnostics_poller, const Instruments& instruments)
      : client_(client), diagnostics_poller_(diagnostics_poller), instruments_(instruments) {}

  // Curves of the simulation and of the instruments.
  std::vector<Curve> curves() const;
  // Time series of the scalars, as curves.
  std::vector<Curve> curves_over_time() const;
  // Both kinds of curves.
  std::vector<Curve> all_curves() const;
  // As lines of text.
  std::string to_text() const;

 private:
  const RunClient& client_;
  const DiagnosticsPoller& diagnostics_poller_;
  const Instruments& instruments_;
};

}  // namespace perturb
