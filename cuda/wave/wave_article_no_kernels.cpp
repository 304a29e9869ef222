// Stands in for wave_article_kernels.cu in builds without CUDA, where nothing calls it.
#include "cuda/core/check.h"
#include "cuda/wave/wave_article_kernels.h"

namespace perturb {

namespace {
[[noreturn]] void no_article_kernels() { throw Error("internal: a kernel for CUDA in a build without it"); }
}  // namespace

void wave_article_convolve(Backend&, int, const float*, float*) { no_article_kernels(); }
void wave_article_multiply(Backend&, int, const float*, float, float*) { no_article_kernels(); }
void wave_article_add(Backend&, int, const float*, float*) { no_article_kernels(); }
void wave_article_paint(Backend&, int, const float*, WaveArticleColours, View1D<const std::uint32_t>, std::uint32_t*) {
  no_article_kernels();
}
void wave_article_drop(Backend&, int, const float*, const float*, int, int, int, float*) { no_article_kernels(); }

}  // namespace perturb
