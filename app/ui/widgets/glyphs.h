// The characters that the fonts are loaded with. Those of most texts are always there; others are loaded once a text
// that is shown has them: a title in Cyrillic, the name of a file in Chinese. To be called on the thread that draws.
#pragma once

#include <cstddef>
#include <set>
#include <string_view>

#include <imgui.h>

namespace perturb {

// First and last, in pairs, with a zero at the end, as ImGui takes them. The last pair is what stands for a character
// that no font has. Latin, Greek, punctuation, super- and subscripts; arrows and mathematical signs.
inline constexpr ImWchar text_range[] = {0x20, 0x17F, 0x370, 0x3FF, 0x2010, 0x2044, 0x2070, 0x209F, 0xFFFD, 0xFFFD, 0};
inline constexpr ImWchar sign_range[] = {0x2190, 0x21FF, 0x2200, 0x22FF, 0xFFFD, 0xFFFD, 0};

// That a text (UTF-8) is to be shown, from the next frame on with all its characters.
void request_glyphs(std::string_view text);
// What texts have needed so far, beyond the ranges above. It only grows: fonts that were made at another size of it
// lack some.
const std::set<ImWchar>& requested_glyphs();

// Whether the current font has all of the text's characters. Of a text that is new, not before the next frame.
bool is_legible(std::string_view text);

}  // namespace perturb
