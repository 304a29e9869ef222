// Screenshots of the window.
#pragma once

#include "app/render/gl/context.h"
#include "app/session/session.h"
#include "cuda/core/paint/picture.h"

namespace perturb {

// The viewport's part of the current frame as drawn so far; and the same saved as a PNG file named after the scene and
// the step: the session shows where it is, or the error.
Picture read_viewport(const GlContext& context, const Viewport& viewport);
void save_screenshot(const GlContext& context, const Viewport& viewport, Session& session);

}  // namespace perturb
