// Replaces the .cu files in builds without CUDA; never called.
#include "cuda/core/backend/check.h"
#include "cuda/studies/wave/paper.h"

namespace perturb::wave {

void wave_paper_convolve(Backend&, int, const float*, float*) { no_kernels(); }
void wave_paper_convolve_plain(Backend&, int, PaperBlock, const float*, const float*, float*) { no_kernels(); }
void wave_paper_convolve_first(Backend&, int, PaperBlock, const float*, const float*, float*) { no_kernels(); }
void wave_paper_convolve_texture(Backend&, int, int, int, const float*, float*) { no_kernels(); }
void wave_paper_sines(Backend&, int, int, bool, const float*, float*) { no_kernels(); }
void wave_paper_multiply(Backend&, int, const float*, float, float*) { no_kernels(); }
void wave_paper_add(Backend&, int, const float*, float*) { no_kernels(); }
void wave_paper_paint(Backend&, int, const float*, PaperColours, View1D<const std::uint32_t>, std::uint32_t*) {
  no_kernels();
}
void wave_paper_drop(Backend&, int, const float*, const float*, int, int, int, float*) { no_kernels(); }

}  // namespace perturb::wave
