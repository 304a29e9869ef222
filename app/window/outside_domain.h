// The part of the picture that lies outside of the domain, in the colour of the window's look.
#pragma once

#include "app/session/session.h"
#include "cuda/core/paint/picture.h"

namespace perturb {

// Over the picture that was drawn. The dark look is the painters' own; and what has depth, a scene or a surface in
// space, has no edge that could be told from here.
void draw_outside_domain(const Session& session, const Viewport& viewport);

}  // namespace perturb
