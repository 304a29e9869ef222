// Replaces kernel_process.cpp where a program cannot start another one: in the web page.
#include "app/edited/kernel_process.h"
#include "cuda/core/backend/check.h"

namespace perturb {

std::string find_compiler() { return {}; }

std::unique_ptr<EditedKernel> start_edited_kernel(const KernelSource&, const std::string&, const std::string&,
                                                  Backend&) {
  throw InputError("Kernels cannot be edited here. Use the program for the desktop.");
}

}  // namespace perturb
