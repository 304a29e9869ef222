// The advice at the end of the wave's paper as pairs of loops: one that follows it and one that does not. Loops run on
// both backends; on a processor the verdicts are marked as that of another device.
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/launch/occupancy.h"
#include "cuda/core/loops/parallel_for.h"
#include "cuda/studies/paper.h"
#include "cuda/studies/wave/paper.h"
#include "cuda/studies/wave/studies.h"

namespace perturb::wave {

namespace {

// A chain of dependent products and sums, so that a loop's arithmetic takes longer than its memory.
template <class Real>
struct Chain {
  int turns;
  const float* from;
  float* to;
  PERTURB_HD void operator()(int i) const {
    auto x = static_cast<Real>(from[i]);
    for (int turn = 0; turn < turns; ++turn) x = multiply_add(x, Real(0.999), Real(1e-3));
    to[i] = static_cast<float>(x);
  }
};

// A float that becomes a double and a float again at each turn.
struct ConvertedChain {
  int turns;
  const float* from;
  float* to;
  PERTURB_HD void operator()(int i) const {
    float x = from[i];
    for (int turn = 0; turn < turns; ++turn) x = static_cast<float>(multiply_add(static_cast<double>(x), 0.999, 1e-3));
    to[i] = x;
  }
};

// Half of the threads take each branch: alternately, or whole warps of them.
struct TwoBranches {
  int in_a_row, turns;
  const float* from;
  float* to;
  PERTURB_HD void operator()(int i) const {
    float x = from[i];
    if ((i / in_a_row) % 2 == 0)
      for (int turn = 0; turn < turns; ++turn) x = multiply_add(x, 0.999f, 1e-3f);
    else
      for (int turn = 0; turn < turns; ++turn) x = multiply_add(x, x, -0.25f);
    to[i] = x;
  }
};

// Sums of `length` numbers per thread, next to those of its neighbours or a thread's own in a row.
struct SumOfNumbers {
  bool side_by_side;
  int threads, length;
  const float* from;
  float* to;
  PERTURB_HD void operator()(int i) const {
    const int begin = side_by_side ? i : i * length, step = side_by_side ? threads : 1;
    float sum = 0;
    for (int k = 0; k < length; ++k) sum += from[begin + k * step];
    to[i] = sum;
  }
};

// Sums of nine numbers, in a loop whose length the compiler knows and unrolls, or does not know.
template <bool known>
struct NineTaps {
  int turns, taps;
  const float* from;
  float* to;
  PERTURB_HD void operator()(int i) const {
    float x = from[i];
    for (int turn = 0; turn < turns; ++turn) {
      float sum = x;
      if constexpr (known) {
        for (int k = 0; k < 9; ++k) sum = multiply_add(sum, 0.5f, static_cast<float>(k));
      } else {
        for (int k = 0; k < taps; ++k) sum = multiply_add(sum, 0.5f, static_cast<float>(k));
      }
      x = sum;
    }
    to[i] = x;
  }
};

// Quotient and remainder by a power of two, as a division or by bits.
template <bool bits>
struct Remainders {
  int turns, divisor, shift;
  const float* from;
  float* to;
  PERTURB_HD void operator()(int i) const {
    unsigned x = static_cast<unsigned>(i) + static_cast<unsigned>(from[i]), sum = 0;
    const auto n = static_cast<unsigned>(divisor);
    for (int turn = 0; turn < turns; ++turn) {
      const unsigned quotient = bits ? x >> shift : x / n, rest = bits ? x & (n - 1) : x % n;
      sum += rest;
      x = x * 5u + quotient + 1u;
    }
    to[i] = static_cast<float>(sum);
  }
};

struct Practice {
  const char *id, *claim, *good_words, *bad_words;
  RepeatedWork good, bad;
};

template <class Loop>
RepeatedWork repeated_loop(Backend& backend, int threads, const Loop& loop) {
  return [&backend, threads, loop](int times) {
    for (int k = 0; k < times; ++k) parallel_for(backend, "wave.practice", Range1D{threads}, loop);
  };
}

// Blocks of a multiprocessor of the paper's example GPU, by the rules of its compute capability.
StudyTable blocks_of_its_gpu(const PaperTable& paper) {
  const char* const place = "section CUDA Kernels best practices";
  constexpr int capability = 13;  // GT200
  StudyTable table(
      "blocks", "Blocks that a multiprocessor of a GT200 holds",
      {column("threads", "threads per block", 6), column("blocks"), column("occupancy", "occupancy", "%", 4),
       column("limit", "no more for"), column("source_blocks", "the paper")});
  for (const CurvePoint& point : paper.curve(place, "blocks per multiprocessor")) {
    const int threads = static_cast<int>(point.x);
    const Occupancy occupancy = occupancy_of(*gpu_rules(capability), {threads, 0, 0});
    table.add({point.x, occupancy.blocks, 100 * occupancy.share, name_of(occupancy.limit),
               paper.printed(place, std::to_string(threads), "blocks per multiprocessor")});
  }
  table.note = "By the rules of its compute capability, for a kernel without registers and shared memory.";
  return table;
}

}  // namespace

StudyResult practices_study(Backend& backend, const Setup&, const StudyProgress& progress) {
  const PaperTable& paper = paper_table("wave");
  constexpr int turns_of_chain = 256, length = 64, divisor = 64, shift = 6, warp = 32;
  const int threads = backend.is_cuda() ? 1 << 20 : 1 << 13;
  const auto count = static_cast<std::size_t>(threads);
  Array<float> from(backend, count * length, "numbers"), to(backend, count, "results");
  from.fill_zero();
  const float* const in = from.data();
  float* const out = to.data();
  const auto loop = [&](const auto& body) { return repeated_loop(backend, threads, body); };
  std::vector<Practice> practices = {
      {"coalescing", "threads that read numbers side by side make a loop faster than a row for each thread",
       "side by side", "a row for each thread", loop(SumOfNumbers{true, threads, length, in, out}),
       loop(SumOfNumbers{false, threads, length, in, out})},
      {"branches", "branches of whole warps make a loop faster than those within a warp", "by warps", "within a warp",
       loop(TwoBranches{warp, turns_of_chain, in, out}), loop(TwoBranches{1, turns_of_chain, in, out})},
      {"unrolling", "a loop whose length the compiler knows and unrolls is faster", "length known", "length not known",
       loop(NineTaps<true>{length, 9, in, out}), loop(NineTaps<false>{length, 9, in, out})},
      {"float", "float makes arithmetic faster than double", "float", "double",
       loop(Chain<float>{turns_of_chain, in, out}), loop(Chain<double>{turns_of_chain, in, out})},
      {"conversion", "float alone is faster than with conversions to double and back", "float alone",
       "with conversions", loop(Chain<float>{turns_of_chain, in, out}), loop(ConvertedChain{turns_of_chain, in, out})},
      {"remainders", "bit operations are faster than integer division and modulus", "bit operations", "division",
       loop(Remainders<true>{turns_of_chain, divisor, shift, in, out}),
       loop(Remainders<false>{turns_of_chain, divisor, shift, in, out})}};
  if (backend.is_cuda()) {
    const auto sines = [&](bool intrinsic) {
      return [=, &backend](int times) {
        for (int k = 0; k < times; ++k) wave_paper_sines(backend, threads, length, intrinsic, in, out);
      };
    };
    practices.push_back({"intrinsics", "__sinf is faster than sinf", "__sinf", "sinf", sines(true), sines(false)});
  }
  StudyTable table(
      "practices", "The paper's advice, followed and not",
      {column("practice", "advice"), column("good", "followed"), column("good_seconds", "time", "s"),
       column("bad", "not followed"), column("bad_seconds", "time", "s"), column("gain", "time without over with", 4)},
      "Medians of nine groups, run alternately, of " + std::to_string(threads) + " threads' work.");
  constexpr int turns = 9;
  std::vector<Finding> findings;
  for (const Practice& practice : practices) {
    progress(practice.id);
    const std::vector<std::vector<double>> t = seconds_each(backend, {practice.good, practice.bad}, turns);
    table.add({practice.id, practice.good_words, median_of(t[0]), practice.bad_words, median_of(t[1]),
               median_of(t[1]) / median_of(t[0])});
    findings.push_back({practice.claim, "section CUDA Kernels best practices", NAN, t[0], t[1]});
    report_partial(progress, {{table}, {}});
  }
  if (!backend.is_cuda()) restrict_to_device(findings, "processor");
  return {{std::move(table), blocks_of_its_gpu(paper),
           findings_table(findings, "The paper: " + paper.cited() + ". It prints no times for its advice." +
                                        (backend.is_cuda() ? "" : " __sinf needs a GPU: not measured here."))},
          {}};
}

}  // namespace perturb::wave
