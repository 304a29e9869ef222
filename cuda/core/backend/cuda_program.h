// A CUDA program that is compiled from text while this one runs (NVRTC), for the process of an edited kernel. NVRTC and
// the driver are opened when they are first used: no build needs them, and without them the program starts as before.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>

namespace perturb {

// Names memory of a device for another process.
using CudaMemoryHandle = std::array<unsigned char, 64>;

// The handle of memory that a CUDA backend has allocated, on a thread that uses this backend. Throws Error.
CudaMemoryHandle handle_of_device_memory(void* memory);

class CudaProgram {
 public:
  // Compiles the text for the device with this index, and loads its function `name`. Returns null if it does not
  // compile. `messages`: of the compiler. Throws Error if NVRTC, the driver or the device cannot be used.
  static std::unique_ptr<CudaProgram> compile(const std::string& text, const char* name, int device,
                                              std::string& messages);
  virtual ~CudaProgram() = default;
  CudaProgram(const CudaProgram&) = delete;
  CudaProgram& operator=(const CudaProgram&) = delete;

  // Uses the memory of another process from now on. Throws Error.
  virtual void open(const CudaMemoryHandle& handle) = 0;
  // Calls name(memory, level, width, height) in one thread for each cell, in blocks of 32 x 8, one level after the
  // other, and waits. Throws Error if the device failed.
  virtual void run(int width, int height, int levels) = 0;

 protected:
  CudaProgram() = default;
};

}  // namespace perturb
