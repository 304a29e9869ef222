// Fonts of the system, found through fontconfig: Inter, else DejaVu Sans, else the one ImGui carries.
#pragma once

#include <string>

#include "app/ui/widgets/style.h"

namespace perturb {

enum class FontWeight { regular, strong, italic };

// The file of the best installed font, empty when none of those asked for is there.
std::string find_font(FontWeight weight);

// Fills ImGui's font atlas for this many framebuffer pixels per design pixel, and sets the style's fonts. Figures get
// one width in all fonts, so that numbers do not wobble as they change.
void load_fonts(Style& style, float pixels_per_design_pixel);

}  // namespace perturb
