// A scene that shows one event pauses when it is over, in front ends only.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/session/session.h"

namespace perturb {
namespace {

class Completion : public testing::Test {
 protected:
  // A front of a few hundred discs, which crosses the domain in about 150 steps.
  static Scene shock() {
    Scene scene = load_scene("particles/shock");
    // The scene's size sets the number of discs, whatever the parameters say.
    scene.setup.width = 20;
    scene.setup.height = 10;
    scene.setup.parameters["count"] = 200;
    scene.setup.parameters["box"] = 100;
    return scene;
  }
  void frame() {
    session_.pace().forget();
    session_.advance();
    session_.observe(true);
    session_.end_frame(1.0 / 60, 0.004);
  }

  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
  Experiment experiment_{*backend_, shock()};
  Session session_{experiment_, 4};
};

TEST_F(Completion, PausesOnceWithASentence) {
  for (int k = 0; k < 200 && session_.playback().playing(); ++k) frame();
  ASSERT_FALSE(session_.playback().playing());
  const RunStatus& run = session_.run();
  EXPECT_NE(run.completion.english().find("front has reached"), std::string::npos);
  EXPECT_EQ(session_.message().text, run.completion);
  EXPECT_GT(run.steps, 80);
  EXPECT_LT(run.steps, 300);
  // The user continues.
  const std::int64_t steps = run.steps;
  session_.post(CommandId::play_pause);
  session_.handle({}, make_layout(1280, 720, 1, 1, true), Session::Keyboard::free);
  for (int k = 0; k < 3; ++k) frame();
  EXPECT_TRUE(session_.playback().playing());
  EXPECT_GT(session_.run().steps, steps);
}

TEST_F(Completion, DoesNotStopTheRunItself) {
  experiment_.advance(400);
  EXPECT_EQ(experiment_.simulation().steps(), 400);
  EXPECT_TRUE(experiment_.stop_reason().empty());
}

TEST(CompletionOfOthers, IsEmpty) {
  const std::unique_ptr<Backend> backend = Backend::make_cpu(1);
  for (const char* name : {"particles/gas", "particles/piston", "wave/droplet"}) {
    Experiment experiment(*backend, load_scene(name));
    experiment.advance(2);
    EXPECT_TRUE(status_of(experiment).completion.empty()) << name;
  }
}

}  // namespace
}  // namespace perturb
