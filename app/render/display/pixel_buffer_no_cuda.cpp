// Replaces pixel_buffer_cuda.cpp in a build without CUDA, which cannot have a CUDA backend.
#include "app/render/display/pixel_buffer_paths.h"
#include "cuda/core/backend/check.h"

namespace perturb {

std::unique_ptr<PixelBuffer> make_cuda_pixel_buffer(Backend&, int, int, bool, Message*) {
  throw Error("Cannot use CUDA: this program was built without it.");
}

}  // namespace perturb
