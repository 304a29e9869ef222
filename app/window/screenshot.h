// What the window shows, saved when its user asks for it.
#pragma once

#include "app/render/gl/context.h"
#include "app/session/session.h"
#include "cuda/core/paint/picture.h"

namespace perturb {

// The viewport's part of what has been drawn so far in this frame; and the same as a PNG file named after the scene and
// the step: the session tells where it is, or what went wrong.
Picture read_viewport(const GlContext& context, const Viewport& viewport);
void save_screenshot(const GlContext& context, const Viewport& viewport, Session& session);

}  // namespace perturb
