// Lighter variants of scenes: their physics, and when one opens instead of the full scene.
#include "app/run/lighter.h"

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/io/preset/scenes.h"
#include "app/io/state/script_file.h"
#include "app/session/session.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/gui.h"
#include "cuda/core/simulation/catalog.h"
#include "tests/support/drawn_text.h"
#include "tests/support/files_scratch.h"
#include "tests/support/panel_frames.h"
#include "tests/support/reach.h"

namespace perturb {
namespace {

std::vector<std::size_t> measured_sizes;

// On a machine where the full scene takes `load` seconds for one second of its pace.
std::size_t chosen_at(double load, const std::vector<double>& work = {64, 8, 1}) {
  measured_sizes.clear();
  return fast_enough(work, [&](std::size_t k) {
    measured_sizes.push_back(k);
    return load * work[k] / work[0];
  });
}

TEST(Lighter, IsTheFirstVariantThatIsFastEnough) {
  EXPECT_EQ(chosen_at(0.01), 0u);
  EXPECT_EQ(chosen_at(max_load * 0.99), 0u);
  EXPECT_EQ(chosen_at(max_load * 1.01), 1u);
  EXPECT_EQ(chosen_at(max_load * 7.9), 1u);
  EXPECT_EQ(chosen_at(max_load * 8.1), 2u);
}

TEST(Lighter, IsTheLightestOnAMachineThatIsTooSlowForAll) { EXPECT_EQ(chosen_at(1e6), 2u); }

TEST(Lighter, MeasuresLargeVariantsOnlyIfTheResultDependsOnIt) {
  chosen_at(0.01);
  EXPECT_EQ(measured_sizes, std::vector<std::size_t>{2});
  chosen_at(1000);
  EXPECT_EQ(measured_sizes, std::vector<std::size_t>{2});
  chosen_at(max_load);
  EXPECT_EQ(measured_sizes, (std::vector<std::size_t>{2, 0}));
}

// A measurement overrules the estimate: fields that leave the caches are slower per cell.
TEST(Lighter, TrustsAMeasurementMoreThanAnEstimate) {
  const std::vector<double> work = {8, 1};
  EXPECT_EQ(fast_enough(work, [&](std::size_t k) { return k == 1 ? 0.1 : max_load * 1.1; }), 1u);
  EXPECT_EQ(fast_enough(work, [&](std::size_t k) { return k == 1 ? 0.4 : max_load * 0.9; }), 0u);
}

std::vector<Scene> variants_of_all_scenes() {
  std::vector<Scene> variants;
  for (const SceneEntry& entry : all_scenes())
    for (const auto& lighter : load_scene(entry.path()).lightness.lighter)
      variants.push_back(load_scene(entry.simulation + "/" + lighter->setup.preset));
  return variants;
}

std::map<std::string, double> numbers_of(const Scene& scene, std::int64_t steps) {
  const std::unique_ptr<Backend> backend = Backend::make_cpu(2);
  Run run = Run::begin(*backend, Start{scene, "auto", nullptr, "", ""});
  run.step_to(steps);
  std::map<std::string, double> numbers;
  for (const Scalar& scalar : run.simulation->diagnostics(scene.view, true).scalars) numbers[scalar.id] = scalar.value;
  return numbers;
}

int steps_per_frame(const Scene& scene) {
  return scene.steps_per_frame > 0 ? scene.steps_per_frame : default_steps_per_frame;
}

TEST(LighterScenes, HaveTheSameShapeAndReynoldsNumberOrAreaFraction) {
  SKIP_AT_SMALL_REACH("opens all scenes and variants");
  std::set<std::string> compared;
  for (const Scene& lighter : variants_of_all_scenes()) {
    SCOPED_TRACE(scene_path_of(lighter.setup));
    const Scene full = load_scene(full_scene_path_of(lighter.setup));
    // The size of a gas is a number of discs.
    if (full.setup.simulation != "particles") {
      EXPECT_EQ(full.setup.width * lighter.setup.height, full.setup.height * lighter.setup.width);
    }
    EXPECT_EQ(full.title, lighter.title);
    const int frames = 4;
    const std::map<std::string, double> all = numbers_of(full, frames * steps_per_frame(full));
    const std::map<std::string, double> fewer = numbers_of(lighter, frames * steps_per_frame(lighter));
    // Bodies consist of whole or cut cells, so their sizes are rounded. Without an inlet, the speed is the largest one
    // of the fluid, which begins to flow here. A count is rounded to whole discs.
    for (const auto& [id, tolerance] : std::map<std::string, double>{{"reynolds", 0.1}, {"area_fraction", 0.003}})
      if (all.contains(id)) {
        compared.insert(id);
        EXPECT_NEAR(fewer.at(id), all.at(id), tolerance * std::abs(all.at(id))) << id;
      }
  }
  EXPECT_EQ(compared, (std::set<std::string>{"area_fraction", "reynolds"}));
}

TEST(LighterScenes, ShowTheSamePaceInFewerSteps) {
  for (const Scene& lighter : variants_of_all_scenes()) {
    SCOPED_TRACE(scene_path_of(lighter.setup));
    const Scene full = load_scene(full_scene_path_of(lighter.setup));
    EXPECT_LT(steps_per_frame(lighter), steps_per_frame(full));
    // The time of a frame in the units that both show, or as both simulations count it.
    if (!full.units.empty()) {
      const auto frame_time = [](const Scene& scene) {
        const auto& parameters = scene.setup.parameters;
        const double time_step = parameters.contains("time_step") ? parameters.at("time_step") : 1;
        return steps_per_frame(scene) * time_step *
               time_unit(scene.units, find_simulation(scene.setup.simulation)).factor;
      };
      EXPECT_NEAR(frame_time(lighter), frame_time(full), 1e-9);
    } else if (full.setup.parameters.contains("slow_factor")) {
      EXPECT_EQ(steps_per_frame(lighter) / lighter.setup.parameters.at("slow_factor"),
                steps_per_frame(full) / full.setup.parameters.at("slow_factor"));
    }
  }
}

TEST(LighterScenes, StayFiniteAndWithinTheirLimits) {
  SKIP_AT_SMALL_REACH("hundreds of steps of all variants");
  const std::unique_ptr<Backend> backend = Backend::make_cpu(2);
  for (const Scene& lighter : variants_of_all_scenes()) {
    SCOPED_TRACE(scene_path_of(lighter.setup));
    Experiment experiment(*backend, Start{lighter, "auto", nullptr, "", ""});
    experiment.advance(600);
    EXPECT_EQ(experiment.simulation().steps(), 600);
    for (const Gauge& gauge : experiment.simulation().gauges())
      EXPECT_TRUE(!gauge.measured || gauge.level() != Gauge::Level::exceeded || gauge.id == lighter.past_limit)
          << gauge.id << ' ' << gauge.value;
  }
}

// With fewer discs than this, the program cannot find the front among the fluctuations.
TEST(LighterScenes, ShowAShockAsTheoryPredicts) {
  SKIP_AT_SMALL_REACH("comparison with theory");
  const Scene scene = load_scene("particles/shock-lighter-1");
  const std::map<std::string, double> numbers = numbers_of(scene, 30 * steps_per_frame(scene));
  EXPECT_NEAR(numbers.at("shock_speed") / numbers.at("shock_speed_theory"), 1, 0.1);
  EXPECT_NEAR(numbers.at("shock_fraction") / numbers.at("shock_fraction_theory"), 1, 0.1);
}

// Variants with cells of twice the length and nine points; that of the droplet has longer steps.
TEST(LighterScenes, ShowWavesAsTheoryPredictsOrTheFullScene) {
  SKIP_AT_SMALL_REACH("thousands of steps");
  struct Expected {
    const char *scene, *measured, *theory;
    int steps;
    double error;  // relative
  };
  for (const auto& [scene, measured, theory, steps, error] :
       {Expected{"double-slit", "first_fringe", "first_fringe_theory", 1500, 0.02},
        Expected{"single-slit", "first_fringe", "first_fringe_theory", 1500, 0.02},
        Expected{"refraction", "direction_after", "direction_after_theory", 1500, 0.02},
        Expected{"lens", "focus", "focus_theory", 2250, 0.08}}) {
    const std::map<std::string, double> numbers =
        numbers_of(load_scene("wave/" + std::string(scene) + "-lighter-1"), steps);
    EXPECT_NEAR(numbers.at(measured) / numbers.at(theory), 1, error) << scene;
  }
  for (const auto& [scene, frames, error] : {std::tuple{"droplet", 25, 0.005}, std::tuple{"ellipse", 100, 0.03}}) {
    const Scene full = load_scene("wave/" + std::string(scene)),
                lighter = load_scene("wave/" + std::string(scene) + "-lighter-1");
    const double height = numbers_of(full, frames * steps_per_frame(full)).at("rms_height");
    EXPECT_NEAR(numbers_of(lighter, frames * steps_per_frame(lighter)).at("rms_height") / height, 1, error) << scene;
  }
}

class LighterScene : public ScratchFolder {
 protected:
  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
};

TEST_F(LighterScene, ConvertsEverythingByItsUnit) {
  const Scene full = load_scene("lbm/cylinder"), half = load_scene("lbm/cylinder-lighter-1");
  EXPECT_EQ(half.setup.preset, "cylinder-lighter-1");
  EXPECT_EQ(half.lightness.full, "cylinder");
  EXPECT_EQ(half.setup.width, 384);
  EXPECT_EQ(half.setup.height, 128);
  EXPECT_EQ(half.steps_per_frame, default_steps_per_frame / 2);
  EXPECT_DOUBLE_EQ(half.setup.parameters.at("viscosity"), 0.008);       // cell²/step
  EXPECT_DOUBLE_EQ(half.setup.parameters.at("inlet_speed"), 0.1);       // cell/step
  EXPECT_DOUBLE_EQ(half.setup.actions.back().numbers.at("radius"), 6);  // cell
  EXPECT_DOUBLE_EQ(half.setup.actions[1].numbers.at("radius"), 0.08);   // a fraction of the height
  EXPECT_DOUBLE_EQ(half.view.maximum, 0.03);                            // 1/step
  const auto shown = [](const Scene& scene, double value, const std::string& unit) {
    return value * display_unit(scene.units, unit).factor;
  };
  EXPECT_DOUBLE_EQ(shown(half, 384, "cell"), shown(full, 768, "cell"));
  EXPECT_DOUBLE_EQ(shown(half, 0.1, "cell/step"), shown(full, 0.1, "cell/step"));
  EXPECT_DOUBLE_EQ(load_scene("lbm/channel-lighter-1").setup.parameters.at("force_x"), 1e-5);  // cell/step²
  EXPECT_EQ(half.lightness.change.english(), "384 x 128 cells instead of 768 x 256");
  EXPECT_EQ(load_scene("particles/gas-lighter-1").lightness.change.english(), "Discs: 750 instead of 3000");
  EXPECT_EQ(load_scene("wave/droplet-lighter-1").lightness.change.english(), "12 longer steps per frame instead of 96");
  EXPECT_THROW(coarser_scene(full, 5), InputError);
}

TEST_F(LighterScene, HasANameThatRunsAndStatesKeep) {
  EXPECT_TRUE(load_scene("lbm/cylinder-lighter-1").lightness.is_chosen);
  EXPECT_TRUE(load_scene("lbm/cylinder-full").lightness.is_chosen);
  EXPECT_FALSE(load_scene("lbm/cylinder").lightness.is_chosen);
  EXPECT_THROW(load_scene("lbm/cylinder-lighter-2"), InputError);
  EXPECT_THROW(load_scene("wave/modes-full"), InputError) << "it has no variants";
  Experiment run(*backend_, load_scene("lbm/taylor-green-lighter-1"));
  run.advance(1);
  EXPECT_NE(command_line_of(run).find("lbm/taylor-green-lighter-1"), std::string::npos) << command_line_of(run);
  const Scene again = scene_of(run.simulation().save());
  EXPECT_EQ(again.setup.preset, "taylor-green-lighter-1");
  EXPECT_EQ(again.setup.width, 128);
  EXPECT_EQ(again.view.maximum, run.scene().view.maximum);
  EXPECT_EQ(full_scene_path_of(again.setup), "lbm/taylor-green");
}

TEST_F(LighterScene, IsNotOpenedWhereTheSizeWasChosen) {
  for (const std::string path : {"lbm/airfoil-full", "lbm/airfoil-lighter-1", "wave/modes"}) {
    Scene scene = load_scene(path);
    const int width = scene.setup.width;
    choose_lighter(*backend_, scene);
    EXPECT_EQ(scene.setup.width, width) << path;
    EXPECT_FALSE(scene.lightness.is_from_machine) << path;
  }
  Scene mine = load_scene(write("mine.toml",
                                "simulation = 'lbm'\nsize = [64, 64]\nsteps_per_frame = 1000000\n[[lighter]]\n"
                                "coarser = 2\n"));
  ASSERT_EQ(mine.lightness.lighter.size(), 1u);
  choose_lighter(*backend_, mine);
  EXPECT_EQ(mine.setup.width, 64) << "a file of the user's own";
}

// At a pace that no machine reaches.
TEST_F(LighterScene, IsOpenedIfTheFullSceneMissesItsPace) {
  const auto opened_at = [&](int steps_per_frame) {
    Scene scene = load_scene("lbm/taylor-green");
    auto lighter = std::make_shared<Scene>(*scene.lightness.lighter.front());
    scene.steps_per_frame = 2 * steps_per_frame;
    lighter->steps_per_frame = steps_per_frame;
    scene.lightness.lighter = {lighter};
    choose_lighter(*backend_, scene);
    return scene;
  };
  const Scene slow = opened_at(1 << 24);
  EXPECT_EQ(slow.setup.width, 128);
  EXPECT_TRUE(slow.lightness.is_from_machine);
  EXPECT_EQ(lighter_text(slow).english(),
            "128 x 128 cells instead of 256 x 256, because this machine is too slow for the full scene.");
}

TEST_F(LighterScene, IsShownAndOffersTheFullSceneAndTheWayBack) {
  Scene scene = load_scene("lbm/taylor-green-lighter-1");
  scene.lightness.is_from_machine = true;
  Experiment run(*backend_, scene);
  Session session(run, 1);
  session.playback().set_playing(false);
  EXPECT_EQ(session.message().text.english(), lighter_text(scene).english());
  Gui gui(Gui::Renderer::none);
  Panels panels;
  const Layout layout = make_layout(1280, 2000, 1, 1, true);
  const auto shows = [&](const std::string& text) {
    lay_out(session, gui, panels, layout, 2);
    for (const DrawnText& drawn : drawn_text())
      if (drawn.text == text) return true;
    return false;
  };
  EXPECT_TRUE(shows("Open the full scene"));
  session.file_opener().set_size_chooser([&](Scene& opened) {
    if (!opened.lightness.is_chosen) opened = scene;
  });
  session.execute(OpenScene{full_scene_name(run.setup())});
  EXPECT_EQ(run.setup().width, 256);
  EXPECT_FALSE(shows("Open the full scene"));
  EXPECT_TRUE(shows("Open the scene as this machine can compute it"));
  session.execute(OpenScene{full_scene_path_of(run.setup())});
  EXPECT_EQ(run.setup().width, 128);
}

}  // namespace
}  // namespace perturb
