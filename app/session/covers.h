// Where panels lie over the picture: what is clicked there is theirs.
#pragma once

#include <algorithm>
#include <vector>

#include "app/session/layout.h"

namespace perturb {

// Panels tell it while they are drawn, for the next frame's clicks.
class Covers {
 public:
  void begin() { some_.clear(), all_ = false; }
  void add(const Rect& rect) { some_.push_back(rect); }
  void add_all() { all_ = true; }
  bool contain(double x, double y) const {
    return all_ || std::any_of(some_.begin(), some_.end(), [&](const Rect& rect) { return rect.contains(x, y); });
  }

 private:
  std::vector<Rect> some_;
  bool all_ = false;
};

}  // namespace perturb
