// The three programs of the wave's paper (Alesiani 2012), rewritten from its description. Each step of a square tank
// also colours all cells and leaves the image in host memory. Used only by the studies: the tank of the simulation
// computes the same scheme faster.
//
//   matrices   On one CPU thread: u(t+1) as a sum of matrices, each product and sum a new one, the Laplacian with nine
//              taps and a boundary test at each.
//   copies     The same with the Laplacian on the GPU: the field is copied to the device and back at every step.
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

  // From now on, adds the time of each part of a step to `seconds`, which must outlive the steps; null stops it. Waits
  // for the device at both ends of a part, so a timed step takes longer than an untimed one.
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

}  // namespace perturb::wave
