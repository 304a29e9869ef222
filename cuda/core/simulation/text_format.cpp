#include "cuda/core/simulation/text_format.h"

#include <cmath>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

void reject_text(const std::string& name, int line, int column, const std::string& what) {
  throw InputError(name + ":" + std::to_string(line) + ":" + std::to_string(column) + ": " + what);
}

double finite_number(const std::string& name, int line, const TextField& field, const std::string& here) {
  double value = 0;
  if (!read_number(field.word, value) || !std::isfinite(value))
    reject_text(name, line, field.column,
                "\"" + std::string(field.word) + "\" is not a finite number. Write " + here + " here.");
  return value;
}

}  // namespace perturb
