// The load is an object: it is moved, tuned and removed while the membrane oscillates.
#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/object.h"
#include "cuda/membrane/membrane.h"
#include "tests/support/backends.h"

namespace perturb::membrane {
namespace {

class MembraneObjects : public OnEachBackend {
 protected:
  std::unique_ptr<Simulation> loaded(const std::map<std::string, double>& more = {}) {
    perturb::Setup setup;
    setup.simulation = "membrane";
    setup.width = setup.height = 32;
    setup.parameters = {{"level", 2}, {"degree", 3}, {"source_x", 0.4}, {"source_width", 0.2}};
    for (const auto& [id, value] : more) setup.parameters[id] = value;
    return create(backend(), setup);
  }
};
PERTURB_ON_EACH_BACKEND(MembraneObjects);

double height_of(Simulation& membrane, double x, double y) {
  membrane.step(1);
  ViewSettings view;
  view.quantity = "displacement";
  return membrane.number_at(x, y, view).value();
}

TEST_P(MembraneObjects, ChangedLoadIsThatOfItsParameters) {
  const auto membrane = loaded();
  ASSERT_EQ(membrane->objects().size(), 1U);
  const SceneObject load = membrane->objects()[0];
  EXPECT_EQ(load.numbers, (std::map<std::string, double>{{"x", 0.4}, {"y", 0.5}, {"strength", 1}, {"width", 0.2}}));
  height_of(*membrane, 0.5, 0.5);
  const auto drag = [&](std::size_t handle, double dx, double dy) {
    const SceneObject now = membrane->objects()[0];
    membrane->apply(dragged(now, now.handles[handle], dx, dy, 1, 1, membrane->info().actions));
  };
  drag(0, 0.2, -0.1);
  drag(1, 0.05, 0.3);
  membrane->apply(changed(load, "strength", -3));
  const auto other = loaded({{"source_x", 0.6}, {"source_y", 0.4}, {"source_width", 0.25}, {"source_strength", -3}});
  EXPECT_NEAR(height_of(*membrane, 0.55, 0.45) / height_of(*other, 0.55, 0.45), 1, 1e-6);
  // The action that places the load keeps its width.
  membrane->apply(Action{"source", {{"x", 0.3}, {"y", 0.3}}, "", nullptr});
  EXPECT_EQ(membrane->objects()[0].numbers.at("width"), 0.25);
}

TEST_P(MembraneObjects, RemovedLoadLeavesTheMembraneFlat) {
  const auto membrane = loaded();
  EXPECT_GT(height_of(*membrane, 0.4, 0.5), 0);
  membrane->apply(removed(membrane->objects()[0]));
  EXPECT_TRUE(membrane->objects().empty());
  EXPECT_NEAR(height_of(*membrane, 0.4, 0.5), 0, 1e-12);
  EXPECT_THROW(membrane->apply(Action{"change-source", {{"object", 1}, {"x", 0.5}}, "", nullptr}), InputError);
  membrane->apply(Action{"source", {{"x", 0.4}, {"y", 0.5}, {"strength", 1}}, "", nullptr});
  EXPECT_EQ(membrane->objects().size(), 1U);
}

TEST_P(MembraneObjects, MembranesWithoutABumpHaveNone) {
  EXPECT_TRUE(loaded({{"load", 1}})->objects().empty());
  EXPECT_TRUE(loaded({{"motion", 2}})->objects().empty());
}

}  // namespace
}  // namespace perturb::membrane
