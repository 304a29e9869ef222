// Fields of a line of text, as the simulations' own formats (text_format.h) are read, and how one is refused.
#pragma once

#include <string>
#include <string_view>

namespace perturb {

struct TextField {
  std::string_view word;
  int column = 1;  // of its first character, from 1
};

// Throws InputError: "discs.txt:3:7: ", and `what`. `name`: the file's; lines and columns count from 1.
[[noreturn]] void reject_text(const std::string& name, int line, int column, const std::string& what);
// The field's number. Throws InputError likewise where it is none, or not finite; `here`: what belongs there.
double finite_number(const std::string& name, int line, const TextField& field, const std::string& here);

}  // namespace perturb
