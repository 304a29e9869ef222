// Measured interference: the mean intensity on a screen, compared with the Rayleigh-Sommerfeld integral.
#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/files/csv.h"
#include "app/io/preset/presets.h"
#include "cuda/core/simulation/diagnostics.h"
#include "cuda/core/simulation/object.h"
#include "cuda/wave/measure/theory.h"
#include "tests/support/backends.h"
#include "tests/support/reach.h"
#include "tests/support/sanitized.h"
#include "tests/wave/wave_tank.h"

namespace perturb::wave {
namespace {

class WaveScreenTest : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(WaveScreenTest);

double scalar(const Simulation& tank, const Diagnostics& diagnostics, const std::string& id) {
  for (const Scalar& s : diagnostics.scalars)
    if (s.id == id) return s.value;
  ADD_FAILURE() << tank.info().id << " reports no " << id;
  return NAN;
}

TEST_P(WaveScreenTest, DoubleSlitHasTheFringesOfTheory) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; smaller tests run the same kernels");
  const auto scene = load_scene("wave/double-slit");
  const auto tank = wave_simulation().create(backend(), scene.setup);
  tank->step(5000);
  const Diagnostics d = tank->diagnostics(scene.view, true);
  const double spacing = scalar(*tank, d, "fringe_spacing"), theory = scalar(*tank, d, "fringe_spacing_theory");
  ASSERT_GT(theory, 0);
  EXPECT_LT(std::abs(spacing / theory - 1), 0.03);
  EXPECT_LT(scalar(*tank, d, "fringe_error"), 0.1);
  // The integral's own fringes against a closed form: two point sources 64 cells apart give bright fringes where their
  // paths differ by whole wavelengths. The slits are one wavelength wide, and their single-slit pattern moves the
  // fringes inwards slightly.
  const double distance = 422 - 237, apart = 64.0, wavelength = 20;
  double second = 0;
  while (std::hypot(distance, second + apart / 2) - std::hypot(distance, second - apart / 2) < 2 * wavelength)
    second += 0.01;
  EXPECT_NEAR(theory / (second / 2), 1, 0.06);
  // The first fringe alone is closer to the middle than the mean spacing, and closer to the two point sources.
  const double first = scalar(*tank, d, "first_fringe");
  EXPECT_LT(std::abs(first / scalar(*tank, d, "first_fringe_theory") - 1), 0.02);
  EXPECT_NEAR(first / (188 * std::tan(std::asin(wavelength / apart))), 1, 0.03);
  EXPECT_LT(first, 0.9 * spacing);
  // Both curves are available for plotting.
  ASSERT_EQ(d.curves.front().id, "screen");
  EXPECT_EQ(d.curves.front().points.size(), d.curves.front().theory.size());
  // So is the closed form of the far field, which holds behind slits one wavelength wide.
  EXPECT_LT(std::abs(spacing / scalar(*tank, d, "fringe_spacing_far") - 1), 0.03);
  EXPECT_LT(scalar(*tank, d, "fringe_error_far"), 0.1);
  ASSERT_EQ(d.curves.at(1).id, "screen_far");
  EXPECT_EQ(d.curves[1].points.size(), d.curves[1].theory.size());
}

// Behind one slit, the first dark place is between the middle and the first side maximum, where theory has it.
TEST_P(WaveScreenTest, SingleSlitHasTheFirstDarkPlaceOfTheory) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; smaller tests run the same kernels");
  const auto scene = load_scene("wave/single-slit-lighter-1");
  const auto tank = wave_simulation().create(backend(), scene.setup);
  tank->step(1500);
  const Diagnostics d = tank->diagnostics(scene.view, true);
  const double dark = scalar(*tank, d, "first_dark"), bright = scalar(*tank, d, "first_fringe");
  ASSERT_GT(dark, 0);
  EXPECT_LT(dark, bright);
  EXPECT_NEAR(dark / scalar(*tank, d, "first_dark_theory"), 1, 0.03);
  // Between the darkest places of the curve itself.
  const std::vector<CurvePoint>& points = d.curves.front().points;
  const double middle = 0.5 * 512;
  for (const double side : {-1.0, 1.0}) {
    const auto level = [&](double from_middle) {
      double nearest = 1e9, value = 0;
      for (const CurvePoint& p : points)
        if (const double apart = std::abs(p.x - (middle + side * from_middle)); apart < nearest) {
          nearest = apart;
          value = p.y;
        }
      return value;
    };
    EXPECT_LT(level(dark), level(0.6 * dark)) << side;
    EXPECT_LT(level(dark), level(bright)) << side;
  }
}

