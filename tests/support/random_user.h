// A user who draws, drags and moves sliders at random: the same for the same seed on every machine.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <random>
#include <string>
#include <utility>

#include "app/run/experiment.h"

namespace perturb {

// Acts on a run through the functions that the window calls, Experiment::perform and set_parameter. Values that the
// program rejects with a message are counted; the run must be unchanged by them.
class RandomUser {
 public:
  // `has_time`, if given, is asked before the steps, which are then taken 1, 2, 4 and from then on 8 at a time: false
  // ends them.
  RandomUser(Experiment& run, std::uint64_t seed, std::function<bool()> has_time = {})
      : run_(run), random_(seed), has_time_(std::move(has_time)) {}

  // One stroke with a tool, its settings at random, or one drag of a live parameter's slider; `steps` steps are taken
  // between its parts.
  void act(std::int64_t steps);
  // A wall from side to side, drawn with the tool "wall" from bottom to top, or from left to right. False if the
  // simulation has no such tool.
  bool close_off(bool upright);
  // Takes steps, and stops the run as the window does if its numbers are not finite.
  void advance(std::int64_t steps);

  int actions() const { return actions_; }
  int rejected() const { return rejected_; }
  // Why the run ended, with the last actions; empty: it has not.
  std::string failure() const;

 private:
  double unit();  // in [0, 1)
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(unit() * static_cast<double>(count)); }
  double position_of(const ValueInfo& info);
  Gesture start(const Tool& tool);
  void perform(const Gesture& gesture);
  void draw(std::int64_t steps);
  void slide(std::int64_t steps);
  void note(const std::string& text);

  Experiment& run_;
  std::mt19937_64 random_;
  std::function<bool()> has_time_;
  std::deque<std::string> last_;
  std::string not_finite_;
  int actions_ = 0, rejected_ = 0;
};

}  // namespace perturb
