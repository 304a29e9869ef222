// Numbers, histories and readings depend on the steps of the run, not on how often they are read.
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/files/csv.h"
#include "app/io/preset/presets.h"
#include "app/io/preset/races.h"
#include "app/run/experiment.h"
#include "app/session/session.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/columns.h"
#include "tests/support/files_scratch.h"
#include "tests/support/reach.h"
#include "tests/support/small_run.h"

namespace perturb {
namespace {

class NumbersInASession : public ScratchFolder {};

// Each divides the steps of a run.
const std::vector<std::int64_t>& paces() {
  static const std::vector<std::int64_t> all = reach<std::vector<std::int64_t>>({6, 60, 210, 420}, {1, 10, 35, 70});
  return all;
}

// Small enough that a run lasts milliseconds, and with a kernel that no measurement chooses.
Scene quick_scene(const std::string& name) {
  Scene scene = small_scene(name);
  if (scene.setup.simulation == "fibers") {
    scene.setup.width = std::min(scene.setup.width, 12);
    scene.setup.height = 1;
  }
  if (const auto count = scene.setup.parameters.find("count"); count != scene.setup.parameters.end())
    if (const auto box = scene.setup.parameters.find("box"); box != scene.setup.parameters.end()) {
      const double fewer = std::min(1., 200 / count->second);
      count->second *= fewer;
      box->second *= std::sqrt(fewer);
    }
  return scene;
}

std::vector<std::string> scene_names() {
  std::vector<std::string> names;
  for (const SimulationInfo* info : catalog())
    for (const std::string& id : preset_ids(info->id)) {
      names.push_back(info->id + "/" + id);
      if (has_small_reach()) break;
    }
  return names;
}

// The numbers and the curves as text, without times of the machine.
std::string text_of(const Diagnostics& d) {
  Diagnostics kept = d;
  std::erase_if(kept.scalars,
                [](const Scalar& scalar) { return scalar.id.starts_with("lane_") && scalar.id.ends_with("_step"); });
  std::string text;
  for (const Scalar& scalar : kept.scalars)
    text += scalar.id + " " + (has_value(scalar.value) ? std::to_string(scalar.value) : "-") + "\n";
  for (const Message& remark : kept.remarks) text += remark.english() + "\n";
  return text + curves_as_csv(kept.curves);
}

std::string numbers_at_pace(Experiment& run, std::int64_t pace, std::int64_t steps) {
  Diagnostics last = run.simulation().diagnostics(run.scene().view, true);
  for (std::int64_t taken = 0; taken < steps; taken += pace) {
    run.advance(pace);
    last = run.simulation().diagnostics(run.scene().view, true);
  }
  return text_of(last);
}

TEST(Numbers, AreTheSameAtEveryPaceOfLooking) {
  const auto backend = Backend::make_cpu(2);
  for (const std::string& name : scene_names()) {
    SCOPED_TRACE(name);
    // A step of these takes as long as hundreds of another scene.
    const std::int64_t shorter =
        name.starts_with("fibers") || name.starts_with("membrane") ? reach<std::int64_t>(21, 5) : 1;
    std::string expected;
    for (const std::int64_t pace : paces()) {
      Experiment run(*backend, quick_scene(name));
      const std::string found =
          numbers_at_pace(run, std::max<std::int64_t>(1, pace / shorter), paces().back() / shorter);
      if (expected.empty()) expected = found;
      ASSERT_EQ(found, expected) << pace << " steps per look";
    }
  }
}

TEST(Numbers, AreTheSameInARaceAtEveryPollingRate) {
  const auto backend = Backend::make_cpu(2);
  const PreparedRace* race = find_race("particles/one-rounding-apart");
  for (const PreparedRace& one : prepared_races())
    if (!race && one.scene.setup.simulation == "particles" && one.scene.lanes.back().nudged) race = &one;
  ASSERT_NE(race, nullptr);
  std::string expected;
  for (const std::int64_t pace : {1, 4, 40, 120}) {
    Scene scene = race->scene;
    scene.setup.parameters["count"] = 300;
    scene.setup.parameters["box"] = 64;
    Experiment run(*backend, scene);
    const std::string found = numbers_at_pace(run, pace, 120);
    if (expected.empty()) expected = found;
    EXPECT_EQ(found, expected) << pace;
    EXPECT_NE(found.find("lyapunov"), std::string::npos);
    EXPECT_EQ(found.find("lyapunov -"), std::string::npos) << found;
  }
}

// The beat of a wake, counted at paces at which looks would find another one or none.
TEST(Numbers, StrouhalNumberIsThatOfTheFlowAtEveryPace) {
  SKIP_AT_SMALL_REACH("needs tens of thousands of steps; shorter tests run the same code");
  const auto backend = Backend::make_cpu(2);
  double first = 0;
  for (const std::int64_t pace : {700, 1000}) {
    Scene scene = load_scene("lbm/cylinder");
    scene.setup.width = 200;
    scene.setup.height = 80;
    scene.setup.parameters["reynolds"] = 100;
    Experiment run(*backend, scene);
    double found = no_value;
    for (std::int64_t taken = 0; taken < 21000; taken += pace) {
      run.advance(pace);
      for (const Scalar& scalar : run.simulation().diagnostics({}, true).scalars)
        if (scalar.id == "strouhal") found = scalar.value;
    }
    ASSERT_TRUE(has_value(found)) << pace;
    if (first == 0) first = found;
    EXPECT_NEAR(found, first, 1e-3 * first);
  }
}

// A session that shows a frame after each `pace` steps.
struct Shown {
  std::vector<CurvePoint> probe;
  double peak = 0, uncertainty = 0;
  std::string histories;
};
Shown shown_by(Session& session) {
  session.readings().read_all();
  Shown shown;
  const int id = session.instruments().all().front().id;
  if (const Series* series = session.instruments().series(id)) shown.probe = series->kept();
  if (const Spectrum* spectrum = session.instruments().spectrum(id)) {
    shown.peak = spectrum->peak;
    shown.uncertainty = spectrum->uncertainty;
  }
  shown.histories = curves_as_csv(session.measurements().curves_over_time());
  return shown;
}
Shown shown_at_pace(const std::string& name, int pace, std::int64_t steps) {
  const auto backend = Backend::make_cpu(2);
  Experiment experiment(*backend, quick_scene(name));
  Session session(experiment, 0);
  session.instrument_controller().add(parse_instrument("probe 0.3 0.4"));
  while (session.run().steps < steps) {
    session.pace().forget();
    session.pace().set_requested(pace);
    session.advance();
    session.observe(true);
    session.end_frame(1. / 60, 0.001);
  }
  return shown_by(session);
}

TEST(Numbers, ReadingsOfAProbeAreTheSameAtEveryPace) {
  const std::vector<std::string> names = reach<std::vector<std::string>>(
      {"wave/double-slit", "wave/droplet", "lbm/cylinder", "particles/gas", "membrane/struck"}, {"wave/droplet"});
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const std::int64_t steps = reach<std::int64_t>(700, 140);
    const Shown direct = shown_at_pace(name, 1, steps);
    EXPECT_GT(direct.probe.size(), 5U);
    for (std::size_t k = 2; k < direct.probe.size(); ++k)
      ASSERT_NEAR(direct.probe[k].x - direct.probe[k - 1].x, direct.probe[1].x - direct.probe[0].x,
                  1e-6 * direct.probe[k].x);
    for (const std::int64_t share : {7, 2, 1}) {
      const int pace = static_cast<int>(steps / share);
      const Shown other = shown_at_pace(name, pace, steps);
      ASSERT_EQ(other.probe.size(), direct.probe.size()) << pace;
      for (std::size_t k = 0; k < direct.probe.size(); ++k) {
        ASSERT_EQ(other.probe[k].x, direct.probe[k].x);
        ASSERT_TRUE(other.probe[k].y == direct.probe[k].y ||
                    (std::isnan(other.probe[k].y) && std::isnan(direct.probe[k].y)));
      }
      EXPECT_EQ(other.peak, direct.peak) << pace;
      EXPECT_EQ(other.uncertainty, direct.uncertainty) << pace;
      EXPECT_EQ(other.histories, direct.histories) << pace;
    }
  }
}

// What a session shows after `frames` frames, and the numbers of its run. With a scene `before`, it shows that one
// first, at another pace.
std::pair<Shown, std::string> shown_in_a_session(const std::string& path, const std::string& before, int pace,
                                                 int frames) {
  const auto backend = Backend::make_cpu(2);
  Experiment experiment(*backend, before.empty() ? load_scene(path) : quick_scene(before));
  Session session(experiment, 0);
  const auto take = [&](int steps_per_frame, int count) {
    session.instrument_controller().add(parse_instrument("probe 0.3 0.4"));
    for (int k = 0; k < count; ++k) {
      session.pace().forget();
      session.pace().set_requested(steps_per_frame);
      session.advance();
      session.observe(true);
      session.end_frame(1. / 60, 0.001);
    }
  };
  if (!before.empty()) {
    take(7 * pace, 3);
    session.execute(OpenFile{path});
    EXPECT_EQ(session.run().steps, 0);
    EXPECT_TRUE(session.instruments().all().empty());
    session.playback().set_playing(true);
  }
  take(pace, frames);
  EXPECT_EQ(experiment.simulation().steps(), std::int64_t{pace} * frames);
  return {shown_by(session), text_of(experiment.simulation().diagnostics(experiment.shown().view, true))};
}

// The pace, the histories and the probe of another scene leave nothing behind.
TEST_F(NumbersInASession, AreTheSameAfterAnotherScene) {
  for (const std::string& name : scene_names()) {
    SCOPED_TRACE(name);
    const std::string file = save_preset(quick_scene(name), path(""));
    const bool is_slow = name.starts_with("fibers") || name.starts_with("membrane");
    const int pace = is_slow ? 1 : 5, frames = reach(12, 4);
    const auto [direct, numbers] = shown_in_a_session(file, "", pace, frames);
    EXPECT_NE(numbers, "");
    for (const char* before : {"wave/double-slit", "lbm/cylinder"}) {
      SCOPED_TRACE(before);
      const auto [later, later_numbers] = shown_in_a_session(file, before, pace, frames);
      EXPECT_EQ(later_numbers, numbers);
      EXPECT_EQ(later.histories, direct.histories);
      EXPECT_TRUE(later.peak == direct.peak || (std::isnan(later.peak) && std::isnan(direct.peak)));
      ASSERT_EQ(later.probe.size(), direct.probe.size());
      for (std::size_t k = 0; k < direct.probe.size(); ++k) {
        ASSERT_EQ(later.probe[k].x, direct.probe[k].x);
        ASSERT_TRUE(later.probe[k].y == direct.probe[k].y ||
                    (std::isnan(later.probe[k].y) && std::isnan(direct.probe[k].y)));
      }
      if (has_small_reach()) break;
    }
  }
}

// Everything that a scene shows, now or after something has been added, has a column from the first row on.
TEST(Numbers, HaveAColumnInEveryScene) {
  const auto backend = Backend::make_cpu(2);
  for (const std::string& name : scene_names()) {
    SCOPED_TRACE(name);
    Experiment run(*backend, quick_scene(name));
    std::map<std::string, std::string> units;
    if (const auto* table = dynamic_cast<const HasColumns*>(&run.simulation())) {
      for (const Column& column : table->columns()) {
        EXPECT_FALSE(units.contains(column.id)) << column.id;
        units[column.id] = column.unit;
      }
    } else {  // the columns are what its first row shows
      for (const Scalar& scalar : run.simulation().diagnostics(run.scene().view, true).scalars)
        units[scalar.id] = scalar.unit;
    }
    const std::int64_t steps = name.starts_with("fibers") || name.starts_with("membrane") ? 3 : 60;
    for (int look = 0; look < 2; ++look) {
      for (const Scalar& scalar : run.simulation().diagnostics(run.scene().view, true).scalars) {
        ASSERT_TRUE(units.contains(scalar.id)) << scalar.id;
        EXPECT_EQ(units[scalar.id], scalar.unit) << scalar.id;
      }
      run.advance(steps);
    }
  }
}

}  // namespace
}  // namespace perturb
