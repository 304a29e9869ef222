// A CUDA program that is compiled from text while this one runs (NVRTC), for the process of an edited kernel. NVRTC and
// the driver are opened when they are first used: no build needs them, and without them the program starts as before.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace perturb {

// Names memory of a device for another process.
using CudaMemoryHandle = std::array<unsigned char, 64>;

// The handle of memory that a CUDA backend has allocated, on a thread that uses this backend. Throws Error.
CudaMemoryHandle handle_of_device_memory(void* memory);

// An argument of a kernel: an array of the host, which is copied to the device and back, or a number of four bytes.
struct CudaArgument {
  float* elements = nullptr;  // null: a number
  std::size_t size = 0;
  std::array<unsigned char, 4> number{};
};

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
  // Calls the function in blocks of `block` threads: once, after which the arrays are copied back, and then as often as
  // takes about 0.2 s. Returns the seconds of one launch. Throws Error if the device failed.
  virtual double time(std::array<unsigned, 2> grid, std::array<unsigned, 2> block,
                      const std::vector<CudaArgument>& arguments) = 0;

 protected:
  CudaProgram() = default;
};

}  // namespace perturb
