// Texts that a language lacks: a report for translators, not a failure. A text that was composed before it reached
// tr() is a failure: no table can hold it.
#pragma once

#include <functional>
#include <iostream>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "app/i18n/language.h"

namespace perturb {

// Prints the texts that were requested since the last call and are not in the selected language. Two that differ in
// their numbers only are composed. `is_expected`: texts that are the same in every language, such as names of files.
inline void report_missing_texts(
    const std::string& where,
    const std::function<bool(const std::string&)>& is_expected = [](auto&) { return false; }) {
  std::map<std::string, std::string> without_numbers;
  for (const std::string& text : take_untranslated()) {
    if (is_expected(text)) continue;
    std::cout << language() << " lacks, of " << where << ": " << text << '\n';
    std::string rest;
    for (const char c : text)
      if ((c < '0' || c > '9') && c != '.' && c != '-') rest += c;
    const auto [same, is_new] = without_numbers.try_emplace(rest, text);
    if (!is_new) ADD_FAILURE() << "composed before they were translated: " << same->second << " and " << text;
  }
}

}  // namespace perturb
