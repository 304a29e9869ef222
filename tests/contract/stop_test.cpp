// Cancelling a step keeps the state of the last complete one, in every simulation. The state is bit-identical to that
// of an uninterrupted run at this step, and so is the rest of the run.
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/run/experiment.h"
#include "cuda/core/simulation/catalog.h"
#include "tests/support/reach.h"

namespace perturb {
namespace {

struct LongStep {
  std::string scene;
  int width, height;
  std::string kernel;
  std::map<std::string, double> parameters;
};

// Scenes with steps long enough to be cancelled, in addition to the first of each simulation.
std::vector<LongStep> long_steps() {
  std::vector<LongStep> list;
  for (const SimulationInfo* info : catalog()) list.push_back({info->id, 64, 64, "auto", {}});
  list.push_back({"fibers", 160, 1, "auto", {{"trail", 4}, {"tracers", 200}}});
  list.push_back({"fibers", 160, 1, "stable", {{"scheme", 1}}});
  list.push_back({"fibers", 160, 1, "stable", {{"scheme", 2}}});
  list.push_back({"membrane", 32, 32, "rows", {{"assembly", 1}, {"frequency", 11}, {"sweep", 0.5}}});
  list.push_back({"membrane/struck", 32, 32, "rows", {{"level", 4}}});
  list.push_back({"membrane/struck", 32, 32, "auto", {}});  // solved directly: it only stops between steps
  list.push_back({"membrane/modes", 32, 32, "rows", {{"level", 4}}});
  list.push_back({"particles", 64, 64, "all-pairs", {}});
  // Those of this program: another one has its own catalog (tests/template).
  std::erase_if(
      list, [](const LongStep& one) { return find_saved_fields(one.scene.substr(0, one.scene.find('/'))) == nullptr; });
  // The other kernels take long under a sanitizer.
  if (has_small_reach()) std::erase_if(list, [](const LongStep& one) { return one.kernel != "auto"; });
  return list;
}

std::string name_of_step(const testing::TestParamInfo<LongStep>& info) {
  std::string name = info.param.scene + "_" + info.param.kernel + "_" + std::to_string(info.index);
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

class Cancelled : public testing::TestWithParam<LongStep> {
 protected:
  Scene scene() const {
    Scene s = load_scene(GetParam().scene);
    s.setup.width = GetParam().width;
    s.setup.height = GetParam().height;
    for (const auto& [id, value] : GetParam().parameters) s.setup.parameters[id] = value;
    return s;
  }
  static void expect_same(const State& a, const State& b, const std::string& when) {
    EXPECT_EQ(a.steps, b.steps) << when;
    EXPECT_EQ(a.time, b.time) << when;
    EXPECT_EQ(a.parameters, b.parameters) << when;
    EXPECT_EQ(a.datasets.size(), b.datasets.size()) << when;
    for (const auto& [name, data] : a.datasets)
      EXPECT_TRUE(b.has(name) && data.bytes == b.datasets.at(name).bytes) << name << ' ' << when;
  }
};
INSTANTIATE_TEST_SUITE_P(All, Cancelled, testing::ValuesIn(long_steps()), name_of_step);

TEST_P(Cancelled, StateIsThatOfTheLastCompleteStep) {
  const auto backend = Backend::make_cpu(2), other = Backend::make_cpu(2);
  Experiment run(*backend, scene()), whole(*other, scene());
  run.simulation().select_kernel(GetParam().kernel);
  whole.simulation().select_kernel(GetParam().kernel);
  // So that a step is cancelled, not the first measurement.
  run.advance(1);
  whole.advance(1);
  for (const int after_us : {0, 300, 3000, 20000, 70000, 150000}) {
    StopRequest request;
    bool stopped = false;
    std::thread asks([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(after_us));
      request.request_stop();
    });
    {
      const StopScope scope(*backend, request);
      try {
        run.advance(1'000'000'000);
      } catch (const Stopped&) {
        stopped = true;
      }
    }
    asks.join();
    ASSERT_TRUE(stopped);
    const std::string when =
        "after " + std::to_string(after_us) + " us, at step " + std::to_string(run.simulation().steps());
    whole.advance(run.simulation().steps() - whole.simulation().steps());
    expect_same(run.simulation().save(), whole.simulation().save(), when);
    const Diagnostics one = run.simulation().diagnostics(run.scene().view, true),
                      two = whole.simulation().diagnostics(whole.scene().view, true);
    EXPECT_EQ(one.step, two.step) << when;
    EXPECT_TRUE(one.finite) << one.error;
    if (run.simulation().steps() > 20000) break;  // enough for a quick simulation
  }
  run.advance(2);
  whole.advance(2);
  expect_same(run.simulation().save(), whole.simulation().save(), "two steps on");
}

TEST_P(Cancelled, ReleasesTemporaryMemory) {
  const auto backend = Backend::make_cpu(2);
  for (const int after_us : {0, 500, 5000, 50000}) {
    StopRequest request;
    std::thread asks([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(after_us));
      request.request_stop();
    });
    {
      const StopScope scope(*backend, request);
      try {
        const Experiment run(*backend, scene());
      } catch (const Stopped&) {
      }
    }
    asks.join();
    EXPECT_EQ(backend->memory_in_use(), 0u);
  }
}

}  // namespace
}  // namespace perturb
