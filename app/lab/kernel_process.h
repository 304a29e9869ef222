// Compiling an edited kernel with the system's compiler, and the process that runs it.
#pragma once

#include <memory>
#include <string>

#include "cuda/core/backend/backend.h"
#include "cuda/core/simulation/edited_kernel.h"

namespace perturb {

// Compiles the files with `text` in place of the edited one, and starts the process. `rows_class`: EditableCell. The
// process uses as many threads as the backend. Throws CompileError, and Error if there is no compiler or no process can
// be started.
std::unique_ptr<EditedKernel> start_edited_kernel(const KernelSource& source, const std::string& text,
                                                  const std::string& rows_class, Backend& backend);

}  // namespace perturb
