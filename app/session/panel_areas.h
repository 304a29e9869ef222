// Areas of the window that panels cover: clicks there belong to the panels.
#pragma once

#include <algorithm>
#include <vector>

#include "app/session/layout.h"

namespace perturb {

// Panels add their areas while they are drawn, for the clicks of the next frame.
class PanelAreas {
 public:
  void begin() { areas_.clear(), everything_ = false; }
  void add(const Rect& rect) { areas_.push_back(rect); }
  void add_everything() { everything_ = true; }
  bool contains(double x, double y) const {
    return everything_ ||
           std::any_of(areas_.begin(), areas_.end(), [&](const Rect& rect) { return rect.contains(x, y); });
  }

 private:
  std::vector<Rect> areas_;
  bool everything_ = false;
};

}  // namespace perturb
