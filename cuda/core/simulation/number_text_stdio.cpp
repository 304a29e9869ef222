// Numbers as text with the C library, for C++ libraries whose from_chars and to_chars only support integers. The texts
// are the same, because the program never sets a locale.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

float as_read(const std::string& text, float) { return std::strtof(text.c_str(), nullptr); }
double as_read(const std::string& text, double) { return std::strtod(text.c_str(), nullptr); }

std::string printed(const char* format, int digits, double value) {
  char text[400];
  return std::string(text, static_cast<std::size_t>(std::snprintf(text, sizeof text, format, digits, value)));
}

// Like std::to_chars: the fewest digits that read back as the same number, in the shorter notation.
template <class Real>
std::string shortest(Real value) {
  if (std::isnan(value)) return std::signbit(value) ? "-nan" : "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  int digits = 0;  // after the first
  std::string scientific;
  do scientific = printed("%.*e", digits, static_cast<double>(value));
  while (as_read(scientific, Real{}) != value && ++digits < 17);
  const int exponent = std::atoi(scientific.c_str() + scientific.find('e') + 1);
  const std::string fixed = printed("%.*f", exponent >= digits ? 0 : digits - exponent, static_cast<double>(value));
  return fixed.size() <= scientific.size() ? fixed : scientific;
}

}  // namespace

bool read_number(std::string_view text, double& value) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return false;
  }
  const std::string copy(text);
  // strtod also accepts a second plus, leading blanks and hexadecimal numbers.
  if (copy.empty() || copy[0] == '+' || copy.find_first_of(" \t\n\v\f\rxX") != std::string::npos) return false;
  char* end = nullptr;
  const double read = std::strtod(copy.c_str(), &end);
  if (end != copy.c_str() + copy.size()) return false;
  // Beyond the range of double, unless the text itself denotes infinity or zero.
  const std::string digits = copy.substr(0, copy.find_first_of("eE"));
  if (std::isinf(read) && digits.find_first_of("iI") == std::string::npos) return false;
  if (read == 0 && digits.find_first_of("123456789") != std::string::npos) return false;
  value = read;
  return true;
}

std::string shortest_text(double value) { return shortest(value); }
std::string shortest_text(float value) { return shortest(value); }

}  // namespace perturb
