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

#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/core/backend.h"

namespace perturb {

enum class WaveArticleWay { matrices, copies, device };
// Heights from -1 to 1 as a number of 24 bits whose bytes are red, green and blue from the lowest, or as a place in a
// table of colours (assets/colormaps/ripple.csv).
enum class WaveArticleColours { bits24, table };

// The factors of its scheme and the droplet's shape, from the source's numbers.
struct WaveArticleNumbers {
  float of_now = 2, of_before = -1, of_laplacian = 0;  // 2 - k dt, k dt - 1, (c dt/dx)²
  int droplet_side = 0;                                // cells
  std::vector<float> droplet;
};
WaveArticleNumbers wave_article_numbers();

// Red in the lowest byte, opaque.
std::uint32_t wave_article_colour24(float height);

class WaveArticle {
 public:
  virtual ~WaveArticle() = default;
  WaveArticle(const WaveArticle&) = delete;
  WaveArticle& operator=(const WaveArticle&) = delete;

  // Adds a droplet around this cell; what lies beyond the rim is left out.
  virtual void drop(int i, int j) = 0;
  // A step, its colours, and the picture in the host's memory.
  virtual void step() = 0;
  virtual std::vector<float> heights() const = 0;  // row by row
  virtual const std::uint32_t* picture() const = 0;

 protected:
  WaveArticle() = default;
};

// `backend` is the GPU of `copies` and `device`; `matrices` needs none. Throws Error where there is no memory for it.
std::unique_ptr<WaveArticle> make_wave_article(WaveArticleWay way, Backend& backend, int side,
                                               WaveArticleColours colours);

}  // namespace perturb