// The far field of a slit three wavelengths wide begins behind the screen: no closed form is drawn, and the remark
// gives the reason.
TEST_P(WaveScreenTest, NoClosedFormWhereItDoesNotHold) {
  SKIP_AT_SMALL_REACH("tables and figures of a study; its parts have tests");
  const auto scene = load_scene("wave/single-slit");
  const auto tank = wave_simulation().create(backend(), scene.setup);
  tank->step(2600);
  const Diagnostics d = tank->diagnostics(scene.view, true);
  EXPECT_GT(scalar(*tank, d, "samples"), 0);
  for (const Curve& curve : d.curves) EXPECT_NE(curve.id, "screen_far");
  EXPECT_FALSE(has_value(scalar(*tank, d, "fringe_spacing_far")));
  ASSERT_EQ(d.remarks.size(), 1u);
  EXPECT_TRUE(says(d.remarks[0].english(), "Fraunhofer curve is not drawn")) << d.remarks[0].english();
}

// The sponge damps the outer fringes. With the slits closer together, they lie inside it.
TEST_P(WaveScreenTest, FitsOnlyFringesOutsideTheSponge) {
  const auto scene = load_scene("wave/double-slit-lighter-1");
  const double sponge = scene.setup.parameters.at("sponge_width"), cell = scene.setup.parameters.at("cell_size"),
               height = cell * scene.setup.height;
  const std::vector<double> distances = reach(std::vector<double>{32, 40, 48, 64}, std::vector<double>{48});
  for (const double distance : distances) {
    const auto tank = wave_simulation().create(backend(), scene.setup);
    int slits = 0;
    for (const SceneObject& object : tank->objects())
      if (object.kind == "slits") slits = object.id;
    tank->apply(act("change-slits", {{"object", static_cast<double>(slits)}, {"distance", distance}}));
    tank->step(1900);
    const Diagnostics d = tank->diagnostics(scene.view, true);
    const Curve& screen = d.curves.front();
    ASSERT_FALSE(screen.theory.empty());
    for (const std::vector<CurvePoint>* line : {&screen.points, &screen.theory}) {
      EXPECT_GE(line->front().x, sponge) << distance;
      EXPECT_LE(line->back().x, height - sponge) << distance;
    }
    EXPECT_LT(error_against_theory(screen), 0.1) << distance;
    const double spacing = scalar(*tank, d, "fringe_spacing");
    if (has_value(spacing)) {
      EXPECT_NEAR(spacing / scalar(*tank, d, "fringe_spacing_theory"), 1, 0.03) << distance;
      EXPECT_LT(scalar(*tank, d, "fringe_error"), 0.1) << distance;
    } else {
      EXPECT_FALSE(d.remarks.empty()) << distance;
    }
  }
}

