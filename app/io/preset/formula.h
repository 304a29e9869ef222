// Formulas in files: numbers, names, + - * / ^, brackets, pi, and sqrt, abs, sin, cos, tan, exp and log (natural).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace perturb {

// Returns the value of a name, or none if the name is unknown.
using NumberOf = std::function<std::optional<double>(const std::string& name)>;

// Evaluates a formula. Angles are in radians; as in mathematics, -2^2 is -4, and 2^3^2 is 2^9. A name begins with a
// letter, followed by letters, digits, "_" and ".". Throws InputError for a syntax error and for an unknown name.
double value_of_formula(const std::string& formula, const NumberOf& number_of);
// The names in a formula, in order, each once. Throws InputError for a syntax error.
std::vector<std::string> names_in_formula(const std::string& formula);

}  // namespace perturb
