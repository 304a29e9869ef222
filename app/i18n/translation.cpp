#include "app/i18n/translation.h"

#include <algorithm>

#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

// The characters between the first and the last quotation mark of a line, with the escapes \n, \t, \" and \\ resolved.
std::string unquoted(std::string_view line, const std::string& place) {
  const std::size_t first = line.find('"'), last = line.rfind('"');
  if (first == std::string_view::npos || last <= first)
    throw InputError(place + " has no text in quotes. Write msgid \"English\" or msgstr \"translated\".");
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
      throw InputError(place + " is neither msgid nor msgstr nor a continuation line. Correct or remove it.");
    }
    *current += unquoted(words, place);
  }
  end();
  return entries;
}

namespace {

constexpr std::size_t most_found = 4096;  // cached texts; changing numbers make new ones in every frame
constexpr int deepest = 5;                // nesting of pieces within pieces
constexpr int most_tries = 4000;          // for one piece, which may be split in many ways
constexpr std::size_t any_letter = 256;   // index of the patterns that begin with a placeholder
constexpr std::string_view open_quote = "\u201c", close_quote = "\u201d", blank = "\u00a0";

bool has_words(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
}

// Whether there are three letters in a row.
bool is_word(std::string_view text) {
  int row = 0;
  for (const char c : text) {
    row = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ? row + 1 : 0;
    if (row == 3) return true;
  }
  return false;
}

// The end of the number at the beginning of a text; 0 if there is none.
std::size_t end_of_number(std::string_view text) {
  const std::size_t end = std::min(text.find_first_not_of("+-0123456789.e"), text.size());
  return text.substr(0, end).find_first_of("0123456789") == std::string_view::npos ? 0 : end;
}

std::vector<std::string_view> pieces_between(std::string_view text) {
  std::vector<std::string_view> pieces;
  std::size_t from = 0;
  for (std::size_t at = text.find("{}"); at != std::string_view::npos; at = text.find("{}", from)) {
    pieces.push_back(text.substr(from, at - from));
    from = at + 2;
  }
  pieces.push_back(text.substr(from));
  return pieces;
}

// Whether a sentence ends with this character and another one follows: not at an ellipsis ("...") or an abbreviation
// ("e.g. one").
bool ends_sentence(std::string_view text, std::size_t at) {
  if (text[at] == '\n') return true;
  if (text[at] != '.' && text[at] != '?' && text[at] != '!') return false;
  if (at + 2 >= text.size() || text[at + 1] != ' ') return false;
  const auto is_dot = [&](std::size_t back) { return at >= back && text[at - back] == '.'; };
  return !is_dot(1) && !(is_dot(2) && has_words(text.substr(at - 1, 1)));
}

std::vector<std::string_view> sentences_of(std::string_view text) {
  std::vector<std::string_view> all;
  std::size_t from = 0;
  for (std::size_t k = 0; k + 1 < text.size(); ++k) {
    if (!ends_sentence(text, k)) continue;
    all.push_back(text.substr(from, k + 1 - from));
    from = k + 2;
  }
  all.push_back(text.substr(std::min(from, text.size())));
  return all;
}

// Whether a placeholder may capture this part: it ends with its sentence, and the text after it does not begin a new
// one.
bool may_be_captured(std::string_view part, std::string_view behind) {
  if (part.empty() || (part.ends_with('.') && behind.starts_with(' '))) return false;
  for (std::size_t k = 0; k + 1 < part.size(); ++k)
    if (ends_sentence(part, k)) return false;
  return true;
}

// The ways in which a text matches a pattern's pieces, the shortest captures first: calls `take` with each until it
// returns true.
template <typename Take>
bool each_fit(const std::vector<std::string>& pieces, std::size_t piece, std::string_view rest,
              std::vector<std::string_view>& captures, const Take& take) {
  const std::string& next = pieces[piece];
  if (piece + 1 == pieces.size()) {
    if (!rest.ends_with(next)) return false;
    const std::string_view part = rest.substr(0, rest.size() - next.size());
    if (!may_be_captured(part, next)) return false;
    captures.push_back(part);
    const bool content = take(captures);
    captures.pop_back();
    return content;
  }
  for (std::size_t at = rest.find(next, 1); at != std::string_view::npos; at = rest.find(next, at + 1)) {
    const std::string_view part = rest.substr(0, at);
    if (!may_be_captured(part, next)) continue;
    captures.push_back(part);
    const bool content = each_fit(pieces, piece + 1, rest.substr(at + next.size()), captures, take);
    captures.pop_back();
    if (content) return true;
  }
  return false;
}

}  // namespace

