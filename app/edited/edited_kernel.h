// Compiles kernels that a user edits, and runs them in a process of their own: a crash or an endless loop there ends
// only that process.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cuda/core/backend/message.h"
#include "cuda/core/simulation/edited_kernel.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

// A message of the compiler about the edited text.
struct CompileProblem {
  int line = 0, column = 0;  // from 1; 0: not in the text itself
  std::string text;
};

// The text does not compile.
class CompileError : public InputError {
 public:
  explicit CompileError(std::vector<CompileProblem> problems);
  const std::vector<CompileProblem>& problems() const { return problems_; }

 private:
  std::vector<CompileProblem> problems_;
};

// The compiler cannot work here, whatever the text; `why` is the part of a sentence. The program then ends with an exit
// code of its own.
class CompilerError : public Error {
 public:
  template <class... Arguments>
  explicit CompilerError(const char* why, const Arguments&... arguments)
      : Error(
            "Cannot compile the kernel: {}. The text may be right. Check the compiler, the memory and the space for "
            "temporary files (TMPDIR).",
            Message(why, arguments...)) {}
};

// A text comes from a file, and no user has accepted it (accept_edited_text).
class UnreadKernelError : public InputError {
 public:
  explicit UnreadKernelError(std::string text);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Permits this process to compile a text: the user has written or read it. Any thread.
void accept_edited_text(std::string_view text);
// The same for all texts, as the command line asks.
void accept_all_edited_texts();
// Throws UnreadKernelError unless the text of this kernel has been accepted. Does nothing for other kernels.
void require_accepted(const std::string& kernel);

// Selects a kernel of the simulation; compiles an edited one first, which takes about a second. Throws InputError if
// there is no such kernel, CompileError, UnreadKernelError, and Error without a compiler; the simulation is then
// unchanged.
void select_kernel(Simulation& simulation, const std::string& kernel);

// The C++ compiler that is used: the first of c++, g++ and clang++ in PATH; empty: none.
std::string find_compiler();

}  // namespace perturb
