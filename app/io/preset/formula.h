// Formulas in files and in answers: numbers, names, + - * / ^, brackets, pi, deg, and sqrt, abs, sin, cos, tan, asin,
// acos, atan, exp and log (natural).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cuda/core/backend/check.h"

namespace perturb {

// Returns the value of a name, or none if the name is unknown.
using NumberOf = std::function<std::optional<double>(const std::string& name)>;

// A syntax error or an unknown name. `reason`: a clause without a full stop, for messages that quote the text
// differently.
class FormulaError : public InputError {
 public:
  FormulaError(const Message& reason, const std::string& formula);
  const Message& reason() const { return reason_; }

 private:
  Message reason_;
};

// Evaluates a formula. Angles are in radians; deg is one degree, pi / 180: sin(30 * deg) is 0.5, asin(0.5) / deg is 30.
// As in mathematics, -2^2 is -4, and 2^3^2 is 2^9. A name begins with a letter, followed by letters, digits, "_" and
// ".". Throws FormulaError.
double value_of_formula(const std::string& formula, const NumberOf& number_of);
// The names in a formula, in order, each once. Throws FormulaError for a syntax error.
std::vector<std::string> names_in_formula(const std::string& formula);

}  // namespace perturb
