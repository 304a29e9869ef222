// Renders curves as an image, drawn as in the panels; and a caption below an image.
#pragma once

#include <string>
#include <vector>

#include "app/render/gl/context.h"
#include "cuda/core/paint/pixels.h"
#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

// Two plots per row, for print. Needs a current OpenGL context. Leaves it and Dear ImGui unchanged except for the
// framebuffer binding, which must be restored (GlContext::begin_frame). Throws Error.
Picture curves_image(const std::vector<Curve>& curves);

// Draws the text on a strip along the lower edge of this part of the bound framebuffer. `scale`: pixels per design
// pixel.
void draw_caption(const GlContext& context, const Viewport& part, double scale, const Message& words);

}  // namespace perturb
