// The three programs of the wave's paper (Alesiani 2012), rewritten from its description. Each step of a square tank
// also colours all cells and leaves the image in host memory. Used only by the studies: the tank of the simulation
// computes the same scheme faster.
//
//   matrices   On one CPU thread: u(t+1) as a sum of matrices, each product and sum a new one, the Laplacian with nine
//              taps and a boundary test at each. The memory of matrices is used again.
//   copies     The same with the Laplacian on the GPU: the field is copied to the device and back at every step,
//              through pageable memory.
//   device     All on the GPU, one kernel per product and sum; the image is copied back through pinned memory.
//
// Every cell: u(t+1) = (2 - k dt) u(t) + (k dt - 1) u(t-1) + (c dt/dx)² L u(t), with zero outside the edge, in FP32.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/field.h"
#include "cuda/core/backend/host_device.h"
#include "cuda/core/paint/pixels.h"

namespace perturb::wave {

enum class PaperMethod { matrices, copies, device };
// Colours of heights from -1 to 1: a 24-bit number whose bytes are red, green and blue from the lowest, or an index
// into a table of colours (assets/colormaps/ripple.csv).
enum class PaperColours { bits24, table };

// Factors of the scheme and the droplet's shape, from the paper's numbers.
struct PaperNumbers {
  float current_weight = 2, previous_weight = -1, laplacian_weight = 0;  // 2 - k dt, k dt - 1, (c dt/dx)²
  int droplet_side = 0;                                                  // cells
  std::vector<float> droplet;
};
PaperNumbers paper_numbers();

// Red in the lowest byte, opaque.
std::uint32_t wave_paper_colour24(float height);

// Parts of a step that are timed: the Laplacian; the other products and sums, with the matrices that they create;
// copies of the field to the device and back, or of the image to the host; colours.
enum class PaperPart { convolution, matrices, copies, colours };
inline constexpr std::array<const char*, 4> paper_parts = {"convolution", "products and sums", "copies", "colours"};
using PaperSeconds = std::array<double, paper_parts.size()>;

class PaperProgram {
 public:
  virtual ~PaperProgram() = default;
  PaperProgram(const PaperProgram&) = delete;
  PaperProgram& operator=(const PaperProgram&) = delete;

  // Adds a droplet around this cell; the part outside the tank is dropped.
  virtual void drop(int i, int j) = 0;
  // Takes a step, colours the cells and leaves the image in host memory.
  virtual void step() = 0;
  virtual std::vector<float> heights() const = 0;  // row by row
  virtual const std::uint32_t* picture() const = 0;

  // From now on, adds the time of each part of a step to `seconds`, which must outlive the steps; null stops it. On a
  // GPU it waits for the device at both ends of a part, so a timed step takes longer there than an untimed one.
  void add_parts_to(PaperSeconds* seconds) { seconds_ = seconds; }

 protected:
  PaperProgram() = default;

  // Executes and times the work of one part of a step.
  template <class Work>
  void part(PaperPart which, Backend* device, const Work& work) {
    if (!seconds_) return work();
    if (device) device->synchronize();
    const auto start = std::chrono::steady_clock::now();
    work();
    if (device) device->synchronize();
    (*seconds_)[static_cast<std::size_t>(which)] +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

 private:
  PaperSeconds* seconds_ = nullptr;
};

// `backend` is the GPU of `copies` and `device`; `matrices` needs none. Throws Error if memory runs out.
std::unique_ptr<PaperProgram> make_wave_paper(PaperMethod way, Backend& backend, int side, PaperColours colours);

// ---- the paper's two colour mappings of heights from -1 to 1

PERTURB_HD inline std::uint32_t paper_colour24(float height) {
  if (!(height > -1.f)) return rgba(0, 0, 0);
  if (height >= 1.f) return rgba(255, 255, 255);
  constexpr float step = 2.f / 0xFFFFFF;
  const auto number = static_cast<std::uint32_t>((height + 1.f) / step);
  return rgba(number & 0xFF, number >> 8 & 0xFF, number >> 16 & 0xFF);
}

PERTURB_HD inline std::uint32_t paper_colour_of(float height, PaperColours colours,
                                                const View1D<const std::uint32_t>& table) {
  if (colours == PaperColours::bits24) return paper_colour24(height);
  const int last = static_cast<int>(table.size) - 1;
  const float at = (height + 1.f) / (2.f / static_cast<float>(table.size));
  return table[at > 0.f ? (at < static_cast<float>(last) ? static_cast<int>(at) : last) : 0];
}

// A cell of a convolution from global memory: a test of the border at each tap. `taps(a, b)`: the one in column a, row
// b.
template <class Taps>
PERTURB_HD inline float paper_convolution_at(int side, const float* from, int i, int j, const Taps& taps) {
  float sum = 0;
  for (int b = 0; b < 3; ++b)
    for (int a = 0; a < 3; ++a) {
      const int x = i - 1 + a, y = j - 1 + b;
      sum += (x < 0 || y < 0 || x >= side || y >= side ? 0.f : from[y * side + x]) * taps(a, b);
    }
  return sum;
}

// ---- kernels of the paper's CUDA versions, in its blocks of 3 x 3 threads, except the sums; each cell has a thread
//
// In builds without CUDA, paper_no_kernels.cpp replaces them, and they are never called.

// All operate on a square field of `side` x `side` cells in device memory.
void wave_paper_convolve(Backend& backend, int side, const float* from, float* to);
// The threads of a block.
struct PaperBlock {
  int x = 0, y = 0;
  int threads() const { return x * y; }
};
// Reads the field from global memory. Its grid covers the field, each cell has a thread. `taps`: nine numbers in the
// backend's memory; null: the same in constant memory.
void wave_paper_convolve_plain(Backend& backend, int side, PaperBlock block, const float* from, const float* taps,
                               float* to);
// The paper's first convolution: one block, which moves over the whole field. All from global memory.
void wave_paper_convolve_first(Backend& backend, int side, PaperBlock block, const float* from, const float* taps,
                               float* to);
// The same with the field read through a texture, and taps in constant memory; `times` times, because making a texture
// takes longer than one convolution. Waits for the device. `side` must be a multiple of 8.
void wave_paper_convolve_texture(Backend& backend, int side, int block, int times, const float* from, float* to);
void wave_paper_multiply(Backend& backend, int side, const float* from, float factor, float* to);
void wave_paper_add(Backend& backend, int side, const float* from, float* to);  // to += from
void wave_paper_paint(Backend& backend, int side, const float* heights, PaperColours colours,
                      View1D<const std::uint32_t> table, std::uint32_t* picture);
// Adds `droplet`, `size` x `size` numbers around cell (i, j), to `from` and writes the result to `to`.
void wave_paper_drop(Backend& backend, int side, const float* from, const float* droplet, int size, int i, int j,
                     float* to);

// `turns` sines of each of `count` numbers, one of the other, by sinf or by the GPU's own __sinf.
void wave_paper_sines(Backend& backend, int count, int turns, bool intrinsic, const float* from, float* to);

}  // namespace perturb::wave
