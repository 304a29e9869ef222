// The run's numbers as they are seen: asked for while there is something new to see and as often as time allows, kept
// over time for plots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "app/session/run_client.h"
#include "app/session/history.h"
#include "app/session/pointer_reading.h"
#include "app/session/shown_view.h"

namespace perturb {

class Observation {
 public:
  using Heard = std::function<void(const Diagnostics& numbers)>;

  Observation(RunClient& client, const UiState& state, const ShownView& view, PointerReading& pointer)
      : client_(client), state_(state), view_(view), pointer_(pointer) {}

  // The newest ones.
  const Diagnostics& numbers() const { return numbers_; }
  const History& history() const { return history_; }

  // Asks for what is due, with the value under the pointer; `heard` is called with new numbers. Only a picture that
  // stands alone waits for the device (`wait`).
  void look(bool wait, Heard heard);
  void elapse(double seconds) { since_asked_ += seconds; }
  // What was seen is another run's.
  void forget();

 private:
  // What was last looked at with waiting for it: while it is the same, there is nothing new to see.
  struct Sight {
    std::int64_t steps = -1;
    std::size_t deeds = 0;
    std::string quantity;
    bool automatic = false;
    bool operator==(const Sight&) const = default;
  };
  Sight sight() const;

  RunClient& client_;
  const UiState& state_;
  const ShownView& view_;
  PointerReading& pointer_;
  Diagnostics numbers_;
  History history_;
  Sight seen_;
  double cost_ = 0, since_asked_ = 1;  // seconds
};

}  // namespace perturb
