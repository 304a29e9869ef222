// Fills the area of the view outside the domain with the colour of the theme.
#pragma once

#include "app/session/session.h"
#include "cuda/core/paint/picture.h"

namespace perturb {

// Draws over the image. The dark theme needs nothing, because the painters use its colour; a view with depth has no
// edge that is known here.
void draw_outside_domain(const Session& session, const Viewport& viewport);

}  // namespace perturb
