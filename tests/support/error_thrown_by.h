// Messages of errors.
#pragma once

#include <string>

#include "cuda/core/backend/check.h"

namespace perturb {

// The message of the error that `call` throws; empty: it throws none. Errors of other types pass through.
template <class ErrorType = InputError, class Call>
std::string error_thrown_by(const Call& call) {
  try {
    call();
  } catch (const ErrorType& error) {
    return error.what();
  }
  return "";
}

}  // namespace perturb
