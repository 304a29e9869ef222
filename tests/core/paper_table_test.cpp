#include <set>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/studies/paper.h"
#include "tests/support/error_thrown_by.h"

namespace perturb {
namespace {

const std::string beginning = "# A. Uthor | A title, with a comma | 1999\nplace,row,column,value,unit,read\n";

TEST(PaperTable, KeepsTheDigits) {
  const PaperTable table("x", beginning +
                                  "table 1,100,time,73.837,s,table\n"
                                  "table 1,all rows,ratio,16.50,,text\n"
                                  "figure 2,1000,time,1.20e-4,s,by eye +-2e-6\n");
  EXPECT_EQ(table.cited(), "A. Uthor, A title, with a comma (1999)");
  ASSERT_EQ(table.values().size(), 3u);
  EXPECT_EQ(table.at("table 1", "100", "time"), 73.837);
  EXPECT_EQ(table.find("table 1", "all rows", "ratio")->digits, "16.50");
  EXPECT_EQ(table.find("figure 2", "1000", "time")->read, "by eye +-2e-6");
  EXPECT_EQ(table.find("table 1", "100", "ratio"), nullptr);
  EXPECT_THROW(table.at("table 1", "100", "ratio"), Error);
}

TEST(PaperTable, ACurveHasTheRowsThatAreNumbers) {
  const PaperTable table("x", beginning + "table 1,100,time,3,s,table\ntable 1,all rows,time,9,s,text\n" +
                                  "table 1,200,time,5,s,table\ntable 2,300,time,7,s,table\n");
  const std::vector<CurvePoint> curve = table.curve("table 1", "time");
  ASSERT_EQ(curve.size(), 2u);
  EXPECT_EQ(curve[0].x, 100);
  EXPECT_EQ(curve[1].y, 5);
}

TEST(PaperTable, DamageIsFoundAndNamed) {
  for (const auto& [text, line] : std::vector<std::pair<std::string, std::string>>{
           {"", "line 1"},
           {"A. Uthor | A title | 1999\n", "line 1"},
           {"# A. Uthor | A title\n", "line 1"},
           {"# A. Uthor | A title | 1999\nplace,row,value\n", "line 2"},
           {beginning + "table 1,100,time,3,s\n", "line 3"},
           {beginning + "table 1,100,time,3,s,table,more\n", "line 3"},
           {beginning + "table 1,100,time,three,s,table\n", "line 3"},
           {beginning + "table 1,100,time,,s,table\n", "line 3"},
           {beginning + "table 1,,time,3,s,table\n", "line 3"},
           {beginning + "table 1,100,time,3,s,\n", "line 3"},
           {beginning + "table 1,100,time,3,s,table\ntable 1,100,time,4,s,table\n", "line 4"}}) {
    const std::string error = error_thrown_by<Error>([&text = text] { PaperTable("damaged", text); });
    EXPECT_NE(error.find(line), std::string::npos) << error;
    EXPECT_NE(error.find("damaged.csv"), std::string::npos) << error;
  }
}

// A simulation need not follow a paper.
TEST(PaperTables, AreOfSimulationsThatNameTheirPaper) {
  EXPECT_FALSE(paper_tables().empty());
  for (const PaperTable& table : paper_tables()) {
    EXPECT_FALSE(find_simulation(table.name()).paper.empty()) << table.name();
    EXPECT_FALSE(table.values().empty()) << table.name();
    EXPECT_GT(table.year(), 2000) << table.name();
  }
  EXPECT_THROW(paper_table("no such"), Error);
}

// How a number was read determines its accuracy.
TEST(PaperTables, EveryNumberSaysHowItWasRead) {
  for (const PaperTable& table : paper_tables())
    for (const PaperValue& value : table.values()) {
      const std::string kind = value.read.substr(0, value.read.find(':'));
      const bool known = std::set<std::string>{"table", "text", "caption", "listing"}.count(kind) == 1;
      EXPECT_TRUE(known || value.read.rfind("by eye +-", 0) == 0) << table.name() << ": " << value.read;
      EXPECT_EQ(value.place.rfind("table", 0) == 0,
                value.read == "table" || (value.row == "all rows" && value.place.rfind("table", 0) == 0))
          << table.name() << ": " << value.place << " " << value.row;
    }
}

}  // namespace
}  // namespace perturb
