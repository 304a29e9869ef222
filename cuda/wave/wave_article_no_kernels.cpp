// In the place of the .cu files in builds without CUDA, where nobody calls it.
#include "cuda/core/no_kernels.h"
#include "cuda/wave/wave_article_kernels.h"

namespace perturb::wave {

void wave_article_convolve(Backend&, int, const float*, float*) { no_kernels(); }
void wave_article_multiply(Backend&, int, const float*, float, float*) { no_kernels(); }
void wave_article_add(Backend&, int, const float*, float*) { no_kernels(); }
void wave_article_paint(Backend&, int, const float*, ArticleColours, View1D<const std::uint32_t>, std::uint32_t*) {
  no_kernels();
}
void wave_article_drop(Backend&, int, const float*, const float*, int, int, int, float*) { no_kernels(); }

}  // namespace perturb::wave
