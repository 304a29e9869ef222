#include "cuda/core/simulation/text_format.h"

#include <cmath>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

void reject_text(const std::string& name, int line, int column, const Message& what) {
  throw InputError("{}:{}:{}: {}", name, line, column, what);
}

double finite_number(const std::string& name, int line, const TextField& field, const Message& here) {
  double value = 0;
  if (!read_number(field.word, value) || !std::isfinite(value))
    reject_text(name, line, field.column, Message("\"{}\" is not a finite number. Write {} here.", field.word, here));
  return value;
}

}  // namespace perturb
