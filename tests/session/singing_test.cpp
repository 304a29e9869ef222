// Singing in a session: the microphone drives the plate while it is on, as one undo step.
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/session/session.h"
#include "cuda/core/backend/check.h"

namespace perturb {
namespace {

class Voice : public AudioSource {
 public:
  explicit Voice(const double& pitch) : pitch_(pitch) {}
  int rate() const override { return 44100; }
  void read(std::vector<float>& samples) override {
    for (int k = 0; k < 4410; ++k) {
      phase_ += 2 * std::numbers::pi * pitch_ / 44100;
      samples.push_back(static_cast<float>(0.3 * std::sin(phase_)));
    }
  }

 private:
  const double& pitch_;
  double phase_ = 0;
};

class SingingTest : public testing::Test {
 protected:
  static Scene plate() {
    Scene scene = load_scene("membrane/chladni");
    scene.setup.parameters["level"] = 2;
    return scene;
  }
  double frequency() const { return session_.run().value_of("frequency"); }

  double pitch_ = 700;
  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
  Experiment experiment_{*backend_, plate()};
  Session session_{experiment_, 1};
};

TEST_F(SingingTest, DrivesThePlateOnlyWhileItIsOn) {
  session_.singing().set_microphone_opener([this] { return std::make_unique<Voice>(pitch_); });
  const double before = frequency();
  session_.end_frame(0.1, 0.01);
  EXPECT_EQ(frequency(), before);
  session_.execute(Sing{});
  EXPECT_NE(session_.message().text.english().find("Nothing is kept or sent"), std::string::npos);
  for (const double pitch : {700.0, 900.0}) {
    pitch_ = pitch;
    for (int k = 0; k < 3; ++k) session_.end_frame(0.1, 0.01);
    EXPECT_NEAR(frequency() * 79.577 / pitch, 1, 0.01);
  }
  session_.execute(Sing{});
  pitch_ = 500;
  for (int k = 0; k < 3; ++k) session_.end_frame(0.1, 0.01);
  EXPECT_NEAR(frequency() * 79.577, 900, 9);
  session_.execute(CommandId::undo);
  EXPECT_EQ(frequency(), before) << "a song is one undo step";
}

TEST_F(SingingTest, SaysWhyThereIsNoMicrophone) {
  session_.execute(Sing{});
  EXPECT_FALSE(session_.singing().is_on());
  EXPECT_NE(session_.message().text.english().find("Cannot hear you"), std::string::npos);
}

}  // namespace
}  // namespace perturb
