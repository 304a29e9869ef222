// A probe played as sound: pitch, loudness, silence, and a machine without audio output.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/instruments/probe_sound.h"
#include "app/session/session.h"
#include "app/sound/sound_device.h"
#include "cuda/core/backend/check.h"
#include "tests/support/sanitized.h"
#include "tests/support/scene_of_width.h"

namespace perturb {
namespace {

constexpr int rate = 44100;

// Upward zero crossings per second of sound: its pitch.
double pitch_of(const std::vector<float>& sound) {
  int crossings = 0;
  for (std::size_t k = 1; k < sound.size(); ++k) crossings += sound[k - 1] < 0 && sound[k] >= 0;
  return crossings * static_cast<double>(rate) / static_cast<double>(sound.size());
}
double loudness_of(const std::vector<float>& sound) {
  double sum = 0;
  for (const float s : sound) sum += static_cast<double>(s) * static_cast<double>(s);
  return std::sqrt(sum / static_cast<double>(sound.size()));
}
std::vector<double> oscillation(double frequency, double spacing, std::size_t from, std::size_t count,
                                double size = 1) {
  std::vector<double> values;
  for (std::size_t k = from; k < from + count; ++k)
    values.push_back(3 + size * std::sin(2 * std::numbers::pi * frequency * spacing * static_cast<double>(k)));
  return values;
}

// An oscillation of 0.05 sampled 20 times per period, in pieces as frames deliver them.
std::vector<float> play(Sonifier& sound, double frequency, std::size_t& from, int pieces, double size = 1) {
  std::vector<float> all;
  for (int k = 0; k < pieces; ++k, from += 37) {
    const std::vector<float> piece =
        sound.next(oscillation(frequency, 1, from, 4000, size), 1, frequency, static_cast<std::int64_t>(from));
    all.insert(all.end(), piece.begin(), piece.end());
  }
  return all;
}

TEST(Sonifier, MapsDominantFrequencyToToneAndFollowsIt) {
  Sonifier sound(rate);
  std::size_t from = 0;
  play(sound, 0.05, from, 4);
  const std::vector<float> tone = play(sound, 0.05, from, 70);
  EXPECT_NEAR(pitch_of(tone), audible_pitch, 0.01 * audible_pitch);
  // A sine of half the full scale: grains overlap in phase, otherwise they would cancel.
  EXPECT_NEAR(loudness_of(tone), 0.5 / std::numbers::sqrt2, 0.02);
  // An octave higher: time is stretched as before.
  play(sound, 0.1, from, 4);
  EXPECT_NEAR(pitch_of(play(sound, 0.1, from, 70)), 2 * audible_pitch, 0.02 * audible_pitch);
  // A tenth of the amplitude is quieter by that factor, at first.
  play(sound, 0.1, from, 4, 0.1);
  const double quiet = loudness_of(play(sound, 0.1, from, 20, 0.1));
  EXPECT_NEAR(quiet, 0.05 / std::numbers::sqrt2, 0.01) << "the previous peak is forgotten soon, but not at once";
}

TEST(Sonifier, IsSilentWithoutReadingsOrOscillation) {
  Sonifier sound(rate);
  const std::vector<double> flat(4000, 1.0);
  EXPECT_EQ(loudness_of(sound.next(flat, 1, 0, 5)), 0) << "there is no tone yet";
  EXPECT_FALSE(sound.has_pitch());
  std::size_t from = 0;
  EXPECT_GT(loudness_of(play(sound, 0.05, from, 4)), 0.1);
  // While paused, the sound fades out and ends without a jump.
  const std::vector<double> values = oscillation(0.05, 1, from, 4000);
  std::vector<float> all;
  for (int k = 0; k < 60; ++k) {
    const auto piece = sound.next(values, 1, 0.05, 1);
    all.insert(all.end(), piece.begin(), piece.end());
  }
  double jump = 0;
  for (std::size_t k = 1; k < all.size(); ++k)
    jump = std::max(jump, std::abs(static_cast<double>(all[k] - all[k - 1])));
  EXPECT_LT(jump, 1.2 * 0.5 * 2 * std::numbers::pi * audible_pitch / rate)
      << "no steeper than the tone itself: no click";
  EXPECT_EQ(loudness_of({all.end() - 1000, all.end()}), 0);
  EXPECT_EQ(loudness_of(Sonifier(rate).next(oscillation(0.05, 1, 0, 20), 1, 0.05, 20)), 0) << "too few readings";
}

TEST(Sonifier, SoundsOnWhileAFrameTakesLong) {
  Sonifier sound(rate);
  std::size_t from = 0;
  play(sound, 0.05, from, 4);
  const std::vector<double> values = oscillation(0.05, 1, from, 4000);
  std::vector<float> tone;
  for (int k = 0; k < 15; ++k) {
    const auto piece = sound.next(values, 1, 0.05, static_cast<std::int64_t>(from));
    tone.insert(tone.end(), piece.begin(), piece.end());
  }
  EXPECT_NEAR(loudness_of(tone), 0.5 / std::numbers::sqrt2, 0.03);
  EXPECT_NEAR(pitch_of(tone), audible_pitch, 0.02 * audible_pitch);
}

// A fake audio output: takes a sixtieth of a second of sound per frame.
struct FakeDevice {
  std::vector<float> samples;
  std::size_t room = 0;
  bool gone = false;
};
class FakeAudioSink : public AudioSink {
 public:
  explicit FakeAudioSink(std::shared_ptr<FakeDevice> device) : device_(std::move(device)) {}
  int rate() const override { return perturb::rate; }
  std::size_t free_samples() override {
    if (device_->gone) throw Error("The sound device is gone: connect it again.");
    return device_->room;
  }
  void write(std::span<const float> samples) override {
    ASSERT_LE(samples.size(), device_->room) << "playback does not wait for the audio output";
    device_->room -= samples.size();
    device_->samples.insert(device_->samples.end(), samples.begin(), samples.end());
  }

