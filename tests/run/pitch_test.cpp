// The pitch of a voice, and the parameter that it drives.
#include "app/run/pitch.h"

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/run/runner.h"

namespace perturb {
namespace {

// A voice: overtones of these strengths, and white noise.
std::vector<float> tone(double pitch, double rate, const std::vector<double>& strengths, double noise) {
  std::mt19937 random(7);
  std::normal_distribution<double> white(0, noise);
  std::vector<float> samples(pitch_samples);
  for (std::size_t k = 0; k < samples.size(); ++k) {
    double sum = white(random);
    for (std::size_t n = 0; n < strengths.size(); ++n)
      sum += strengths[n] *
             std::sin(2 * std::numbers::pi * static_cast<double>((n + 1) * k) * pitch / rate + static_cast<double>(n));
    samples[k] = static_cast<float>(0.2 * sum);
  }
  return samples;
}

TEST(Pitch, OfAToneWithOvertonesAndNoiseIsItsFundamental) {
  // The last voice has overtones that are louder than its fundamental.
  const std::vector<std::vector<double>> voices = {{1}, {1, 0.5, 0.3, 0.2}, {0.5, 1, 0.7, 0.4, 0.2}};
  for (const double rate : {44100.0, 48000.0})
    for (const auto& voice : voices)
      for (double pitch = 100; pitch <= 1000; pitch *= 1.15) {
        const auto found = find_pitch(tone(pitch, rate, voice, 0.1), rate);
        ASSERT_TRUE(found) << pitch;
        EXPECT_NEAR(*found / pitch, 1, 0.01) << pitch << " with " << voice.size() << " partial tones";
      }
}

TEST(Pitch, OfSilenceAndNoiseIsNone) {
  EXPECT_FALSE(find_pitch(std::vector<float>(pitch_samples, 0.2f), 44100)) << "no sound, with an offset";
  EXPECT_FALSE(find_pitch(tone(440, 44100, {}, 1), 44100)) << "white noise";
  EXPECT_FALSE(find_pitch(tone(440, 44100, {0.001}, 0), 44100)) << "too soft";
  EXPECT_FALSE(find_pitch({}, 44100));
  EXPECT_FALSE(find_pitch(tone(440, 44100, {1}, 0), 0));
}

TEST(Pitch, DrivesTheFrequencyOfASceneThatIsInHertz) {
  const auto backend = Backend::make_cpu(1);
  Scene scene = load_scene("membrane/chladni");
  scene.setup.parameters["level"] = 2;
  Experiment plate(*backend, scene);
  Runner runner(plate, Runner::Where::here);
  const auto sung = sung_parameter(*runner.status());
  ASSERT_TRUE(sung);
  EXPECT_EQ(sung->id, "frequency");
  EXPECT_NEAR(sung->per_hertz, 1 / 79.577, 1e-5);
  PitchDriver driver;
  const std::vector<float> voice = tone(880, 44100, {1, 0.5}, 0.02);
  EXPECT_FALSE(driver.take(*runner.status(), voice, 44100)) << "one reading may be a cough";
  const auto change = driver.take(*runner.status(), voice, 44100);
  ASSERT_TRUE(change);
  EXPECT_NEAR(change->value, 880 / 79.577, 0.1);
  runner.post(job::SetParameters{{*change}}, [](JobResult& result) { result.check(); });
  EXPECT_EQ(plate.simulation().parameters().get("frequency"), change->value);
  EXPECT_EQ(plate.log().size(), 1u) << "a run is repeated from its log";
  EXPECT_FALSE(driver.take(*runner.status(), voice, 44100)) << "the plate has this frequency";
  EXPECT_FALSE(driver.take(*runner.status(), tone(1200, 44100, {1}, 0), 44100)) << "a jump is heard twice first";

  Experiment tank(*backend, load_scene("wave/droplet"));
  EXPECT_FALSE(sung_parameter(*Runner(tank, Runner::Where::here).status()));
}

}  // namespace
}  // namespace perturb
