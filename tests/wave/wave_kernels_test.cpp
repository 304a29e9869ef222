// Every CUDA kernel of the wave is bit-identical to wave_cell, on every kind of tank.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/field.h"
#include "cuda/core/loops/parallel_for.h"
#include "cuda/wave/kernels/kernels.h"
#include "cuda/wave/model/cell.h"
#include "cuda/wave/model/step_params.h"

namespace perturb::wave {
namespace {

// Reference step: one cell at a time, t+1 written over t-1.
template <class Real>
struct ReferenceStep {
  StepParams<Real> params;
  View2D<const Real> u;
  View2D<Real> u_previous;
  int level;
  PERTURB_HD void operator()(int i, int j) const {
    u_previous(i, j) = wave_cell(params, u, u_previous(i, j), i, j, level);
  }
};

// A tank in host memory, from which the same tank can be created on any backend.
struct TankPlan {
  int width = 1, height = 1;
  Boundary left = Boundary::fixed, right = Boundary::fixed;
  Boundary bottom = Boundary::fixed, top = Boundary::fixed;
  bool medium = false, sponge = false, nine_points = false;
  int sources = 0;
  unsigned seed = 1;

  std::string text() const {
    static const char* const sides[] = {"fixed", "free", "absorbing", "periodic"};
    std::ostringstream text;
    text << width << "x" << height << " left " << sides[static_cast<int>(left)] << " right "
         << sides[static_cast<int>(right)] << " bottom " << sides[static_cast<int>(bottom)] << " top "
         << sides[static_cast<int>(top)] << (medium ? " medium" : "") << (sponge ? " sponge" : "")
         << (nine_points ? " nine points" : "") << " sources " << sources << " seed " << seed;
    return text.str();
  }
};

template <class Real>
struct TankLevels {
  std::vector<Real> u, u_previous;
};

template <class Real>
class Tank {
 public:
  Tank(Backend& backend, const TankPlan& plan) : backend_(backend) {
    const int width = plan.width, height = plan.height;
    const std::size_t cells = static_cast<std::size_t>(width) * height;
    std::mt19937 random(plan.seed);
    std::uniform_real_distribution<double> height_of_water(-1, 1), share(0, 1);
    std::vector<Real> values(cells);
    for (Field<Real>* field : {&u_, &u_previous_}) {
      *field = Field<Real>(backend, width, height, "u");
      for (Real& value : values) value = static_cast<Real>(height_of_water(random));
      // Still water too, where wrong signs of zero would be visible.
      for (std::size_t n = 0; n < cells; ++n)
        if (share(random) < 0.1) values[n] = share(random) < 0.5 ? Real(0) : -Real(0);
      field->upload(values);
    }
    for (Field<Real>* field : {&spare_, &spare_previous_}) {
      *field = Field<Real>(backend, width, height, "spare");
      field->upload(std::vector<Real>(cells, std::numeric_limits<Real>::quiet_NaN()));
    }
    pass_.width = width;
    pass_.height = height;
    pass_.courant2 = Real(0.35);
    pass_.inertia = Real(1.999);
    pass_.left = plan.left;
    pass_.right = plan.right;
    pass_.bottom = plan.bottom;
    pass_.top = plan.top;
    if (plan.nine_points) pass_.stencil = Stencil::nine;
    if (plan.medium) {
      medium_ = Field<Real>(backend, width, height, "medium");
      for (Real& value : values) {
        value = static_cast<Real>(0.2 + share(random));
        if (share(random) < 0.15) value = share(random) < 0.2 ? -Real(0) : -value;
      }
      medium_.upload(values);
      pass_.medium = static_cast<const Field<Real>&>(medium_).view();
    }
    if (plan.sponge) {
      // As in a tank: a layer along both sides of each direction, no sponge in between.
      const auto layer = [&](int size) {
        std::vector<Real> sponge(size, Real(1));
        for (int n = 0; n < size; ++n) {
          const int inwards = std::min(n, size - 1 - n);
          if (inwards < 9) sponge[n] = static_cast<Real>(1 - 0.05 * (9 - inwards) * (9 - inwards) / 81);
        }
        return sponge;
      };
      sponge_x_ = Array<Real>(backend, width, "sponge");
      sponge_y_ = Array<Real>(backend, height, "sponge");
      sponge_x_.upload(layer(width));
      sponge_y_.upload(layer(height));
      pass_.sponge_x = sponge_x_.view();
      pass_.sponge_y = sponge_y_.view();
    }
    pass_.sources.count = plan.sources;
    for (int s = 0; s < plan.sources; ++s) {
      const bool line = s % 2 == 1;
      const float x = static_cast<float>(share(random) * width), y = static_cast<float>(share(random) * height);
      for (int k = 0; k < max_wave_steps_per_pass; ++k) {
        // Some sources move while they oscillate.
        const float drift = s % 3 == 2 ? 0.4f * static_cast<float>(k) : 0.f;
        pass_.sources.hard_sources[s][k] = {x + drift,
                                            y,
                                            line ? x + 11.f : x + drift,
                                            line ? y - 7.f : y,
                                            line ? 0.75f : 2.5f,
                                            static_cast<Real>(std::sin(0.7 * k + s))};
      }
    }
  }

