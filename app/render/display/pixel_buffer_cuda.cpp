// The pixel buffer of a CUDA backend: interop, and staged copies if interop is not available. The only file that
// includes both CUDA and OpenGL.
#include "app/render/display/pixel_buffer_paths.h"

// glad comes first: CUDA's header then finds OpenGL's declarations.
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <glad/gl.h>
#include <cuda_gl_interop.h>
#include <cuda_runtime_api.h>

#include "app/render/gl/gl_objects.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/cuda_launch.h"
#include "cuda/core/backend/field.h"

namespace perturb {

namespace {

cudaStream_t stream_of(const Backend& backend) { return static_cast<cudaStream_t>(backend.stream()); }

std::string cuda_error_text(cudaError_t code) {
  return std::string(cudaGetErrorName(code)) + ", " + cudaGetErrorString(code);
}

std::string gl_renderer() {
  const GLubyte* words = glGetString(GL_RENDERER);
  return words ? reinterpret_cast<const char*>(words) : "an unknown renderer";
}

bool draws_in_software(const std::string& renderer) {
  for (const char* word : {"llvmpipe", "softpipe", "swrast", "SwiftShader"})
    if (renderer.find(word) != std::string::npos) return true;
  return false;
}

// Why OpenGL cannot share a buffer with the backend's device here, with a remedy; empty if it can.
// Checked before a buffer is registered, because registration with another GPU only reports "OS call failed". CUDA
// keeps the error of a failed call and returns it to the next check of a kernel launch, which did not fail:
// cudaGetLastError() clears it.
Message why_not_shared(const Backend& backend) {
  const std::string renderer = gl_renderer();
  if (draws_in_software(renderer))
    return {
        "The image is copied through the CPU, because OpenGL draws in software ({}). Install the NVIDIA driver's "
        "OpenGL to keep the image on the GPU.",
        renderer};
  std::array<int, 16> devices{};
  unsigned count = 0;
  const cudaError_t code =
      cudaGLGetDevices(&count, devices.data(), static_cast<unsigned>(devices.size()), cudaGLDeviceListAll);
  if (code != cudaSuccess) {
    cudaGetLastError();
    // NVIDIA's OpenGL after all: registration will give a better reason.
    if (renderer.find("NVIDIA") != std::string::npos) return {};
    return {
        "The image is copied through the CPU, because OpenGL does not draw on an NVIDIA GPU ({}; {}). Start with "
        "__NV_PRIME_RENDER_OFFLOAD=1 __GLX_VENDOR_LIBRARY_NAME=nvidia to keep the image on the GPU.",
        renderer, std::string(cuda_error_text(code))};
  }
  const auto* end = devices.data() + std::min<std::size_t>(count, devices.size());
  if (std::find(static_cast<const int*>(devices.data()), end, backend.device_index()) == end)
    return {
        "The image is copied through the CPU, because OpenGL draws on another GPU ({}) than CUDA's device {}. Set "
        "CUDA_VISIBLE_DEVICES to the GPU of the display to keep the image on it.",
        renderer, backend.device_index()};
  return {};
}

// An OpenGL buffer registered with CUDA. Registration takes milliseconds and is done once; mapping takes microseconds.
class RegisteredBuffer {
 public:
  // Empty on failure, with CUDA's error text in `reason`.
  RegisteredBuffer(const GlBuffer& buffer, std::string& reason) {
    const cudaError_t code =
        cudaGraphicsGLRegisterBuffer(&resource_, buffer.name(), cudaGraphicsRegisterFlagsWriteDiscard);
    if (code == cudaSuccess) return;
    resource_ = nullptr;
    cudaGetLastError();
    gl_forget_errors();
    reason = cuda_error_text(code);
  }
  ~RegisteredBuffer() {
    if (resource_ && cudaGraphicsUnregisterResource(resource_) != cudaSuccess) cudaGetLastError();
  }
  RegisteredBuffer(RegisteredBuffer&& other) noexcept : resource_(std::exchange(other.resource_, nullptr)) {}
  RegisteredBuffer& operator=(RegisteredBuffer&&) = delete;

  explicit operator bool() const { return resource_ != nullptr; }
  cudaGraphicsResource_t* resource() { return &resource_; }

