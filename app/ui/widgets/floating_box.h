// A floating box over the view that the user can drag.
#pragma once

namespace perturb {

// Position: fractions of the free area of the view, from its top left corner.
struct FloatingBox {
  double across = 1, down = 1;
  bool is_dragged = false;
};

}  // namespace perturb
