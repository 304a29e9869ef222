// The words of a kernel's text by their kind, for its colours. Pure.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace perturb {

// A part of a text that has a colour of its own. It lies within one line.
struct CodeToken {
  enum class Kind { comment, directive, keyword, type, number, text };  // text: in quotation marks
  std::size_t from = 0, to = 0;                                         // bytes
  Kind kind = Kind::comment;
};
// In order. Names, operators and blanks between them are left out. A comment without an end ends with the text, a
// quotation with the line.
std::vector<CodeToken> code_tokens(std::string_view text);

// Line, from 0, of the first code: neither blank nor comment nor directive; 0 if there is none.
int first_code_line(std::string_view text);

}  // namespace perturb
