// How the picture gets from the kernels that write it to the OpenGL texture that shows it.
#pragma once

#include <memory>
#include <string>

#include "cuda/core/backend/backend.h"
#include "cuda/core/paint/pixels.h"

namespace perturb {

enum class PixelPath {
  interop,      // CUDA writes into the mapped GL buffer: the picture never leaves the GPU
  host_mapped,  // the CPU backend writes into the GL buffer that the driver maps
  staged        // CUDA writes into its own memory; a pinned copy goes to the GL buffer, mostly one frame later
};
const char* name_of(PixelPath path);

// Between map() and unmap() the buffer belongs to the backend's kernels; otherwise to OpenGL. Needs the GL context
// current, always on the same thread, and ends before the context and the backend.
class PixelBuffer {
 public:
  // The best way that works: interop for CUDA where registration succeeds, else staged; host_mapped for the CPU.
  // `interop` false forces staged. A failed registration is no error: `note` receives one sentence that says why and
  // what to do about it, and is emptied otherwise. Sizes are in pixels. Throws InputError for a size that OpenGL
  // cannot show, Error when memory runs out.
  static std::unique_ptr<PixelBuffer> make(Backend& backend, int width, int height, bool interop,
                                           std::string* note = nullptr);
  virtual ~PixelBuffer() = default;
  PixelBuffer(const PixelBuffer&) = delete;
  PixelBuffer& operator=(const PixelBuffer&) = delete;

  virtual PixelPath path() const = 0;
  int width() const { return width_; }
  int height() const { return height_; }
  // Memory on the backend (host memory for the CPU) that holds width x height pixels, contents undefined: write all of
  // it and read none (the driver may hand out memory that is slow to read).
  virtual Pixels map() = 0;
  virtual void unmap() = 0;
  // The GL texture (RGBA8, width x height) with the newest picture that has arrived: the one just unmapped, or with
  // staged copies mostly the one before it (two at most), unless `finish` asks to wait for the newest. Black before
  // the first.
  virtual unsigned texture(bool finish = false) = 0;

 protected:
  PixelBuffer(int width, int height) : width_(width), height_(height) {}

 private:
  int width_, height_;
};

}  // namespace perturb
