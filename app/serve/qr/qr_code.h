// QR code of a link, by libqrencode if it is installed.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace perturb {

class QrCode {
 public:
  static constexpr int quiet = 4;  // light modules at each side, without which scanners do not find the code

  // None in a build without libqrencode, or if the text is too long for a code.
  static std::optional<QrCode> make(const std::string& text);

  int size() const { return size_; }  // modules per side, without the quiet ones
  // Of a module; (0, 0) is the top left one. Modules outside are light.
  bool is_dark(int x, int y) const;

 private:
  QrCode(int size, std::vector<bool> dark) : size_(size), dark_(std::move(dark)) {}

  int size_;
  std::vector<bool> dark_;  // by rows
};

// For a terminal: rows of characters, each two modules high, dark on light whatever the terminal's colors are. Empty if
// the terminal has too few columns.
std::string text_of(const QrCode& code, int columns);

}  // namespace perturb
