// Polls the diagnostics of the run: whenever the state has changed and as often as time allows. Keeps their history for
// plots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "app/session/history.h"
#include "app/session/pointer_probe.h"
#include "app/session/run_client.h"
#include "app/session/view_controller.h"

namespace perturb {

class DiagnosticsPoller {
 public:
  using OnDiagnostics = std::function<void(const Diagnostics& numbers)>;

  DiagnosticsPoller(RunClient& client, const UiState& state, const ViewController& view, PointerProbe& pointer)
      : client_(client), state_(state), view_(view), pointer_(pointer) {}

  // The newest diagnostics.
  const Diagnostics& latest() const { return latest_; }
  const History& history() const { return history_; }

  // Requests what is due, including the value under the pointer; calls `on_diagnostics` with new numbers. `wait`: wait
  // for the device, for single images only.
  void poll(bool wait, OnDiagnostics on_diagnostics);
  void elapse(double seconds) { since_asked_ += seconds; }
  // Discards the observations of the previous run.
  void forget();

 private:
  // The last state that was observed with waiting. While it is unchanged, there is nothing new to observe.
  struct ObservedState {
    std::int64_t steps = -1;
    std::size_t events = 0;
    std::string quantity;
    bool automatic = false;
    bool operator==(const ObservedState&) const = default;
  };
  ObservedState observed_state() const;

  RunClient& client_;
  const UiState& state_;
  const ViewController& view_;
  PointerProbe& pointer_;
  Diagnostics latest_;
  History history_;
  ObservedState last_waited_state_;
  double cost_ = 0, since_asked_ = 1;  // seconds
};

}  // namespace perturb
