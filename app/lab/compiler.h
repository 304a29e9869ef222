// Compiling the texts of kernels with the system's compiler.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "app/lab/edited_kernel.h"
#include "app/lab/process.h"

namespace perturb {

// The file that the user's text is, for the compiler: a line '#line 1 "kernel"' comes before it.
inline constexpr const char* edited_name = "kernel";

// The errors in the output of a compiler: those in the user's text or, without any, the others.
std::vector<CompileProblem> problems_of(const std::string& output);

// Compiles a text to a shared library, which its process opens; those of the last texts are kept: undo, redo and a
// restart need none of them compiled again. Throws CompileError, InputError if the compiler does not finish, Error if
// there is none, and Stopped.
std::shared_ptr<const Descriptor> library_of(const std::string& text, const std::stop_token& stop = {});

}  // namespace perturb
