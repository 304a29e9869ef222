#include "app/ui/widgets/glyphs.h"

#include <cstdint>

namespace perturb {

namespace {

std::set<ImWchar>& requested_set() {
  static std::set<ImWchar> letters;
  return letters;
}

bool is_within(const ImWchar* range, std::uint32_t code) {
  for (; *range != 0; range += 2)
    if (code >= range[0] && code <= range[1]) return true;
  return false;
}

bool is_preloaded(std::uint32_t code) {
  return code < 0x20 || is_within(text_range, code) || is_within(sign_range, code);
}

// Characters that change their neighbours and are not visible themselves.
bool is_invisible(std::uint32_t code) {
  return (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0xFE00 && code <= 0xFE0F) || code == 0xFEFF;
}

// More characters of an alphabet will be needed soon: loads the block of 128 Unicode characters around it.
constexpr std::uint32_t end_of_alphabets = 0x2000, block = 0x80;

void request_glyph(std::uint32_t code) {
  if (code > 0xFFFF || is_preloaded(code) || is_invisible(code)) return;  // ImGui's characters have 16 bits
  std::set<ImWchar>& letters = requested_set();
  if (!letters.insert(static_cast<ImWchar>(code)).second || code >= end_of_alphabets) return;
  const std::uint32_t first = code / block * block;
  for (std::uint32_t one = first; one < first + block; ++one)
    if (!is_preloaded(one)) letters.insert(static_cast<ImWchar>(one));
}

// Calls `take` with each character beyond Latin.
template <typename Take>
void each_character(std::string_view text, const Take& take) {
  constexpr unsigned char last_latin_lead = 0xC5;  // of U+0140 to U+017F
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto lead = static_cast<unsigned char>(text[at]);
    if (lead <= last_latin_lead) continue;
    const std::size_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    if (at + more > text.size() - 1) return;
    std::uint32_t code = lead & (0x3Fu >> more);
    for (std::size_t k = 1; k <= more; ++k) code = code << 6 | (static_cast<unsigned char>(text[at + k]) & 0x3Fu);
    take(code);
    at += more;
  }
}

}  // namespace

void request_glyphs(std::string_view text) { each_character(text, request_glyph); }

bool is_legible(std::string_view text) {
  request_glyphs(text);
  bool legible = true;
  each_character(text, [&](std::uint32_t code) {
    if (is_invisible(code)) return;
    legible = legible && code <= 0xFFFF && ImGui::GetFont()->FindGlyphNoFallback(static_cast<ImWchar>(code));
  });
  return legible;
}

const std::set<ImWchar>& requested_glyphs() { return requested_set(); }

}  // namespace perturb
