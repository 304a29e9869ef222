// The fonts: system fonts found by fontconfig (Inter, else DejaVu Sans, else the font built into ImGui; for code DejaVu
// Sans Mono or another of fixed width, else that of the texts), and the
// characters loaded into them. Those of most texts are always loaded; others once a displayed text contains them: a
// title in Cyrillic, a file name in Chinese. Call on the rendering thread only.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include <imgui.h>

#include "app/ui/widgets/style.h"

namespace perturb {

// Pairs of first and last character with a zero at the end, as ImGui expects them. The last pair is the replacement for
// characters that no font has. Latin, Greek, punctuation, super- and subscripts; arrows and mathematical signs.
inline constexpr ImWchar text_range[] = {0x20, 0x17F, 0x370, 0x3FF, 0x2010, 0x2044, 0x2070, 0x209F, 0xFFFD, 0xFFFD, 0};
inline constexpr ImWchar sign_range[] = {0x2190, 0x21FF, 0x2200, 0x22FF, 0xFFFD, 0xFFFD, 0};

// Announces a text (UTF-8): from the next frame on, all its characters are available.
void request_glyphs(std::string_view text);
// Characters requested so far, beyond the ranges above. The set only grows: fonts created at another size of it lack
// some.
const std::set<ImWchar>& requested_glyphs();

// Whether the current font has all characters of the text. For a new text, not before the next frame.
bool is_legible(std::string_view text);

enum class FontWeight { regular, strong, italic };

// The file of the best installed font, empty if none of the preferred ones is installed.
std::string find_font(FontWeight weight);

// Fills ImGui's font atlas for this number of framebuffer pixels per design pixel, and sets the fonts of the style.
// Digits get one width in all fonts, so that changing numbers do not move.
void load_fonts(Style& style, float pixels_per_design_pixel);

}  // namespace perturb
