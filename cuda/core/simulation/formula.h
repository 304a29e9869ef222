// Formulas in files, in answers and as parameters: numbers, names, + - * / ^, brackets, pi, deg, and sqrt, abs, sin,
// cos, tan, asin, acos, atan, exp and log (natural).
#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cuda/core/backend/check.h"
#include "cuda/core/backend/host_device.h"

namespace perturb {

// Returns the value of a name, or none if the name is unknown.
using ValueOfName = std::function<std::optional<double>(const std::string& name)>;

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
double value_of_formula(const std::string& formula, const ValueOfName& number_of);
// The names in a formula, in order, each once. Throws FormulaError for a syntax error.
std::vector<std::string> names_in_formula(const std::string& formula);

// ---- formulas of x and y, for kernels

enum class FormulaStep : unsigned char {
  number,
  x,
  y,
  negate,
  add,
  subtract,
  multiply,
  divide,
  power,
  sqrt,
  abs,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  exp,
  log
};
PERTURB_HD constexpr bool takes_two(FormulaStep step) { return step >= FormulaStep::add && step <= FormulaStep::power; }
// The result of an operation or function; `b`: only of those that take two.
PERTURB_HD inline double formula_result(FormulaStep step, double a, double b = 0) {
  using S = FormulaStep;
  if (step == S::power) return std::pow(a, b);
  if (takes_two(step))
    return step == S::add ? a + b : step == S::subtract ? a - b : step == S::multiply ? a * b : a / b;
  if (step == S::negate || step == S::abs) return step == S::negate ? -a : std::abs(a);
  if (step == S::sin || step == S::cos) return step == S::sin ? std::sin(a) : std::cos(a);
  if (step == S::asin || step == S::acos) return step == S::asin ? std::asin(a) : std::acos(a);
  if (step == S::tan || step == S::atan) return step == S::tan ? std::tan(a) : std::atan(a);
  if (step == S::exp || step == S::log) return step == S::exp ? std::exp(a) : std::log(a);
  return std::sqrt(a);
}

// A formula of x and y in postfix order: plain data, which a kernel takes by value.
struct FormulaProgram {
  static constexpr int max_steps = 96, max_numbers = 32, max_depth = 16;
  int steps = 0, numbers = 0;
  FormulaStep step[max_steps] = {};
  double number[max_numbers] = {};

  PERTURB_HD double operator()(double x, double y) const {
    double stack[max_depth] = {};
    int top = -1, next = 0;
    for (int k = 0; k < steps; ++k) {
      if (step[k] == FormulaStep::number)
        stack[++top] = number[next++];
      else if (step[k] == FormulaStep::x || step[k] == FormulaStep::y)
        stack[++top] = step[k] == FormulaStep::x ? x : y;
      else if (takes_two(step[k]))
        --top, stack[top] = formula_result(step[k], stack[top], stack[top + 1]);
      else
        stack[top] = formula_result(step[k], stack[top]);
    }
    return stack[0];
  }
};

struct PlaneFormula {
  std::string text;
  FormulaProgram program;
  double largest = 0;  // of its absolute values in the unit square
};

// Formulas as values of parameters (ValueKind::formula): each text has a number, valid in this process only. The first
// ones are examples; number 0 is "1". Throws InputError for a syntax error, a name other than x and y, a formula that
// is too long, and one that is not finite everywhere in the unit square, with the point.
constexpr int formula_examples = 4;
constexpr std::size_t max_formula_text = 400;
double formula_number(const std::string& text);
// Null if no formula has this number. The pointer stays valid.
const PlaneFormula* find_formula(double number);
// Throws Error if there is none.
const PlaneFormula& formula_of(double number);

}  // namespace perturb
