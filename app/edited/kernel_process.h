// Compiling an edited kernel with the system's compiler, and the process that runs it.
#pragma once

#include <memory>
#include <string>

#include "app/io/files/process.h"
#include "cuda/core/backend/backend.h"
#include "cuda/core/simulation/edited_kernel.h"

namespace perturb {

// Compiles the files with `text` in place of the edited one, and starts the process. `rows_class`: EditableCell. The
// process uses as many threads as the backend. Throws CompileError, and Error if there is no compiler or no process can
// be started.
std::unique_ptr<EditedKernel> start_edited_kernel(const KernelSource& source, const std::string& text,
                                                  const std::string& rows_class, Backend& backend);

// Does the same on a thread of its own, and keeps the kernel for the next such call of start_edited_kernel.
class KernelPreparation {
 public:
  // `source` and `backend` must outlive it.
  KernelPreparation(const KernelSource& source, std::string text, std::string rows_class, Backend& backend);
  // Stops the compiler.
  ~KernelPreparation();
  KernelPreparation(const KernelPreparation&) = delete;
  KernelPreparation& operator=(const KernelPreparation&) = delete;

  bool is_done() const;
  // Throws what start_edited_kernel threw. Call it when done.
  void check() const;

 private:
  struct Thread;
  std::unique_ptr<Thread> thread_;
};

// The process that runs it: takes steps until the program that started it closes the connection.
[[noreturn]] void serve_as_kernel_process(int argc, char** argv);
inline constexpr ProcessTask kernel_task = {"@edited-kernel", 2, serve_as_kernel_process};

}  // namespace perturb