std::string filled(std::string_view format, const std::vector<std::string>& values) {
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

Translation::Translation(const std::vector<PoEntry>& entries) {
  for (const PoEntry& entry : entries) {
    if (entry.english.find("{}") != std::string::npos) add_pattern(entry);  // "{0} of {1}" is filled by code only
    exact_.emplace(entry.english, entry.translated);
    if (!exact_.contains(entry.translated)) translated_.insert(entry.translated);
  }
  // Sentences that appear alone elsewhere, such as the first one of a hint.
  for (const PoEntry& entry : entries) {
    const std::vector<std::string_view> english = sentences_of(entry.english), own = sentences_of(entry.translated);
    if (english.size() < 2 || english.size() != own.size()) continue;
    for (std::size_t k = 0; k < english.size(); ++k) {
      // Not "{}." alone, which matches any sentence. Without its final dot the sentence may be the end of another one:
      // "... cannot be loaded: {}."
      const std::size_t places = pieces_between(english[k]).size();
      if (places > 1 && is_word(english[k]) && pieces_between(own[k]).size() == places) {
        add_pattern({std::string(english[k]), std::string(own[k])});
        if (english[k].ends_with('.') && own[k].ends_with('.'))
          add_pattern({std::string(english[k].substr(0, english[k].size() - 1)),
                       std::string(own[k].substr(0, own[k].size() - 1))});
      }
      exact_.emplace(english[k], own[k]);
      translated_.emplace(own[k]);
    }
  }
  for (std::vector<Pattern>& list : patterns_)
    std::stable_sort(list.begin(), list.end(),
                     [](const Pattern& a, const Pattern& b) { return a.letters > b.letters; });
}

void Translation::add_pattern(const PoEntry& entry) {
  Pattern pattern;
  for (const std::string_view part : pieces_between(entry.english)) {
    pattern.pieces.emplace_back(part);
    pattern.letters += part.size();
  }
  pattern.translated = entry.translated;
  const std::string& first = pattern.pieces.front();
  patterns_[first.empty() ? any_letter : static_cast<unsigned char>(first.front())].push_back(std::move(pattern));
}

std::string Translation::of(std::string_view english) {
  if (!has_words(english)) return std::string(english);
  if (const auto found = found_.find(english); found != found_.end()) return found->second;
  std::string text = piece(english, 0);
  if (found_.size() >= most_found) found_.clear();
  found_.emplace(std::string(english), text);
  return text == english ? text : kept(std::move(text));
}

std::string Translation::kept(std::string text) {
  if (kept_.size() >= most_found) kept_.clear();
  kept_.insert(text);
  return text;
}

// The translation of the whole text if all parts are known; else of as much as possible.
std::string Translation::piece(std::string_view english, int depth) {
  tries_ = 0;
  if (const auto text = known(english, depth)) return *text;
  if (const auto text = parts(english, depth, false)) return *text;
  missing_.emplace(english);
  return std::string(english);
}

std::optional<std::string> Translation::known(std::string_view english, int depth) {
  if (const auto found = exact_.find(english); found != exact_.end()) return found->second;
  // A symbol, a key or a unit of two letters is not translated.
  if (!is_word(english) || translated_.contains(english) || kept_.contains(english)) return std::string(english);
  if (depth >= deepest || ++tries_ > most_tries) return std::nullopt;
  return parts(english, depth, true);
}

// Translates the parts of a text. If `all` is set and a part is unknown, returns nothing.
std::optional<std::string> Translation::parts(std::string_view english, int depth, bool all) {
  const auto part = [&](std::string_view text, int deeper) -> std::optional<std::string> {
    return all ? known(text, depth + deeper) : piece(text, depth + deeper);
  };
  const auto beside = [](const std::optional<std::string>& first, std::string_view between,
                         const std::optional<std::string>& second) -> std::optional<std::string> {
    if (!first || !second) return std::nullopt;
    return *first + std::string(between) + *second;
  };
  // Spaces around the text, which indent or separate, are not translated.
  const std::size_t first = english.find_first_not_of(' '), last = english.find_last_not_of(' ');
  if (first != 0 || last + 1 != english.size()) {
    const auto inside = part(english.substr(first, last + 1 - first), 1);
    if (!inside) return std::nullopt;
    return std::string(first, ' ') + *inside + std::string(english.size() - last - 1, ' ');
  }
  if (english.starts_with(blank)) return beside("", blank, part(english.substr(blank.size()), 1));
  // Lines, and the sentences of a line.
  if (const std::size_t end = english.find('\n'); end != std::string_view::npos)
    return beside(part(english.substr(0, end), 1), "\n", part(english.substr(end + 1), 0));
  for (std::size_t k = 0; k + 1 < english.size(); ++k)
    if (ends_sentence(english, k))
      return beside(part(english.substr(0, k + 1), 1), " ", part(english.substr(k + 2), 0));
  if (english.starts_with(open_quote) && english.find(close_quote) + close_quote.size() == english.size()) {
    const auto inside = part(english.substr(open_quote.size(), english.size() - 2 * open_quote.size()), 1);
    return inside ? "\u201e" + *inside + "\u201c" : inside;
  }
  // A number and its unit.
  if (const std::size_t end = end_of_number(english); end > 0 && end < english.size()) {
    const std::size_t gap = english.substr(end).starts_with(blank) ? blank.size() : english[end] == ' ' ? 1 : 0;
    const std::string_view unit = english.substr(end + gap);
    if (gap > 0)
      if (const auto text = known(unit, depth + 1)) return std::string(english.substr(0, end + gap)) + *text;
  }
  return by_pattern(english, depth, all);
}

std::optional<std::string> Translation::by_pattern(std::string_view english, int depth, bool all) {
  // The pattern with the most letters; of two equal ones, the one with the same beginning.
  const std::vector<Pattern>& alike = patterns_[static_cast<unsigned char>(english.front())];
  const std::vector<Pattern>& open = patterns_[any_letter];
  std::vector<std::string_view> captures;
  std::optional<std::string> text;
  for (std::size_t i = 0, j = 0; i < alike.size() || j < open.size();) {
    const bool takes_alike = j == open.size() || (i < alike.size() && alike[i].letters >= open[j].letters);
    const Pattern& pattern = takes_alike ? alike[i++] : open[j++];
    const std::string& begin = pattern.pieces.front();
    if (pattern.letters >= english.size() || !english.starts_with(begin) || !english.ends_with(pattern.pieces.back()))
      continue;
    const auto take = [&](const std::vector<std::string_view>& parts_of) {
      std::vector<std::string> values;
      for (const std::string_view one : parts_of) {
        auto value = all ? known(one, depth + 1) : piece(one, depth + 1);
        if (!value) return false;
        values.push_back(*std::move(value));
      }
      text = filled(pattern.translated, values);
      return true;
    };
    if (each_fit(pattern.pieces, 1, english.substr(begin.size()), captures, take)) return text;
  }
  return std::nullopt;
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
