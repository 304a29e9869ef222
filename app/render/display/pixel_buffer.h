// Transfers the image from the kernels that write it to the OpenGL texture that shows it.
#pragma once

#include <memory>
#include <string>

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/message.h"
#include "cuda/core/paint/pixels.h"

namespace perturb {

enum class PixelPath {
  interop,      // CUDA writes into the mapped GL buffer: the image never leaves the GPU
  host_mapped,  // the CPU backend writes into the GL buffer that the driver maps
  staged        // CUDA writes into its own memory; a pinned copy reaches the GL buffer, usually one frame later
};
const char* name_of(PixelPath path);

// Between map() and unmap() the buffer belongs to the backend's kernels; otherwise to OpenGL. Needs the GL context
// current, always on the same thread. Must be destroyed before the context and the backend.
class PixelBuffer {
 public:
  // Uses the fastest path that works: interop for CUDA if registration succeeds, else staged; host_mapped for the CPU.
  // `interop` false forces staged. A failed registration is not an error: `note` then receives one sentence with the
  // reason and the remedy, and is empty otherwise. Sizes are in pixels. Throws InputError for a size that OpenGL cannot
  // show, Error when memory runs out.
  static std::unique_ptr<PixelBuffer> make(Backend& backend, int width, int height, bool interop,
                                           Message* note = nullptr);
  virtual ~PixelBuffer() = default;
  PixelBuffer(const PixelBuffer&) = delete;
  PixelBuffer& operator=(const PixelBuffer&) = delete;

  virtual PixelPath path() const = 0;
  int width() const { return width_; }
  int height() const { return height_; }
  // Memory on the backend (host memory for the CPU) for width x height pixels, with undefined contents: write all of it
  // and read none (the driver may return memory that is slow to read).
  virtual Pixels map() = 0;
  virtual void unmap() = 0;
  // The GL texture (RGBA8, width x height) with the newest image that has arrived: the one just unmapped. With staged
  // copies it is usually the previous one (at most two back), unless `finish` waits for the newest. Black before the
  // first.
  virtual unsigned texture(bool finish = false) = 0;

 protected:
  PixelBuffer(int width, int height) : width_(width), height_(height) {}

 private:
  int width_, height_;
};

}  // namespace perturb
