// The three programs of the wave's source (Alesiani 2012), written again as it describes them: a square tank that takes
// a step, colours all of its cells and has the picture in the host's memory, each time. For the studies: the tank of
// the simulation computes the same scheme faster.
//
//   matrices   On one CPU thread: u(t+1) as a sum of matrices, each product and sum a new one, the Laplacian by nine
//              taps with a test for the rim at each.
//   copies     The same, but the Laplacian on the GPU: the field goes there and back at every step.
//   device     All on the GPU, a kernel for each product and sum; the picture comes back through pinned memory.
//
// Every cell: u(t+1) = (2 - k dt) u(t) + (k dt - 1) u(t-1) + (c dt/dx)² L u(t), with zero beyond the rim, in FP32.
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
// Heights from -1 to 1 as a number of 24 bits whose bytes are red, green and blue from the lowest, or as a place in a
// table of colours (assets/colormaps/ripple.csv).
enum class PaperColours { bits24, table };

// The factors of its scheme and the droplet's shape, from the source's numbers.
struct PaperNumbers {
  float current_weight = 2, previous_weight = -1, laplacian_weight = 0;  // 2 - k dt, k dt - 1, (c dt/dx)²
  int droplet_side = 0;                                                  // cells
  std::vector<float> droplet;
};
PaperNumbers paper_numbers();

// Red in the lowest byte, opaque.
std::uint32_t wave_paper_colour24(float height);

// What a step's time goes into: the Laplacian; the other products and sums, with the matrices that they make; copies of
// the field to the device and back, or of the picture to the host; colours.
enum class PaperPart { convolution, matrices, copies, colours };
inline constexpr std::array<const char*, 4> paper_parts = {"convolution", "products and sums", "copies", "colours"};
using PaperSeconds = std::array<double, paper_parts.size()>;

class PaperProgram {
 public:
  virtual ~PaperProgram() = default;
  PaperProgram(const PaperProgram&) = delete;
  PaperProgram& operator=(const PaperProgram&) = delete;

  // Adds a droplet around this cell; what lies beyond the rim is left out.
  virtual void drop(int i, int j) = 0;
  // A step, its colours, and the picture in the host's memory.
  virtual void step() = 0;
  virtual std::vector<float> heights() const = 0;  // row by row
  virtual const std::uint32_t* picture() const = 0;

  // Adds the time of each part of the steps from now on to `seconds`, which must outlive them; null: no more. The
  // device is waited for at both ends of a part, so such a step takes longer than the sum of its parts would.
  void add_parts_to(PaperSeconds* seconds) { seconds_ = seconds; }

 protected:
  PaperProgram() = default;

  // Does the work of one part of a step.
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

// `backend` is the GPU of `copies` and `device`; `matrices` needs none. Throws Error where there is no memory for it.
std::unique_ptr<PaperProgram> make_wave_paper(PaperMethod way, Backend& backend, int side, PaperColours colours);

}  // namespace perturb::wave
