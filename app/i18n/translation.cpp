#include "app/i18n/translation.h"

#include <algorithm>
#include <utility>

#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

// The characters between the first and the last quotation mark of a line, with the escapes \n, \t, \" and \\ resolved.
std::string unquoted(std::string_view line, const std::string& place) {
  const std::size_t first = line.find('"'), last = line.rfind('"');
  if (first == std::string_view::npos || last <= first)
    throw InputError("{} has no text in quotes. Write msgid \"English\" or msgstr \"translated\".", place);
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
      throw InputError("{} is neither msgid nor msgstr nor a continuation line. Correct or remove it.", place);
    }
    *current += unquoted(words, place);
  }
  end();
  return entries;
}

namespace {

// Whether there are three letters in a row: a symbol, a key or a unit of two letters is not translated.
bool has_words(std::string_view text) {
  int row = 0;
  for (const char c : text) {
    row = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ? row + 1 : 0;
    if (row == 3) return true;
  }
  return false;
}

}  // namespace

Translation::Translation(std::vector<PoEntry> entries) {
  for (PoEntry& entry : entries) texts_.emplace(std::move(entry.english), std::move(entry.translated));
}

std::string Translation::of(const std::string& english) {
  if (const auto found = texts_.find(english); found != texts_.end()) return found->second;
  constexpr std::size_t max_missing = 4096;  // a text that is composed by mistake changes with every frame
  if (has_words(english) && missing_.size() < max_missing) missing_.insert(english);
  return english;
}

std::string text_for(FrontEnd front_end, std::string_view text) {
  std::string all;
  for (std::size_t end = 0;;) {
    const std::size_t from = text.find("[[", end), to = text.find("]]", from);
    all += text.substr(end, to == std::string_view::npos ? to : from - end);
    if (to == std::string_view::npos) return all;
    std::vector<std::string_view> parts;
    for (std::size_t at = from + 2; at <= to;) {
      const std::size_t bar = std::min(text.find("||", at), to);
      const std::string_view part = text.substr(at, bar - at);
      parts.push_back(part == "=" && !parts.empty() ? parts.back() : part);
      at = bar + 2;
    }
    // The window has the first part, fingers the last one, and the page the one before the last.
    const std::size_t page = parts.size() > 1 ? parts.size() - 2 : 0;
    all += front_end == FrontEnd::window ? parts.front() : front_end == FrontEnd::page ? parts[page] : parts.back();
    end = to + 2;
  }
}

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
