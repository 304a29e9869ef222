// System fonts found by fontconfig: Inter, else DejaVu Sans, else the font built into ImGui.
#pragma once

#include <string>

#include "app/ui/widgets/style.h"

namespace perturb {

enum class FontWeight { regular, strong, italic };

// The file of the best installed font, empty if none of the preferred ones is installed.
std::string find_font(FontWeight weight);

// Fills ImGui's font atlas for this number of framebuffer pixels per design pixel, and sets the fonts of the style.
// Digits get one width in all fonts, so that changing numbers do not move.
void load_fonts(Style& style, float pixels_per_design_pixel);

}  // namespace perturb
