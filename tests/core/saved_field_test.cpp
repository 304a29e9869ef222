// The allowed contents of a state, by name, type and shape.
#include <gtest/gtest.h>

#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/state.h"
#include "tests/support/error_thrown_by.h"

namespace perturb {
namespace {

std::string error_of(const std::string& name, ElementType type, const std::vector<std::size_t>& shape) {
  State header;
  header.simulation = "pond";
  header.width = 5;
  header.height = 3;
  const std::vector<SavedField> fields = {{"u", any_real(), {grid_height, grid_width}},
                                          {"ducks", {ElementType::uint32}, {up_to(4), exactly(2)}}};
  return error_thrown_by([&] { require_expected(fields, header, name, type, shape); });
}

TEST(SavedField, TakesWhatIsInTheTable) {
  EXPECT_EQ(error_of("u", ElementType::float32, {3, 5}), "");
  EXPECT_EQ(error_of("u", ElementType::float64, {3, 5}), "");
  EXPECT_EQ(error_of("ducks", ElementType::uint32, {0, 2}), "");
  EXPECT_EQ(error_of("ducks", ElementType::uint32, {4, 2}), "");
}

TEST(SavedField, RejectsWrongNameTypeAndShape) {
  EXPECT_EQ(error_of("geese", ElementType::uint32, {1, 2}),
            "it has a field \"geese\", which pond does not use. Remove the field from the file");
  EXPECT_EQ(error_of("u", ElementType::uint8, {3, 5}),
            "its field \"u\" holds uint8 where float32 or float64 is needed");
  EXPECT_EQ(error_of("u", ElementType::float32, {5, 3}), "its field \"u\" is [5, 3] where [3, 5] is needed");
  EXPECT_EQ(error_of("u", ElementType::float32, {3}), "its field \"u\" is [3] where [3, 5] is needed");
  EXPECT_EQ(error_of("u", ElementType::float32, {3, 5, 1}), "its field \"u\" is [3, 5, 1] where [3, 5] is needed");
  EXPECT_EQ(error_of("ducks", ElementType::uint32, {5, 2}),
            "its field \"ducks\" is [5, 2] where [up to 4, 2] is needed");
}

TEST(SavedField, EverySimulationHasATable) {
  for (const SimulationInfo* info : catalog()) {
    const std::vector<SavedField>* fields = find_saved_fields(info->id);
    ASSERT_NE(fields, nullptr) << info->id;
    EXPECT_FALSE(fields->empty()) << info->id;
  }
  EXPECT_EQ(find_saved_fields("pond"), nullptr);
}

}  // namespace
}  // namespace perturb
