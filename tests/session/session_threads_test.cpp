// A session continues while the run takes a step on its own thread.
#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/session/session.h"

namespace perturb {
namespace {

TEST(SessionOnTwoThreads, FrameReturnsWhileStepIsRunning) {
  const auto backend = Backend::make_cpu(2);
  Scene scene = load_scene("wave/droplet");
  scene.setup.width = scene.setup.height = 512;
  Experiment experiment(*backend, scene);
  Session session(experiment, 1 << 20, Runner::Where::own_thread);
  const Layout layout = make_layout(1280, 720, 1, 1, true);
  const auto frame = [&] {
    session.handle({}, layout, Session::Keyboard::free);
    if (session.is_idle()) {
      session.advance();
      session.observe(false);
    }
    session.end_frame(1.0 / 60, 0.004);
  };
  frame();
  // The steps are not done, but the panels are drawn, take clicks and change.
  ASSERT_FALSE(session.is_idle());
  EXPECT_EQ(session.run().steps, 0);
  session.post(CommandId::help);
  session.post(CommandId::play_pause);
  frame();
  EXPECT_EQ(session.interface().overlay, Overlay::help);
  EXPECT_FALSE(session.playback().playing());
  session.post(CommandId::restart);
  while (!session.is_idle()) frame();
  EXPECT_EQ(session.run().steps, 0);
}

}  // namespace
}  // namespace perturb