 private:
  cudaGraphicsResource_t resource_ = nullptr;
};

// CUDA's kernels write into OpenGL's buffer. Mapping orders the work on the GPU: kernels queued after it wait for the
// earlier OpenGL copy into the texture, and the CPU waits for neither.
class InteropPixelBuffer final : public PixelBuffer {
 public:
  // Null on failure, with a message in `reason`.
  static std::unique_ptr<PixelBuffer> make(Backend& backend, int width, int height, Message& reason) {
    const PixelLayout layout = pixel_layout(width, height);
    reason = why_not_shared(backend);
    if (!reason.empty()) return nullptr;
    GlBuffer buffer = make_pixel_unpack_buffer(layout);
    std::string failure;
    RegisteredBuffer registered(buffer, failure);
    if (registered) {
      // On some systems registration succeeds and the first map fails.
      const cudaError_t code = cudaGraphicsMapResources(1, registered.resource(), stream_of(backend));
      if (code == cudaSuccess) {
        PERTURB_CUDA_CHECK(cudaGraphicsUnmapResources(1, registered.resource(), stream_of(backend)));
        return std::unique_ptr<PixelBuffer>(
            new InteropPixelBuffer(backend, width, height, std::move(buffer), std::move(registered)));
      }
      cudaGetLastError();
      failure = cuda_error_text(code);
    }
    reason = Message(
        "The image is copied through the CPU, because CUDA cannot share OpenGL's buffer ({}; {}). Use the NVIDIA "
        "driver's OpenGL on a display of this machine to keep the image on the GPU.",
        gl_renderer(), failure);
    return nullptr;
  }
  ~InteropPixelBuffer() override {
    if (mapped_ && cudaGraphicsUnmapResources(1, registered_.resource(), stream_of(backend_)) != cudaSuccess)
      cudaGetLastError();
  }

  PixelPath path() const override { return PixelPath::interop; }

  Pixels map() override {
    PERTURB_ASSERT(!mapped_);
    PERTURB_CUDA_CHECK(cudaGraphicsMapResources(1, registered_.resource(), stream_of(backend_)));
    mapped_ = true;
    void* memory = nullptr;
    std::size_t bytes = 0;
    PERTURB_CUDA_CHECK(cudaGraphicsResourceGetMappedPointer(&memory, &bytes, *registered_.resource()));
    PERTURB_ASSERT(bytes >= layout_.bytes());
    return {static_cast<std::uint32_t*>(memory), width(), height(), layout_.stride};
  }

  void unmap() override {
    PERTURB_ASSERT(mapped_);
    mapped_ = false;
    PERTURB_CUDA_CHECK(cudaGraphicsUnmapResources(1, registered_.resource(), stream_of(backend_)));
    fresh_ = true;
  }

  unsigned texture(bool) override {
    if (fresh_) texture_.take(buffer_);
    fresh_ = false;
    return texture_.name();
  }

 private:
  InteropPixelBuffer(Backend& backend, int width, int height, GlBuffer buffer, RegisteredBuffer registered)
      : PixelBuffer(width, height),
        backend_(backend),
        layout_(pixel_layout(width, height)),
        texture_(layout_),
        buffer_(std::move(buffer)),
        registered_(std::move(registered)) {}

  Backend& backend_;
  PixelLayout layout_;
  PixelTexture texture_;
  GlBuffer buffer_;
  RegisteredBuffer registered_;  // destroyed before its buffer
  bool mapped_ = false, fresh_ = false;
};

// Pinned host memory that the GPU copies to asynchronously, and an event in the stream after the copy.
class PinnedBuffer {
 public:
  explicit PinnedBuffer(std::size_t bytes) {
    const cudaError_t code = cudaMallocHost(&memory_, bytes);
    if (code != cudaSuccess) {
      cudaGetLastError();
      throw Error("Cannot allocate host memory for the GPU's image ({} bytes; {}). Try a smaller size.", bytes,
                  std::string(cuda_error_text(code)));
    }
    // Waiting is rare; it yields the processor to other threads.
    const cudaError_t event_code = cudaEventCreateWithFlags(&copied_, cudaEventDisableTiming | cudaEventBlockingSync);
    if (event_code != cudaSuccess) {
      cudaFreeHost(memory_);
      PERTURB_CUDA_CHECK(event_code);
    }
  }
  ~PinnedBuffer() {
    // The copy must not outlive its destination.
    cudaEventSynchronize(copied_);
    cudaEventDestroy(copied_);
    cudaFreeHost(memory_);
    cudaGetLastError();
  }
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;

