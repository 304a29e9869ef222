// Theory drawn into the views of the fibers (Diagnostics::marks).
#pragma once

#include "cuda/core/simulation/diagnostics.h"
#include "cuda/fibers/model/start.h"
#include "cuda/fibers/parameters.h"
#include "cuda/fibers/view/view.h"

namespace perturb::fibers {

// Up to this many fibers have arrows of their own.
constexpr int max_fibers_with_arrows = 12;

// The exact velocity of each of a few fibers that fall as if alone, as an arrow over the distance of one time unit in
// the first view. `center`: the point in space at the middle of the view.
void mark_lone_fibers(const Placement& fibers, const Parameters& parameters, const PictureViews& views,
                      Vector3<double> center, Diagnostics& diagnostics);

// The fall of a cloud's core that the view follows, and its estimate, from the scalars: arrows from the middle of the
// first view whose lengths have the ratio of the two.
void mark_core_fall(const PictureViews& views, Diagnostics& diagnostics);

}  // namespace perturb::fibers
