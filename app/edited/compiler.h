// Compiling the texts of kernels with the system's compiler.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "app/edited/edited_kernel.h"
#include "app/edited/process.h"

namespace perturb {

// The file that the user's text is, for the compiler: a line '#line 1 "kernel"' comes before it.
inline constexpr const char* edited_name = "kernel";

// Part of the reason why a library cannot be loaded, if its text calls a function that does not exist.
inline constexpr const char* undefined_symbol = "undefined symbol";

// The errors in the output of a compiler: those in the user's text or, without any, the others.
std::vector<CompileProblem> problems_of(const std::string& output);

// Compiles a text to a shared library in memory, which its process opens; those of the last texts are kept: undo, redo
// and a restart need none of them compiled again. If the compiler cannot write in a folder for temporary files, it uses
// another one. Throws CompileError, InputError if the compiler does not finish or needs too much memory, CompilerError
// if it cannot work at all, and Stopped.
std::shared_ptr<const Descriptor> library_of(const std::string& text, const std::stop_token& stop = {});

// The compiler runs below a process of its own, which ends it and removes its folder when the program ends, however it
// ends.
[[noreturn]] void serve_as_compiler_process(int argc, char** argv);
inline constexpr ProcessTask compiler_task = {"@compiler", 3, serve_as_compiler_process};

}  // namespace perturb
