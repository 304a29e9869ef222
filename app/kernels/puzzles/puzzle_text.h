// Check of a puzzle's text, and its shared arrays.
#pragma once

#include <string>

namespace perturb {

// The text with its declarations of shared arrays as those of Shared (counted_arrays.h); it keeps its lines. Throws
// CompileError for other uses of __shared__, and for what the counts would miss: variables that outlive a thread
// (static), text outside of the kernel, and the names of the machine that counts.
std::string counted_puzzle_text(const std::string& text);

}  // namespace perturb
