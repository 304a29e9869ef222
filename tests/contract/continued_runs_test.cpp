// A run that is saved, closed and resumed continues as if it had never stopped: after each kind of action and each
// change of a parameter at the step of saving, through both file formats.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "app/edited/edited_kernel.h"
#include "app/io/preset/presets.h"
#include "app/io/preset/scenes.h"
#include "app/io/state/portable_state.h"
#include "app/io/state/state_file.h"
#include "app/race/lane.h"
#include "app/race/race.h"
#include "app/run/experiment.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/object.h"
#include "tests/contract/small_scene.h"
#include "tests/support/reach.h"

namespace perturb {
namespace {

constexpr int steps_before = 3, steps_after = 50;
// A second change in between: it finds counters and histories that no field shows.
constexpr int steps_to_second = 20;

using Change = std::function<void(Experiment&)>;
struct NamedChange {
  std::string name;
  Change change;
};

// Each number has its default, or a place off the middle and a middle value.
double usual_value(const ValueInfo& field) {
  if (std::isfinite(field.initial)) return field.initial;
  const double share = field.id == "x" ? 0.4 : field.id == "y" ? 0.6 : 0.5;
  const double value = field.minimum + share * (field.maximum - field.minimum);
  return field.kind == ValueKind::real ? value : std::round(value);
}

Action usual_action(const ActionKind& kind, const std::vector<SceneObject>& objects) {
  Action action;
  action.kind = kind.id;
  // Of discs and fibers: few, so that steps stay quick.
  constexpr double max_added = 4;
  for (const ValueInfo& field : kind.fields) {
    const double value = usual_value(field);
    action.numbers[field.id] =
        field.kind == ValueKind::integer ? std::min(value, std::max(max_added, field.minimum)) : value;
  }
  if (kind.takes_image) action.image = std::make_shared<const GreyImage>(GreyImage{2, 2, {0, 1, 1, 0}});
  for (const SceneObject& object : objects) {
    if (kind.id != remove_object_kind && kind.id != change_kind_of(object.kind)) continue;
    action.numbers = {{object_field, object.id}};
    if (kind.id == remove_object_kind) return action;
    for (const ValueInfo& field : kind.fields)
      if (const auto now = object.numbers.find(field.id); now != object.numbers.end() && field.kind == ValueKind::real)
        action.numbers[field.id] = std::clamp(0.9 * now->second, field.minimum, field.maximum);
    return action;
  }
  return action;
}

// Every action of the simulation, and every parameter that may change while it runs, to another value.
std::vector<NamedChange> changes_of(const SimulationInfo& info) {
  std::vector<NamedChange> all = {{"nothing", [](Experiment&) {}}};
  for (const ActionKind& kind : info.actions)
    all.push_back({kind.id, [&kind](Experiment& run) { run.perform(usual_action(kind, run.simulation().objects())); }});
  for (const Parameter& parameter : info.parameters)
    if (parameter.apply == Apply::live)
      all.push_back({parameter.id, [&parameter](Experiment& run) {
                       const double now = run.simulation().parameters().get(parameter);
                       const bool is_real = parameter.kind == ValueKind::real;
                       double value = is_real ? 0.9 * now : now + 1;
                       if (value > parameter.maximum) value = parameter.minimum;
                       if (now == 0 && is_real)
                         value = parameter.minimum + 0.1 * (parameter.maximum - parameter.minimum);
                       run.set_parameter(parameter.id, std::clamp(value, parameter.minimum, parameter.maximum));
                     }});
  return all;
}

// False: it is not possible in this run.
bool apply(const NamedChange& change, Experiment& run) {
  try {
    change.change(run);
    return true;
  } catch (const Error&) {
    return false;
  }
}

void expect_same_run(const Experiment& a, const Experiment& b) {
  const State first = a.simulation().save(), second = b.simulation().save();
  EXPECT_EQ(first.steps, second.steps);
  EXPECT_EQ(first.time, second.time);
  EXPECT_EQ(first.parameters, second.parameters);
  EXPECT_EQ(first.datasets.size(), second.datasets.size());
  for (const auto& [name, data] : first.datasets)
    EXPECT_TRUE(second.has(name) && data.bytes == second.datasets.at(name).bytes) << name;
}

void advance(Experiment& run, const NamedChange& change) {
  run.advance(steps_to_second);
  apply(change, run);
  run.advance(steps_after - steps_to_second);
}

std::vector<std::string> continued_scenes() {
  std::vector<std::string> all;
  for (const SimulationInfo* info : catalog())
    for (const std::string& preset : preset_ids(info->id)) all.push_back(info->id + "/" + preset);
  return all;
}

// At small reach: a scene of each simulation.
bool is_in_reach(const std::string& scene) {
  const std::vector<std::string> part = {"wave/double-slit", "lbm/cylinder", "particles/piston", "fibers/lone",
                                         "membrane/chladni"};
  return reach(true, false) || std::find(part.begin(), part.end(), scene) != part.end();
}

class ContinuedRun : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!is_in_reach(GetParam())) GTEST_SKIP() << "small reach: one scene of each simulation";
    folder_ = std::filesystem::temp_directory_path() / ("perturb_continued_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override {
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }
  Scene scene() const {
    const std::size_t slash = GetParam().find('/');
    const std::string simulation = GetParam().substr(0, slash), preset = GetParam().substr(slash + 1);
    Scene small = small_scene(simulation, preset, simulation == "fibers" ? 4 : 24, 60);
    for (const auto& [id, most] : {std::pair{"level", 2.0}, {"tracers", 20.0}})
      if (const auto found = small.setup.parameters.find(id); found != small.setup.parameters.end())
        found->second = std::min(found->second, most);
    return small;
  }
  // Whether the k-th change is made in this scene. Steps of a membrane take long: each of its parameters is changed in
  // every third scene, each action in all.
  bool is_taken(std::size_t k) const {
    if (has_small_reach()) return k % 5 == 0;
    const SimulationInfo& info = find_simulation(GetParam().substr(0, GetParam().find('/')));
    const std::vector<std::string> scenes = continued_scenes();
    const auto place = std::find(scenes.begin(), scenes.end(), GetParam()) - scenes.begin();
    return info.id != "membrane" || k <= info.actions.size() || (k + static_cast<std::size_t>(place)) % 3 == 0;
  }
  // The state after it has been written and read, now and then by way of a file.
  State through_file(const State& state, std::size_t turn) const {
    if (turn % 8 != 0) return read_portable_state(portable_bytes_of(state));
    const std::string path = (folder_ / "state.perturb").string();
    save_state(state, path);
    return load_state(path);
  }

