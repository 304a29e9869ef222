#include "cuda/core/backend/message.h"

#include <cstdio>
#include <ostream>

namespace perturb {

std::string fill_placeholders(std::string_view format, const std::vector<std::string>& values) {
  std::string text;
  std::size_t next = 0;
  for (std::size_t at = 0; at < format.size(); ++at) {
    const std::size_t end = format[at] == '{' ? format.find('}', at) : std::string_view::npos;
    const bool numbered = end == at + 2 && format[at + 1] >= '0' && format[at + 1] <= '9';
    if (end != at + 1 && !numbered) {
      text += format[at];
      continue;
    }
    const std::size_t index = numbered ? static_cast<std::size_t>(format[at + 1] - '0') : next++;
    if (index < values.size()) text += values[index];
    at = end;
  }
  return text;
}

std::string Message::english() const {
  if (kind_ != Kind::text || arguments_.empty()) return text_;
  std::vector<std::string> values;
  for (const Message& argument : arguments_) values.push_back(argument.english());
  return fill_placeholders(text_, values);
}

std::ostream& operator<<(std::ostream& out, const Message& message) { return out << message.english(); }

std::string format_bytes(std::size_t bytes) {
  if (bytes < 1024) return std::to_string(bytes) + " bytes";
  const char* units[] = {"KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes) / 1024;
  int unit = 0;
  while (value >= 1024 && unit < 3) {
    value /= 1024;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.*f %s", value < 10 ? 2 : value < 100 ? 1 : 0, value, units[unit]);
  return text;
}

}  // namespace perturb
