#include "app/io/files/printable.h"

#include <cstddef>
#include <cstdio>

#include "app/io/files/unicode.h"

namespace perturb {

namespace {

constexpr std::size_t longest_quoted = 160, longest_sentence = 1200;  // bytes

bool drives_the_terminal(char32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0)           // control characters, including C1
         || code == 0x061c || code == 0x200e || code == 0x200f  // direction marks
         || (code >= 0x2028 && code <= 0x202e)                  // line and paragraph separators, direction controls
         || (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

std::string escaped(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  char escape[16];
  for (std::size_t at = 0; at < text.size();) {
    const Character c = character_at(text, at);
    if (c.bytes == 0) {
      std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(text[at])));
      line += escape;
      ++at;
      continue;
    }
    if (c.code == '\n') {
      line += "\\n";
    } else if (c.code == '\t') {
      line += "\\t";
    } else if (c.code == '\r') {
      line += "\\r";
    } else if (drives_the_terminal(c.code)) {
      std::snprintf(escape, sizeof escape, c.code < 0x80 ? "\\x%02x" : "\\u%04x", static_cast<unsigned>(c.code));
      line += escape;
    } else {
      line += text.substr(at, c.bytes);
    }
    at += c.bytes;
  }
  return line;
}

// Keeps the beginning and the end, cut between characters.
std::string shortened(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  const auto within = [&](std::size_t k) { return (static_cast<unsigned char>(text[k]) & 0xc0u) == 0x80u; };
  std::size_t head = max_bytes / 2, tail = text.size() - max_bytes / 2;
  while (head > 0 && within(head)) --head;
  while (tail < text.size() && within(tail)) ++tail;
  return std::string(text.substr(0, head)) + " ... " + std::string(text.substr(tail));
}

}  // namespace

std::string escape_for_terminal(std::string_view text) {
  // Shortens a very long text first, so that megabytes cost nothing.
  const std::string whole = escaped(shortened(text, std::size_t{1} << 16));
  std::string line;
  for (std::size_t at = 0; at < whole.size();) {
    const std::size_t open = whole.find('"', at);
    const std::size_t close = open == std::string::npos ? open : whole.find('"', open + 1);
    if (close == std::string::npos) {
      line += whole.substr(at);
      break;
    }
    line += whole.substr(at, open + 1 - at);
    line += shortened(std::string_view(whole).substr(open + 1, close - open - 1), longest_quoted) + '"';
    at = close + 1;
  }
  return shortened(line, longest_sentence);
}

std::string escape_for_html(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '&')
      safe += "&amp;";
    else if (c == '"')
      safe += "&quot;";
    else
      safe += c;
  }
  return safe;
}

}  // namespace perturb
