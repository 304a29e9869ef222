#include "app/io/preset/formula.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/io/files/printable.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

struct NamedFunction {
  const char* name;
  double (*value)(double);
};
constexpr NamedFunction formula_functions[] = {
    {"sqrt", [](double x) { return std::sqrt(x); }}, {"abs", [](double x) { return std::abs(x); }},
    {"sin", [](double x) { return std::sin(x); }},   {"cos", [](double x) { return std::cos(x); }},
    {"tan", [](double x) { return std::tan(x); }},   {"asin", [](double x) { return std::asin(x); }},
    {"acos", [](double x) { return std::acos(x); }}, {"atan", [](double x) { return std::atan(x); }},
    {"exp", [](double x) { return std::exp(x); }},   {"log", [](double x) { return std::log(x); }}};
constexpr double degree = std::numbers::pi / 180;
// Limit on nested brackets and signs: no realistic formula is nested deeper, and deeper ones would overflow the stack.
constexpr int deepest_formula = 100;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class FormulaReader {
 public:
  FormulaReader(const std::string& text, const NumberOf& number_of) : text_(text), number_of_(number_of) {}

  double all() {
    const double value = sum();
    if (!ended()) fail({"Unexpected \"{}\"", text_.substr(at_)});
    return value;
  }

 private:
  [[noreturn]] void fail(const Message& what) const { throw FormulaError(what, text_); }
  bool ended() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    return at_ == text_.size();
  }
  bool take(char sign) {
    if (ended() || text_[at_] != sign) return false;
    ++at_;
    return true;
  }

  double sum() {
    if (++depth_ > deepest_formula) fail("Too many brackets");
    double value = product();
    for (;;)
      if (take('+'))
        value += product();
      else if (take('-'))
        value -= product();
      else
        break;
    --depth_;
    return value;
  }
  double product() {
    double value = signed_power();
    for (;;)
      if (take('*'))
        value *= signed_power();
      else if (take('/'))
        value /= signed_power();
      else
        return value;
  }
  double signed_power() {
    if (++depth_ > deepest_formula) fail("Too many signs");
    double value = 0;
    if (take('-')) {
      value = -signed_power();
    } else {
      value = single();
      if (take('^')) value = std::pow(value, signed_power());
    }
    --depth_;
    return value;
  }
  double single() {
    if (take('(')) {
      const double value = sum();
      if (!take(')')) fail("Missing closing bracket");
      return value;
    }
    if (ended()) fail("Missing value");
    return is_letter(text_[at_]) ? named() : number();
  }
  double number() {
    std::size_t end = at_;
    const auto digits = [&] {
      while (end < text_.size() && is_digit(text_[end])) ++end;
    };
    digits();
    if (end < text_.size() && text_[end] == '.') {
      ++end;
      digits();
    }
    if (end > at_ && end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
      const std::size_t letter = end++;
      if (end < text_.size() && (text_[end] == '+' || text_[end] == '-')) ++end;
      if (end < text_.size() && is_digit(text_[end]))
        digits();
      else
        end = letter;
    }
    double value = 0;
    if (end == at_ || !read_number(std::string_view(text_).substr(at_, end - at_), value))
      fail({"\"{}\" is not a number", text_.substr(at_, std::max<std::size_t>(end - at_, 1))});
    at_ = end;
    return value;
  }
  double named() {
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '_' || text_[at_] == '.'))
      ++at_;
    const std::string name = text_.substr(begin, at_ - begin);
    if (name == "pi") return std::numbers::pi;
    if (name == "deg") {
      if (take('(')) fail("deg is a number and takes no brackets: write asin(0.5) / deg");
      return degree;
    }
    for (const NamedFunction& function : formula_functions) {
      if (name != function.name) continue;
      if (!take('(')) fail({"{} needs brackets after it", name});
      const double value = sum();
      if (!take(')')) fail("Missing closing bracket");
      return function.value(value);
    }
    const std::optional<double> value = number_of_(name);
    if (!value) fail({"There is no \"{}\"", name});
    return *value;
  }

  const std::string& text_;
  const NumberOf& number_of_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

FormulaError::FormulaError(const Message& reason, const std::string& formula)
    : InputError("{} in the formula \"{}\". Write a formula such as 2 * pi / 5.", reason, formula), reason_(reason) {}

double value_of_formula(const std::string& formula, const NumberOf& number_of) {
  return FormulaReader(formula, number_of).all();
}

std::vector<std::string> names_in_formula(const std::string& formula) {
  std::vector<std::string> names;
  value_of_formula(formula, [&](const std::string& name) -> std::optional<double> {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    return 1.0;
  });
  return names;
}

}  // namespace perturb
