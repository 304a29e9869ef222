#include "cuda/core/backend/backend.h"

#include "cuda/core/backend/check.h"

namespace perturb {

std::unique_ptr<PinnedReadback> Backend::make_pinned_readback(std::size_t) { return nullptr; }

std::unique_ptr<Backend> make_backend(const std::string& word, int threads, std::string* note) {
  if (note) note->clear();
  if (word == "cpu") return Backend::make_cpu(threads, note);
  if (word == "cuda") return Backend::make_cuda();
  if (word != "auto") throw InputError("There is no backend \"" + word + "\": choose auto, cpu or cuda.");
  const CudaStatus status = cuda_status();
  if (status.usable) return Backend::make_cuda();
  std::string fewer;
  auto cpu = Backend::make_cpu(threads, &fewer);
  if (note) *note = status.reason + (fewer.empty() ? "" : " " + fewer);
  return cpu;
}

}  // namespace perturb
