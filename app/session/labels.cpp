#include "app/session/labels.h"

#include <cctype>
#include <utility>

#include "app/i18n/language.h"

namespace perturb {

namespace {

// Whether an id may begin or end next to this character. Paths and numbers of files are not changed: "wall_speed-2.h5".
bool is_separator(char c) {
  return !std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-' && c != '/' && c != '"';
}

// Choices that are abbreviations have their letters as ids: "les" becomes "LES". Other ids are plain words already.
std::string with_choice_labels(std::string text, const ValueInfo& value) {
  for (const Choice& choice : value.choices) {
    std::string capitals = choice.id;
    for (char& c : capitals) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (capitals != choice.label || capitals == choice.id) continue;
    for (std::size_t at = text.find(choice.id); at != std::string::npos; at = text.find(choice.id, at)) {
      const std::size_t end = at + choice.id.size();
      if ((at == 0 || is_separator(text[at - 1])) && (end == text.size() || is_separator(text[end])))
        text.replace(at, choice.id.size(), choice.label);
      at = end;
    }
  }
  return text;
}

}  // namespace

std::string with_labels(const std::string& text, const ValueInfo& value) {
  std::string result = tr(text);
  const std::string& id = value.id;
  if (id.empty() || value.label.empty()) return result;
  const std::string label = tr("\u201c" + value.label + "\u201d");
  const std::string cannot_be = " " + tr("cannot be") + " ";
  for (std::size_t at = result.find(id); at != std::string::npos; at = result.find(id, at)) {
    const std::size_t end = at + id.size();
    const bool ends_sentence = end < result.size() && result[end] == '.';
    const bool begins_name = ends_sentence && end + 1 < result.size() && result[end + 1] != ' ';
    const bool alone = (at == 0 || is_separator(result[at - 1])) && (end == result.size() || is_separator(result[end]));
    if (!alone || begins_name) {
      at = end;
      continue;
    }
    if (at >= 2 && result.compare(at - 2, 2, " (") == 0 && end < result.size() && result[end] == ')') {
      result.erase(at - 2, id.size() + 3);
      at -= 2;
      continue;
    }
    // A plain word is an id only if the message is about its value; otherwise it is an ordinary word.
    const bool is_subject = at == 0 && result.compare(end, cannot_be.size(), cannot_be) == 0;
    if (id.find('_') == std::string::npos && !is_subject) {
      at = end;
      continue;
    }
    result.replace(at, id.size(), label);
    at += label.size();
  }
  return mark_translated(with_choice_labels(std::move(result), value));
}

std::string with_labels(const std::string& text, const std::vector<Parameter>& parameters) {
  std::string result = tr(text);
  for (const Parameter& parameter : parameters) result = with_labels(result, parameter);
  return result;
}

}  // namespace perturb
