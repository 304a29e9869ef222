// Window sizes for panel tests.
#pragma once

#include <string>

namespace perturb {

struct ScreenSize {
  int width, height;
  double scale;  // of the text
};

inline std::string words(const ScreenSize& size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height) + " at " + std::to_string(size.scale);
}

}  // namespace perturb
