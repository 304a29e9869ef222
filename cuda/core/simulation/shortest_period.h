// How fast a simulation oscillates at a point.
#pragma once

namespace perturb {

// Implemented by simulations whose fields hardly change within a step. Of others a probe reads every step.
class ShortestPeriod {
 public:
  // Of the oscillations to expect at a point, in steps: those of sources, and of the shortest waves that the grid
  // resolves.
  virtual double shortest_period() const = 0;

 protected:
  ~ShortestPeriod() = default;
};

}  // namespace perturb
