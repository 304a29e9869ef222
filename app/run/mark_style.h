// Appearance of objects, theory, instruments and the microscope that are drawn over the view, for every front end.
#pragma once

#include <cstdint>

#include "cuda/core/paint/pixels.h"

namespace perturb {

// Blue and orange differ for colour-blind viewers too. The dark line below makes both visible on any colour.
inline constexpr std::uint32_t theory_ink = rgba(120, 226, 255, 255), measured_ink = rgba(255, 178, 90, 255),
                               mark_shade = rgba(0, 0, 0, 190), label_fill = rgba(10, 14, 20, 205);
// Knobs and handles of objects.
inline constexpr std::uint32_t knob_ink = rgba(255, 255, 255, 235), knob_shade = rgba(0, 0, 0, 170);
// Instruments; a selected one is white. The microscope's place and the walls around it.
inline constexpr std::uint32_t instrument_ink = rgba(255, 214, 92, 255), selected_ink = rgba(255, 255, 255, 255),
                               subject_ink = rgba(244, 246, 250, 255), boundary_ink = rgba(255, 120, 120, 255);

// A position of a label relative to the marked point: to the right or left of it, below or above it, and `step` heights
// of the label farther away.
struct LabelPosition {
  int step;
  bool right, below;
};
// In the order in which they are tried.
inline constexpr LabelPosition label_positions[] = {
    {0, true, true},  {0, true, false},  {0, false, true}, {0, false, false}, {1, true, true},  {1, true, false},
    {1, false, true}, {1, false, false}, {2, true, true},  {2, true, false},  {2, false, true}, {2, false, false}};
inline constexpr int label_gap = 5, label_padding = 4;  // pixels at scale 1

}  // namespace perturb
