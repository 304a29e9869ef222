// Words in sentences about what a file or a command line says.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cuda/core/value_info.h"
#include "cuda/core/words.h"

namespace perturb {

inline std::string in_quotes(std::string_view word) { return "\"" + std::string(word) + "\""; }

// The end of a sentence that names the nearest of the candidates, or just ends it.
inline std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates) {
  const std::string near = nearest_word(word, candidates);
  return near.empty() ? "." : "; did you mean " + in_quotes(near) + "?";
}

}  // namespace perturb
