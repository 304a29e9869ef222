// Races: several kernels, backends or parameters side by side (app/race).
#include "app/race/race.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/io/preset/presets.h"
#include "app/io/preset/races.h"
#include "app/io/state/script_file.h"
#include "app/run/experiment.h"
#include "app/session/layout.h"
#include "cuda/core/backend/stop.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/field_difference.h"
#include "tests/support/files_scratch.h"
#include "tests/support/session_fixture.h"
#include "tests/support/small_run.h"

namespace perturb {
namespace {

using Json = nlohmann::json;

std::string error_of(const auto& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

class RaceRun : public SmallRun {
 protected:
  static Scene with_lanes(Scene scene, const std::vector<std::string>& lanes) {
    const SimulationInfo& info = find_simulation(scene.setup.simulation);
    for (const std::string& lane : lanes) scene.lanes.push_back(parse_lane(lane, info));
    return scene;
  }
  // A hundred discs, which collide often.
  static Scene few_discs() {
    Scene scene = load_scene("particles/gas");
    scene.setup.parameters["count"] = 100;
    scene.setup.parameters["box"] = 40;
    return scene;
  }
  static Race& race_of(Experiment& experiment) { return dynamic_cast<Race&>(experiment.simulation()); }
  static double difference(Experiment& experiment) { return race_of(experiment).results()[1].largest_difference; }
  static double scalar(Experiment& experiment, const std::string& id) {
    for (const Scalar& s : experiment.simulation().diagnostics(experiment.scene().view, true).scalars)
      if (s.id == id) return s.value;
    return no_value;
  }
  static Action droplet(double x) { return {"droplet", {{"x", x}, {"y", 0.4}}, "", nullptr}; }
};
PERTURB_ON_EACH_BACKEND(RaceRun);

TEST_P(RaceRun, SameKernelsGiveTheSameBits) {
  Experiment experiment(backend(), with_lanes(small(), {"kernel=fused", "kernel=fused"}));
  experiment.advance(40);
  EXPECT_EQ(difference(experiment), 0);
  EXPECT_EQ(scalar(experiment, "lane_2_difference"), 0);
  EXPECT_FALSE(has_value(scalar(experiment, "lane_2_lyapunov")));
}

TEST_P(RaceRun, WaveKernelsGiveTheSameBits) {
  Experiment experiment(backend(), with_lanes(small(), {"kernel=fused", "kernel=temporal"}));
  for (const double x : {0.3, 0.7}) {
    experiment.perform(droplet(x));
    experiment.advance(17);
  }
  for (const Race::LaneResult& lane : race_of(experiment).results()) {
    EXPECT_EQ(lane.largest_difference, 0) << lane.kernel;
    EXPECT_GT(lane.seconds_per_step, 0) << lane.kernel;
  }
}

TEST_P(RaceRun, PrintsRemarksOfAllLanesOnce) {
  Scene scene = with_lanes(small(), {"kernel=fused", "kernel=temporal"});
  scene.view.quantity = "intensity";
  Experiment experiment(backend(), scene);
  experiment.simulation().diagnostics(scene.view, true);
  const std::string said = experiment.take_warning().english();
  const std::size_t first = said.find("The mean intensity is computed");
  ASSERT_NE(first, std::string::npos) << said;
  EXPECT_EQ(said.find("The mean intensity is computed", first + 1), std::string::npos) << said;
}

TEST_P(RaceRun, HalfPrecisionDiffersByItsStatedError) {
  Scene scene = small_scene("lbm/taylor-green");
  Experiment experiment(backend(), with_lanes(scene, {"kernel=fused", "kernel=half"}));
  experiment.advance(16);
  const auto& kernels = experiment.info().kernels;
  EXPECT_GT(difference(experiment), 0);
  EXPECT_LE(difference(experiment), kernels[kernel_index(experiment.info(), "half")].stated_error);
}

TEST_P(RaceRun, DoublePrecisionDiffersByRounding) {
  Experiment experiment(backend(), with_lanes(small(), {"precision=fp32", "precision=fp64"}));
  experiment.perform(droplet(0.5));
  experiment.advance(50);
  EXPECT_GT(difference(experiment), 0);
  EXPECT_LT(difference(experiment), 1e-4) << "of droplets that are 0.1 to 1 high";
}

TEST_P(RaceRun, ComparesFieldsAsSavedStatesCompare) {
  struct Pair {
    const char *scene, *parameter;
    double value;
    const char *kernel, *other_kernel;
  };
  const Pair pairs[] = {{"wave/lens", "damping", 0.1, "auto", "auto"},
                        {"wave/double-slit", "precision", 1, "auto", "auto"},
                        {"lbm/cylinder", "viscosity", 0.05, "auto", "auto"},
                        {"lbm/airfoil", "tracers", 20, "fused", "half"},
                        {"lbm/taylor-green", "viscosity", 0.05, "in-place", "fused"}};
  for (const Pair& pair : pairs) {
    SCOPED_TRACE(pair.scene);
    Scene scene = small_scene(pair.scene);
    const SimulationInfo& info = find_simulation(scene.setup.simulation);
    const auto first = info.create(backend(), scene.setup);
    scene.setup.parameters[pair.parameter] = pair.value;
    const auto second = info.create(backend(), scene.setup);
    first->select_kernel(pair.kernel);
    second->select_kernel(pair.other_kernel);
    if (info.id == "lbm") {
      first->apply({"dye", {{"x0", 0.3}, {"y0", 0.4}, {"x1", 0.5}, {"y1", 0.6}}, "", nullptr});
      second->apply({"dye", {{"x0", 0.3}, {"y0", 0.4}, {"x1", 0.5}, {"y1", 0.5}}, "", nullptr});
    }
    for (Simulation* simulation : {first.get(), second.get()}) simulation->step(12);
    const double expected = largest_difference(second->save(), first->save());
    EXPECT_GT(expected, 0);
    EXPECT_EQ(dynamic_cast<ComparesFields&>(*second).difference_from(*first), expected);
  }
}

TEST_P(RaceRun, NudgedDiscsDivergeExponentially) {
  Experiment experiment(backend(), with_lanes(few_discs(), {"nudge=0", "nudge=1"}));
  EXPECT_GT(difference(experiment), 0) << "one rounding";
  EXPECT_LT(difference(experiment), 1e-13);
  for (int k = 0; k < 60; ++k) {
    experiment.advance(16);
    scalar(experiment, "lane_2_difference");
  }
  EXPECT_GT(difference(experiment), 1) << "other paths";
  EXPECT_GT(scalar(experiment, "lane_2_lyapunov"), 0.01);
  const Diagnostics now = experiment.simulation().diagnostics(experiment.scene().view, true);
  const auto curve =
      std::find_if(now.curves.begin(), now.curves.end(), [](const Curve& c) { return c.id == "lane_2_difference"; });
  ASSERT_NE(curve, now.curves.end());
  EXPECT_EQ(curve, now.curves.begin()) << "the plot that opens first";
  EXPECT_TRUE(curve->logarithmic_y);
  ASSERT_GE(curve->theory.size(), 4u) << "the fitted line";
  EXPECT_TRUE(curve->theory_is_fit) << "it is no theory";
  const CurvePoint begin = curve->theory.front(), end = curve->theory.back();
  EXPECT_NEAR((end.y - begin.y) / (end.x - begin.x) * std::log(10.0), scalar(experiment, "lane_2_lyapunov"), 1e-6);
}

TEST_P(RaceRun, CannotNudgeAStartAtRest) {
  Scene scene = with_lanes(small(), {"nudge=0", "nudge=1"});
  scene.setup.actions.clear();
  EXPECT_NE(error_of([&] { Experiment(backend(), scene); }).find("all numbers of the start are zero"),
            std::string::npos);
}

TEST_P(RaceRun, UndoAndRedoKeepAllLanes) {
  // Lanes that differ, so that a lane that is left out would show.
  Experiment experiment(backend(), with_lanes(small(), {"damping=0", "damping=0.2"}));
  experiment.perform(droplet(0.3));
  experiment.advance(20);
  const State before = experiment.simulation().save();
  const double difference_before = difference(experiment);
  EXPECT_GT(difference_before, 0);
  experiment.perform(droplet(0.7));
  experiment.advance(20);
  const State after = experiment.simulation().save();
  const double difference_after = difference(experiment);
  EXPECT_FALSE(experiment.undo().empty());
  EXPECT_TRUE(same(experiment.simulation().save(), before));
  EXPECT_EQ(difference(experiment), difference_before);
  EXPECT_FALSE(experiment.redo().empty());
  experiment.advance(40 - experiment.simulation().steps());
  EXPECT_TRUE(same(experiment.simulation().save(), after));
  EXPECT_EQ(difference(experiment), difference_after);
}

TEST_P(RaceRun, RestartBeginsAllLanesAnew) {
  Experiment experiment(backend(), with_lanes(few_discs(), {"nudge=0", "nudge=1"}));
  const double start = difference(experiment);
  experiment.advance(200);
  EXPECT_GT(difference(experiment), start);
  experiment.restart();
  EXPECT_EQ(difference(experiment), start);
}

TEST_P(RaceRun, ParameterOfALaneStaysWhenItsSliderMoves) {
  Experiment experiment(backend(), with_lanes(small(), {"kernel=fused", "damping=0.5"}));
  experiment.perform(droplet(0.3));
  experiment.set_parameter("damping", 0.5);
  experiment.advance(20);
  EXPECT_EQ(difference(experiment), 0) << "both lanes have 0.5";
  experiment.set_parameter("damping", 0);
  experiment.advance(20);
  EXPECT_GT(difference(experiment), 0);
  EXPECT_EQ(experiment.simulation().parameters().get("damping"), 0);
  EXPECT_FALSE(experiment.undo().empty());
  EXPECT_EQ(experiment.simulation().parameters().get("damping"), 0.5);
  experiment.advance(20);
  EXPECT_EQ(difference(experiment), 0) << "undo restores the parameters of all lanes";
}

TEST_P(RaceRun, RejectsAParameterThatEveryLaneSets) {
  Experiment experiment(backend(), with_lanes(small(), {"damping=0.1", "damping=0.2"}));
  EXPECT_NE(error_of([&] { experiment.set_parameter("damping", 0); }).find("every lane of the race sets it"),
            std::string::npos);
  EXPECT_EQ(experiment.simulation().parameters().get("damping"), 0.1);
}

TEST_P(RaceRun, ChosenKernelGoesToLanesWithoutOne) {
  Experiment experiment(backend(), with_lanes(small(), {"nudge=0", "kernel=temporal"}));
  experiment.choose_kernel("fused");
  EXPECT_EQ(race_of(experiment).results()[0].kernel, "fused");
  EXPECT_EQ(race_of(experiment).results()[1].kernel, "temporal");
  EXPECT_FALSE(experiment.undo().empty());
  EXPECT_EQ(race_of(experiment).results()[0].kernel, "auto");
  Experiment fixed(backend(), with_lanes(small(), {"kernel=fused", "kernel=temporal"}));
  EXPECT_NE(error_of([&] { fixed.choose_kernel("fused"); }).find("its own"), std::string::npos);
}

TEST_P(RaceRun, StoppedLanesHaveTakenTheSameSteps) {
  Experiment experiment(backend(), with_lanes(few_discs(), {"nudge=0", "nudge=0"}));
  experiment.advance(5);
  StopRequest request;
  {
    const StopScope scope(backend(), request);
    request.request_stop();
    EXPECT_THROW(experiment.advance(50), Stopped);
  }
  experiment.advance(10);
  EXPECT_EQ(difference(experiment), 0);
}

TEST_P(RaceRun, SavedStateContinuesInAllLanes) {
  Experiment experiment(backend(), with_lanes(small(), {"damping=0", "damping=0.2"}));
  experiment.advance(20);
  Start start;
  start.scene = experiment.scene();
  start.state = std::make_shared<const State>(experiment.simulation().save());
  Experiment resumed(backend(), start);
  EXPECT_EQ(difference(resumed), 0) << "all lanes begin with the first one's state";
  resumed.advance(20);
  EXPECT_GT(difference(resumed), 0);
}

TEST_P(RaceRun, LaneWithItsOwnParameterTakesALoadedStateWithoutAJump) {
  const std::vector<std::pair<Scene, std::string>> cases = {{small(), "time_step=0.2"},
                                                            {load_scene("lbm/channel"), "force_x=2e-5"}};
  for (const auto& [scene, lane] : cases) {
    SCOPED_TRACE(lane);
    Scene begun = scene;
    begun.setup.width = 48;
    begun.setup.height = 40;
    Experiment saved(backend(), begun);
    if (begun.setup.simulation == "wave") saved.perform(droplet(0.5));
    saved.advance(30);
    const State state = saved.simulation().save();

    Experiment expected(backend(), scene_of(state), state);
    const std::size_t sign = lane.find('=');
    expected.set_parameter(lane.substr(0, sign), std::stod(lane.substr(sign + 1)));
    Experiment raced(backend(), with_lanes(scene_of(state), {lane, "nudge=1"}), state);
    for (const int steps : {0, 50}) {
      expected.advance(steps);
      raced.advance(steps);
      EXPECT_EQ(largest_difference(expected.simulation().save(), raced.simulation().save()), 0) << steps;
    }
  }
}

TEST_P(RaceRun, PaintsLanesSideBySide) {
  Experiment experiment(backend(), with_lanes(small(), {"kernel=fused", "kernel=temporal", "damping=1,difference=1"}));
  experiment.perform(droplet(0.5));
  experiment.advance(30);
  constexpr int width = 202, height = 162;
  Array<std::uint32_t> memory(backend(), std::size_t{width} * height, "test image");
  const ColorTable table(backend(), find_colormap("ripple"));
  ViewSettings view = experiment.scene().view;
  experiment.simulation().paint({memory.data(), width, height, width}, Camera{}, view, table);
  backend().synchronize();
  const std::vector<std::uint32_t> image = memory.download();
  const std::vector<Viewport> areas = lane_areas({0, 0, width, height}, 3);
  const auto pixel = [&](const Viewport& area, int x, int y) {
    return image[static_cast<std::size_t>(area.y + y) * width + static_cast<std::size_t>(area.x + x)];
  };
  std::size_t equal = 0, other = 0;
  for (int y = 0; y < areas[0].height; ++y)
    for (int x = 0; x < areas[0].width; ++x) {
      equal += pixel(areas[0], x, y) == pixel(areas[1], x, y);
      other += pixel(areas[0], x, y) != pixel(areas[2], x, y);
    }
  const auto all = static_cast<std::size_t>(areas[0].width) * static_cast<std::size_t>(areas[0].height);
  EXPECT_EQ(equal, all) << "bit-identical states give the same picture";
  EXPECT_GT(other, all / 4) << "the difference has other colours";
}

TEST_P(RaceRun, SecondImageOfALaneComputesNothing) {
  Experiment experiment(backend(), with_lanes(small(), {"damping=0", "damping=1", "damping=1,difference=1"}));
  EXPECT_EQ(race_of(experiment).results().size(), 2u);
  EXPECT_EQ(shown_lane(experiment.scene().lanes, 2), 1u);
  const Scene own = with_lanes(small(), {"damping=0", "damping=0,difference=1", "damping=1,difference=1"});
  EXPECT_EQ(computing_lanes(own.lanes), 3u);
}

TEST_P(RaceRun, ScriptAndPresetRepeatTheLanes) {
  Experiment experiment(backend(), with_lanes(small(), {"kernel=fused", "damping=0.25,nudge=1"}));
  EXPECT_NE(script_of(experiment).find(R"("--lane", "kernel=fused", "--lane", "damping=0.25,nudge=1")"),
            std::string::npos)
      << script_of(experiment);
  const Scene read = parse_scene(text_of_preset(experiment.scene()), "mine.toml", "wave", "mine");
  EXPECT_EQ(read.lanes, experiment.scene().lanes);
}

// ---- by time

// Lanes by time whose steps last as long as the test says: the clock counts the steps that each lane has taken.
class RaceByTime : public RaceRun {
 protected:
  static constexpr auto first_cost = std::chrono::milliseconds(1);

  static Scene by_time(Scene scene, const std::vector<std::string>& lanes) {
    scene = with_lanes(std::move(scene), lanes);
    scene.race_by_time = true;
    return scene;
  }
  // `costs`: of a step of each lane, in steps of the first one's.
  static void set_costs(Experiment& experiment, std::vector<int> costs) {
    Race& race = race_of(experiment);
    race.set_clock([&race, costs = std::move(costs)] {
      std::chrono::steady_clock::time_point now;
      for (std::size_t k = 0; k < costs.size(); ++k) now += race.lane_steps(k) * costs[k] * first_cost;
      return now;
    });
  }
  static std::vector<std::int64_t> steps_of(Experiment& experiment) {
    std::vector<std::int64_t> steps;
    for (const Race::LaneResult& lane : race_of(experiment).results()) steps.push_back(lane.steps);
    return steps;
  }
  static std::int64_t lead(const std::vector<std::int64_t>& before, const std::vector<std::int64_t>& after,
                           std::size_t lane) {
    return after[lane] - before[lane];
  }
  // Past the steps in which all lanes are measured.
  static void begin(Experiment& experiment) {
    experiment.advance(64);
    const std::vector<std::int64_t> steps = steps_of(experiment);
    EXPECT_EQ(steps[0], 64);
  }
};
PERTURB_ON_EACH_BACKEND(RaceByTime);

TEST_P(RaceByTime, ALaneTwiceAsSlowDoesHalfTheSteps) {
  Experiment experiment(backend(), by_time(small(), {"kernel=fused", "kernel=temporal"}));
  set_costs(experiment, {1, 2});
  begin(experiment);
  const std::vector<std::int64_t> before = steps_of(experiment);
  for (int frame = 0; frame < 20; ++frame) experiment.advance(8);
  const std::vector<std::int64_t> after = steps_of(experiment);
  EXPECT_EQ(lead(before, after, 0), 160);
  EXPECT_EQ(lead(before, after, 1), 80);
  EXPECT_EQ(experiment.simulation().steps(), after[0]) << "the run counts the steps of lane 1";
}

TEST_P(RaceByTime, AFasterLaneRunsAheadInWholeSteps) {
  Experiment experiment(backend(), by_time(small(), {"kernel=fused", "nudge=1", "kernel=temporal"}));
  set_costs(experiment, {5, 1, 25});
  begin(experiment);
  const std::vector<std::int64_t> before = steps_of(experiment);
  for (int frame = 0; frame < 40; ++frame) experiment.advance(1);
  const std::vector<std::int64_t> after = steps_of(experiment);
  EXPECT_EQ(lead(before, after, 1), 200);
  EXPECT_EQ(lead(before, after, 2), 8) << "a step lasts five shares, so it takes one in every fifth frame";
}

TEST_P(RaceByTime, TheLeadOfALaneIsLimited) {
  Experiment experiment(backend(), by_time(small(), {"kernel=fused", "kernel=temporal"}));
  set_costs(experiment, {1000, 1});
  begin(experiment);
  const std::vector<std::int64_t> before = steps_of(experiment);
  experiment.advance(2);
  EXPECT_EQ(lead(before, steps_of(experiment), 1), 2 * Race::max_lead);
}

TEST_P(RaceByTime, ASpeedIsKnownAfterHalfASecondOfBothLanes) {
  Experiment experiment(backend(), by_time(small(), {"kernel=fused", "kernel=temporal"}));
  set_costs(experiment, {10, 25});
  int unknown = 0;
  for (; !has_value(scalar(experiment, "lane_2_speed")) && unknown < 300; ++unknown) experiment.advance(1);
  EXPECT_GE(experiment.simulation().steps() * 10 * first_cost, std::chrono::milliseconds(500));
  EXPECT_GE(steps_of(experiment)[1] * 25 * first_cost, std::chrono::milliseconds(500));
  EXPECT_LT(unknown, 100) << "a second of lane 1 suffices";
  EXPECT_NEAR(scalar(experiment, "lane_2_speed"), 0.4, 1e-9);
  for (int frame = 0; frame < 200; ++frame) {
    experiment.advance(1);
    ASSERT_NEAR(scalar(experiment, "lane_2_speed"), 0.4, 1e-9) << "it stays known, frame " << frame;
  }
  EXPECT_FALSE(has_value(scalar(experiment, "lane_1_speed")));
}

TEST_P(RaceByTime, SlowFirstStepsDoNotCountForTheSpeed) {
  Experiment experiment(backend(), by_time(small(), {"kernel=fused", "nudge=1"}));
  Race& race = race_of(experiment);
  // The first step of lane 2 loads its kernel: it takes as long as a hundred others.
  race.set_clock([&race] {
    const std::int64_t first = race.lane_steps(0), second = race.lane_steps(1);
    return std::chrono::steady_clock::time_point() + (first + second + (second > 0 ? 100 : 0)) * 10 * first_cost;
  });
  while (!has_value(scalar(experiment, "lane_2_speed")) && experiment.simulation().steps() < 300) experiment.advance(1);
  EXPECT_NEAR(scalar(experiment, "lane_2_speed"), 1, 1e-9);
}

TEST_P(RaceByTime, ACoarseClockKeepsTheLanesLevel) {
  Experiment experiment(backend(), by_time(small(), {"kernel=fused", "kernel=temporal"}));
  set_costs(experiment, {0, 0});
  experiment.advance(100);
  EXPECT_EQ(steps_of(experiment), (std::vector<std::int64_t>{100, 100}));
}

TEST_P(RaceByTime, ShowsStepsInsteadOfDifferences) {
  Experiment experiment(backend(), by_time(small(), {"kernel=fused", "damping=0.5", "damping=0.5,difference=1"}));
  set_costs(experiment, {1, 2});
  experiment.advance(100);
  const std::vector<std::int64_t> steps = steps_of(experiment);
  EXPECT_LT(steps[1], steps[0]);
  EXPECT_EQ(scalar(experiment, "lane_2_steps"), static_cast<double>(steps[1]));
  EXPECT_LT(scalar(experiment, "lane_2_time"), scalar(experiment, "lane_1_time"));
  const Diagnostics shown = experiment.simulation().diagnostics(experiment.scene().view, true);
  for (const Scalar& one : shown.scalars) EXPECT_NE(one.id, "lane_2_difference");
  for (const Curve& curve : shown.curves) EXPECT_NE(curve.id, "lane_2_difference");
  EXPECT_TRUE(std::any_of(shown.remarks.begin(), shown.remarks.end(), [](const Message& remark) {
    return remark.english().find("their difference is not shown") != std::string::npos;
  }));
  EXPECT_FALSE(has_value(race_of(experiment).results()[1].largest_difference));
  std::vector<std::string> columns;
  for (const Column& column : race_of(experiment).columns()) columns.push_back(column.id);
  EXPECT_NE(std::find(columns.begin(), columns.end(), "lane_2_steps"), columns.end());
  EXPECT_NE(std::find(columns.begin(), columns.end(), "lane_2_speed"), columns.end());
  EXPECT_EQ(std::find(columns.begin(), columns.end(), "lane_2_difference"), columns.end());
}

TEST_P(RaceByTime, UndoAndRedoBringBackTheStepsOfEachLane) {
  Experiment experiment(backend(), by_time(small(), {"kernel=fused", "damping=0.2"}));
  set_costs(experiment, {1, 2});
  experiment.advance(60);
  const std::vector<std::int64_t> before = steps_of(experiment);
  const State state_before = experiment.simulation().save();
  experiment.perform(droplet(0.7));
  for (int frame = 0; frame < 5; ++frame) experiment.advance(8);
  const std::vector<std::int64_t> after = steps_of(experiment);
  const State state_after = experiment.simulation().save();
  EXPECT_FALSE(experiment.undo().empty());
  EXPECT_EQ(steps_of(experiment), before);
  EXPECT_TRUE(same(experiment.simulation().save(), state_before));
  EXPECT_FALSE(experiment.redo().empty());
  EXPECT_EQ(steps_of(experiment), after) << "a replay follows what was measured, whatever its own clock says";
  EXPECT_TRUE(same(experiment.simulation().save(), state_after));
}

TEST_P(RaceByTime, ThePastShowsWhereEachLaneWas) {
  Experiment experiment(backend(), by_time(small(), {"kernel=fused", "kernel=temporal"}));
  set_costs(experiment, {1, 2});
  std::vector<std::vector<std::int64_t>> shown;
  for (int frame = 0; frame < 20; ++frame) {
    experiment.advance(8);
    shown.push_back(steps_of(experiment));
  }
  experiment.return_to_step(shown[9][0]);
  EXPECT_EQ(steps_of(experiment), shown[9]);
  experiment.return_to_step(shown[15][0]);
  EXPECT_EQ(steps_of(experiment), shown[15]);
  experiment.return_to_step(shown[9][0]);
  set_costs(experiment, {1, 1});
  for (int frame = 0; frame < 4; ++frame) experiment.advance(8);
  EXPECT_EQ(lead(shown[9], steps_of(experiment), 0), 32);
  EXPECT_GT(lead(shown[9], steps_of(experiment), 1), lead(shown[9], shown[13], 1))
      << "a run that continues measures again";
}

TEST_P(RaceByTime, AChangeOfKindRestartsWithLevelLanes) {
  Experiment experiment(backend(), by_time(small(), {"kernel=fused", "damping=0.2"}));
  set_costs(experiment, {1, 2});
  experiment.advance(100);
  const std::vector<std::int64_t> apart = steps_of(experiment);
  EXPECT_LT(apart[1], apart[0]);
  experiment.restart_race(false);
  EXPECT_FALSE(race_of(experiment).is_by_time());
  EXPECT_EQ(steps_of(experiment), (std::vector<std::int64_t>{0, 0}));
  experiment.advance(30);
  EXPECT_EQ(steps_of(experiment), (std::vector<std::int64_t>{30, 30}));
  EXPECT_GT(difference(experiment), 0) << "level lanes are compared";
  EXPECT_FALSE(experiment.undo().empty());
  EXPECT_TRUE(race_of(experiment).is_by_time());
  EXPECT_EQ(steps_of(experiment), apart);
  experiment.restart();
  EXPECT_TRUE(race_of(experiment).is_by_time()) << "a restart keeps the kind";
  EXPECT_EQ(steps_of(experiment), (std::vector<std::int64_t>{0, 0}));
  Experiment single(backend(), small());
  EXPECT_NE(error_of([&] { single.restart_race(true); }).find("Only a race"), std::string::npos);
}

TEST_P(RaceByTime, ASavedStateBeginsWithLevelLanes) {
  Experiment experiment(backend(), by_time(small(), {"kernel=fused", "kernel=temporal"}));
  set_costs(experiment, {1, 2});
  experiment.advance(80);
  Start start;
  start.scene = experiment.scene();
  start.state = std::make_shared<const State>(experiment.simulation().save());
  Experiment resumed(backend(), start);
  EXPECT_TRUE(race_of(resumed).is_by_time());
  EXPECT_EQ(steps_of(resumed), (std::vector<std::int64_t>{80, 80}));
}

TEST_P(RaceByTime, AStoppedRaceContinues) {
  Experiment experiment(backend(), by_time(few_discs(), {"nudge=0", "nudge=1"}));
  set_costs(experiment, {1, 2});
  experiment.advance(10);
  StopRequest request;
  {
    const StopScope scope(backend(), request);
    request.request_stop();
    EXPECT_THROW(experiment.advance(50), Stopped);
  }
  experiment.advance(60 - experiment.simulation().steps());
  EXPECT_EQ(steps_of(experiment)[0], 60);
  EXPECT_LT(steps_of(experiment)[1], 60);
}

TEST_P(RaceByTime, ScriptAndPresetRepeatTheKind) {
  Experiment experiment(backend(), by_time(small(), {"kernel=fused", "nudge=1"}));
  EXPECT_NE(script_of(experiment).find(R"("--by", "time")"), std::string::npos) << script_of(experiment);
  EXPECT_TRUE(parse_scene(text_of_preset(experiment.scene()), "mine.toml", "wave", "mine").race_by_time);
  Experiment level(backend(), with_lanes(small(), {"kernel=fused", "nudge=1"}));
  EXPECT_EQ(script_of(level).find("--by"), std::string::npos);
  EXPECT_FALSE(parse_scene(text_of_preset(level.scene()), "mine.toml", "wave", "mine").race_by_time);
}

TEST(LaneRecords, InterpolateBetweenEntriesAndForgetTheRest) {
  LaneRecord record;
  EXPECT_FALSE(record.at(0));
  EXPECT_EQ(record.next_after(0), 0);
  record.add({0, 0});
  record.add({8, 4});
  record.add({8, 7});  // this step is recorded already
  record.add({16, 20});
  ASSERT_TRUE(record.at(8));
  EXPECT_EQ((*record.at(8))[1], 4);
  EXPECT_EQ((*record.at(4))[1], 2);
  EXPECT_EQ((*record.at(12))[1], 12);
  EXPECT_EQ(record.next_after(8), 16);
  EXPECT_FALSE(record.at(17));
  record.cut(12);
  EXPECT_FALSE(record.at(12));
  EXPECT_EQ(record.next_after(8), 8);
}

TEST(Lanes, TextIsReadBack) {
  const SimulationInfo& info = find_simulation("particles");
  for (const char* text : {"kernel=grid", "backend=cpu,collisions=exact", "kernel=auto,precision=fp32,nudge=1",
                           "nudge=1,difference=1", "nudge=0"}) {
    const Lane lane = parse_lane(text, info);
    EXPECT_EQ(parse_lane(text_of(lane, info), info), lane) << text;
  }
  EXPECT_EQ(title_of(parse_lane("nudge=0", info), info).english(), "As opened");
  EXPECT_EQ(title_of(parse_lane("kernel=grid,backend=cpu", info), info).english(), "Grid, CPU");
}

TEST(Lanes, WrongOnesAreRejectedWithARemedy) {
  const SimulationInfo& info = find_simulation("wave");
  const auto error = [&](const char* text) { return error_of([&] { parse_lane(text, info); }); };
  EXPECT_NE(error("kernle=fused").find("did you mean \"kernel\""), std::string::npos) << error("kernle=fused");
  EXPECT_NE(error("kernel=fusd").find("did you mean \"fused\""), std::string::npos);
  EXPECT_NE(error("backend=gpu").find("choose cpu or cuda"), std::string::npos);
  EXPECT_NE(error("damping=-7").find("damping"), std::string::npos);
  for (const char* text : {"", "kernel", "=fused", "kernel=fused,", "nudge=2"}) EXPECT_NE(error(text), "") << text;
  EXPECT_NE(error_of([] { require_lane_count(1); }).find("at least two"), std::string::npos);
  EXPECT_NE(error_of([] { require_lane_count(5); }).find("at most 4"), std::string::npos);
  EXPECT_EQ(error_of([] {
              require_lane_count(0);
              require_lane_count(2);
              require_lane_count(4);
            }),
            "");
}

TEST(Lanes, AreasFillTheViewWithoutOverlap) {
  const Viewport view{10, 20, 301, 201};
  for (std::size_t count = min_lanes; count <= max_lanes; ++count) {
    const std::vector<Viewport> areas = lane_areas(view, count);
    ASSERT_EQ(areas.size(), count);
    for (const Viewport& a : areas) {
      EXPECT_TRUE(a.width == areas[0].width && a.height == areas[0].height) << "one camera fits all";
      EXPECT_TRUE(a.x >= view.x && a.y >= view.y && a.x + a.width <= view.x + view.width &&
                  a.y + a.height <= view.y + view.height);
      for (const Viewport& b : areas) {
        const bool apart =
            a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
        EXPECT_TRUE(&a == &b || apart);
      }
    }
    EXPECT_EQ(areas[0].y + areas[0].height, view.y + view.height) << "the first is at the top";
  }
}

TEST(Lanes, PointerActsAtTheSamePlaceOfTheFirst) {
  Layout layout = make_layout(1280, 720, 1, 1, true);
  layout.lanes = 4;
  for (std::size_t lane = 0; lane < 4; ++lane) {
    const Rect area = layout.lane_rect(lane), first = layout.lane_rect(0);
    const double x = area.x + 30, y = area.y + 50;
    EXPECT_EQ(layout.lane_at(x, y), lane);
    const Camera::Point at = layout.in_first_lane(x, y, lane);
    EXPECT_DOUBLE_EQ(at.x, first.x + 30);
    EXPECT_DOUBLE_EQ(at.y, first.y + 50);
  }
  EXPECT_EQ(layout.lane_at(layout.column.x + 5, 100), 0u) << "the panel is in no lane";
}

class RaceSession : public SessionFixture {
 protected:
  void SetUp() override {
    Scene scene = small_tank();
    scene.setup.actions.clear();
    for (const char* lane : {"kernel=fused", "kernel=temporal"})
      scene.lanes.push_back(parse_lane(lane, find_simulation("wave")));
    experiment_.open(scene);
    session_.observe(true);
    layout_.lanes = 2;
  }
  const Action& last_action() const { return std::get<Action>(experiment_.log().back().change); }
  double last(const char* number) const { return last_action().get(number); }
};

TEST_F(RaceSession, ClickInAnyLaneActsAtTheSamePlaceOfAll) {
  std::vector<double> x, y;
  for (std::size_t lane = 0; lane < 2; ++lane) {
    const Rect area = layout_.lane_rect(lane);
    const double px = std::floor(area.x + 0.4 * area.width), py = std::floor(area.y + 0.6 * area.height);
    events({mouse(Kind::move, px, py), mouse(Kind::press, px, py, Button::left),
            mouse(Kind::release, px, py, Button::left)});
    ASSERT_FALSE(experiment_.log().empty());
    x.push_back(last("x"));
    y.push_back(last("y"));
  }
  EXPECT_NEAR(x[0], x[1], 0.01) << "one pixel";
  EXPECT_NEAR(y[0], y[1], 0.01);
  frame();
  EXPECT_EQ(dynamic_cast<Race&>(experiment_.simulation()).results()[1].largest_difference, 0);
}

TEST_F(RaceSession, ChoosesTheKindOfTheRace) {
  for (int k = 0; k < 10; ++k) frame();
  session_.execute(ChangeRace{true});
  frame();
  EXPECT_TRUE(session_.run().scene->race_by_time);
  session_.execute(CommandId::undo);
  frame();
  EXPECT_FALSE(session_.run().scene->race_by_time);
}

TEST_F(RaceSession, OpensAPreparedRace) {
  session_.execute(OpenScene{path_of_race("stencils")});
  frame();
  EXPECT_EQ(session_.run().scene->lanes.size(), find_race("stencils")->scene.lanes.size());
  EXPECT_EQ(session_.run().scene->title, find_race("stencils")->scene.title);
}

TEST_F(RaceSession, DragStaysInTheLaneInWhichItBegan) {
  const Rect first = layout_.lane_rect(0), second = layout_.lane_rect(1);
  const double y = std::floor(second.y + 0.5 * second.height), x = std::floor(second.x + 0.5 * second.width);
  events({mouse(Kind::move, x, y), mouse(Kind::press, x, y, Button::left)});
  const std::size_t before = experiment_.log().size();
  const double pressed_at = last("x");
  // Into the first lane: the pointer has left the domain of the second at its left side.
  events({mouse(Kind::move, first.x + 0.5 * first.width, y)});
  ASSERT_GT(experiment_.log().size(), before);
  const Action& stroke = last_action();
  for (const auto& [id, value] : stroke.numbers)
    if (id.starts_with("x")) {
      EXPECT_LE(value, pressed_at + 1e-6) << id << ": never to the right";
    }
  events({mouse(Kind::release, first.x + 0.5 * first.width, y, Button::left)});
}

TEST(Divergence, FindsTheRateBetweenRoundingAndSaturation) {
  Divergence divergence;
  for (int step = 0; step < 3000; ++step) {
    const double time = 0.1 * step;
    divergence.add(step, time, std::min(2.0, 1e-14 * std::exp(0.3 * time)));
  }
  ASSERT_TRUE(divergence.growth().has_value());
  EXPECT_NEAR(divergence.growth()->rate, 0.3, 1e-3);
  EXPECT_LE(divergence.logarithms().size(), 1025u);
}

TEST(Divergence, TakesFewerPointsOfALongRun) {
  Divergence divergence;
  for (std::int64_t step = 0; step < 1025; ++step) {
    EXPECT_TRUE(divergence.takes(step)) << step;
    divergence.add(step, static_cast<double>(step), 1);
  }
  EXPECT_FALSE(divergence.takes(1025));
  EXPECT_TRUE(divergence.takes(1026));
}

TEST(Divergence, NamesNoRateWithoutExponentialGrowth) {
  Divergence none, small, power;
  for (int step = 1; step < 1000; ++step) {
    none.add(step, step, 0);
    small.add(step, step, 1e-7 * (1 + 0.01 * step));
    power.add(step, step, 1e-12 * std::pow(step, 3));
  }
  Divergence early;  // at powers of two
  for (int step = 1; step < 1000; step *= 2) early.add(step, 0.05 * step, 1e-12 * std::pow(step, 4));
  EXPECT_FALSE(early.growth().has_value());
  EXPECT_FALSE(none.growth().has_value());
  EXPECT_TRUE(none.logarithms().empty());
  EXPECT_FALSE(small.growth().has_value());
  EXPECT_FALSE(power.growth().has_value());
}

TEST(PreparedRaces, BeginUnlessTheyNeedAGpu) {
  const std::unique_ptr<Backend> cpu = Backend::make_cpu();
  EXPECT_FALSE(prepared_races().empty());
  for (const PreparedRace& race : prepared_races()) {
    const auto needs_gpu = [](const Lane& lane) { return lane.backend == "cuda"; };
    const bool skip = std::any_of(race.scene.lanes.begin(), race.scene.lanes.end(), needs_gpu);
    if (skip && !cuda_status().usable) continue;
    Scene scene = race.scene;
    // The width of fibers is their number.
    scene.setup.width = std::min(scene.setup.width, scene.setup.simulation == "fibers" ? 20 : 64);
    scene.setup.height = std::min(scene.setup.height, 64);
    Experiment experiment(*cpu, scene);
    experiment.advance(2);
    EXPECT_EQ(experiment.simulation().steps(), 2) << race.id;
    EXPECT_EQ(find_race(race.id), &race);
  }
  EXPECT_EQ(find_race("nothing"), nullptr);
}

TEST(PreparedRaces, FileErrorsNameTheLine) {
  const auto error = [](const char* text) { return error_of([&] { parse_race(text, "mine.toml"); }); };
  EXPECT_NE(error("title = \"x\"").find("names no scene"), std::string::npos);
  EXPECT_NE(error("scene = \"wave/rain\"").find("no lanes"), std::string::npos);
  EXPECT_NE(error("scene = \"wave/rain\"\n[[lane]]\n").find("at least two"), std::string::npos);
  EXPECT_NE(error("scene = \"wave/rain\"\nby = \"clock\"\n[[lane]]\n[[lane]]\n").find("mine.toml:2"),
            std::string::npos);
  EXPECT_TRUE(parse_race("scene = \"wave/rain\"\nby = \"time\"\n[[lane]]\n[[lane]]\n", "mine.toml").race_by_time);
  EXPECT_NE(error("scene = \"wave/rain\"\n[[lane]]\nkernel = \"fusd\"\n[[lane]]").find("mine.toml:3"),
            std::string::npos)
      << error("scene = \"wave/rain\"\n[[lane]]\nkernel = \"fusd\"\n[[lane]]");
}

class RaceCommand : public ScratchFolder {};

TEST_F(RaceCommand, PrintsTimesAndDifferencesAsJson) {
  const Outcome outcome =
      run("race wave/droplet --backend cpu --size 64 --lane kernel=fused --lane kernel=temporal --lane damping=1 "
          "--steps 64 "
          "--headless --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["scene"], "wave/droplet");
  EXPECT_EQ(json["steps"], 64);
  ASSERT_EQ(json["lanes"].size(), 3u);
  for (const Json& lane : json["lanes"]) {
    EXPECT_GT(lane["seconds_per_step"].get<double>(), 0);
    EXPECT_EQ(lane["backend"], "cpu");
  }
  EXPECT_EQ(json["lanes"][1]["lane"], "kernel=temporal");
  EXPECT_EQ(json["lanes"][1]["largest_difference"], 0);
  EXPECT_GT(json["lanes"][2]["largest_difference"].get<double>(), 0);
  EXPECT_TRUE(json["lanes"][1]["lyapunov_exponent"].is_null());
}

TEST_F(RaceCommand, PrintsTheStepsOfARaceByTime) {
  const std::string race =
      "race wave/droplet --backend cpu --size 64 --lane kernel=fused --lane kernel=temporal "
      "--by time --steps 64 --headless ";
  const Outcome outcome = run(race + "--json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["by"], "time");
  EXPECT_EQ(json["lanes"][0]["steps"], 64);
  EXPECT_GT(json["lanes"][1]["steps"].get<int>(), 0);
  EXPECT_TRUE(json["lanes"][1]["largest_difference"].is_null());
  const Outcome table = run(race);
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_EQ(table.out.find("largest difference"), std::string::npos) << table.out;
}

TEST_F(RaceCommand, JsonHasTheSizeOfASceneWithoutOne) {
  const Outcome outcome = run(
      "race particles/gas --lane nudge=0 --lane nudge=1 --set count=50 --set box=40 --json --steps 2 --backend cpu");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const SimulationInfo& info = find_simulation("particles");
  EXPECT_EQ(Json::parse(outcome.out).at("size"), Json::array({info.default_width, info.default_height}));
}

TEST_F(RaceCommand, ListsPreparedRaces) {
  const Outcome table = run("race --list");
  EXPECT_EQ(table.code, 0);
  const Outcome outcome = run("race --list --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json list = Json::parse(outcome.out);
  EXPECT_EQ(list.size(), prepared_races().size());
  for (const Json& race : list) {
    EXPECT_NE(table.out.find(race["id"].get<std::string>()), std::string::npos);
    EXPECT_GE(race["lanes"].size(), 2u);
    EXPECT_NE(race["possible"].get<bool>(), !race["reason"].get<std::string>().empty());
  }
}

TEST_F(RaceCommand, WrongLanesAreInputErrors) {
  for (const auto& [arguments, expected] :
       {std::pair{"race wave/rain --steps 1", "needs two to four lanes"},
        std::pair{"race wave/rain --lane kernel=fused --steps 1", "at least two"},
        std::pair{"wave/rain --lane kernel=fused --lane kernel=vectorised --backend cpu --steps 1", "lane 2"},
        std::pair{"race kernels-wave --by clock --steps 1", "--by"},
        std::pair{"wave/rain --by time --steps 1", "needs a race"},
        std::pair{"race wave/rain --lane speed=1 --lane nudge=0 --steps 1", "no key"},
        std::pair{"race nothing --lane nudge=0 --lane nudge=0 --steps 1", "nothing"}}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_NE(outcome.err.find(expected), std::string::npos) << arguments << ": " << outcome.err;
  }
}

}  // namespace
}  // namespace perturb
