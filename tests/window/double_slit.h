// Positions that a ruler in the window measures behind the double slit: from the preset's own numbers, and from its
// image.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "app/io/image/image.h"
#include "app/session/layout.h"
#include "cuda/core/paint/camera.h"
#include "cuda/core/simulation/setup.h"

namespace perturb {

// The first fringe next to the middle, on the scene's screen. `setup`: wave/double-slit as in its preset, two gaps.
class DoubleSlit {
 public:
  DoubleSlit(const Setup& setup, const Layout& layout)
      : view_(layout.viewport()), top_(layout.view_rect.height), width_(setup.width), height_(setup.height) {
    double frequency = 0, distance = 0;
    for (const Action& action : setup.actions) {
      if (action.kind == "line-source") frequency = action.get("frequency");
      if (action.kind == "screen") screen_ = action.get("x");
      if (action.kind == "slits") {
        wall_ = action.get("x");
        distance = action.get("distance");
      }
    }
    const double sine = 1 / frequency / distance;
    fringe_ = (screen_ - wall_) * width_ * std::tan(std::asin(sine));
  }

  // Its distance from the middle in length units, from the angle whose sine is wavelength / distance between the gaps.
  double fringe() const { return fringe_; }
  double wall() const { return wall_; }  // position of the wall as a fraction of the width
  // The image position (from the lower left corner) of a position in the tank (fractions), and the image column of the
  // scene's screen.
  Camera::Point pixel(double x, double y) const {
    return Camera().to_pixel(x, y, view_.width, view_.height, width_, height_);
  }
  double column() const { return pixel(screen_, 0.5).x; }
  // Distance from the top of the window of the middle of the bright stripe next to the screen (which is drawn over the
  // light) between two heights above the middle (length units).
  double brightest(const GreyImage& picture, double from, double to) const {
    const double middle = pixel(0.5, 0.5).y, per_length = (pixel(0.5, 1).y - pixel(0.5, 0).y) / height_;
    const auto first = static_cast<std::size_t>(middle + from * per_length),
               end = static_cast<std::size_t>(middle + to * per_length) + 1;
    std::vector<double> lights;
    for (std::size_t row = first; row < end; ++row) {
      double light = 0;
      for (const double beside : {-8, -7, -6, 6, 7, 8})
        light += static_cast<double>(picture.values[row * static_cast<std::size_t>(picture.width) +
                                                    static_cast<std::size_t>(column() + beside)]);
      lights.push_back(light);
    }
    // As an eye finds it: from the rows that are almost as bright as the brightest one.
    const double almost = 0.9 * *std::max_element(lights.begin(), lights.end());
    double weight = 0, sum = 0;
    for (std::size_t k = 0; k < lights.size(); ++k) {
      const double more = std::max(0.0, lights[k] - almost);
      weight += more;
      sum += more * (static_cast<double>(first + k) + 0.5);
    }
    return weight > 0 ? top_ - sum / weight : -1;
  }

 private:
  Viewport view_;
  double top_, width_, height_, screen_ = 0, wall_ = 0, fringe_ = 0;
};

}  // namespace perturb
