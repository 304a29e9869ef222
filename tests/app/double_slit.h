// Positions that a ruler in the window measures behind the double slit: from the preset's own numbers, and from its
// image.
#pragma once

#include <cmath>
#include <cstddef>

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
      if (action.kind == "slits") wall_ = action.get("x"), distance = action.get("distance");
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
  // Distance from the top of the window of the brightest row next to the screen (which is drawn over the light) between
  // two heights above the middle (length units).
  double brightest(const GreyImage& picture, double from, double to) const {
    const double middle = pixel(0.5, 0.5).y, per_length = (pixel(0.5, 1).y - pixel(0.5, 0).y) / height_;
    double best = -1, place = 0;
    for (double y = from; y < to; y += 0.5) {
      const auto row = static_cast<std::size_t>(middle + y * per_length);
      double light = 0;
      for (const double beside : {-8, -7, -6, 6, 7, 8})
        light += static_cast<double>(picture.values[row * static_cast<std::size_t>(picture.width) +
                                                    static_cast<std::size_t>(column() + beside)]);
      if (light > best) best = light, place = middle + y * per_length;
    }
    return top_ - place;
  }

 private:
  Viewport view_;
  double top_, width_, height_, screen_ = 0, wall_ = 0, fringe_ = 0;
};

}  // namespace perturb
