// Reads text in a captured image of the window, by comparing its pixels with the letters of the program's fonts. So a
// test sees what the program has drawn onto the screen, and not what it would draw in another frame.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/session/layout.h"

namespace perturb {

class ScreenText {
 public:
  // Three bytes per pixel, the top row first. The fonts are those of the current ImGui context, at the same scale.
  ScreenText(const std::vector<std::uint8_t>& rgb, int width, int height);

  // Where ImGui began a line of text and where it ended: pixels from the upper left corner.
  struct Line {
    int x = 0, y = 0, end = 0;
    const ImFont* font = nullptr;
  };
  // The best match of this text within the area; nullopt: none correlates with the pixels by more than `least`. The
  // background need not be even.
  std::optional<Line> find(const std::string& text, const ImFont* font, const Rect& area, double least = 0.9) const;
  // The number that begins at this position, on an even background; nullopt: there is none.
  std::optional<double> number_at(const ImFont* font, int x, int y) const;
  // The number that follows the line.
  std::optional<double> number_after(const Line& line) const { return number_at(line.font, line.end, line.y); }

 private:
  // Coverage of each pixel by ink, row by row; `width` is the sum of the advances.
  struct Stencil {
    int width = 0, height = 0;
    std::vector<float> ink;
  };
  Stencil stencil_of(const std::string& text, const ImFont* font) const;
  float grey(int x, int y) const {
    return grey_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x)];
  }
  // Correlation of the stencil's first columns with the pixels.
  double correlation(const Stencil& stencil, int columns, int x, int y) const;

  int width_, height_;
  std::vector<float> grey_;
};

}  // namespace perturb
