// Objects of every simulation: their numbers are those of their kind, and changes of them are undone, replayed, saved,
// copied and kept by a restart.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/run/experiment.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/object.h"
#include "tests/support/sanitized.h"

namespace perturb {
namespace {

constexpr int steps_between = 6;

bool creates_objects(const SimulationInfo& info) {
  return std::any_of(info.actions.begin(), info.actions.end(),
                     [](const ActionKind& kind) { return kind.creates_object; });
}
bool has_kinds_of_objects() {
  return std::any_of(catalog().begin(), catalog().end(),
                     [](const SimulationInfo* info) { return creates_objects(*info); });
}

// The presets that open with objects, on a small domain.
// At small reach those that show an object of a kind that none before has.
std::vector<Scene> scenes_with_objects() {
  const auto backend = Backend::make_cpu(1);
  std::vector<Scene> scenes;
  std::set<std::string> seen;
  for (const SimulationInfo* info : catalog()) {
    if (!creates_objects(*info)) continue;
    for (const std::string& preset : preset_ids(info->id)) {
      Scene scene = load_scene(info->id + "/" + preset);
      if (scene.setup.height != 1) {
        scene.setup.width = std::min(scene.setup.width, 96);
        scene.setup.height = std::min(scene.setup.height, 64);
      }
      for (const auto& [id, most] : {std::pair{"level", 2.0}, {"count", 200.0}})
        if (const auto found = scene.setup.parameters.find(id); found != scene.setup.parameters.end())
          found->second = std::min(found->second, most);
      try {
        bool shows_another = false;
        for (const SceneObject& object : Experiment(*backend, scene).simulation().objects())
          shows_another = seen.insert(info->id + "/" + object.kind).second || !has_small_reach() || shows_another;
        if (shows_another) scenes.push_back(scene);
      } catch (const InputError&) {  // other values do not allow this size
      }
    }
  }
  return scenes;
}

// Changes of one number each that the run accepts; positions of moving objects would change by themselves.
std::vector<Action> possible_changes(Experiment& run) {
  std::vector<Action> changes;
  for (const SceneObject& object : run.simulation().objects())
    for (const ValueInfo& field : find_kind(run.info().actions, change_kind_of(object.kind))->fields) {
      if (field.id == object_field) continue;
      const double now = object.numbers.at(field.id);
      const double value = field.kind == ValueKind::real ? std::clamp(0.9 * now, field.minimum, field.maximum) : now;
      if (value == now) continue;
      try {
        run.perform(changed(object, field.id, value));
        run.undo();
        changes.push_back(changed(object, field.id, value));
      } catch (const InputError&) {
      }
    }
  EXPECT_FALSE(changes.empty());
  return changes;
}

// As an undo restores a copy: live parameters first, since a sweep changes one at each step.
void restore(Simulation& simulation, const StateCopy& copy, const std::map<std::string, double>& values) {
  for (const auto& [id, value] : values_of(simulation))
    if (values.at(id) != value) simulation.set_parameter(id, values.at(id));
  simulation.restore(copy);
}

void expect_same_data(const State& a, const State& b) {
  EXPECT_EQ(a.steps, b.steps);
  ASSERT_EQ(a.datasets.size(), b.datasets.size());
  for (const auto& [name, data] : a.datasets)
    EXPECT_TRUE(b.has(name) && data.bytes == b.datasets.at(name).bytes) << name;
}

TEST(Objects, NumbersAreThoseOfTheirKind) {
  const auto backend = Backend::make_cpu(1);
  const std::vector<Scene> scenes = scenes_with_objects();
  if (!has_kinds_of_objects()) GTEST_SKIP() << "no simulation has objects";
  EXPECT_FALSE(scenes.empty());
  for (const Scene& scene : scenes) {
    SCOPED_TRACE(scene.setup.simulation + "/" + scene.setup.preset);
    Experiment run(*backend, scene);
    run.advance(steps_between);
    int last = 0;
    for (const SceneObject& object : run.simulation().objects()) {
      EXPECT_GT(object.id, last);
      last = object.id;
      const ActionKind* kind = find_kind(run.info().actions, object.kind);
      ASSERT_TRUE(kind && kind->creates_object) << object.kind;
      const ActionKind* change = find_kind(run.info().actions, change_kind_of(object.kind));
      ASSERT_TRUE(change && change->changes_object) << object.kind;
      EXPECT_EQ(object.numbers.size(), change->fields.size() - 1);
      for (const ValueInfo& field : change->fields) {
        if (field.id == object_field) continue;
        ASSERT_TRUE(object.numbers.contains(field.id)) << field.id;
        EXPECT_NO_THROW(field.check(object.numbers.at(field.id))) << field.id;
      }
      ASSERT_FALSE(object.handles.empty());
      for (const ObjectHandle& handle : object.handles) {
        EXPECT_FALSE(handle.effects.empty() && handle.angle.empty()) << handle.label;
        for (const ObjectHandle::Effect& effect : handle.effects)
          EXPECT_TRUE(object.numbers.contains(effect.number)) << effect.number;
        // A drag that leads nowhere changes nothing.
        const Action action = dragged(object, handle, 0, 0, run.simulation().domain_width(),
                                      run.simulation().domain_height(), run.info().actions);
        run.perform(action);
        EXPECT_EQ(*find_object(run.simulation().objects(), object.id), object) << handle.label;
      }
    }
  }
}

TEST(Objects, ChangesAreUndoneReplayedSavedAndCopied) {
  SKIP_UNDER_SANITIZERS("the tests of each simulation change its objects");
  const auto backend = Backend::make_cpu(1);
  for (const Scene& scene : scenes_with_objects()) {
    SCOPED_TRACE(scene.setup.simulation + "/" + scene.setup.preset);
    Experiment run(*backend, scene);
    run.advance(steps_between);
    for (const Action& change : possible_changes(run)) {
      SCOPED_TRACE(change.kind + " " + std::to_string(change.numbers.size()));
      const State before = run.simulation().save();
      const std::vector<SceneObject> objects_before = run.simulation().objects();
      run.perform(change);
      const std::vector<SceneObject> objects = run.simulation().objects();
      const State at_change = run.simulation().save();
      const auto copy = run.simulation().copy_state();
      const std::map<std::string, double> values = values_of(run.simulation());
      run.advance(steps_between);
      const State after = run.simulation().save();

      restore(run.simulation(), *copy, values);
      EXPECT_EQ(run.simulation().objects(), objects);
      run.simulation().step(steps_between);
      expect_same_data(run.simulation().save(), after);

      run.undo();
      expect_same_data(run.simulation().save(), before);
      EXPECT_EQ(run.simulation().objects(), objects_before);
      run.redo();
      run.advance(before.steps + steps_between - run.simulation().steps());
      expect_same_data(run.simulation().save(), after);

      Experiment loaded(*backend, scene_of(at_change), at_change);
      EXPECT_EQ(loaded.simulation().objects(), objects);
      loaded.advance(steps_between);
      expect_same_data(loaded.simulation().save(), after);
      run.undo();
    }
  }
}

TEST(Objects, RestartThatKeepsChangesKeepsThoseOfObjects) {
  SKIP_UNDER_SANITIZERS("the tests of each simulation change its objects");
  if (!has_kinds_of_objects()) GTEST_SKIP() << "no simulation has objects";
  const auto backend = Backend::make_cpu(1);
  int removals = 0;
  for (const Scene& scene : scenes_with_objects()) {
    SCOPED_TRACE(scene.setup.simulation + "/" + scene.setup.preset);
    Experiment run(*backend, scene);
    run.advance(steps_between);
    for (const Action& change : possible_changes(run)) {
      run.perform(change);
      run.advance(steps_between);
      run.restart_keeping();
      EXPECT_EQ(run.simulation().steps(), 0);
      EXPECT_TRUE(run.take_warning().empty());
      const std::vector<SceneObject> objects = run.simulation().objects();
      const SceneObject& object = object_of(change, objects);
      for (const auto& [number, value] : change.numbers) {
        if (number == object_field) continue;
        EXPECT_EQ(object.numbers.at(number), value) << change.kind << " " << number;
      }
      run.undo();
      run.undo();
    }
    // A removed object stays removed; one that cannot be removed stays as it is, and the panel offers no button for it.
    const std::vector<SceneObject> objects = run.simulation().objects();
    const State before = run.simulation().save();
    try {
      run.perform(removed(objects.front()));
      EXPECT_FALSE(objects.front().is_permanent);
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("cannot be removed"), std::string::npos) << error.what();
      EXPECT_TRUE(objects.front().is_permanent);
      EXPECT_EQ(run.simulation().objects(), objects);
      expect_same_data(run.simulation().save(), before);
      continue;
    }
    ++removals;
    run.restart_keeping();
    EXPECT_EQ(find_object(run.simulation().objects(), objects.front().id), nullptr);
  }
  EXPECT_GT(removals, 0);
}

}  // namespace
}  // namespace perturb
