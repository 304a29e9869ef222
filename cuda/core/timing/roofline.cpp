#include "cuda/core/timing/roofline.h"

#include <chrono>
#include <cstddef>
#include <cstring>

#include "cuda/core/backend/field.h"
#include "cuda/core/backend/host_device.h"
#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/timing/timing_duration.h"

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

constexpr int copies = 10;   // in a row on CUDA: each launch overlaps with the previous copy
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

// The repetitions of a part take about this long together.
constexpr double part_seconds = 0.5;

}  // namespace

struct RooflineMeasurement::Fields {
  Field<float> from, to;
};

RooflineMeasurement::RooflineMeasurement(Backend& backend) : backend_(backend) {}
RooflineMeasurement::~RooflineMeasurement() = default;

void RooflineMeasurement::begin(Part part) {
  part_ = part;
  total_ = best_ = 0;
  const bool cuda = backend_.is_cuda();
  if (part == Part::copy) {
    // On the CPU as large as a field of 8192 x 8192 (large caches hold part of either); far beyond any cache on CUDA.
    const std::size_t wanted = std::size_t{cuda ? 1024u : 256u} << 20;
    const std::size_t bytes = std::min(wanted, backend_.free_memory() / 4);
    const int width = 1 << 16;
    const int height = std::max(1, static_cast<int>(bytes / sizeof(float) / width));
    fields_ = std::make_unique<Fields>();
    fields_->from = Field<float>(backend_, width, height, "bandwidth test");
    fields_->to = Field<float>(backend_, width, height, "bandwidth test");
  } else if (part == Part::multiply_add) {
    fields_ = std::make_unique<Fields>();
    fields_->to = Field<float>(backend_, 1024, cuda ? 2048 : 16, "arithmetic test");
  } else if (part == Part::complete) {
    fields_.reset();
  }
  run_once();  // loads the kernel and warms the caches
  backend_.synchronize();
}

void RooflineMeasurement::run_once() {
  if (!fields_) return;
  Field<float>&from = fields_->from, &to = fields_->to;
  const Range2D range{to.width(), to.height()};
  if (part_ == Part::multiply_add)
    parallel_for(backend_, "roofline.multiply_add", range, MultiplyAdds{to.view(), 0.999f, 0.5f});
  else if (part_ == Part::update)
    parallel_for(backend_, "roofline.update", range, Update{from.view(), to.view()});
  else if (!backend_.is_cuda())
    parallel_for(backend_, "roofline.copy", range, Copy{from.view(), to.view()});
  else
    for (int n = 0; n < copies; ++n) to.copy_from(from);
}

// The minimum over the repetitions counts: other load on the machine can only slow one down.
void RooflineMeasurement::take(double seconds) {
  const Field<float>& to = fields_->to;
  const double cells = static_cast<double>(to.width()) * to.height();
  best_ = best_ > 0 ? std::min(best_, seconds) : seconds;
  total_ += seconds;
  if (total_ < timing_duration(part_seconds)) return;
  if (part_ == Part::multiply_add) {
    roofline_.flops_per_second = 2.0 * chains * links * cells / best_;
    begin(Part::complete);
  } else if (part_ == Part::update) {
    roofline_.bytes_per_second = std::max(roofline_.bytes_per_second, 12 * cells / best_);
    begin(Part::multiply_add);
  } else {
    roofline_.bytes_per_second = (backend_.is_cuda() ? copies : 1) * 8 * cells / best_;
    begin(backend_.is_cuda() ? Part::multiply_add : Part::update);
  }
}

bool RooflineMeasurement::advance(double seconds) {
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  if (!fields_ && part_ == Part::copy) {
    begin(Part::copy);
    return false;
  }
  do {
    if (part_ == Part::complete) return true;
    backend_.synchronize();
    const auto start = Clock::now();
    run_once();
    backend_.synchronize();
    take(std::chrono::duration<double>(Clock::now() - start).count());
  } while (Clock::now() < end);
  return part_ == Part::complete;
}

Roofline measure_roofline(Backend& backend) {
  RooflineMeasurement measurement(backend);
  while (!measurement.advance(part_seconds)) {
  }
  return measurement.roofline();
}

}  // namespace perturb
