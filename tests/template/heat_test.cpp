// The simulation that newcomers copy works.
#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "cuda/core/check.h"
#include "cuda/core/saved_field.h"
#include "cuda/core/simulation.h"
#include "tests/support/backends.h"

namespace perturb {

const SimulationInfo& heat_simulation();
const std::vector<SavedField>& heat_saved_fields();

namespace {

class Template : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(Template);

TEST_P(Template, AgreesWithTheory) {
  for (const TheoryCheck& check : heat_simulation().verify(backend(), false))
    EXPECT_TRUE(check.pass()) << check.name << ": expected " << check.expected << ", got " << check.got;
}

TEST_P(Template, ActsPaintsAndReports) {
  perturb::Setup setup;
  setup.simulation = "heat", setup.width = 40, setup.height = 30;
  const auto heat = heat_simulation().create(backend(), setup);
  heat->apply({"spot", {{"x", 0.5}, {"y", 0.5}}, "", nullptr});
  heat->step(10);
  const Diagnostics d = heat->diagnostics({}, true);
  EXPECT_TRUE(d.finite);
  EXPECT_EQ(d.step, 10);
  EXPECT_GT(d.maximum, 0.1);
  Field<std::uint32_t> picture(backend(), 20, 20, "picture");
  const ColorTable table(backend(), find_colormap("magma"));
  ViewSettings view;
  view.minimum = 0, view.maximum = 1;
  heat->paint(picture.view(), Camera{}, view, table);
  for (const std::uint32_t pixel : picture.download()) EXPECT_EQ(pixel >> 24, 255u);
}

TEST_P(Template, SavesWhatItsTableSays) {
  perturb::Setup setup;
  setup.simulation = "heat", setup.width = 40, setup.height = 30;
  const State state = heat_simulation().create(backend(), setup)->save();
  for (const auto& [name, data] : state.datasets)
    EXPECT_NO_THROW(require_expected(heat_saved_fields(), state, name, data.type, data.shape)) << name;
}

TEST_P(Template, RefusesAStateThatCannotBeAndStaysAsItWas) {
  perturb::Setup setup;
  setup.simulation = "heat", setup.width = 8, setup.height = 6;
  const auto heat = heat_simulation().create(backend(), setup);
  heat->apply({"spot", {{"x", 0.5}, {"y", 0.5}}, "", nullptr});
  const State good = heat->save();
  const auto refused = [&](auto&& spoil) {
    State state = good;
    spoil(state);
    EXPECT_THROW(heat->load(state), InputError);
    EXPECT_TRUE(heat->save().datasets.at("temperature").bytes == good.datasets.at("temperature").bytes);
  };
  refused([](State& s) { s.simulation = "wave"; });
  refused([](State& s) { s.steps = std::numeric_limits<std::int64_t>::max(); });
  refused([](State& s) { s.width = 9; });
  refused([](State& s) { s.put<float>("temperature", {6, 8}, "", std::vector<float>(48, std::nanf(""))); });
  heat->load(good);
  // Without a size it has its own, and says what that takes.
  setup.width = setup.height = 0;
  EXPECT_EQ(heat_simulation().create(backend(), setup)->save().width, heat_simulation().default_width);
  EXPECT_GT(heat_simulation().memory_needed(backend(), setup), 2u * 256 * 256 * sizeof(float) - 1);
}

}  // namespace
}  // namespace perturb
