#include "app/io/preset/toml_text.h"

#include "cuda/core/simulation/number_text.h"

namespace perturb {

std::string exact_number(double value) { return shortest_text(value); }

std::string toml_real(double value) {
  const std::string text = exact_number(value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string toml_real_pair(double a, double b) { return "[" + toml_real(a) + ", " + toml_real(b) + "]"; }

std::string toml_string(const std::string& text) {
  std::string all = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      all += '\\';
      all += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      constexpr char digits[] = "0123456789abcdef";
      all += "\\u00";
      all += digits[static_cast<unsigned char>(c) >> 4];
      all += digits[c & 15];
    } else {
      all += c;
    }
  }
  return all + '"';
}

std::string toml_list(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + toml_string(text);
  return "[" + all + "]";
}

std::string toml_value(const ValueInfo& info, double value) {
  if (info.kind == ValueKind::real) return toml_real(value);
  return info.kind == ValueKind::choice ? toml_string(info.format(value)) : info.format(value);
}

}  // namespace perturb
