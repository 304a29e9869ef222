// Measures, and asserts nothing about time: the source's run and tables, a step by part, and the accuracy of the kernels.
// Not run unless asked for:
//   fibers_tests --gtest_also_run_disabled_tests --gtest_filter='*FiberProfile*cuda'     (or cpu)
// FIBERS_MOST=10000 sets the largest number of fibers (default: 1000 on CUDA, 300 on the CPU).
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cuda/fibers/fibers.h"
#include "cuda/fibers/fibers_flow.h"
#include "cuda/fibers/fibers_start.h"
#include "tests/support/backends.h"

namespace perturb {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::ordered_json;

class FiberProfile : public OnEachBackend {
 protected:
  void parts(std::initializer_list<int> sizes);
  int most() {
    const char* const given = std::getenv("FIBERS_MOST");
    return given ? std::atoi(given) : backend().is_cuda() ? 1000 : 300;
  }
  std::unique_ptr<Simulation> make(int fibers, double precision = 0) {
    perturb::Setup setup;
    setup.simulation = "fibers", setup.width = fibers;
    setup.parameters = {
        {"time_step", fibers > 1000 ? 0.01 : 0.5},
        {"precision", precision},
        {"min_distance", 0.04},
        {"radius", fibers > 1000 ? 6 * std::cbrt(fibers / 1000.0) : 6}};  // beyond the source's table: its densest
    return fibers_simulation().create(backend(), setup);
  }
  double seconds(Simulation& simulation, int steps) {
    backend().synchronize();
    const auto start = Clock::now();
    simulation.step(steps);
    backend().synchronize();
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
  static double scalar(const Diagnostics& d, const char* id) {
    for (const Scalar& s : d.scalars)
      if (s.id == id) return s.value;
    return NAN;
  }
};
PERTURB_ON_EACH_BACKEND(FiberProfile);

// The source's table B.1: radius 6, t = 0..40 in steps of 0.5, the start's evaluation among the 81.
TEST_P(FiberProfile, DISABLED_Runs) {
  ordered_json rows = ordered_json::array();
  make(64)->step(1);
  for (int fibers = 100; fibers <= std::min(most(), 1000); fibers += 100) {
    const auto simulation = make(fibers);
    const double s = seconds(*simulation, 80);
    const Diagnostics d = simulation->diagnostics({}, true);
    EXPECT_TRUE(d.finite) << d.trouble;
    rows.push_back(
        {{"fibers", fibers}, {"evaluations", 81}, {"seconds", s}, {"last_iterations", scalar(d, "iterations")}});
    std::printf("run %4d fibers, 80 steps: %.4f s\n", fibers, s);
  }
  std::printf("JSON-RUNS %s\n", rows.dump().c_str());
}

// A step by part; timing waits for each kernel.
TEST_P(FiberProfile, DISABLED_Parts) { parts({300, 600, 1000}); }
TEST_P(FiberProfile, DISABLED_BigParts) { parts({2000, 10000}); }

void FiberProfile::parts(std::initializer_list<int> sizes) {
  ordered_json rows = ordered_json::array();
  for (const double precision : {0.0, 1.0})
    for (const int fibers : sizes) {
      if (fibers > most()) continue;
      const auto simulation = make(fibers, precision);
      const int steps = fibers > 2000 ? 2 : 10;
      simulation->step(1);
      const double plain = seconds(*simulation, steps) / steps;
      backend().stats().clear();
      backend().stats().set_timing(true);
      simulation->step(steps);
      backend().stats().set_timing(false);
      const Diagnostics d = simulation->diagnostics({}, true);
      ordered_json parts = ordered_json::object();
      for (const KernelTime& time : backend().stats().table())
        parts[time.label] = {{"seconds_per_step", time.seconds / steps},
                             {"launches_per_step", static_cast<double>(time.launches) / steps}};
      rows.push_back({{"fibers", fibers},
                      {"precision", precision > 0 ? "fp32" : "fp64"},
                      {"seconds_per_step", plain},
                      {"memory_bytes", backend().memory_in_use()},
                      {"iterations", scalar(d, "iterations")},
                      {"parts", parts}});
      std::printf("%s %5d fibers: %.5f s a step, %g iterations\n", precision > 0 ? "fp32" : "fp64", fibers, plain,
                  scalar(d, "iterations"));
      for (const KernelTime& time : backend().stats().table())
        std::printf("    %-20s %.6f s a step in %.1f launches\n", time.label.c_str(), time.seconds / steps,
                    static_cast<double>(time.launches) / steps);
    }
  std::printf("JSON-PARTS %s\n", rows.dump().c_str());
}

// One evaluation of a cloud by each kernel in each precision, against stable in double precision.
TEST_P(FiberProfile, DISABLED_Accuracy) {
  ordered_json rows = ordered_json::array();
  for (const int fibers : {100, 300, 1000}) {
    if (fibers > most()) continue;
    FiberPlacement placement;
    add_fiber_ball(placement, fibers, {0, 0, 0}, 6, 0.04, 1, 1);
    FiberParameters p;
    p.tolerance = 1e-11;
    const std::size_t size = placement.position.size();
    const auto velocity = [&](FiberKernel kernel, FiberPrecision precision, double tolerance) {
      p.precision = precision, p.tolerance = tolerance;
      Array<double> x(backend(), size, "x"), t(backend(), size, "t"), v(backend(), size, "v"), w(backend(), size, "w"),
          a(backend(), 5 * size, "a");
      x.upload(placement.position), t.upload(placement.tangent);
      FiberFlow flow(backend(), fibers, p);
      flow.evaluate(p, kernel, x.data(), t.data(), {}, v.data(), w.data(), a.data());
      return v.download();
    };
    const std::vector<double> exact = velocity(FiberKernel::stable, FiberPrecision::fp64, 1e-12);
    const auto add = [&](const char* kernel, const char* precision, double tolerance, const std::vector<double>& v) {
      double most = 0, scale = 0;
      int bad = 0;
      for (std::size_t k = 0; k < size; ++k) {
        if (!std::isfinite(v[k]))
          ++bad;
        else
          most = std::max(most, std::abs(v[k] - exact[k]));
        scale = std::max(scale, std::abs(exact[k]));
      }
      rows.push_back({{"fibers", fibers},
                      {"kernel", kernel},
                      {"precision", precision},
                      {"tolerance", tolerance},
                      {"largest_relative_error", most / scale},
                      {"not_finite", bad}});
      std::printf("%4d fibers, %-9s %s, tolerance %g: velocity error %.2e, %d not finite\n", fibers, kernel, precision,
                  tolerance, most / scale, bad);
    };
    add("stable", "fp64", 1e-6, velocity(FiberKernel::stable, FiberPrecision::fp64, 1e-6));
    add("stable", "fp32", 1e-11, velocity(FiberKernel::stable, FiberPrecision::fp32, 1e-11));
    add("recursion", "fp64", 1e-11, velocity(FiberKernel::recursion, FiberPrecision::fp64, 1e-11));
    add("recursion", "fp32", 1e-11, velocity(FiberKernel::recursion, FiberPrecision::fp32, 1e-11));
  }
  std::printf("JSON-ACCURACY %s\n", rows.dump().c_str());
}

}  // namespace
}  // namespace perturb
