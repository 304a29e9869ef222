// An image of widgets that are drawn as in the panels, without a window.
#pragma once

#include <functional>

#include "app/ui/widgets/style.h"
#include "cuda/core/paint/pixels.h"

namespace perturb {

// Pixels per design pixel: a text size for print.
inline constexpr float image_scale = 1.6f;

// `draw` is called several times. Throws Error if nothing can be drawn (no OpenGL).
Picture panel_image(int width, int height, const std::function<void(const Style&)>& draw);

}  // namespace perturb
