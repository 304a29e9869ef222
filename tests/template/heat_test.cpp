// Tests beyond the contract tests (tests/contract): theory and input.
#include "cuda/_template/heat.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/edited/edited_kernel.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/edited_kernel.h"
#include "cuda/core/simulation/stability.h"
#include "tests/support/backends.h"

namespace perturb::heat {
namespace {

class Heat : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(Heat);

TEST_P(Heat, AgreesWithTheory) {
  for (const TheoryCheck& check : heat_simulation().verify(backend(), false))
    EXPECT_TRUE(check.pass()) << check.name << ": expected " << check.expected << ", got " << check.got;
}

TEST_P(Heat, ActsPaintsAndReports) {
  perturb::Setup setup;
  setup.simulation = "heat";
  setup.width = 40;
  setup.height = 30;
  const auto plate = heat_simulation().create(backend(), setup);
  plate->apply({"spot", {{"x", 0.5}, {"y", 0.5}}, "", nullptr});
  plate->step(10);
  const Diagnostics d = plate->diagnostics({}, true);
  EXPECT_TRUE(d.finite);
  EXPECT_EQ(d.step, 10);
  EXPECT_GT(d.maximum, 0.1);
  Field<std::uint32_t> picture(backend(), 20, 20, "picture");
  const ColorTable table(backend(), find_colormap("magma"));
  ViewSettings view;
  view.minimum = 0;
  view.maximum = 1;
  plate->paint(picture.view(), Camera{}, view, table);
  for (const std::uint32_t pixel : picture.download()) EXPECT_EQ(pixel >> 24, 255u);
}

TEST_P(Heat, SavesWhatItsTableSays) {
  perturb::Setup setup;
  setup.simulation = "heat";
  setup.width = 40;
  setup.height = 30;
  const State state = heat_simulation().create(backend(), setup)->save();
  for (const auto& [name, data] : state.datasets)
    EXPECT_NO_THROW(require_expected(heat_saved_fields(), state, name, data.type, data.shape)) << name;
}

TEST_P(Heat, RejectsInvalidStateUnchanged) {
  perturb::Setup setup;
  setup.simulation = "heat";
  setup.width = 8;
  setup.height = 6;
  const auto plate = heat_simulation().create(backend(), setup);
  plate->apply({"spot", {{"x", 0.5}, {"y", 0.5}}, "", nullptr});
  const State good = plate->save();
  const auto expect_rejected = [&](auto&& spoil) {
    State state = good;
    spoil(state);
    EXPECT_THROW(plate->load(state), InputError);
    EXPECT_TRUE(plate->save().datasets.at("temperature").bytes == good.datasets.at("temperature").bytes);
  };
  expect_rejected([](State& s) { s.simulation = "wave"; });
  expect_rejected([](State& s) { s.steps = std::numeric_limits<std::int64_t>::max(); });
  expect_rejected([](State& s) { s.width = 9; });
  expect_rejected([](State& s) { s.put<float>("temperature", {6, 8}, "", std::vector<float>(48, std::nanf(""))); });
  plate->load(good);
  // Without a size it has its own, and says what that takes.
  setup.width = setup.height = 0;
  EXPECT_EQ(heat_simulation().create(backend(), setup)->save().width, heat_simulation().default_width);
  const int side = heat_simulation().default_width;
  EXPECT_GE(heat_simulation().memory_needed(backend(), setup), 2u * side * side * sizeof(float));
  setup.width = 2;
  EXPECT_THROW(heat_simulation().create(backend(), setup), InputError);
}

TEST_P(Heat, ErrorStatesPlaceAndRemedyBeyondLimit) {
  perturb::Setup setup;
  setup.width = 40;
  setup.height = 30;
  setup.parameters = {{"diffusivity", 10}, {"time_step", 1}};
  setup.actions = {{"spot", {{"x", 0.5}, {"y", 0.5}}, "", nullptr}};
  const auto plate = heat_simulation().create(backend(), setup);
  EXPECT_EQ(plate->gauges().front().level(), Gauge::Level::exceeded);
  plate->step(60);
  const Diagnostics d = plate->diagnostics({}, true);
  EXPECT_FALSE(d.finite);
  for (const char* word : {"Temperature", "step 60", "column", "time step"})
    EXPECT_NE(d.error.english().find(word), std::string::npos) << d.error;
}

// Steps with a text in place of model/cell.h: `what` in it is replaced by `with`.
class EditedHeat : public Heat {
 protected:
  std::unique_ptr<Simulation> plate() {
    perturb::Setup setup;
    setup.width = 40;
    setup.height = 30;
    setup.actions = {{"spot", {{"x", 0.5}, {"y", 0.5}}, "", nullptr}};
    return heat_simulation().create(backend(), setup);
  }
  static void edit(Simulation& plate, const std::string& what, const std::string& with) {
    std::string text(dynamic_cast<const EditableCell&>(plate).kernel_source().built_in_text());
    ASSERT_NE(text.find(what), std::string::npos);
    text.replace(text.find(what), what.size(), with);
    accept_edited_text(text);
    select_kernel(plate, edited_kernel_id(text));
  }
  static std::vector<std::byte> field_of(const Simulation& plate) {
    return plate.save().datasets.at("temperature").bytes;
  }
  void expect_failure(const std::string& body, const std::string& words) {
    const auto edited = plate();
    edited->step(3);
    const std::vector<std::byte> before = field_of(*edited);
    edit(*edited, "return multiply_add(number", body + "return multiply_add(number");
    try {
      edited->step(20);
      ADD_FAILURE() << body;
    } catch (const EditedKernelError& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
    EXPECT_EQ(edited->steps(), 3);
    EXPECT_EQ(field_of(*edited), before);
  }
};
PERTURB_ON_EACH_BACKEND(EditedHeat);

TEST_P(EditedHeat, BuiltInTextGivesTheBuiltInBits) {
  const auto built_in = plate(), edited = plate();
  edit(*edited, "", "");
  built_in->step(37);
  edited->step(37);
  EXPECT_EQ(field_of(*edited), field_of(*built_in));
  EXPECT_EQ(edited->time(), built_in->time());
  EXPECT_TRUE(edited->save().has("edited_kernel"));
  edited->select_kernel("auto");
  built_in->step(3);
  edited->step(3);
  EXPECT_EQ(field_of(*edited), field_of(*built_in));
}

TEST_P(EditedHeat, EditTakesTheSteps) {
  const auto edited = plate();
  edited->step(1);
  const std::vector<std::byte> before = field_of(*edited);
  edit(*edited, "return multiply_add(number", "return own; return multiply_add(number");
  edited->step(5);
  EXPECT_EQ(edited->steps(), 6);
  EXPECT_EQ(field_of(*edited), before);
}

TEST_P(EditedHeat, RejectsWrongText) {
  const auto edited = plate();
  EXPECT_THROW(edit(*edited, "return multiply_add(number", "return nonsense(number"), CompileError);
  EXPECT_EQ(edited->selected_kernel(), "auto");
}

TEST_P(EditedHeat, StopsEndlessText) { expect_failure("for (volatile int k = 0; k < 1; k = 0) {} ", "loop forever"); }
TEST_P(EditedHeat, ReportsValuesThatAreNotFinite) { expect_failure("own /= own - own; ", "not a finite number"); }

TEST_P(Heat, RejectsAValueBeyondTheLimitUnlessItIsExceeded) {
  perturb::Setup setup;
  setup.width = 40;
  setup.height = 30;
  const auto plate = heat_simulation().create(backend(), setup);
  auto& limit = dynamic_cast<StabilityLimit&>(*plate);
  limit.require_stable_with("diffusivity", 1.2);
  try {
    limit.require_stable_with("diffusivity", 1.3);
    ADD_FAILURE() << "0.26 is beyond 1/4";
  } catch (const InputError& error) {
    for (const char* word : {"diffusivity cannot be 1.3", "0.26", "0.25", "time step"})
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  }
  EXPECT_EQ(plate->parameters().get("diffusivity"), 1);
  plate->set_parameter("diffusivity", 5);
  limit.require_stable_with("diffusivity", 6);
}

}  // namespace
}  // namespace perturb::heat