// The integral has only outgoing waves, and has no damping.
TEST_P(WaveScreenTest, HasNoTheoryWhereWavesReturnOrFade) {
  auto scene = load_scene("wave/double-slit");
  scene.setup.width = 192;
  scene.setup.height = 256;
  const auto why = [&](const std::map<std::string, double>& parameters, double place) {
    auto setup = scene.setup;
    for (const auto& [id, value] : parameters) setup.parameters[id] = value;
    for (Action& action : setup.actions)
      if (action.kind == "screen") action.numbers["x"] = place;
    const auto tank = wave_simulation().create(backend(), setup);
    tank->step(1000);
    const Diagnostics d = tank->diagnostics(scene.view, true);
    EXPECT_FALSE(has_value(scalar(*tank, d, "fringe_spacing_theory")));
    EXPECT_TRUE(d.curves.front().theory.empty());
    return d.remarks.empty() ? std::string() : d.remarks.front().english();
  };
  const std::map<std::string, double> narrow = {{"sponge_width", 40}};
  const auto with = [&](const std::string& id, double value) {
    auto all = narrow;
    all[id] = value;
    return all;
  };
  EXPECT_TRUE(says(why(narrow, 0.95), "inside the sponge"));
  EXPECT_TRUE(says(why(with("boundary_top", 1), 0.6), "absorbing"));
  EXPECT_TRUE(says(why(with("boundary_right", 0), 0.6), "absorbing"));
  EXPECT_TRUE(says(why(with("damping", 0.05), 0.6), "damps"));
}

TEST_P(WaveScreenTest, MeansTheSquareOfWhatWasThere) {
  const auto tank = wave_tank(backend(), 40, 30, {{"damping", 0}, {"time_step", 0.5}});
  tank->apply(act("mode", {{"m", 1}, {"n", 1}, {"amplitude", 1}}));
  tank->apply(act("screen", {{"x", 0.5}}));
  // The average begins when the first waves have crossed: 70 time units, 140 steps.
  tank->step(140);
  EXPECT_EQ(scalar(*tank, tank->diagnostics({}, true), "samples"), 1);
  double sum = 0;
  int samples = 0;
  const auto square = [&] { return std::pow(static_cast<double>(SavedSurface(*tank).at(20, 7)), 2); };
  sum += square();
  ++samples;
  for (; samples < 50;) {
    tank->step(4);
    sum += square();
    ++samples;
  }
  EXPECT_EQ(scalar(*tank, tank->diagnostics({}, true), "samples"), samples);
  EXPECT_NEAR(SavedSurface(*tank, "intensity").at(20, 7), sum / samples, 1e-5);
  EXPECT_NEAR(tank->diagnostics({}, true).curves.front().points.at(7).y, sum / samples, 1e-5);
  tank->apply(act("reset-intensity"));
  EXPECT_EQ(scalar(*tank, tank->diagnostics({}, true), "samples"), 0);
  tank->step(136);
  EXPECT_EQ(scalar(*tank, tank->diagnostics({}, true), "samples"), 0);
  tank->step(4);
  EXPECT_EQ(scalar(*tank, tank->diagnostics({}, true), "samples"), 1);
}

TEST_P(WaveScreenTest, WallRestartsAverageAndDropletDoesNot) {
  const auto tank = wave_tank(backend(), 40, 30, {{"time_step", 0.5}});
  tank->apply(act("screen", {{"x", 0.5}}));
  tank->step(200);
  const double samples = scalar(*tank, tank->diagnostics({}, true), "samples");
  EXPECT_GT(samples, 10);
  tank->apply(act("droplet", {{"x", 0.5}, {"y", 0.5}}));
  tank->step(4);
  EXPECT_EQ(scalar(*tank, tank->diagnostics({}, true), "samples"), samples + 1);
  tank->apply(act("wall-line", {{"x0", 0.2}, {"y0", 0.2}, {"x1", 0.3}, {"y1", 0.7}}));
  EXPECT_EQ(scalar(*tank, tank->diagnostics({}, true), "samples"), 0);
  tank->apply(act("remove-screen"));
  EXPECT_FALSE(tank->diagnostics({}, true).scalar("samples"));
  EXPECT_FALSE(tank->save().has("intensity"));
}

TEST_P(WaveScreenTest, ReportsOnceThatItHasNoQuantity) {
  const auto tank = wave_tank(backend(), 32, 16, {});
  ViewSettings view;
  const auto said = [&](const char* quantity) {
    view.quantity = quantity;
    tank->diagnostics(view, true);
    return tank->take_warning().english();
  };
  EXPECT_EQ(said("height"), "");
  EXPECT_NE(said("intensity").find("Place one with the tool \"Screen\""), std::string::npos);
  EXPECT_EQ(said("intensity"), "") << "once";
  EXPECT_EQ(said("height"), "");
  EXPECT_NE(said("intensity"), "") << "chosen again";
  tank->apply(act("screen", {{"x", 0.5}}));
  EXPECT_EQ(said("height") + said("intensity"), "");
}

