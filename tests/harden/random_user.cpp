// perturb_random_user SCENE [SEED [ACTIONS [STEPS [SECONDS [DEVICE]]]]]
//
// Acts on a scene at random (tests/support/random_user.h): ACTIONS (200) strokes and sliders, STEPS (20,000) steps in
// all, SECONDS (0: any) at most, on the CUDA device of the number DEVICE (none: one core of the CPU). Prints one line.
// Exit code 1 if the run ended, 2 if it could not start.
#include "tests/support/random_user.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string>

#include "app/io/preset/presets.h"
#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/stop.h"

using namespace perturb;

int main(int count, char** values) try {
  const auto number = [&](int k, double otherwise) { return count > k ? std::atof(values[k]) : otherwise; };
  if (count < 2) {
    std::fputs("usage: perturb_random_user SCENE [SEED [ACTIONS [STEPS [SECONDS [DEVICE]]]]]\n", stderr);
    return 2;
  }
  const std::string scene = values[1];
  const auto seed = static_cast<std::uint64_t>(number(2, 1));
  const double actions = number(3, 200), steps = number(4, 20000), seconds = number(5, 0);
  const auto backend = count > 6 ? Backend::make_cuda(std::atoi(values[6])) : Backend::make_cpu(1);
  Experiment run(*backend, load_scene(scene));
  run.set_recording(false);
  const auto begin = std::chrono::steady_clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  const std::function<bool()> has_time = [&] { return seconds <= 0 || passed() < seconds; };
  RandomUser user(run, seed, has_time);
  const auto each = static_cast<std::int64_t>(steps / actions);
  const auto first = run.simulation().steps();
  user.advance(each);
  const bool closed = user.close_off(true);
  user.advance(each);
  while (user.actions() < actions && user.failure().empty() && has_time()) user.act(each);
  const std::string failure = user.failure();
  std::printf("%s, seed %llu: %d actions%s, %d rejected, %lld steps, %.0f s: %s\n", scene.c_str(),
              static_cast<unsigned long long>(seed), user.actions(), closed ? " with a wall across" : "",
              user.rejected(), static_cast<long long>(run.simulation().steps() - first), passed(),
              failure.empty() ? "finite" : failure.c_str());
  return failure.empty() ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