  void queue_copy(const void* from, std::size_t bytes, cudaStream_t stream, std::int64_t frame) {
    PERTURB_CUDA_CHECK(cudaMemcpyAsync(memory_, from, bytes, cudaMemcpyDeviceToHost, stream));
    PERTURB_CUDA_CHECK(cudaEventRecord(copied_, stream));
    frame_ = frame;
  }
  bool is_copied() const {
    const cudaError_t code = cudaEventQuery(copied_);
    if (code == cudaErrorNotReady) {
      cudaGetLastError();  // "not ready" is not an error, but CUDA keeps it as one
      return false;
    }
    PERTURB_CUDA_CHECK(code);
    return true;
  }
  void wait() const { PERTURB_CUDA_CHECK(cudaEventSynchronize(copied_)); }
  std::int64_t frame() const { return frame_; }  // the number of the frame copied here last; 0: none yet
  const void* memory() const { return memory_; }

 private:
  void* memory_ = nullptr;
  cudaEvent_t copied_ = nullptr;
  std::int64_t frame_ = 0;
};

// CUDA's kernels write into their own memory. Frames are copied to two host buffers in turn, after the kernels in the
// same stream:
//   stream   paint 1 | copy to A | paint 2 | copy to B | paint 3 | copy to A ...
//   OpenGL                           upload A              upload B
// so that the CPU does not wait, unless it is two frames ahead of the GPU.
class StagedPixelBuffer final : public PixelBuffer {
 public:
  StagedPixelBuffer(Backend& backend, int width, int height)
      : PixelBuffer(width, height),
        backend_(backend),
        layout_(pixel_layout(width, height)),
        texture_(layout_),
        pixels_(backend, layout_.bytes() / sizeof(std::uint32_t), "the image"),
        pinned_{PinnedBuffer(layout_.bytes()), PinnedBuffer(layout_.bytes())},
        buffers_{make_pixel_unpack_buffer(layout_), make_pixel_unpack_buffer(layout_)} {}

  PixelPath path() const override { return PixelPath::staged; }

  Pixels map() override { return {pixels_.data(), width(), height(), layout_.stride}; }

  void unmap() override {
    ++newest_;
    PinnedBuffer& pinned = pinned_for(newest_);
    // This buffer holds the frame before the last. If the GPU is slower than the screen, this waits for it and shows
    // its frame.
    if (pinned.frame() > shown_) show(pinned, true);
    pinned.queue_copy(pixels_.data(), layout_.bytes(), stream_of(backend_), newest_);
  }

  unsigned texture(bool finish) override {
    // Before the first image there is nothing else to show.
    const bool wait = finish || shown_ == 0;
    if (newest_ > shown_ && !show(pinned_for(newest_), wait) && newest_ - 1 > shown_)
      show(pinned_for(newest_ - 1), false);
    return texture_.name();
  }

 private:
  PinnedBuffer& pinned_for(std::int64_t frame) { return pinned_[static_cast<std::size_t>(frame) % pinned_.size()]; }

  // Uploads a copied frame to the texture; false while the copy is still running.
  bool show(const PinnedBuffer& pinned, bool wait) {
    if (wait)
      pinned.wait();
    else if (!pinned.is_copied())
      return false;
    const GlBuffer& buffer = buffers_[static_cast<std::size_t>(pinned.frame()) % buffers_.size()];
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer.name());
    // New storage instead of new contents: the driver uses other memory if it is still copying from the old one.
    glBufferData(GL_PIXEL_UNPACK_BUFFER, static_cast<GLsizeiptr>(layout_.bytes()), pinned.memory(), GL_STREAM_DRAW);
    texture_.take(buffer);
    shown_ = pinned.frame();
    return true;
  }

  Backend& backend_;
  PixelLayout layout_;
  PixelTexture texture_;
  Array<std::uint32_t> pixels_;  // counted as the backend's memory
  std::array<PinnedBuffer, 2> pinned_;
  std::array<GlBuffer, 2> buffers_;
  std::int64_t newest_ = 0, shown_ = 0;
};

}  // namespace

std::unique_ptr<PixelBuffer> make_cuda_pixel_buffer(Backend& backend, int width, int height, bool interop,
                                                    Message* note) {
  // The current device is a setting of each thread, and other code may have changed it.
  PERTURB_CUDA_CHECK(cudaSetDevice(backend.device_index()));
  if (interop) {
    Message reason;
    if (auto buffer = InteropPixelBuffer::make(backend, width, height, reason)) return buffer;
    if (note) *note = reason;
  }
  return std::make_unique<StagedPixelBuffer>(backend, width, height);
}

}  // namespace perturb
