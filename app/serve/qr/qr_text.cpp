#include <cstddef>

#include "app/serve/qr/qr_code.h"

namespace perturb {

bool QrCode::is_dark(int x, int y) const {
  if (x < 0 || y < 0 || x >= size_ || y >= size_) return false;
  return dark_[static_cast<std::size_t>(y * size_ + x)];
}

std::string text_of(const QrCode& code, int columns) {
  const int end = code.size() + QrCode::quiet;
  if (columns < end + QrCode::quiet) return "";
  std::string text;
  for (int y = -QrCode::quiet; y < end; y += 2) {
    // Black on white of the palette that themes do not change. (Blocks may leave gaps: the border has none.)
    text += "\x1b[38;5;16;48;5;231m";
    for (int x = -QrCode::quiet; x < end; ++x) {
      const bool upper = code.is_dark(x, y), lower = code.is_dark(x, y + 1);
      if (upper)
        text += lower ? "█" : "▀";
      else
        text += lower ? "▄" : " ";
    }
    text += "\x1b[0m\n";
  }
  return text;
}

}  // namespace perturb