// A screen does not affect the water: it is bit-identical to that of a tank without a screen, with any kernel.
TEST_P(WaveScreenTest, LeavesWaterBitIdentical) {
  const auto scene = load_scene("wave/double-slit");
  auto without = scene.setup;
  std::erase_if(without.actions, [](const Action& action) { return action.kind == "screen"; });
  ASSERT_EQ(without.actions.size() + 1, scene.setup.actions.size());
  const auto a = wave_simulation().create(backend(), scene.setup), b = wave_simulation().create(backend(), without);
  a->step(301);
  b->step(301);
  EXPECT_EQ(SavedSurface(*a).values(), SavedSurface(*b).values());
}

TEST_P(WaveScreenTest, SavedStateResumesBitForBit) {
  auto scene = load_scene("wave/double-slit");
  scene.setup.width = 96;
  scene.setup.height = 64;
  const auto whole = wave_simulation().create(backend(), scene.setup);
  whole->step(601);
  const State half = whole->save();
  whole->step(200);
  scene.setup.actions.clear();
  const auto rest = wave_simulation().create(backend(), scene.setup);
  rest->load(half);
  rest->step(200);
  EXPECT_TRUE(same_bits(whole->save(), rest->save()));
  EXPECT_GT(scalar(*rest, rest->diagnostics({}, true), "samples"), 0);
}

// The integral compared with closed forms: a fully open plane gives the plane wave, a narrow slit a circular wave.
TEST(WaveDiffractionTest, OpenPlaneAndNarrowSlit) {
  Diffraction diffraction;
  const int cells = 4001;
  diffraction.prepare(60, 20, cells);
  std::vector<std::complex<double>> plane(cells, 1);
  const auto open = diffraction.on_line(plane);
  EXPECT_NEAR(std::abs(open[cells / 2]), 1, 0.03);  // the edges of this wide opening still have a small effect
  EXPECT_NEAR(std::arg(open[cells / 2]), 0, 0.03);  // three wavelengths further
  plane.assign(cells, 0);
  plane[cells / 2] = 1;
  const auto slit = diffraction.on_line(plane);
  // (k/2) (L/r) |H1(kr)|, and |H1|² = 2/(π kr) (1 + 3/(8 (kr)²) + ...).
  for (const int off : {0, 30, 100}) {
    const double r = std::hypot(60, off), kr = 2 * std::numbers::pi / 20 * r;
    const double expected =
        std::numbers::pi / 20 * 60 / r * std::sqrt(2 / (std::numbers::pi * kr) * (1 + 3 / (8 * kr * kr)));
    EXPECT_NEAR(std::abs(slit[static_cast<std::size_t>(cells / 2 + off)]) / expected, 1, 1e-4) << off;
  }
}

