// Fields of a line of text in the simulations' own formats (text_format.h), and errors about them.
#pragma once

#include <string>
#include <string_view>

namespace perturb {

struct TextField {
  std::string_view word;
  int column = 1;  // of its first character, from 1
};

// Throws InputError: "discs.txt:3:7: ", and `what`. `name`: of the file; lines and columns count from 1.
[[noreturn]] void reject_text(const std::string& name, int line, int column, const std::string& what);
// The field's number. Throws InputError in the same way if it is not a finite number; `here`: the expected content.
double finite_number(const std::string& name, int line, const TextField& field, const std::string& here);

}  // namespace perturb
