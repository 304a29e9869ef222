#include "cuda/core/simulation/edited_kernel.h"

namespace perturb {

KernelSource::KernelSource(std::span<const EmbeddedFile> all) : files(all.begin(), all.end()) {
  while (edited < files.size() && !files[edited].name.ends_with("/model/cell.h")) ++edited;
  PERTURB_ASSERT(edited < files.size());
}

}  // namespace perturb