// The closed form compared with the integral: behind openings with one mode each they agree up to the neglected terms,
// of the order of b²/(8 L λ).
TEST(WaveDiffractionTest, FarFieldIsTheIntegrals) {
  const int cells = 601, first = 290, width = 21;
  const double wavelength = 20;
  for (const int m : {1, 2, 3}) {
    std::vector<std::complex<double>> plane(cells);
    for (int j = 0; j < width; ++j)
      plane[static_cast<std::size_t>(first + j)] =
          std::complex<double>(0.6, 0.8) * std::sin(m * std::numbers::pi * (j + 1 + 1e-9) / (width + 1));
    const auto apertures = wave_apertures(plane, wavelength);
    ASSERT_EQ(apertures.size(), 1u);
    EXPECT_EQ(apertures[0].width, width + 1);
    EXPECT_EQ(apertures[0].middle, first + 0.5 * width);
    ASSERT_EQ(apertures[0].modes.size(), 4u);
    for (int k = 1; k <= 4; ++k)
      EXPECT_NEAR(std::abs(apertures[0].modes[static_cast<std::size_t>(k - 1)]), k == m ? 1 : 0, 1e-6) << k;
    EXPECT_NEAR(far_from(apertures, wavelength), 2 * (width + 1) * (width + 1) / wavelength, 1e-9);
    for (const double distance : {200., 800.}) {
      Diffraction integral;
      integral.prepare(distance, wavelength, cells);
      const auto near = integral.on_line(plane), far = far_field(apertures, distance, wavelength, cells);
      double brightest = 0, worst = 0;
      for (std::size_t j = 0; j < near.size(); ++j) {
        brightest = std::max(brightest, std::abs(near[j]));
        worst = std::max(worst, std::abs(near[j] - far[j]));
      }
      // The neglected terms fall as 1/L, and are larger for modes that leave at an oblique angle.
      EXPECT_LT(worst / brightest, (m < 3 ? 0.06 : 0.11) * (distance < 500 ? 1 : 0.3)) << m << " " << distance;
    }
  }
}

// In the direction of a mode itself (here sin θ = 3/5 = λ/2b) the formula is 0/0.
TEST(WaveDiffractionTest, FarFieldIsSmoothInAModesOwnDirection) {
  const Aperture aperture{300.5, 22, {1, 0.5, 0.2}};
  for (const int mode : {1, 2}) {
    const double wavelength = 2 * 22 * 0.6 / mode;
    const auto line = far_field(std::vector<Aperture>{aperture}, 200, wavelength, 601);
    for (const std::size_t q : {std::size_t{150}, std::size_t{450}}) {  // 150 cells off its middle
      const std::complex<double> between = 0.5 * (line[q - 1] + line[q + 1]), here = line[q];
      EXPECT_NEAR(std::abs(here - between), 0, 0.06 * std::abs(here)) << mode << " " << q;
    }
  }
}

TEST(WaveDiffractionTest, FringesOfACosine) {
  std::vector<double> intensity;
  for (int j = 0; j < 400; ++j) intensity.push_back(std::pow(std::cos(std::numbers::pi * (j + 0.5 - 190) / 50), 2));
  const auto fringes = inner_fringes(intensity, 5);
  ASSERT_EQ(fringes.size(), 5u);
  for (int f = 0; f < 5; ++f) {
    EXPECT_NEAR(fringes[static_cast<std::size_t>(f)].place, 90 + 50 * f, 0.01);
    EXPECT_NEAR(fringes[static_cast<std::size_t>(f)].height, 1, 1e-3);
  }
  auto doubled = intensity;
  for (double& value : doubled) value *= 2;
  const Comparison same = compare(doubled, intensity);
  EXPECT_NEAR(same.factor, 2, 1e-9);
  EXPECT_NEAR(same.error, 0, 1e-9);
  EXPECT_NEAR(same.spacing, 50, 0.01);
  EXPECT_NEAR(same.first_dark, 25, 0.01);
  EXPECT_NEAR(same.first_dark_expected, 25, 0.01);
}

// As behind merged slits: five fringes would be two on one side and three on the other.
TEST(WaveDiffractionTest, FringesAboutADarkMiddleAreAsManyOnBothSides) {
  std::vector<double> intensity;
  for (int j = 0; j < 400; ++j) intensity.push_back(std::pow(std::sin(std::numbers::pi * (j + 0.5 - 200) / 50), 2));
  const Comparison same = compare(intensity, intensity);
  ASSERT_EQ(same.theory.size(), 4u);
  ASSERT_EQ(same.found.size(), 4u);
  EXPECT_NEAR(same.theory.front().place + same.theory.back().place, 400, 0.01);
  EXPECT_NEAR(same.spacing, 50, 0.01);
  EXPECT_EQ(same.first, 0) << "no fringe is in the middle";
  EXPECT_EQ(same.first_dark, 0);
}

}  // namespace
}  // namespace perturb::wave
