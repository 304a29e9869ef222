// The simulation through its public face: start, physics, perturbing, refusals.
#include "cuda/particles/particles.h"

#include <cmath>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "cuda/core/backend/field.h"
#include "cuda/core/paint/colormap.h"
#include "tests/support/backends.h"
#include "tests/support/error_thrown_by.h"
#include "tests/support/sanitized.h"
#include "tests/support/scalars.h"

namespace perturb::particles {
namespace {

Setup gas(std::map<std::string, double> parameters) {
  Setup setup;
  setup.simulation = "particles";
  setup.seed = 3210;
  setup.parameters = std::move(parameters);
  return setup;
}

std::vector<double> places(const State& state) {
  const std::size_t n = state.datasets.at("position").shape[0];
  return state.get<double>("position", {n, 2});
}

class Particles : public OnEachBackend {
 protected:
  std::unique_ptr<Simulation> make(const perturb::Setup& setup) {
    return particles_simulation().create(backend(), setup);
  }
};
PERTURB_ON_EACH_BACKEND(Particles);

TEST_P(Particles, StartsWithoutOverlapInsideTheBox) {
  for (const auto& parameters : std::vector<std::map<std::string, double>>{
           {{"count", 900}, {"box", 100}, {"velocity_max", 1}},  // thrown at random
           {{"count", 900}, {"box", 60}, {"velocity_max", 1}},   // on a lattice: 0.785 of the area
           {{"count", 300}, {"box", 100}, {"aspect", 0.3}, {"velocity_max", 1}},
           {{"count", 16}, {"box", 40}, {"arrangement", 2}, {"velocity_max", 1}}}) {
    const auto run = make(gas(parameters));
    const std::vector<double> xy = places(run->save());
    for (std::size_t a = 0; a < xy.size(); a += 2) {
      EXPECT_TRUE(xy[a] >= 1 && xy[a] <= run->domain_width() - 1) << xy[a];
      EXPECT_TRUE(xy[a + 1] >= 1 && xy[a + 1] <= run->domain_height() - 1) << xy[a + 1];
      for (std::size_t b = 0; b < a; b += 2)
        ASSERT_GE(std::hypot(xy[a] - xy[b], xy[a + 1] - xy[b + 1]), 2) << a / 2 << ", " << b / 2;
    }
  }
}

TEST_P(Particles, SizeGivesTheNumberAtTheSameDensity) {
  perturb::Setup setup = gas({{"count", 1000}, {"box", 100}, {"velocity_max", 1}});
  setup.width = 50;
  setup.height = 80;
  const auto run = make(setup);
  EXPECT_EQ(places(run->save()).size(), 8000u);
  EXPECT_DOUBLE_EQ(run->domain_width(), 200);
}

TEST_P(Particles, RejectsInvalidSetups) {
  const auto expect_rejected = [&](std::map<std::string, double> parameters, const char* word) {
    const std::string error = error_thrown_by([&] { make(gas(std::move(parameters))); });
    EXPECT_NE(error.find(word), std::string::npos) << error;
  };
  expect_rejected({{"box", 1.9}}, "too small for a disc");
  expect_rejected({{"count", 1000}, {"box", 30}}, "do not fit");
  expect_rejected({{"count", 1000}, {"box", 56}}, "do not fit");  // N r² < L², but beyond the triangular lattice
  expect_rejected({{"slow_factor", 3}}, "power of two");
  expect_rejected({{"count", 0}}, "count");
  expect_rejected({{"count", 300}, {"box", 30}, {"arrangement", 2}}, "do not fit");
  expect_rejected({{"box", 100}, {"heavy_radius", 60}}, "too small for a disc");
  perturb::Setup huge = gas({});
  huge.width = huge.height = 10000;
  EXPECT_THROW(make(huge), InputError);
  EXPECT_GT(particles_simulation().memory_needed(backend(), huge), std::size_t{1} << 42);
}

TEST_P(Particles, KeepsEnergyAndMomentumBetweenWalls) {
  // A cluster far from every wall: momentum can change by rounding alone.
  const auto run = make(gas({{"count", 1}, {"box", 4000}, {"velocity_max", 0}}));
  run->apply({"add", {{"x", 0.3}, {"y", 0.6}, {"radius", 40}, {"discs", 400}, {"speed", 1}}, "", nullptr});
  const Diagnostics before = run->diagnostics({}, true);
  run->step(200);
  const Diagnostics after = run->diagnostics({}, true);
  EXPECT_NEAR(scalar(after, "momentum_x"), scalar(before, "momentum_x"), 1e-11);
  EXPECT_NEAR(scalar(after, "momentum_y"), scalar(before, "momentum_y"), 1e-11);
  EXPECT_NEAR(scalar(after, "energy"), scalar(before, "energy"), 1e-11 * scalar(before, "energy"));
  EXPECT_GT(scalar(after, "collisions"), 0.5);
}

TEST_P(Particles, AgreesWithTheory) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; smaller tests run the same kernels");
  for (const TheoryCheck& check :
       {check_exact(backend(), false), check_exact(backend(), true), check_energy(backend(), true),
        check_energy(backend(), false), check_maxwell(backend())})
    EXPECT_TRUE(check.pass()) << check.name << ": expected " << check.expected << ", got " << check.got;
}

TEST_P(Particles, PistonHeatsGasAndStopsAtItsEnd) {
  const auto run =
      make(gas({{"count", 400}, {"box", 100}, {"velocity_max", 0.5}, {"piston_speed", 0.25}, {"piston_end", 0.75}}));
  const double before = scalar(run->diagnostics({}, true), "energy");
  run->step(150);
  const State state = run->save();
  EXPECT_EQ(state.get<double>("piston", {1})[0], 75);
  const std::vector<double> xy = places(state);
  for (std::size_t k = 0; k < xy.size(); k += 2) EXPECT_LE(xy[k], 74 + 1e-9);
  EXPECT_GT(scalar(run->diagnostics({}, true), "energy"), 1.2 * before);
}

TEST_P(Particles, KickPushesAway) {
  const auto run = make(gas({{"count", 1}, {"box", 100}, {"velocity_max", 0}}));
  const std::vector<double> before = places(run->save());
  run->apply(
      {"kick", {{"x", before[0] / 100 - 0.05}, {"y", before[1] / 100}, {"radius", 10}, {"strength", 2}}, "", nullptr});
  const std::vector<double> velocity = run->save().get<double>("velocity", {1, 2});
  EXPECT_NEAR(velocity[0], 2 * std::exp(-0.25), 1e-9);
  EXPECT_NEAR(velocity[1], 0, 1e-9);
}

TEST_P(Particles, ThrowTakesTheNearestAndGrabStopsIt) {
  const auto run = make(gas({{"count", 200}, {"box", 100}, {"velocity_max", 1}, {"slow_factor", 4}}));
  const std::vector<double> xy = places(run->save());
  const Action thrown{"throw", {{"x", xy[100] / 100}, {"y", xy[101] / 100}, {"vx", 5}, {"vy", -3}}, "", nullptr};
  run->apply(thrown);
  EXPECT_EQ(run->save().get<double>("velocity", {200, 2})[100], 5);
  EXPECT_EQ(run->save().get<double>("velocity", {200, 2})[101], -3);
  run->apply({"grab", {{"x", xy[100] / 100}, {"y", xy[101] / 100}}, "", nullptr});
  EXPECT_EQ(run->save().get<double>("velocity", {200, 2})[100], 0);
}

TEST_P(Particles, AddsFittingDiscsAndRejectsOthers) {
  const auto run = make(gas({{"count", 100}, {"box", 100}, {"velocity_max", 0}}));
  run->apply({"add", {{"x", 0.5}, {"y", 0.5}, {"radius", 40}, {"discs", 50}, {"speed", 1}}, "", nullptr});
  EXPECT_EQ(places(run->save()).size(), 300u);
  const State before = run->save();
  const std::string error = error_thrown_by([&] {
    run->apply({"add", {{"x", 0.5}, {"y", 0.5}, {"radius", 1}, {"discs", 1}, {"disc_radius", 30}}, "", nullptr});
  });
  EXPECT_NE(error.find("fits"), std::string::npos);
  EXPECT_TRUE(run->save().datasets.at("position").bytes == before.datasets.at("position").bytes);
  run->apply({"remove", {{"x", 0.5}, {"y", 0.5}, {"radius", 1000}}, "", nullptr});
  EXPECT_EQ(places(run->save()).size(), 2u) << "the last disc stays";
}

TEST_P(Particles, LoadRejectsForeignStates) {
  const auto run = make(gas({{"count", 10}, {"box", 100}, {"velocity_max", 1}}));
  const State good = run->save();
  const auto expect_rejected = [&](auto&& spoil) {
    State state = good;
    spoil(state);
    EXPECT_THROW(run->load(state), InputError);
    EXPECT_TRUE(run->save().datasets.at("position").bytes == good.datasets.at("position").bytes);
  };
  expect_rejected([](State& s) { s.simulation = "wave"; });
  expect_rejected([](State& s) { s.datasets.erase("position"); });
  expect_rejected([](State& s) { s.datasets.erase("disc_collisions"); });
  expect_rejected([](State& s) { s.put<double>("velocity", {10, 2}, "", std::vector<double>(20, NAN)); });
  expect_rejected([](State& s) { s.put<double>("velocity", {9, 2}, "", std::vector<double>(18, 0)); });
  expect_rejected([](State& s) { s.put<double>("piston", {1}, "", std::vector<double>{300}); });
}

// A disc alone: its pixels' coverage adds up to its area, at any zoom.
TEST_P(Particles, PaintsADiscOfItsArea) {
  const auto run = make(gas({{"count", 1}, {"box", 100}, {"velocity_max", 0}}));
  const std::vector<double> xy = places(run->save());
  // White on a dark ground: coverage can be read from the brightness.
  Colormap white;
  white.id = "white";
  white.colors.assign(4, rgba(255, 255, 255));
  constexpr double dark = 16;  // the green of the box's ground, in which a disc cannot be seen
  Colormap black = white;
  black.id = "black";
  black.colors.assign(4, rgba(14, 16, 21));
  const ColorTable bright(backend(), white), hidden(backend(), black);
  constexpr int side = 200;
  Field<std::uint32_t> picture(backend(), side, side, "picture");
  const auto brightness = [&](const ColorTable& table, const Camera& camera) {
    run->paint(picture.view(), camera, {}, table);
    double sum = 0;
    for (const std::uint32_t pixel : picture.download()) sum += (pixel >> 8) & 255u;
    return sum;
  };
  for (const double zoom : {0.7, 1.5, 1.99, 4.0, 9.0}) {
    Camera camera;
    camera.center_x = xy[0] / 100 + 0.003;
    camera.center_y = xy[1] / 100 - 0.002;
    camera.zoom = zoom;
    const double radius = zoom * side / 100;
    const double area = (brightness(bright, camera) - brightness(hidden, camera)) / (255 - dark);
    // Few pixels sample the ramp of the rim, each to 1/255.
    EXPECT_NEAR(area, M_PI * radius * radius, 0.08 * M_PI * radius * radius + 0.02) << "radius in pixels: " << radius;
  }
}

// Discs are sorted into the tiles by racing threads; the picture must not show it.
TEST_P(Particles, PaintsTheSamePictureTwice) {
  const auto run = make(gas({{"count", 20000}, {"box", 420}, {"velocity_max", 1}}));
  const ColorTable table(backend(), find_colormap("turbo"));
  Field<std::uint32_t> picture(backend(), 150, 140, "picture");
  for (const char* quantity : {"speed", "id", "density"}) {
    ViewSettings view;
    view.quantity = quantity;
    run->paint(picture.view(), {}, view, table);
    const std::vector<std::uint32_t> first = picture.download();
    for (int k = 0; k < 3; ++k) {
      run->paint(picture.view(), {}, view, table);
      EXPECT_EQ(picture.download(), first) << quantity;
    }
  }
}

// Memory follows the number of discs, in what is asked for before and in what is taken.
TEST_P(Particles, RejectsAllPairsBeyondMemory) {
  const auto run = make(gas({{"count", 500}}));
  run->step(3);
  const State before = run->save();
  fail_memory_after(0);
  const std::string error = error_thrown_by([&] { run->select_kernel("all-pairs"); });
  EXPECT_NE(error.find("500 discs"), std::string::npos) << error;
  EXPECT_NE(error.find("Choose the kernel grid"), std::string::npos) << error;
  fail_memory_after(-1);
  EXPECT_EQ(run->selected_kernel(), "auto");
  EXPECT_TRUE(run->save().datasets.at("position").bytes == before.datasets.at("position").bytes);
  run->step(1);
  run->select_kernel("all-pairs");
  run->step(1);
}

TEST_P(Particles, MemoryIsLinearInTheNumberOfDiscs) {
  const auto needed = [&](double count, double more) {
    return static_cast<double>(particles_simulation().memory_needed(
        backend(), gas({{"count", count}, {"box", 10 * std::sqrt(count)}, {"velocity_max", more}})));
  };
  EXPECT_GT(needed(2e6, 1), 1.8 * needed(1e6, 1));
  EXPECT_LT(needed(2e6, 1), 2.2 * needed(1e6, 1));
  const std::size_t before = backend().memory_in_use();
  for (const double speed : {1.0, 20.0}) {
    const auto run = make(gas({{"count", 20000}, {"box", 1414}, {"velocity_max", speed}}));
    run->step(3);
    EXPECT_LE(static_cast<double>(backend().memory_in_use() - before), needed(20000, speed));
  }
  EXPECT_EQ(backend().memory_in_use(), before);
}

TEST_P(Particles, TrailsShowWhereADiscHasBeen) {
  const auto run = make(gas({{"count", 1}, {"box", 100}, {"velocity_max", 0}, {"trail", 30}}));
  const std::vector<double> xy = places(run->save());
  const bool rightwards = xy[0] < 50;
  run->apply(
      {"throw", {{"x", xy[0] / 100}, {"y", xy[1] / 100}, {"vx", rightwards ? 1.5 : -1.5}, {"vy", 0}}, "", nullptr});
  const ColorTable table(backend(), find_colormap("turbo"));
  constexpr int side = 400;
  Field<std::uint32_t> picture(backend(), side, side, "picture");
  // Pixels that are not the box's ground, more than two radii behind the disc.
  const auto behind = [&] {
    run->paint(picture.view(), {}, {}, table);
    const std::vector<std::uint32_t> pixels = picture.download();
    const double x = places(run->save())[0] * side / 100, y = xy[1] * side / 100;
    int count = 0;
    for (int k = 10; k < 100; ++k) {
      const int at = static_cast<int>(rightwards ? x - k : x + k);
      if (at >= 3 && at < side - 3 &&
          pixels[static_cast<std::size_t>(y) * side + static_cast<std::size_t>(at)] != rgba(14, 16, 21))
        ++count;
    }
    return count;
  };
  EXPECT_EQ(behind(), 0);
  run->step(20);
  EXPECT_GT(behind(), 25);
  run->set_parameter("trail", 0);
  EXPECT_EQ(behind(), 0);
  EXPECT_THROW(make(gas({{"count", 1e6}, {"box", 4000}, {"trail", 64}})), InputError);
}

}  // namespace
}  // namespace perturb::particles