  void step_by_cells(int steps) {
    for (int level = 0; level < steps; ++level) {
      parallel_for(backend_, "reference", Range2D{pass_.width, pass_.height},
                   ReferenceStep<Real>{pass_, u_.view(), u_previous_.view(), level % max_wave_steps_per_pass});
      u_.swap(u_previous_);
    }
  }
  void step_by_kernel(Kernel kernel, int steps) {
    const Levels<Real> levels{u_.view(), u_previous_.view(), spare_.view(), spare_previous_.view()};
    if (run_kernel(backend_, kernel, pass_, levels, steps)) {
      u_.swap(spare_);
      u_previous_.swap(spare_previous_);
    } else {
      u_.swap(u_previous_);
    }
  }
  TankLevels<Real> levels() const { return {u_.download(), u_previous_.download()}; }

 private:
  Backend& backend_;
  Field<Real> u_, u_previous_, spare_, spare_previous_, medium_;
  Array<Real> sponge_x_, sponge_y_;
  StepParams<Real> pass_;
};

// Returns the position of the first difference of two fields; empty if they are bit-identical.
template <class Real>
std::string first_difference(const std::vector<Real>& expected, const std::vector<Real>& got, int width) {
  if (expected.size() == got.size() && std::memcmp(expected.data(), got.data(), expected.size() * sizeof(Real)) == 0)
    return "";
  int differ = 0;
  std::ostringstream text;
  for (std::size_t n = 0; n < expected.size(); ++n) {
    if (std::memcmp(&expected[n], &got[n], sizeof(Real)) == 0) continue;
    if (differ++ == 0)
      text << "cell (" << n % width << ", " << n / width << ") expected " << expected[n] << " got " << got[n];
  }
  text << "; " << differ << " cells differ";
  return text.str();
}

template <class Real>
void expect_same(const TankLevels<Real>& expected, const TankLevels<Real>& got, int width, const std::string& what) {
  EXPECT_EQ(first_difference(expected.u, got.u, width), "") << "u, " << what;
  EXPECT_EQ(first_difference(expected.u_previous, got.u_previous, width), "") << "u_previous, " << what;
}

const char* word(Kernel kernel) {
  static const char* const words[] = {"convolution", "fused", "vectorised", "temporal"};
  return words[static_cast<int>(kernel)];
}

// The ten combinations of sides of one direction: 3x3 of the three local boundary conditions, and periodic.
void set_sides(int pair, Boundary* low, Boundary* high) {
  *low = pair == 9 ? Boundary::periodic : static_cast<Boundary>(pair / 3);
  *high = pair == 9 ? Boundary::periodic : static_cast<Boundary>(pair % 3);
}

class WaveKernels : public testing::TestWithParam<Kernel> {
 protected:
  void SetUp() override {
    const CudaStatus status = cuda_status();
    if (!status.usable) GTEST_SKIP() << status.reason;
    cuda_ = Backend::make_cuda();
    cpu_ = Backend::make_cpu(2);
  }

  // Compares `steps` steps of the kernel with those of wave_cell on both backends.
  template <class Real>
  void check(const TankPlan& plan, int steps, bool with_cpu = true) {
    const std::string what = std::string(word(GetParam())) + ", " + std::to_string(steps) + " steps, " +
                             (sizeof(Real) == 8 ? "fp64, " : "fp32, ") + plan.text();
    ASSERT_GE(kernel_steps(GetParam(), plan.width, plan.height, sizeof(Real)), steps) << what;
    Tank<Real> by_kernel(*cuda_, plan), by_cells(*cuda_, plan);
    by_kernel.step_by_kernel(GetParam(), steps);
    by_cells.step_by_cells(steps);
    const TankLevels<Real> expected = by_cells.levels();
    expect_same(expected, by_kernel.levels(), plan.width, what);
    // Without a fused instruction the CPU rounds once more (multiply_add).
#if defined(__FMA__) || defined(__FP_FAST_FMA)
    if (with_cpu) {
      Tank<Real> by_cpu(*cpu_, plan);
      by_cpu.step_by_cells(steps);
      expect_same(by_cpu.levels(), expected, plan.width, "CPU and CUDA by cells, " + what);
    }
#endif
  }

