// Curves as a picture, drawn as the panels draw them; and a line of words below a picture.
#pragma once

#include <string>
#include <vector>

#include "app/render/gl/context.h"
#include "cuda/core/paint/picture.h"
#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

// Two plots beside each other, as many rows as it takes, for print. Needs an OpenGL context current, and leaves it and
// Dear ImGui as they were, but for the framebuffer, which is to be bound anew (GlContext::begin_frame). Throws Error.
Picture curves_image(const std::vector<Curve>& curves);

// Draws the words on a strip along the lower edge of this part of the framebuffer that is bound. `scale`: pixels for
// each of the design.
void draw_caption(const GlContext& context, const Viewport& part, double scale, const std::string& words);

}  // namespace perturb