  std::filesystem::path folder_;
};
INSTANTIATE_TEST_SUITE_P(All, ContinuedRun, testing::ValuesIn(continued_scenes()), [](const auto& one) {
  std::string name = one.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

TEST_P(ContinuedRun, IsTheOneThatNeverStoppedAfterAnyChange) {
  const auto backend = Backend::make_cpu(2);
  const Scene begun = scene();
  const std::vector<NamedChange> changes = changes_of(find_simulation(begun.setup.simulation));
  std::size_t turn = 0, taken = 0;
  for (std::size_t k = 0; k < changes.size(); ++k) {
    if (!is_taken(k)) continue;
    ++taken;
    const NamedChange& change = changes[k];
    SCOPED_TRACE(change.name);
    Experiment never_stopped(*backend, begun);
    never_stopped.advance(steps_before);
    if (!apply(change, never_stopped)) continue;
    Experiment saved(*backend, begun);
    saved.advance(steps_before);
    apply(change, saved);
    try {
      const State state = through_file(saved.simulation().save(), turn++);
      Experiment resumed(*backend, scene_of(state), state);
      advance(never_stopped, change);
      advance(saved, change);
      advance(resumed, change);
      expect_same_run(never_stopped, saved);
      expect_same_run(never_stopped, resumed);
      EXPECT_EQ(never_stopped.stop_reason().english(), resumed.stop_reason().english());
    } catch (const InputError& error) {
      ADD_FAILURE() << "refused: " << error.what();
    }
  }
  EXPECT_GT(turn, taken / 4);
}

// ---- the same with a kernel that the user edited, and in a race

// A cell function of the scene that differs from the built-in one by one statement at its beginning.
std::string edited_kernel_of(const Scene& scene) {
  const auto backend = Backend::make_cpu(1);
  const Experiment run(*backend, scene);
  std::string text(dynamic_cast<const EditableCell&>(run.simulation()).kernel_source().built_in_text());
  const bool is_wave = scene.setup.simulation == "wave";
  const std::string function =
      is_wave ? "Real wave_advance(Real u, Real u_previous, Real laplacian, Real courant2, Real inertia) {"
              : "float lbm_collide_freely(float (&g)[lbm_links], const Rates& rates) {";
  const std::size_t at = text.find(function);
  EXPECT_NE(at, std::string::npos);
  text.insert(at + function.size(), is_wave ? "\n  u = Real(0.99) * u;" : "\n  g[0] *= 0.99f;");
  accept_edited_text(text);
  return edited_kernel_id(text);
}

// Those whose simulation is in the catalog: the template's tests have another one.
std::vector<std::string> present(std::vector<std::string> paths) {
  std::erase_if(paths, [](const std::string& path) {
    return std::none_of(catalog().begin(), catalog().end(),
                        [&](const SimulationInfo* info) { return path.starts_with(info->id + "/"); });
  });
  return paths;
}

class ContinuedEditedRun : public ContinuedRun {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ContinuedEditedRun);
INSTANTIATE_TEST_SUITE_P(All, ContinuedEditedRun, testing::ValuesIn(present({"wave/double-slit", "lbm/cylinder"})),
                         [](const auto& one) { return one.param.substr(0, one.param.find('/')); });

TEST_P(ContinuedEditedRun, IsTheOneThatNeverStoppedAfterAnyChange) {
  if (has_small_reach() && GetParam() != "wave/double-slit") GTEST_SKIP() << "small reach: one compilation";
  const auto backend = Backend::make_cpu(2);
  const Scene begun = scene();
  const std::string kernel = edited_kernel_of(begun);
  const std::vector<NamedChange> changes = changes_of(find_simulation(begun.setup.simulation));
  std::size_t turn = 0;
  for (std::size_t k = 0; k < changes.size(); k += reach<std::size_t>(1, 6)) {
    const NamedChange& change = changes[k];
    SCOPED_TRACE(change.name);
    Experiment never_stopped(*backend, begun);
    never_stopped.choose_kernel(kernel);
    never_stopped.advance(steps_before);
    if (!apply(change, never_stopped)) continue;
    const State state = through_file(never_stopped.simulation().save(), turn++);
    Experiment resumed(*backend, scene_of(state), state);
    advance(never_stopped, change);
    advance(resumed, change);
    for (Experiment* run : {&never_stopped, &resumed}) {
      EXPECT_EQ(run->edited_kernel_failure().english(), "");
      EXPECT_EQ(run->kernel(), kernel);
    }
    expect_same_run(never_stopped, resumed);
  }
  EXPECT_GT(turn, 0U);
}

class ContinuedRace : public ContinuedRun {
 protected:
  // Three lanes of the same kind, of which the file has the first: after loading, all are equal to it.
  static Scene with_lanes(Scene scene) {
    scene.lanes.assign(3, parse_lane("nudge=0", find_simulation(scene.setup.simulation)));
    return scene;
  }
  static void expect_equal_lanes(Experiment& run) {
    const auto& lanes = dynamic_cast<Race&>(run.simulation()).results();
    ASSERT_EQ(lanes.size(), 3U);
    for (const Race::LaneResult& lane : lanes) EXPECT_EQ(lane.largest_difference, 0);
  }
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ContinuedRace);
INSTANTIATE_TEST_SUITE_P(All, ContinuedRace,
                         testing::ValuesIn(present({"wave/double-slit", "lbm/cylinder", "particles/piston",
                                                    "fibers/lone", "membrane/chladni"})),
                         [](const auto& one) { return one.param.substr(0, one.param.find('/')); });

TEST_P(ContinuedRace, IsTheOneThatNeverStoppedAfterAnyChange) {
  const auto backend = Backend::make_cpu(2);
  const Scene begun = with_lanes(scene());
  const std::vector<NamedChange> changes = changes_of(find_simulation(begun.setup.simulation));
  std::size_t turn = 0;
  for (std::size_t k = 0; k < changes.size(); k += reach<std::size_t>(1, 8)) {
    const NamedChange& change = changes[k];
    SCOPED_TRACE(change.name);
    Experiment never_stopped(*backend, begun);
    never_stopped.advance(steps_before);
    if (!apply(change, never_stopped)) continue;
    const State state = through_file(never_stopped.simulation().save(), turn++);
    Experiment resumed(*backend, with_lanes(scene_of(state)), state);
    advance(never_stopped, change);
    advance(resumed, change);
    expect_same_run(never_stopped, resumed);
    expect_equal_lanes(never_stopped);
    expect_equal_lanes(resumed);
  }
  EXPECT_GT(turn, 0U);
}

}  // namespace
}  // namespace perturb
