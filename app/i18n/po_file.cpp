#include "app/i18n/po_file.h"

#include <algorithm>

#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

// The characters between the first and the last quotation mark of a line, with the escapes \n, \t, \" and \\ resolved.
std::string unquoted(std::string_view line, const std::string& place) {
  const std::size_t first = line.find('"'), last = line.rfind('"');
  if (first == std::string_view::npos || last <= first)
    throw InputError(place + " has no text in quotation marks. Write msgid \"English\" or msgstr \"translated\".");
  std::string text;
  for (std::size_t k = first + 1; k < last; ++k) {
    if (line[k] != '\\' || k + 1 == last) {
      text += line[k];
      continue;
    }
    const char sign = line[++k];
    text += sign == 'n' ? '\n' : sign == 't' ? '\t' : sign;
  }
  return text;
}

}  // namespace

std::vector<PoEntry> read_po(std::string_view text, const std::string& name) {
  std::vector<PoEntry> entries;
  PoEntry entry;
  std::string* current = nullptr;
  const auto end = [&] {
    if (!entry.english.empty() && !entry.translated.empty()) entries.push_back(entry);
    entry = {};
  };
  int number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t line_end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, line_end - at);
    at = line_end + 1;
    ++number;
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos || line[begin] == '#') continue;
    const std::string place = name + ", line " + std::to_string(number) + ",";
    const std::string_view words = line.substr(begin);
    if (words.starts_with("msgid ")) {
      end();
      entry.line = number;
      current = &entry.english;
    } else if (words.starts_with("msgstr ")) {
      current = &entry.translated;
    } else if (words.starts_with("msgctxt ")) {
      continue;
    } else if (words.front() != '"' || !current) {
      throw InputError(place + " is neither msgid nor msgstr nor the rest of one: correct or remove it.");
    }
    *current += unquoted(words, place);
  }
  end();
  return entries;
}

}  // namespace perturb
