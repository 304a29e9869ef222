#include "app/io/preset/toml_text.h"

#include <cmath>
#include <limits>
#include <sstream>
#include <vector>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/parameters.h"

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
  const bool is_text = info.kind == ValueKind::choice || info.kind == ValueKind::formula;
  return is_text ? toml_string(info.format(value)) : info.format(value);
}

namespace {

[[noreturn]] void reject_layer(const std::string& words) {
  throw InputError(
      "--layer cannot be \"{}\": it must be a quantity, then \"lines\" and their number (1 to {}) or \"colors\", then "
      "the range, such as speed,lines,7 or dye,colors,0,1; or none.",
      words, LayerSettings::max_lines);
}

double layer_number(const std::string& text, const std::string& words) {
  constexpr double max_float = std::numeric_limits<float>::max();
  try {
    return real_value("layer", "--layer", "", "", 0, -max_float, max_float, "").parse(text);
  } catch (const InputError&) {
    reject_layer(words);
  }
}

}  // namespace

LayerSettings parse_layer(const std::string& words) {
  std::vector<std::string> parts;
  std::istringstream stream(words);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  LayerSettings layer;
  if (parts.empty() || parts[0].empty()) reject_layer(words);
  if (parts[0] == "none" && parts.size() == 1) return layer;
  layer.quantity = parts[0];
  std::size_t at = 1;
  if (at < parts.size()) {
    if (parts[at] != "lines" && parts[at] != "colors") reject_layer(words);
    layer.as_lines = parts[at++] == "lines";
    if (layer.as_lines && at < parts.size()) {
      const double lines = layer_number(parts[at++], words);
      if (!(lines >= 1 && lines <= LayerSettings::max_lines && lines == std::floor(lines))) reject_layer(words);
      layer.lines = static_cast<int>(lines);
    }
  }
  if (at == parts.size()) return layer;
  if (at + 2 != parts.size()) reject_layer(words);
  layer.minimum = layer_number(parts[at], words);
  layer.maximum = layer_number(parts[at + 1], words);
  if (!(layer.minimum < layer.maximum)) reject_layer(words);
  return layer;
}

std::string layer_option(const LayerSettings& layer) {
  if (layer.quantity.empty()) return "none";
  std::string words = layer.quantity + (layer.as_lines ? ",lines," + std::to_string(layer.lines) : ",colors");
  if (layer.minimum < layer.maximum) words += "," + exact_number(layer.minimum) + "," + exact_number(layer.maximum);
  return words;
}

std::string layer_table(const LayerSettings& layer) {
  std::string text = "{ quantity = " + toml_string(layer.quantity) + ", as = ";
  text += layer.as_lines ? "\"lines\", lines = " + std::to_string(layer.lines) : "\"colors\"";
  if (layer.minimum < layer.maximum) text += ", range = " + toml_real_pair(layer.minimum, layer.maximum);
  return text + " }";
}

}  // namespace perturb
