#include "cuda/core/simulation/formula.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <mutex>
#include <numbers>

#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

struct NamedFunction {
  const char* name;
  FormulaStep step;
};
constexpr NamedFunction formula_functions[] = {
    {"sqrt", FormulaStep::sqrt}, {"abs", FormulaStep::abs},   {"sin", FormulaStep::sin},   {"cos", FormulaStep::cos},
    {"tan", FormulaStep::tan},   {"asin", FormulaStep::asin}, {"acos", FormulaStep::acos}, {"atan", FormulaStep::atan},
    {"exp", FormulaStep::exp},   {"log", FormulaStep::log}};
constexpr double degree = std::numbers::pi / 180;
// Limit on nested brackets and signs: no realistic formula is nested deeper, and deeper ones would overflow the stack.
constexpr int deepest_formula = 100;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Evaluates what the reader finds.
struct Evaluation {
  using Value = double;
  const ValueOfName& number_of;

  Value number(double value) { return value; }
  std::optional<Value> name(const std::string& name) { return number_of(name); }
  Value result(FormulaStep step, Value a, Value b = 0) { return formula_result(step, a, b); }
};

// Writes it down: the reader finds operands before their operation, which is the order of a program.
struct Compilation {
  struct Value {};
  FormulaProgram program;
  int depth = 0;
  bool too_long = false;

  Value number(double value) {
    if (program.numbers == FormulaProgram::max_numbers)
      too_long = true;
    else
      program.number[program.numbers++] = value;
    return add(FormulaStep::number, 1);
  }
  std::optional<Value> name(const std::string& name) {
    if (name != "x" && name != "y") return std::nullopt;
    return add(name == "x" ? FormulaStep::x : FormulaStep::y, 1);
  }
  Value result(FormulaStep step, Value, Value = {}) { return add(step, takes_two(step) ? -1 : 0); }

 private:
  Value add(FormulaStep step, int deeper) {
    depth += deeper;
    if (program.steps == FormulaProgram::max_steps || depth > FormulaProgram::max_depth)
      too_long = true;
    else
      program.step[program.steps++] = step;
    return {};
  }
};

template <class Target>
class FormulaReader {
 public:
  using Value = typename Target::Value;
  FormulaReader(const std::string& text, Target& target) : text_(text), target_(target) {}

  Value all() {
    const Value value = sum();
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

  Value sum() {
    if (++depth_ > deepest_formula) fail("Too many brackets");
    Value value = product();
    for (;;)
      if (take('+'))
        value = target_.result(FormulaStep::add, value, product());
      else if (take('-'))
        value = target_.result(FormulaStep::subtract, value, product());
      else
        break;
    --depth_;
    return value;
  }
  Value product() {
    Value value = signed_power();
    for (;;)
      if (take('*'))
        value = target_.result(FormulaStep::multiply, value, signed_power());
      else if (take('/'))
        value = target_.result(FormulaStep::divide, value, signed_power());
      else
        return value;
  }
  Value signed_power() {
    if (++depth_ > deepest_formula) fail("Too many signs");
    Value value{};
    if (take('-')) {
      value = target_.result(FormulaStep::negate, signed_power());
    } else {
      value = single();
      if (take('^')) value = target_.result(FormulaStep::power, value, signed_power());
    }
    --depth_;
    return value;
  }
  Value single() {
    if (take('(')) {
      const Value value = sum();
      if (!take(')')) fail("Missing closing bracket");
      return value;
    }
    if (ended()) fail("Missing value");
    return is_letter(text_[at_]) ? named() : number();
  }
  Value number() {
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
    return target_.number(value);
  }
  Value named() {
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '_' || text_[at_] == '.'))
      ++at_;
    const std::string name = text_.substr(begin, at_ - begin);
    if (name == "pi") return target_.number(std::numbers::pi);
    if (name == "deg") {
      if (take('(')) fail("deg is a number and takes no brackets: write asin(0.5) / deg");
      return target_.number(degree);
    }
    for (const NamedFunction& function : formula_functions) {
      if (name != function.name) continue;
      if (!take('(')) fail({"{} needs brackets after it", name});
      const Value value = sum();
      if (!take(')')) fail("Missing closing bracket");
      return target_.result(function.step, value);
    }
    const std::optional<Value> value = target_.name(name);
    if (!value) fail({"There is no \"{}\"", name});
    return *value;
  }

  const std::string& text_;
  Target& target_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

FormulaError::FormulaError(const Message& reason, const std::string& formula)
    : InputError("{} in the formula \"{}\". Write a formula such as 2 * pi / 5.", reason, formula), reason_(reason) {}

double value_of_formula(const std::string& formula, const ValueOfName& number_of) {
  Evaluation evaluation{number_of};
  return FormulaReader(formula, evaluation).all();
}

std::vector<std::string> names_in_formula(const std::string& formula) {
  std::vector<std::string> names;
  value_of_formula(formula, [&](const std::string& name) -> std::optional<double> {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    return 1.0;
  });
  return names;
}

// ---- formulas of x and y

namespace {

constexpr double largest_value = 1e9;  // above, products with it could exceed the range of numbers

PlaneFormula compiled(const std::string& text) {
  Compilation compilation;
  if (text.size() <= max_formula_text) FormulaReader(text, compilation).all();
  if (text.size() > max_formula_text || compilation.too_long)
    throw InputError("The formula \"{}\" is too long. Use at most {} operations, {} numbers and {} characters.", text,
                     FormulaProgram::max_steps, FormulaProgram::max_numbers, max_formula_text);
  PlaneFormula formula{text, compilation.program, 0};
  constexpr int points = 128;
  for (int j = 0; j <= points; ++j)
    for (int i = 0; i <= points; ++i) {
      const double x = static_cast<double>(i) / points, y = static_cast<double>(j) / points;
      const double value = formula.program(x, y);
      if (!(std::abs(value) <= largest_value))
        throw InputError(
            "The formula \"{}\" has no finite value, or one above {}, at x = {}, y = {}. Change it: x and y go from 0 "
            "to "
            "1.",
            text, format_number(largest_value), format_number(x), format_number(y));
      formula.largest = std::max(formula.largest, std::abs(value));
    }
  return formula;
}

struct FormulaTable {
  std::mutex access;
  std::deque<PlaneFormula> all;  // references stay valid

  FormulaTable() {
    for (const char* text : {"1", "x - y", "y * sin(3 * pi * x)", "exp(-20 * (x - 0.5)^2)"})
      all.push_back(compiled(text));
    PERTURB_ASSERT(all.size() == formula_examples);
  }
};
FormulaTable& formula_table() {
  static FormulaTable table;
  return table;
}

}  // namespace

double formula_number(const std::string& text) {
  FormulaTable& table = formula_table();
  const std::lock_guard lock(table.access);
  const auto known =
      std::find_if(table.all.begin(), table.all.end(), [&](const PlaneFormula& one) { return one.text == text; });
  const auto number = static_cast<double>(known - table.all.begin());
  if (known == table.all.end()) table.all.push_back(compiled(text));
  return number;
}

const PlaneFormula* find_formula(double number) {
  FormulaTable& table = formula_table();
  const std::lock_guard lock(table.access);
  const auto count = static_cast<double>(table.all.size());
  return number >= 0 && number < count && number == std::floor(number) ? &table.all[static_cast<std::size_t>(number)]
                                                                       : nullptr;
}

const PlaneFormula& formula_of(double number) {
  const PlaneFormula* formula = find_formula(number);
  if (!formula) throw Error("internal: there is no formula {}", format_number(number));
  return *formula;
}

}  // namespace perturb
