#include "cuda/core/bench/roofline.h"

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "cuda/core/backend/field.h"
#include "cuda/core/backend/host_device.h"
#include "cuda/core/bench/timing_duration.h"
#include "cuda/core/loops/parallel_for.h"

namespace perturb {

namespace {

using Clock = std::chrono::steady_clock;

// to += from: two reads and one write, as in most stencils.
struct Update {
  View2D<const float> from;
  View2D<float> to;
  PERTURB_HD void operator()(int i, int j) const { to(i, j) += from(i, j); }
  void row(int begin, int end, int j) const {
    const float* __restrict source = from.row(j);
    float* __restrict target = to.row(j);
    for (int i = begin; i < end; ++i) target[i] += source[i];
  }
};

struct Copy {
  View2D<const float> from;
  View2D<float> to;
  PERTURB_HD void operator()(int i, int j) const { to(i, j) = from(i, j); }
  void row(int begin, int end, int j) const {
    std::memcpy(to.row(j) + begin, from.row(j) + begin, static_cast<std::size_t>(end - begin) * sizeof(float));
  }
};

constexpr int chains = 8;    // independent, so that they hide each other's latency
constexpr int links = 4096;  // multiply-adds per chain
constexpr int lanes = 64;    // parallel chains in the CPU's registers

struct MultiplyAdds {
  View2D<float> result;
  float factor, addend;
  PERTURB_HD void operator()(int i, int j) const {
    float value[chains];
    for (int c = 0; c < chains; ++c) value[c] = static_cast<float>(i + c);
    for (int n = 0; n < links; ++n)
      for (int c = 0; c < chains; ++c) value[c] = multiply_add(value[c], factor, addend);
    float sum = 0;
    for (int c = 0; c < chains; ++c) sum += value[c];
    result(i, j) = sum;
  }
  // The same work for chains·width values: `lanes` of them at a time fill the vector registers.
  void row(int begin, int end, int j) const {
    const int values = (end - begin) * chains;
    for (int first = 0; first < values; first += lanes) {
      float value[lanes];
      for (int l = 0; l < lanes; ++l) value[l] = static_cast<float>(first + l);
      for (int n = 0; n < links; ++n)
        for (int l = 0; l < lanes; ++l) value[l] = multiply_add(value[l], factor, addend);
      float sum = 0;
      for (int l = 0; l < lanes; ++l) sum += value[l];
      result(begin + first / chains, j) = sum;
    }
  }
};

// The minimum over repetitions that together take about half a second: other load on the machine can only slow it down.
template <class Work>
double least_time(Backend& backend, const Work& work) {
  work();
  backend.synchronize();
  double best = INFINITY;
  const auto end = Clock::now() + std::chrono::duration<double>(timing_duration(0.5));
  do {
    const auto start = Clock::now();
    work();
    backend.synchronize();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  } while (Clock::now() < end);
  return best;
}

}  // namespace

Roofline measure_roofline(Backend& backend) {
  Roofline roof;
  {
    // On the CPU as large as a field of 8192 x 8192 (large caches hold part of either); far beyond any cache on CUDA.
    const std::size_t wanted = std::size_t{backend.is_cuda() ? 1024u : 256u} << 20;
    const std::size_t bytes = std::min(wanted, backend.free_memory() / 4);
    const int width = 1 << 16;
    const int height = std::max(1, static_cast<int>(bytes / sizeof(float) / width));
    Field<float> from(backend, width, height, "bandwidth test"), to(backend, width, height, "bandwidth test");
    const double cells = static_cast<double>(width) * height;
    if (backend.is_cuda()) {
      // Ten copies in a row: each launch overlaps with the previous copy.
      const double seconds = least_time(backend, [&] {
        for (int n = 0; n < 10; ++n) to.copy_from(from);
      });
      roof.bytes_per_second = 10 * 8 * cells / seconds;
    } else {
      const Range2D range{width, height};
      const double copy = least_time(backend, [&] {
        parallel_for(backend, "roofline.copy", range, Copy{from.view(), to.view()});
      });
      const double update = least_time(backend, [&] {
        parallel_for(backend, "roofline.update", range, Update{from.view(), to.view()});
      });
      roof.bytes_per_second = std::max(8 * cells / copy, 12 * cells / update);
    }
  }
  const int width = 1024, height = backend.is_cuda() ? 2048 : 16;
  Field<float> result(backend, width, height, "arithmetic test");
  const double seconds = least_time(backend, [&] {
    parallel_for(backend, "roofline.multiply_add", Range2D{width, height}, MultiplyAdds{result.view(), 0.999f, 0.5f});
  });
  roof.flops_per_second = 2.0 * chains * links * width * height / seconds;
  return roof;
}

}  // namespace perturb
