// Tables in the forms that programs write.
#include "cuda/core/simulation/csv_text.h"

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"

namespace perturb {
namespace {

using Table = std::vector<std::vector<std::string>>;

Table table_of(const std::string& text) {
  Table table;
  CsvReader reader(text, "a.csv");
  for (std::vector<CsvField> row = reader.next(); !row.empty(); row = reader.next()) {
    table.emplace_back();
    for (const CsvField& field : row) table.back().push_back(field.text);
  }
  return table;
}

// Random fields, written with each delimiter and line end, quoted where that is needed or everywhere.
TEST(CsvText, ReadsBackWhatAnyDelimiterWrote) {
  std::uint32_t seed = 1;
  const auto random = [&](std::uint32_t most) { return (seed = seed * 1664525u + 1013904223u) / 65536u % most; };
  const std::string signs = "ab1.,;\t\"\n -#";
  for (int trial = 0; trial < 200; ++trial) {
    Table table(1 + random(4), std::vector<std::string>(2 + random(3)));
    const char delimiter = ",;\t"[random(3)];
    const bool all_quoted = random(2) == 0;
    const std::string end = random(2) == 0 ? "\n" : "\r\n";
    std::string text = random(2) == 0 ? "\xef\xbb\xbf" : "";
    for (std::size_t r = 0; r < table.size(); ++r) {
      for (std::size_t c = 0; c < table[r].size(); ++c) {
        std::string& field = table[r][c];
        field = "x";  // no row is empty
        for (std::uint32_t k = random(5); r > 0 && k > 0; --k) field += signs[random(12)];
        field += "y";
        std::string quoted;
        for (const char sign : field) quoted += sign == '"' ? std::string("\"\"") : std::string(1, sign);
        text += all_quoted || field.find_first_of(",;\t\"\n") != std::string::npos ? '"' + quoted + '"' : field;
        text += c + 1 < table[r].size() ? std::string(1, delimiter) : end;
      }
    }
    EXPECT_EQ(table_of(text), table) << text;
  }
}

TEST(CsvText, CountsLinesOfRowsAndOfFaults) {
  CsvReader reader("a,b\n\n\"c\nd\",e\n,\nf,g\n", "a.csv");
  int lines[3] = {};
  for (int& line : lines) {
    ASSERT_EQ(reader.next().size(), 2u);
    line = reader.line();
  }
  EXPECT_EQ(lines[0], 1);
  EXPECT_EQ(lines[1], 3);
  EXPECT_EQ(lines[2], 6);
  EXPECT_TRUE(reader.next().empty());
  for (const char* text : {"a,b\n\"c\n,d", "a,b\n\"c\" d,e\n"}) try {
      table_of(text);
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).find("a.csv:2:"), 0u) << error.what();
    }
}

}  // namespace
}  // namespace perturb
