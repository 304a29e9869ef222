// The two paths of the pixel buffer for a CUDA backend. Used inside app/render/display; a build without CUDA has a
// stub.
#pragma once

#include <memory>
#include <string>

#include "app/render/display/pixel_buffer.h"

namespace perturb {

// As PixelBuffer::make, for a CUDA backend.
std::unique_ptr<PixelBuffer> make_cuda_pixel_buffer(Backend& backend, int width, int height, bool interop,
                                                    std::string* note);

}  // namespace perturb
