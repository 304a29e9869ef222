#include <cstdint>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/core/backend/field.h"
#include "cuda/core/math/random.h"
#include "cuda/wave/kernels/kernels.h"
#include "tests/support/reach.h"

namespace perturb::wave {
namespace {

enum Feature { plain = 0, with_medium = 1, with_sponge = 2, with_sources = 4, all_features = 7, nine_points = 8 };

template <class Real>
struct CpuTank {
  std::unique_ptr<Backend> backend;
  Field<Real> u, u_previous, medium;
  Array<Real> sponge_x, sponge_y;
  StepParams<Real> params;

  CpuTank(int threads, int width, int height, int features, Boundary sides_x, Boundary sides_y)
      : backend(Backend::make_cpu(threads)),
        u(*backend, width, height, "u"),
        u_previous(*backend, width, height, "u_previous"),
        medium(*backend, width, height, "medium"),
        sponge_x(*backend, width, "sponge_x"),
        sponge_y(*backend, height, "sponge_y") {
    const auto random = [&](std::uint64_t stream, std::size_t count, double low, double high) {
      std::vector<Real> values(count);
      for (std::size_t k = 0; k < count; ++k)
        values[k] = static_cast<Real>(low + (high - low) * uniform_float(philox(1, stream, k).v[0]));
      return values;
    };
    const std::size_t cells = static_cast<std::size_t>(width) * height;
    u.upload(random(0, cells, -1, 1));
    u_previous.upload(random(1, cells, -1, 1));
    auto m = random(2, cells, 0.3, 1);
    for (std::size_t k = 0; k < cells; ++k)
      if (philox(1, 3, k).v[0] % 7 == 0) m[k] = -m[k];
    medium.upload(m);
    sponge_x.upload(random(4, width, 0.9, 1));
    sponge_y.upload(random(5, height, 0.9, 1));
    params.width = width;
    params.height = height;
    params.courant2 = Real(0.3);
    params.inertia = Real(1.99);
    params.left = params.right = sides_x;
    params.bottom = params.top = sides_y;
    if (features & nine_points) params.stencil = Stencil::nine;
    if (features & with_medium) params.medium = static_cast<const Field<Real>&>(medium).view();
    if (features & with_sponge) {
      params.sponge_x = static_cast<const Array<Real>&>(sponge_x).view();
      params.sponge_y = static_cast<const Array<Real>&>(sponge_y).view();
    }
    if (features & with_sources) {
      params.sources.count = 2;
      for (int k = 0; k < max_wave_steps_per_pass; ++k) {
        const float shift = static_cast<float>(k);
        params.sources.hard_sources[0][k] = {width * 0.5f + shift, height * 0.5f, width * 0.5f + shift,
                                             height * 0.5f,        2.5f,          Real(0.1 * k)};
        params.sources.hard_sources[1][k] = {0.f, height * 0.4f, width * 1.f, height * 0.6f, 1.f, Real(-0.1 * k)};
      }
    }
  }

  // Reference result: one level at a time, one cell at a time.
  std::vector<Real> reference(int steps) {
    std::vector<Real> a = u.download(), b = u_previous.download();
    for (int level = 0; level < steps; ++level) {
      const View2D<const Real> from{a.data(), params.width, params.height, params.width};
      for (int j = 0; j < params.height; ++j)
        for (int i = 0; i < params.width; ++i) {
          Real& cell = b[static_cast<std::size_t>(j) * params.width + i];
          cell = wave_cell(params, from, cell, i, j, level);
        }
      a.swap(b);
    }
    return a;
  }
  std::vector<Real> result(int steps) {
    cpu_steps<Real>(*backend, params, u.view(), u_previous.view(), steps);
    return steps % 2 ? u_previous.download() : u.download();
  }
};

template <class Real>
class WaveCpuSteps : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(WaveCpuSteps, Reals);

TYPED_TEST(WaveCpuSteps, GiveTheBitsOfSingleCells) {
  const Boundary kinds[] = {Boundary::fixed, Boundary::free, Boundary::absorbing, Boundary::periodic};
  using Numbers = std::vector<int>;
  const Numbers all{+plain, +with_medium, +with_sponge, +with_sources, +all_features};
  for (const int steps : reach(Numbers{1, 2, 3, 7, 12}, Numbers{7}))
    for (const int features : reach(all, Numbers{+plain, +all_features}))
      for (const Boundary sides : kinds) {
        CpuTank<TypeParam> tank(3, 50, 91, features, sides, sides);
        const auto expected = tank.reference(steps);
        ASSERT_TRUE(tank.result(steps) == expected)
            << steps << " steps, features " << features << ", sides " << static_cast<int>(sides);
        CpuTank<TypeParam> nine(3, 50, 91, features | nine_points, sides, sides);
        const auto with_corners = nine.reference(steps);
        ASSERT_TRUE(nine.result(steps) == with_corners) << "nine points, " << steps << " steps, features " << features;
        ASSERT_TRUE(with_corners != expected);
      }
}

TYPED_TEST(WaveCpuSteps, AnyShapeAndAnyNumberOfThreads) {
  if (has_small_reach() && std::is_same_v<TypeParam, float>) GTEST_SKIP() << "double precision runs the same loops";
  using Numbers = std::vector<int>;
  for (const int threads : reach(Numbers{1, 2, 5}, Numbers{2}))
    for (const int width : reach(Numbers{1, 2, 3, 17, 600}, Numbers{3, 600}))
      for (const int height : reach(Numbers{1, 2, 5, 23, 24, 25, 130}, Numbers{1, 25, 130}))
        for (const Boundary sides : {Boundary::fixed, Boundary::absorbing, Boundary::periodic}) {
          for (const int features : {+all_features, all_features | nine_points}) {
            CpuTank<TypeParam> tank(threads, width, height, features, sides, sides);
            const auto expected = tank.reference(6);
            ASSERT_TRUE(tank.result(6) == expected) << threads << " threads, " << width << " x " << height;
          }
        }
}

}  // namespace
}  // namespace perturb::wave
