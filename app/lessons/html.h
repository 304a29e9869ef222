// Parts of pages for paper: HTML in the selected language (app/i18n/language.h).
#pragma once

#include <string>

#include "app/i18n/language.h"
#include "app/io/files/printable.h"
#include "app/io/preset/lesson_text.h"

namespace perturb {

inline std::string html_text(const Message& text) { return escape_for_html(tr(text)); }
// `tag` may have attributes: "p class=\"small\"".
inline std::string html_element(const std::string& tag, const Message& text) {
  return "<" + tag + ">" + html_text(text) + "</" + tag.substr(0, tag.find(' ')) + ">\n";
}
// An entry of a <dl>.
inline std::string html_entry(const Message& name, const Message& value) {
  return html_element("dt", name) + html_element("dd", value);
}
// Those that are not empty for the selected front end.
inline std::string html_paragraphs(const std::string& text) {
  std::string all;
  for (const std::string& one : paragraphs_of(text))
    if (!tr(one).empty()) all += html_element("p", one);
  return all;
}
// A whole page, of which `body` is already HTML. `style`: CSS.
inline std::string html_page(const std::string& title, const char* style, const std::string& body) {
  return "<!DOCTYPE html>\n<html lang=\"" + language() + "\">\n<head><meta charset=\"utf-8\">\n" +
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" + escape_for_html(title) +
         "</title>\n<style>" + style + "</style></head>\n<body>\n" + body + "</body>\n</html>\n";
}

}  // namespace perturb
