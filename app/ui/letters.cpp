#include "app/ui/letters.h"

#include <cstdint>

namespace perturb {

namespace {

std::set<ImWchar>& all_needed() {
  static std::set<ImWchar> letters;
  return letters;
}

bool is_within(const ImWchar* range, std::uint32_t code) {
  for (; *range != 0; range += 2)
    if (code >= range[0] && code <= range[1]) return true;
  return false;
}

bool is_always_there(std::uint32_t code) {
  return code < 0x20 || is_within(text_range, code) || is_within(sign_range, code);
}

// What changes the characters beside it, and is not seen itself.
bool is_unseen(std::uint32_t code) {
  return (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0xFE00 && code <= 0xFE0F) || code == 0xFEFF;
}

// Of an alphabet more will be needed soon: the 128 characters around it, as Unicode has laid them out.
constexpr std::uint32_t end_of_alphabets = 0x2000, block = 0x80;

void add_needed(std::uint32_t code) {
  if (code > 0xFFFF || is_always_there(code) || is_unseen(code)) return;  // ImGui's own characters have 16 bits
  std::set<ImWchar>& letters = all_needed();
  if (!letters.insert(static_cast<ImWchar>(code)).second || code >= end_of_alphabets) return;
  const std::uint32_t first = code / block * block;
  for (std::uint32_t one = first; one < first + block; ++one)
    if (!is_always_there(one)) letters.insert(static_cast<ImWchar>(one));
}

// Calls `take` with each character beyond Latin.
template <typename Take>
void each_character(std::string_view text, const Take& take) {
  constexpr unsigned char last_lead_of_latin = 0xC5;  // of U+0140 to U+017F
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto lead = static_cast<unsigned char>(text[at]);
    if (lead <= last_lead_of_latin) continue;
    const std::size_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    if (at + more > text.size() - 1) return;
    std::uint32_t code = lead & (0x3Fu >> more);
    for (std::size_t k = 1; k <= more; ++k) code = code << 6 | (static_cast<unsigned char>(text[at + k]) & 0x3Fu);
    take(code);
    at += more;
  }
}

}  // namespace

void need_letters(std::string_view text) { each_character(text, add_needed); }

bool is_legible(std::string_view text) {
  need_letters(text);
  bool legible = true;
  each_character(text, [&](std::uint32_t code) {
    if (is_unseen(code)) return;
    legible = legible && code <= 0xFFFF && ImGui::GetFont()->FindGlyphNoFallback(static_cast<ImWchar>(code));
  });
  return legible;
}

const std::set<ImWchar>& needed_letters() { return all_needed(); }

}  // namespace perturb
