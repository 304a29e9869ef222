// Kernels of the paper's CUDA versions (study/paper.h), in its blocks of 3 x 3 threads; each cell has a thread.
// In builds without CUDA, study/paper_no_kernels.cpp replaces them, and they are never called.
#pragma once

#include <cstdint>

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/field.h"
#include "cuda/wave/study/paper.h"

namespace perturb::wave {

// All operate on a square field of `side` x `side` cells in device memory.
void wave_paper_convolve(Backend& backend, int side, const float* from, float* to);
void wave_paper_multiply(Backend& backend, int side, const float* from, float factor, float* to);
void wave_paper_add(Backend& backend, int side, const float* from, float* to);  // to += from
void wave_paper_paint(Backend& backend, int side, const float* heights, PaperColours colours,
                      View1D<const std::uint32_t> table, std::uint32_t* picture);
// Adds `droplet`, `size` x `size` numbers around cell (i, j), to `from` and writes the result to `to`.
void wave_paper_drop(Backend& backend, int side, const float* from, const float* droplet, int size, int i, int j,
                     float* to);

}  // namespace perturb::wave
