// The simulation that newcomers copy works.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace perturb