 private:
  std::shared_ptr<FakeDevice> device_;
};

class ProbeSound : public testing::Test {
 protected:
  void SetUp() override {
    Instrument probe;
    probe.kind = InstrumentKind::probe;
    probe.places = {{0.5, 0.5}};
    probe.quantity = "height";
    session_.instrument_controller().add(probe);
    id_ = session_.instruments().all().front().id;
    session_.audio_output().set_sound_opener([this] { return std::make_unique<FakeAudioSink>(device_); });
  }
  void frames(int count) {
    for (int k = 0; k < count; ++k) {
      device_->room += rate / 60;
      session_.handle({}, layout_, Session::Keyboard::free);
      session_.pace().forget();  // however slow the machine is, a frame takes the requested steps
      session_.advance();
      session_.observe(true);
      session_.end_frame(1.0 / 60, 0.004);
    }
  }
  void ask() {
    session_.post(PlayProbe{id_});
    session_.handle({}, layout_, Session::Keyboard::free);
  }

  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
  Experiment experiment_{*backend_, scene_of_width("wave/doppler", 64)};
  Session session_{experiment_, 8};
  Layout layout_ = make_layout(1280, 720, 1, 1, true);
  std::shared_ptr<FakeDevice> device_ = std::make_shared<FakeDevice>();
  int id_ = 0;
};

TEST_F(ProbeSound, PlaysProbeUntilStopped) {
  frames(30);
  EXPECT_TRUE(device_->samples.empty()) << "off until requested";
  ask();
  EXPECT_EQ(session_.audio_output().probe(), id_);
  frames(240);
  EXPECT_GT(loudness_of({device_->samples.end() - 2000, device_->samples.end()}), 0.01);
  session_.playback().set_playing(false);
  frames(60);
  EXPECT_EQ(loudness_of({device_->samples.end() - 2000, device_->samples.end()}), 0) << "it stands";
  ask();
  EXPECT_EQ(session_.audio_output().probe(), 0);
  const std::size_t before = device_->samples.size();
  frames(5);
  EXPECT_EQ(device_->samples.size(), before);
  ask();
  session_.post(RemoveInstrument{id_});
  frames(2);
  EXPECT_EQ(session_.audio_output().probe(), 0) << "with the probe goes its sound";
}

TEST_F(ProbeSound, UnboundedDeviceDoesNotBlockFrame) {
  ask();
  device_->room = std::size_t{1} << 40;
  frames(3);
  EXPECT_LT(device_->samples.size(), std::size_t{3} * perturb::rate);
}

TEST_F(ProbeSound, ShowsRemedyWithoutAudioOutput) {
  session_.audio_output().set_sound_opener([]() -> std::unique_ptr<AudioSink> {
    throw Error("There is no sound: this machine has no sound device. Connect one.");
  });
  ask();
  EXPECT_EQ(session_.audio_output().probe(), 0);
  EXPECT_NE(session_.message().text.english().find("no sound device"), std::string::npos);
  EXPECT_TRUE(session_.message().is_error);
  session_.audio_output().set_sound_opener([this] { return std::make_unique<FakeAudioSink>(device_); });
  ask();
  device_->gone = true;
  frames(1);
  EXPECT_EQ(session_.audio_output().probe(), 0);
  EXPECT_NE(session_.message().text.english().find("gone"), std::string::npos);
}

// ALSA and JACK would print a dozen lines on the terminal.
TEST(SoundDevice, ThrowsOneMessageIfMissing) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  std::string message;
  try {
    const MayLeak plugins_of_alsa;
    open_sound_device();
  } catch (const Error& error) {
    message = error.what();
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr() + testing::internal::GetCapturedStdout(), "");
  if (!message.empty()) {
    EXPECT_NE(message.find("WAV"), std::string::npos) << message;
  }
}

TEST_F(ProbeSound, PlayingDoesNotChangeRun) {
  ask();
  frames(40);
  Experiment alone(*backend_, experiment_.scene());
  alone.advance(experiment_.simulation().steps());
  const State silent = alone.simulation().save(), heard = experiment_.simulation().save();
  for (const auto& [name, data] : silent.datasets) EXPECT_TRUE(data.bytes == heard.datasets.at(name).bytes) << name;
}

}  // namespace
}  // namespace perturb