  template <class Real>
  void check_every_boundary() {
    const int most = kernel_steps(GetParam(), 64, 64, sizeof(Real));
    std::mt19937 random(7);
    for (int steps = 1; steps <= most; ++steps) {
      for (int pairs = 0; pairs < 100; ++pairs) {
        TankPlan plan;
        plan.width = 1 + static_cast<int>(random() % 70);
        plan.height = 1 + static_cast<int>(random() % 70);
        set_sides(pairs / 10, &plan.left, &plan.right);
        set_sides(pairs % 10, &plan.bottom, &plan.top);
        const unsigned features = random();
        if (features & 1) plan.medium = true;
        if (features & 2) plan.sponge = true;
        if (features & 4) plan.sources = 1 + static_cast<int>(features >> 3) % max_wave_sources;
        plan.seed = random();
        check<Real>(plan, steps);
        plan.nine_points = GetParam() != Kernel::temporal;  // which supports five points only
        if (plan.nine_points) check<Real>(plan, steps);
        if (HasFailure()) return;
      }
    }
  }

  std::unique_ptr<Backend> cuda_, cpu_;
};

TEST_P(WaveKernels, EveryBoundaryEveryStepCountFp32) { check_every_boundary<float>(); }
TEST_P(WaveKernels, EveryBoundaryEveryStepCountFp64) { check_every_boundary<double>(); }

TEST_P(WaveKernels, EverySmallSize) {
  const int most = kernel_steps(GetParam(), 64, 64, sizeof(float));
  for (int size = 1; size <= 70; ++size) {
    TankPlan plan;
    plan.seed = size;
    plan.width = size;
    plan.height = 71 - size;
    check<float>(plan, most);
    plan.left = plan.top = Boundary::absorbing;
    plan.medium = plan.sponge = true;
    plan.sources = 3;
    check<float>(plan, most);
    if (HasFailure()) return;
  }
}

// Widths at the edges of strips of the temporal kernel, and heights that give one or several chunks of rows.
TEST_P(WaveKernels, EdgesOfStripsAndChunks) {
  const int most = kernel_steps(GetParam(), 64, 64, sizeof(float));
  for (const int width : {103, 104, 105, 111, 112, 113, 119, 120, 121, 127, 128, 129, 207, 208, 209, 225, 313, 417}) {
    for (const int height : {1, 2, 11, 12, 13, 255, 1601}) {
      TankPlan plan;
      plan.width = width;
      plan.height = height;
      plan.seed = width + height;
      check<float>(plan, most, false);
      plan.left = plan.right = Boundary::periodic;
      plan.bottom = Boundary::free;
      plan.top = Boundary::absorbing;
      plan.medium = width % 2 == 0;
      plan.sponge = true;
      plan.sources = width % 3;
      check<float>(plan, most, false);
      if (HasFailure()) return;
    }
  }
}

// Enough rows per warp that most are plain: both versions of the row code are used.
TEST_P(WaveKernels, LargeTanks) {
  const auto all = {Boundary::fixed, Boundary::free, Boundary::absorbing, Boundary::periodic};
  for (const Boundary side : all) {
    for (const bool general : {false, true}) {
      TankPlan plan;
      plan.width = 901;
      plan.height = 1700;
      plan.left = plan.right = plan.bottom = plan.top = side;
      plan.medium = general && side != Boundary::absorbing;
      plan.sponge = general;
      plan.sources = general ? 5 : 0;
      check<float>(plan, kernel_steps(GetParam(), plan.width, plan.height, sizeof(float)), false);
      check<double>(plan, kernel_steps(GetParam(), plan.width, plan.height, sizeof(double)), false);
    }
  }
}

// Several passes: each continues from the result of the previous one.
TEST_P(WaveKernels, ManyPasses) {
  TankPlan plan;
  plan.width = 300;
  plan.height = 200;
  plan.left = Boundary::absorbing;
  plan.top = Boundary::free;
  plan.medium = plan.sponge = true;
  const int most = kernel_steps(GetParam(), plan.width, plan.height, sizeof(float));
  Tank<float> by_kernel(*cuda_, plan), by_cells(*cuda_, plan);
  int taken = 0;
  for (int round = 0; round < 25; ++round) {
    const int steps = 1 + round % most;
    by_kernel.step_by_kernel(GetParam(), steps);
    taken += steps;
  }
  by_cells.step_by_cells(taken);  // there are no sources, so the level within a pass does not matter
  expect_same(by_cells.levels(), by_kernel.levels(), plan.width, word(GetParam()));
}

TEST_P(WaveKernels, HaveAShape) {
  for (const int bytes : {4, 8}) {
    const LaunchShape shape = wave_kernel_shape(GetParam(), 512, 512, bytes);
    EXPECT_GT(shape.block_x * shape.block_y, 0);
    EXPECT_GT(shape.registers_per_thread, 0);
    EXPECT_GT(shape.occupancy, 0);
    EXPECT_LE(shape.occupancy, 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Kernel, WaveKernels,
                         testing::Values(Kernel::convolution, Kernel::fused, Kernel::vectorised, Kernel::temporal),
                         [](const auto& kernel) { return std::string(word(kernel.param)); });

}  // namespace
}  // namespace perturb::wave
