// The end of what a scene shows.
#pragma once

#include "cuda/core/backend/message.h"

namespace perturb {

// Implemented by simulations with scenes that show one event, such as a front on its way through the domain. Front ends
// pause when it is over; the run itself can continue.
class HasCompletion {
 public:
  // The event, and why the run is paused, as sentences; empty: nothing yet, or the scene has no such event.
  virtual Message completion() const = 0;

 protected:
  ~HasCompletion() = default;
};

}  // namespace perturb
