#include "app/i18n/pseudo_locale.h"

namespace perturb {

std::string pseudo_localized(std::string_view text) {
  // One character of two bytes for each letter: any will do, because only the difference from English matters.
  constexpr unsigned first_capital = 0x391, first_small = 0x3B1, signs = 16;
  std::string marked;
  for (const char c : text) {
    const bool capital = c >= 'A' && c <= 'Z', small = c >= 'a' && c <= 'z';
    if (!capital && !small) {
      marked += c;
      continue;
    }
    const unsigned sign = capital ? first_capital + static_cast<unsigned>(c - 'A') % signs
                                  : first_small + static_cast<unsigned>(c - 'a') % signs;
    marked += static_cast<char>(0xC0 | (sign >> 6));
    marked += static_cast<char>(0x80 | (sign & 0x3F));
  }
  return marked;
}

}  // namespace perturb
