// Formulas in files: numbers, names, + - * / ^, brackets, pi, and sqrt, abs, sin, cos, tan, exp and log (natural).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace perturb {

// What a name stands for; none where there is nothing of this name.
using NumberOf = std::function<std::optional<double>(const std::string& name)>;

// Its value. Angles are in radians; as in print, -2^2 is -4, and 2^3^2 is 2^9. A name begins with a letter and goes on
// with letters, digits, "_" and ".". Throws InputError, a sentence, for what cannot be read and for a name that stands
// for nothing.
double value_of_formula(const std::string& formula, const NumberOf& number_of);
// The names that it speaks of, in order, each once. Throws InputError for what cannot be read.
std::vector<std::string> names_in_formula(const std::string& formula);

}  // namespace perturb
