// Error messages for invalid saved states.
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/core/backend/cpu_backend.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/state.h"
#include "tests/support/error_thrown_by.h"

namespace perturb {
namespace {

void expect_all(const std::string& sentence, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) EXPECT_NE(sentence.find(part), std::string::npos) << sentence;
}

TEST(LoadedState, StepsCanBeCountedOn) {
  State state;
  state.simulation = "pond";
  state.steps = max_saved_steps;
  require_state_of(state, "pond");
  for (const std::int64_t steps : {max_saved_steps + 1, std::numeric_limits<std::int64_t>::max(), std::int64_t{-1}}) {
    state.steps = steps;
    expect_all(error_thrown_by([&] { require_state_of(state, "pond"); }),
               {"steps is " + std::to_string(steps), "another copy"});
  }
  state.steps = 0;
  for (const double time : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    state.time = time;
    expect_all(error_thrown_by([&] { require_state_of(state, "pond"); }), {"the time is"});
  }
}

TEST(LoadedState, NumbersAreFiniteAndWithinTheirRange) {
  std::vector<float> field(12, 1);
  const auto finite = [&] { require_finite("u", std::span<const float>(field), grid_index_formatter({4, 3})); };
  EXPECT_EQ(error_thrown_by(finite), "");
  field[6] = std::nanf("");
  expect_all(
      error_thrown_by(finite),
      {"Cannot load the saved state: \"u\" holds a value that is not a number at column 2, row 1", "another copy"});
  std::vector<double> list = {1, 2, 3, 4, 5, 6};
  const auto within = [&] {
    require_within("x", std::span<const double>(list), 1, 6, list_index_formatter("disc", 2));
  };
  EXPECT_EQ(error_thrown_by(within), "");
  list[3] = 6.5;
  expect_all(error_thrown_by(within), {"\"x\" holds 6.5 at disc 1", "from 1 to 6"});
  list[3] = std::nan("");
  expect_all(error_thrown_by(within), {"\"x\" holds a value that is not a number at disc 1"});
}

TEST(LoadedState, TablesHaveTheirColumnsAndAsManyRowsAsCanBe) {
  State state;
  state.put<double>("table", {3, 2}, "", std::vector<double>(6));
  state.put<double>("list", {4}, "", std::vector<double>(4));
  state.put<double>("one", {}, "", std::vector<double>(1));
  EXPECT_EQ(require_rows(state, "table", 2, 1, 3, "ducks"), 3u);
  EXPECT_EQ(require_rows(state, "list", 0, 0, 9, "ducks"), 4u);
  const auto rows = [&](const char* name, std::size_t columns, std::size_t least, std::size_t most) {
    return error_thrown_by([&] { require_rows(state, name, columns, least, most, "ducks"); });
  };
  expect_all(rows("no", 2, 0, 9), {"it lacks \"no\""});
  expect_all(rows("list", 2, 0, 9), {"\"list\" is not a table of 2 columns"});
  expect_all(rows("table", 0, 0, 9), {"\"table\" is not a table of one column"});
  expect_all(rows("table", 3, 0, 9), {"3 columns"});
  expect_all(rows("one", 0, 0, 9), {"\"one\""});
  expect_all(rows("table", 2, 0, 2), {"3 ducks, and from 0 to 2"});
  expect_all(rows("table", 2, 4, 5), {"3 ducks, and from 4 to 5"});
}

TEST(LoadedState, AGridHasItsSize) {
  State state;
  state.width = 4;
  state.height = 3;
  require_grid(state, {4, 3}, "the pond");
  expect_all(error_thrown_by([&] { require_grid(state, {4, 4}, "the pond"); }), {"4 x 3", "the pond has 4 x 4"});
}

TEST(NumberText, HasOneSignAtMost) {
  double value = 0;
  for (const auto& [text, meant] : {std::pair{"1", 1.0}, {"+1", 1.0}, {"-1", -1.0}, {"+.5e1", 5.0}, {"-0.25", -0.25}}) {
    EXPECT_TRUE(read_number(text, value)) << text;
    EXPECT_EQ(value, meant) << text;
  }
  for (const char* text : {"", "+", "-", "+-1", "-+1", "++1", "--1", "1x", " 1", "1 ", "0x1", "1,5", "1e999", "e"})
    EXPECT_FALSE(read_number(text, value)) << text;
}

TEST(ZeroBlocks, CoverAnySizeWithAsManyAsAnIntCounts) {
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{1}, std::size_t{4096}, std::size_t{4097}, std::size_t{1} << 42,
        (std::size_t{1} << 42) + 1, std::size_t{8} << 40, (std::size_t{8} << 40) + 1, std::size_t{1} << 60,
        std::size_t{1} << 63, std::numeric_limits<std::size_t>::max()}) {
    const ZeroBlocks blocks = zero_blocks(bytes);
    ASSERT_GE(blocks.count, 0) << bytes;
    const auto count = static_cast<std::size_t>(blocks.count);
    EXPECT_EQ(blocks.bytes % 4096, 0u) << bytes;
    if (bytes == 0) {
      EXPECT_EQ(count, 0u);
      continue;
    }
    EXPECT_EQ((bytes - 1) / blocks.bytes, count - 1) << bytes << ": the last block holds the last byte";
  }
  EXPECT_EQ(zero_blocks(std::size_t{1} << 30).bytes, 4096u) << "small ones are dealt out by pages";
}

}  // namespace
}  // namespace perturb
