// The run's numbers as they are seen: asked for while there is something new to see and as often as time allows, kept
// over time for plots.
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

  // The newest ones.
  const Diagnostics& latest() const { return latest_; }
  const History& history() const { return history_; }

  // Asks for what is due, with the value under the pointer; `on_diagnostics` is called with new numbers. Only a picture
  // that stands alone waits for the device (`wait`).
  void poll(bool wait, OnDiagnostics on_diagnostics);
  void elapse(double seconds) { since_asked_ += seconds; }
  // What was seen is another run's.
  void forget();

 private:
  // What was last looked at with waiting for it: while it is the same, there is nothing new to see.
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
