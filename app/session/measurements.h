// All that is measured now, by the simulation and by instruments: as curves for plots and tables, and in words.
#pragma once

#include <string>
#include <vector>

#include "app/instruments/instruments.h"
#include "app/session/diagnostics_poller.h"
#include "app/session/run_client.h"

namespace perturb {

class Measurements {
 public:
  // All outlive it.
  Measurements(const RunClient& client, const DiagnosticsPoller& diagnostics_poller, const Instruments& instruments)
      : client_(client), diagnostics_poller_(diagnostics_poller), instruments_(instruments) {}

  // The simulation's curves, and the instruments'.
  std::vector<Curve> curves() const;
  // The numbers over time, as curves.
  std::vector<Curve> curves_over_time() const;
  // Both.
  std::vector<Curve> all_curves() const;
  // As lines of text.
  std::string to_text() const;

 private:
  const RunClient& client_;
  const DiagnosticsPoller& diagnostics_poller_;
  const Instruments& instruments_;
};

}  // namespace perturb
