// The source's numbers against what it says of them itself, and the study that shows them.
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "cuda/core/source_table.h"
#include "cuda/core/verdict.h"
#include "cuda/membrane/membrane_studies.h"

namespace perturb {
namespace {

const SourceTable& source() { return source_table("membrane"); }
constexpr const char* tables[] = {"table 4.2", "table 4.3", "table 4.4", "table 4.5",
                                  "table 4.6", "table 4.7", "table 4.8"};

// Half a unit in the last place of a number as it is printed: 0.005 of "1.36", 500 of "1.97e5".
double half_of_last_place(const std::string& digits) {
  const std::size_t e = digits.find('e');
  const std::string mantissa = digits.substr(0, e);
  const std::size_t point = mantissa.find('.');
  const int decimals = point == std::string::npos ? 0 : static_cast<int>(mantissa.size() - point) - 1;
  const int exponent = e == std::string::npos ? 0 : std::stoi(digits.substr(e + 1));
  return 0.5 * std::pow(10, exponent - decimals);
}

TEST(MembraneSource, HasAll36Rows) {
  std::size_t rows = 0;
  for (const char* table : tables) {
    const std::size_t here = source().curve(table, "DOF").size();
    for (const char* column : {"CPU", "GPU", "ratio GPU/CPU"}) EXPECT_EQ(source().curve(table, column).size(), here);
    rows += here;
  }
  EXPECT_EQ(rows, 36u);
}

TEST(MembraneSource, DegreesOfFreedomAreThoseOfTheLevel) {
  for (const char* table : tables) {
    const double p = source().at(table, "all rows", "degree");
    for (const CurvePoint& row : source().curve(table, "DOF")) {
      const SourceValue& value = *source().find(table, std::to_string(static_cast<int>(row.x)), "DOF");
      EXPECT_NEAR(value.value, std::pow(4, row.x) * (p + 1) * (p + 2) / 2, 1.001 * half_of_last_place(value.digits))
          << table << ", level " << row.x << "; " << value.digits;
    }
  }
}

TEST(MembraneSource, RatiosAreThoseOfTheTimes) {
  for (const char* table : tables)
    for (const CurvePoint& row : source().curve(table, "ratio GPU/CPU")) {
      const std::string level = std::to_string(static_cast<int>(row.x));
      const SourceValue &cpu = *source().find(table, level, "CPU"), &gpu = *source().find(table, level, "GPU"),
                        &ratio = *source().find(table, level, "ratio GPU/CPU");
      const double rounding =
          ratio.value * (half_of_last_place(cpu.digits) / cpu.value + half_of_last_place(gpu.digits) / gpu.value) +
          half_of_last_place(ratio.digits);
      EXPECT_NEAR(ratio.value, gpu.value / cpu.value, rounding) << table << ", level " << level;
    }
}

TEST(MembraneSource, WhatItSaysOfItsTablesIsInThem) {
  const auto last = [](const char* table) { return source().curve(table, "ratio GPU/CPU").back().y; };
  EXPECT_GT(last("table 4.2"), 1) << "for p = 1 the CPU is faster";
  const double from = source().at("section 4.2.1", "degree 2", "DOF from which the GPU is faster");
  for (const CurvePoint& row : source().curve("table 4.3", "ratio GPU/CPU"))
    EXPECT_EQ(row.y<1, source().at("table 4.3", std::to_string(static_cast<int>(row.x)), "DOF")> from);
  EXPECT_NEAR(1 / last("table 4.6"), source().at("section 4.2.1", "degrees 3 to 5", "advantage of the GPU"), 0.1);
  for (const char* table : {"table 4.7", "table 4.8"})
    EXPECT_NEAR(1 / last(table), source().at("section 4.2.2", "integration level 10", "advantage of the GPU"), 0.3);
}

// Level 5, which a processor does in seconds: the row of each degree has the source's numbers, and each verdict is that
// of what was measured.
TEST(MembraneStudies, TheTablesStandBesideTheSourcesRows) {
  const auto backend = Backend::make_cpu(1);
  const StudyResult result = membrane_tables_study(*backend, 5, [](const std::string&) {});
  ASSERT_EQ(result.tables.size(), 3u);
  const auto cells_of = [](const StudyTable& table, std::size_t row) {
    std::map<std::string, StudyValue> cells;
    for (std::size_t c = 0; c < table.columns.size(); ++c) cells[table.columns[c].id] = table.rows[row].at(c);
    return cells;
  };
  std::size_t beside = 0;
  for (const StudyTable& table : {result.tables[0], result.tables[1]})
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      auto cells = cells_of(table, r);
      EXPECT_EQ(cells["level"], StudyValue(5.0));
      EXPECT_GT(std::get<double>(cells["core_seconds_per_dof"]), 0);
      const double degree = std::get<double>(cells["degree"]);
      const bool own = table.id == "integration_level_p";
      const char* place = own ? tables[static_cast<int>(degree) - 1] : degree == 1 ? "table 4.7" : "table 4.8";
      if (!own && degree > 2) {
        EXPECT_EQ(cells["source_gpu_seconds_per_dof"], StudyValue(std::string())) << "the source has none";
        continue;
      }
      ++beside;
      EXPECT_EQ(cells["source_gpu_seconds_per_dof"], StudyValue(source().at(place, "5", "GPU")));
      EXPECT_EQ(cells["source_core_seconds_per_dof"], StudyValue(source().at(place, "5", "CPU")));
      EXPECT_EQ(cells["source_ratio"], StudyValue(source().at(place, "5", "ratio GPU/CPU")));
    }
  EXPECT_EQ(beside, 2u * (5 + 2)) << "two kernels, five degrees and two with integration level 10";
  // Of a plot's dashed lines each point is a row of a table.
  for (const StudyPlot& plot : result.plots)
    for (const StudyLine& line : plot.lines) {
      if (!line.dashed) continue;
      for (const CurvePoint& p : line.points) {
        bool printed = false;
        for (const char* table : tables)
          printed = printed || (source().at(table, "5", "DOF") == p.x && source().at(table, "5", "CPU") == p.y);
        EXPECT_TRUE(printed) << line.label << ": " << p.x << ", " << p.y;
      }
    }
  const StudyTable& findings = result.tables[2];
  ASSERT_EQ(findings.id, "findings");
  ASSERT_EQ(findings.rows.size(), 2u) << "one for each kernel: the others need a GPU";
  EXPECT_NE(findings.note.find("not measured"), std::string::npos);
  for (std::size_t r = 0; r < findings.rows.size(); ++r) {
    auto cells = cells_of(findings, r);
    EXPECT_GE(std::get<double>(cells["repeats"]), 5);
    const std::string verdict = std::get<std::string>(cells["verdict"]);
    // Whatever was measured, a verdict that tells something agrees with its own ratio.
    if (verdict == in_words(Verdict::holds)) {
      EXPECT_GT(std::get<double>(cells["ratio"]), 1);
    }
    if (verdict == in_words(Verdict::reversed)) {
      EXPECT_LT(std::get<double>(cells["ratio"]), 1);
    }
  }
}

}  // namespace
}  // namespace perturb
