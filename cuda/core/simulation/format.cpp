#include "cuda/core/simulation/format.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace perturb {

std::string format_number(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

Message with_unit(std::string number, const std::string& unit) {
  return unit.empty() ? Message::value(std::move(number)) : Message("{} {}", number, Message(unit));
}

namespace {

// "1,250": three digits after the comma, and one to three before it that do not begin with 0.
bool may_be_thousands(const std::string& text, std::size_t comma) {
  const std::size_t first = text.find_first_not_of("+-");
  const std::size_t before = comma - std::min(first, comma), behind = text.size() - comma - 1;
  return before >= 1 && before <= 3 && text[first] != '0' && behind == 3 &&
         text.find_first_not_of("0123456789", comma + 1) == std::string::npos;
}

}  // namespace

std::string with_decimal_point(const std::string& text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos || may_be_thousands(text, comma)) return text;
  std::string point = text;
  point[comma] = '.';
  double value = 0;
  return read_number(point, value) ? point : text;
}

}  // namespace perturb
