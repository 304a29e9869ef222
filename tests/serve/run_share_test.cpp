// Sharing the run of a window: the server is started and stopped, and uses the run between its jobs.
#include "app/window/run_share.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "app/io/preset/races.h"
#include "tests/support/scene_of_width.h"

namespace perturb {
namespace {

class RunShareTest : public testing::TestWithParam<Runner::Where> {
 protected:
  // What the window does in a frame, without the image.
  void frame() {
    session_.handle({}, layout_, Session::Keyboard::free);
    for (const Command& command : session_.take_window_commands())
      if (is(command, CommandId::share)) share_.toggle();
    share_.update();
    if (session_.is_idle()) session_.advance();
  }
  void frames_until(const std::function<bool()>& is_reached) {
    const auto end = Runner::Clock::now() + std::chrono::minutes(1);  // only reached by a fault
    while (!is_reached() && Runner::Clock::now() < end) frame();
    EXPECT_TRUE(is_reached());
  }

  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
  Experiment experiment_{*backend_, scene_of_width("wave/droplet", 64)};
  Session session_{experiment_, 1, GetParam()};
  RunShare share_{session_};
  Layout layout_ = make_layout(800, 600, 1, 1, true, 0);
};

TEST_P(RunShareTest, CommandStartsAndStopsIt) {
  session_.playback().set_playing(true);
  EXPECT_FALSE(share_.shown());
  session_.post(CommandId::share);
  frames_until([&] { return share_.is_on(); });
  const ShownShare shown = share_.shown().value();
  EXPECT_EQ(shown.code.size(), 6u);
  EXPECT_TRUE(shown.link.starts_with("http://")) << shown.link;
  EXPECT_TRUE(shown.link.ends_with("/join#" + shown.code)) << shown.link;
  EXPECT_EQ(shown.people, 0);
  const std::int64_t step = session_.run().steps;
  frames_until([&] { return session_.run().steps > step + 3; });
  session_.post(CommandId::share);
  frames_until([&] { return !share_.is_on(); });
  // Again, with another code.
  session_.post(CommandId::share);
  frames_until([&] { return share_.is_on(); });
  EXPECT_NE(share_.shown()->code, shown.code);
  EXPECT_TRUE(session_.message().text.empty()) << session_.message().text;
}

INSTANTIATE_TEST_SUITE_P(Where, RunShareTest, testing::Values(Runner::Where::here, Runner::Where::own_thread));

TEST(RunShareOfRace, IsRefused) {
  const auto backend = Backend::make_cpu(1);
  Scene race = prepared_races().front().scene;
  race.setup.width = race.setup.height = 64;
  Experiment experiment(*backend, race);
  Session session(experiment, 1);
  RunShare share(session);
  share.toggle();
  EXPECT_FALSE(share.is_on());
  EXPECT_EQ(session.message().text.english(), "A race cannot be shared. Open another scene.");
}

}  // namespace
}  // namespace perturb
