// The disturbance of a stream round a body, without which a body in the exact middle never sheds vortices.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/lbm/lbm_use.h"
#include "tests/support/backends.h"
#include "tests/support/reach.h"
#include "tests/support/setup_of.h"

namespace perturb::lbm {
namespace {

constexpr int stream_width = 128, stream_height = 64;

class LbmDisturbance : public OnEachBackend {
 protected:
  // A stream from an inlet or by a force. The Reynolds number of the disc is about 150.
  std::map<std::string, double> stream(bool by_force, std::map<std::string, double> more = {}) {
    more.insert({{"viscosity", 0.0085}, {"boundary_bottom", wall}, {"boundary_top", wall}});
    if (by_force)
      more["force_x"] = 8e-6;
    else
      more.insert({{"boundary_left", inlet}, {"boundary_right", outlet}, {"inlet_speed", 0.1}});
    return more;
  }
  std::unique_ptr<Simulation> disc_in_the_middle(const std::map<std::string, double>& parameters) {
    return flow_of(in_one_thread(), stream_width, stream_height, parameters, {action("stream", {{"vx", 0.1}}), disc()});
  }
  static Action disc() { return action("wall-disc", {{"x", 0.3}, {"y", 0.5}, {"radius", 0.1}}); }
  // The largest difference of the velocity upwards from that of the mirror image.
  static double asymmetry(const Simulation& flow) {
    const std::vector<float> u = flow.save().get<float>("velocity", {stream_height, stream_width, 2});
    double largest = 0;
    for (std::size_t j = 0; j < stream_height; ++j)
      for (std::size_t i = 0; i < stream_width; ++i)
        largest =
            std::max(largest, static_cast<double>(std::abs(u[2 * (j * stream_width + i) + 1] +
                                                           u[2 * ((stream_height - 1 - j) * stream_width + i) + 1])));
    return largest;
  }
  static bool same_data(const State& a, const State& b) {
    return std::all_of(a.datasets.begin(), a.datasets.end(), [&](const auto& entry) {
      return b.has(entry.first) && b.datasets.at(entry.first).bytes == entry.second.bytes;
    });
  }
};
PERTURB_ON_EACH_BACKEND(LbmDisturbance);

TEST_P(LbmDisturbance, MakesABodyInTheExactMiddleShedVortices) {
  for (const double storage : {0, 1})
    for (const double collision : {0, 1, 2})
      for (const double outlines : {0, 1})
        for (const bool by_force : {false, true}) {
          SCOPED_TRACE(testing::Message() << "storage " << storage << ", collision " << collision << ", outlines "
                                          << outlines << (by_force ? ", by a force" : ", from an inlet"));
          auto parameters = stream(by_force, {{"storage", storage}, {"collision", collision}, {"outlines", outlines}});
          const auto flow = disc_in_the_middle(parameters);
          flow->step(30);
          EXPECT_GT(asymmetry(*flow), 0);
          EXPECT_LT(asymmetry(*flow), storage == 0 ? 1e-6 : 2e-3) << "the size of rounding";
          parameters["disturbance"] = 0;
          const auto symmetric = disc_in_the_middle(parameters);
          symmetric->step(30);
          EXPECT_EQ(asymmetry(*symmetric), 0) << "symmetric to the last bit";
        }
}

TEST_P(LbmDisturbance, GrowsIntoAStreet) {
  SKIP_AT_SMALL_REACH("takes thousands of steps of code that other tests check");
  for (const double storage : {0, 1}) {
    const auto flow = disc_in_the_middle(stream(false, {{"storage", storage}}));
    flow->step(300);
    const double early = asymmetry(*flow);
    flow->step(reach(7000, 2000));
    EXPECT_GT(asymmetry(*flow), reach(0.05, 2 * early)) << "storage " << storage;
  }
}

TEST_P(LbmDisturbance, IsThatOfTheSeed) {
  const auto state_with = [&](std::uint32_t seed) {
    perturb::Setup setup = setup_of("lbm", stream_width, stream_height);
    setup.seed = seed;
    setup.parameters = stream(false);
    setup.actions = {disc()};
    const auto flow = create(backend(), setup);
    flow->step(3);
    return flow->save();
  };
  EXPECT_TRUE(same_data(state_with(1), state_with(1)));
  EXPECT_FALSE(same_data(state_with(1), state_with(2)));
}

// Made from the seed in each cell, whatever computes it. The page's engine: tests/web/engine_test.mjs.
TEST_P(LbmDisturbance, IsTheSameOnEveryDeviceAndNumberOfThreads) {
  const auto cpu = Backend::make_cpu(3);
  for (const double storage : {0, 1})
    for (const bool by_force : {false, true}) {
      SCOPED_TRACE(testing::Message() << "storage " << storage << (by_force ? ", by a force" : ", from an inlet"));
      auto parameters = stream(by_force, {{"storage", storage}});
      const auto state_on = [&](Backend& one) {
        const auto flow =
            flow_of(one, stream_width, stream_height, parameters, {action("stream", {{"vx", 0.1}}), disc()});
        flow->step(20);
        return flow->save();
      };
      const State here = state_on(backend()), there = state_on(*cpu);
      EXPECT_EQ(here.datasets.size(), there.datasets.size());
      EXPECT_TRUE(same_data(here, there));
      parameters["disturbance"] = 0;
      EXPECT_FALSE(same_data(here, state_on(backend())));
    }
}

TEST_P(LbmDisturbance, IsMadeOnlyForABodyInAStream) {
  const std::map<std::string, double> moving_lid = {
      {"boundary_left", wall}, {"boundary_right", wall}, {"boundary_bottom", wall}, {"boundary_top", moving}};
  const Action channel_wall = action("wall-rectangle", {{"x0", 0}, {"y0", 0}, {"x1", 1}, {"y1", 0.1}});
  const std::vector<std::pair<std::map<std::string, double>, std::vector<Action>>> others = {
      {stream(true), {}},
      {stream(false), {}},
      {stream(true), {channel_wall}},
      {{}, {action("taylor-green")}},
      {moving_lid, {}},
      {moving_lid, {disc()}},
      {{}, {disc()}},
  };
  for (auto [parameters, actions] : others) {
    const auto flow = flow_of(backend(), stream_width, stream_height, parameters, actions);
    parameters["disturbance"] = 0;
    const auto without = flow_of(backend(), stream_width, stream_height, parameters, actions);
    flow->step(20);
    without->step(20);
    EXPECT_TRUE(same_data(flow->save(), without->save()));
  }
}

TEST_P(LbmDisturbance, IsMadeAfterAStateIsLoadedAsWithoutSaving) {
  const auto whole = flow_of(backend(), stream_width, stream_height, stream(false), {action("stream", {{"vx", 0.1}})});
  whole->step(10);
  whole->apply(disc());
  const State at_action = whole->save();
  const auto resumed = flow_of(backend(), stream_width, stream_height, stream(false), {});
  resumed->load(at_action);
  whole->step(10);
  resumed->step(10);
  EXPECT_TRUE(same_data(whole->save(), resumed->save()));
}

}  // namespace
}  // namespace perturb::lbm
