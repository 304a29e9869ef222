// Sources whose waves the steps or the grid cannot carry are rejected; gauges show such waves, and sponges that reflect
// long waves.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "cuda/wave/model/source.h"
#include "cuda/wave/model/sponge.h"
#include "cuda/wave/wave.h"
#include "tests/support/backends.h"
#include "tests/support/scalars.h"
#include "tests/wave/wave_tank.h"

namespace perturb::wave {
namespace {

Action line(double frequency) {
  return act("line-source", {{"x0", 0.3}, {"y0", 0}, {"x1", 0.3}, {"y1", 1}, {"frequency", frequency}});
}

const Gauge* find_gauge(const std::vector<Gauge>& gauges, const std::string& id) {
  const auto found = std::find_if(gauges.begin(), gauges.end(), [&](const Gauge& g) { return g.id == id; });
  return found == gauges.end() ? nullptr : &*found;
}

class WaveCarried : public OnEachBackend {
 protected:
  std::unique_ptr<Simulation> tank(std::map<std::string, double> parameters = {}) {
    parameters.emplace("time_step", 0.5);
    return wave_tank(backend(), 64, 32, std::move(parameters));
  }
  static Gauge gauge(const Simulation& tank, const std::string& id) {
    const std::vector<Gauge> all = tank.gauges();
    const Gauge* found = find_gauge(all, id);
    EXPECT_NE(found, nullptr) << id;
    return found ? *found : Gauge{};
  }
};
PERTURB_ON_EACH_BACKEND(WaveCarried);

TEST_P(WaveCarried, RejectsSourceAboveHalfStepRate) {
  const auto t = tank();
  const std::string why = error_thrown_by([&] { t->apply(line(1.95)); });
  for (const char* word : {"1.95", "time step of 0.5", "two steps per period", "lower the time step"})
    EXPECT_TRUE(says(why, word)) << why;
  EXPECT_TRUE(says(error_thrown_by([&] { t->apply(line(1)); }), "time step"));
  EXPECT_FALSE(t->save().has("sources"));
  EXPECT_THROW(
      {
        perturb::Setup setup = wave_setup(64, 32, {{"time_step", 0.5}});
        setup.actions = {line(1.95)};
        wave_simulation().create(backend(), setup);
      },
      InputError);
}

TEST_P(WaveCarried, RejectsSourceWithWavesBelowTwoCells) {
  const auto t = tank();
  // sin(w dt/2) = C sin(k dx/2) with C = 1/2: the highest frequency of the grid is asin(1/2)/(pi dt) = 1/3.
  Parameters p;
  p.time_step = 0.5;
  EXPECT_NEAR(highest_carried_frequency(p), 1.0 / 3, 1e-12);
  const std::string why = error_thrown_by([&] { t->apply(line(0.4)); });
  for (const char* word : {"0.4", "two cells per wavelength", "0.333", "cell size"})
    EXPECT_TRUE(says(why, word)) << why;
  t->apply(line(0.33));
  EXPECT_LT(gauge(*t, "source_wavelength").value, 0.5);
}

TEST_P(WaveCarried, GaugesSayStepsOfAPeriodAndCellsOfAWave) {
  const auto t = tank();
  EXPECT_EQ(find_gauge(t->gauges(), "source_period"), nullptr) << "no source";
  t->apply(line(0.05));
  EXPECT_DOUBLE_EQ(gauge(*t, "source_period").value, 0.025);
  EXPECT_EQ(gauge(*t, "source_period").level(), Gauge::Level::good);
  EXPECT_NEAR(gauge(*t, "source_wavelength").value, 1 / 20.0, 2e-4);
  EXPECT_EQ(gauge(*t, "source_wavelength").level(), Gauge::Level::good);
  // The shortest waves are those in the slowest water.
  t->apply(act("speed-rectangle", {{"x0", 0.6}, {"y0", 0}, {"x1", 1}, {"y1", 1}, {"factor", 0.25}}));
  EXPECT_NEAR(gauge(*t, "source_wavelength").value, 1 / 5.0, 2e-2);
  EXPECT_EQ(gauge(*t, "source_wavelength").level(), Gauge::Level::near);
  t->apply(act("speed-rectangle", {{"x0", 0.6}, {"y0", 0}, {"x1", 1}, {"y1", 1}, {"factor", 0.1}}));
  EXPECT_EQ(gauge(*t, "source_wavelength").level(), Gauge::Level::exceeded);
  // Waves ahead of a moving source are shorter.
  const auto moves = tank();
  moves->apply(act("oscillator", {{"x", 0.3}, {"y", 0.5}, {"frequency", 0.05}, {"vx", 0.4}}));
  EXPECT_NEAR(gauge(*moves, "source_wavelength").value, 1 / 12.0, 1e-3);
}

TEST_P(WaveCarried, RejectsParametersThatInvalidateSources) {
  const auto t = tank();
  t->apply(line(0.3));
  for (const auto& [id, value] :
       std::map<std::string, double>{{"time_step", 2}, {"cell_size", 1.5}, {"wave_speed", 0.5}}) {
    const double before = t->parameters().get(id);
    const std::string why = error_thrown_by([&, &parameter = id, &to = value] { t->set_parameter(parameter, to); });
    EXPECT_TRUE(says(why, "Cannot change " + id)) << why;
    EXPECT_EQ(t->parameters().get(id), before);
  }
  t->set_parameter("wave_speed", 0);  // no waves, so none that are wrong
  t->set_parameter("wave_speed", 1);
  t->apply(act("remove-sources"));
  t->set_parameter("wave_speed", 0.5);
}

// Measures the reflection from the ratio of the crests' heights along the row, where incident and reflected waves
// interfere.
TEST_P(WaveCarried, SpongeReturnsWhatTheGaugeSays) {
  // The sponge of the scenes with a quarter of the width, and waves of 50 cells, which need eight times this width.
  Parameters p;
  p.time_step = 0.5;
  p.damping = 0;
  p.sponge_width = 24;
  p.sponge_strength = 1;
  const double frequency = 0.02, expected = sponge_reflection(p, frequency);
  EXPECT_NEAR(expected, 0.26, 0.02);
  perturb::Setup setup =
      wave_setup(300, 2, {{"time_step", 0.5}, {"damping", 0}, {"sponge_width", 24}, {"sponge_strength", 1}});
  for (const char* side : {"boundary_left", "boundary_right"}) setup.parameters[side] = number_of(Boundary::absorbing);
  for (const char* side : {"boundary_bottom", "boundary_top"}) setup.parameters[side] = number_of(Boundary::periodic);
  setup.actions = {act("line-source", {{"x0", 0.4}, {"y0", 0}, {"x1", 0.4}, {"y1", 1}, {"frequency", frequency}})};
  const auto t = wave_simulation().create(backend(), setup);
  EXPECT_NEAR(gauge(*t, "sponge").value, expected, 1e-12);
  EXPECT_EQ(gauge(*t, "sponge").level(), Gauge::Level::exceeded);
  t->step(4000);
  std::vector<float> highest(300);
  for (int k = 0; k < 100; ++k) {  // a period
    t->step(1);
    const SavedSurface u(*t);
    for (int i = 0; i < 300; ++i)
      highest[static_cast<std::size_t>(i)] = std::max(highest[static_cast<std::size_t>(i)], std::abs(u.at(i, 0)));
  }
  const auto [least, most] = std::minmax_element(highest.begin() + 160, highest.begin() + 260);
  EXPECT_NEAR((*most - *least) / (*most + *least), expected, 0.02);
}

TEST(WaveSponge, ReflectionOfShortWavesIsThatOfTheTable) {
  Parameters p;
  p.time_step = 0.5;
  p.damping = 0;
  p.sponge_width = 96;
  p.sponge_strength = 0.25;
  EXPECT_NEAR(sponge_reflection(p, 0.05), 0.0002, 0.0001);
  EXPECT_NEAR(sponge_reflection(p, 0.005), 0.26, 0.02);
  p.sponge_width = 0;
  EXPECT_LT(sponge_reflection(p, 0.005), 1e-3);
  EXPECT_EQ(sponge_reflection(p, 0.4), 0) << "no such waves";
}

}  // namespace
}  // namespace perturb::wave
