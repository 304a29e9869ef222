// The paper's numbers against its own statements about them, and the study that shows them.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/core/timing/timing_duration.h"
#include "cuda/membrane/kernels/cell_results.h"
#include "cuda/membrane/model/discretisation.h"
#include "cuda/studies/membrane/studies.h"
#include "cuda/studies/paper.h"
#include "tests/support/backends.h"
#include "tests/support/reach.h"
#include "tests/support/study_lines.h"

namespace perturb::membrane {
namespace {

const PaperTable& paper() { return paper_table("membrane"); }
constexpr const char* tables[] = {"table 4.2", "table 4.3", "table 4.4", "table 4.5",
                                  "table 4.6", "table 4.7", "table 4.8"};

// Half a unit in the last digit of a number as printed: 0.005 of "1.36", 500 of "1.97e5".
double half_of_last_place(const std::string& digits) {
  const std::size_t e = digits.find('e');
  const std::string mantissa = digits.substr(0, e);
  const std::size_t point = mantissa.find('.');
  const int decimals = point == std::string::npos ? 0 : static_cast<int>(mantissa.size() - point) - 1;
  const int exponent = e == std::string::npos ? 0 : std::stoi(digits.substr(e + 1));
  return 0.5 * std::pow(10, exponent - decimals);
}

TEST(MembranePaper, HasAll36Rows) {
  std::size_t rows = 0;
  for (const char* table : tables) {
    const std::size_t here = paper().curve(table, "DOF").size();
    for (const char* column : {"CPU", "GPU", "ratio GPU/CPU"}) EXPECT_EQ(paper().curve(table, column).size(), here);
    rows += here;
  }
  EXPECT_EQ(rows, 36u);
}

TEST(MembranePaper, DegreesOfFreedomAreThoseOfTheLevel) {
  for (const char* table : tables) {
    const double p = paper().at(table, "all rows", "degree");
    for (const CurvePoint& row : paper().curve(table, "DOF")) {
      const PaperValue& value = *paper().find(table, std::to_string(static_cast<int>(row.x)), "DOF");
      EXPECT_NEAR(value.value, std::pow(4, row.x) * (p + 1) * (p + 2) / 2, 1.001 * half_of_last_place(value.digits))
          << table << ", level " << row.x << "; " << value.digits;
    }
  }
}

TEST(MembranePaper, RatiosAreThoseOfTheTimes) {
  for (const char* table : tables)
    for (const CurvePoint& row : paper().curve(table, "ratio GPU/CPU")) {
      const std::string level = std::to_string(static_cast<int>(row.x));
      const PaperValue &cpu = *paper().find(table, level, "CPU"), &gpu = *paper().find(table, level, "GPU"),
                       &ratio = *paper().find(table, level, "ratio GPU/CPU");
      const double rounding =
          ratio.value * (half_of_last_place(cpu.digits) / cpu.value + half_of_last_place(gpu.digits) / gpu.value) +
          half_of_last_place(ratio.digits);
      EXPECT_NEAR(ratio.value, gpu.value / cpu.value, rounding) << table << ", level " << level;
    }
}

TEST(MembranePaper, StatementsAgreeWithTables) {
  const auto last = [](const char* table) { return paper().curve(table, "ratio GPU/CPU").back().y; };
  EXPECT_GT(last("table 4.2"), 1) << "for p = 1 the CPU is faster";
  const double from = paper().at("section 4.2.1", "degree 2", "DOF from which the GPU is faster");
  for (const CurvePoint& row : paper().curve("table 4.3", "ratio GPU/CPU"))
    EXPECT_EQ(row.y<1, paper().at("table 4.3", std::to_string(static_cast<int>(row.x)), "DOF")> from);
  EXPECT_NEAR(1 / last("table 4.6"), paper().at("section 4.2.1", "degrees 3 to 5", "advantage of the GPU"), 0.1);
  for (const char* table : {"table 4.7", "table 4.8"})
    EXPECT_NEAR(1 / last(table), paper().at("section 4.2.2", "integration level 10", "advantage of the GPU"), 0.3);
}

// Each point of a plot's dashed lines is a row of a table; figures 4.1 to 4.3 divide it by the unknowns once more.
void expect_printed_lines(const StudyPlot& plot, bool is_figure) {
  for (const StudyLine& line : plot.lines) {
    if (line.kind != LineKind::paper) continue;
    for (const CurvePoint& p : line.points) {
      if (line.label.find("crossing") != std::string::npos) {
        EXPECT_EQ(p.x, paper().at("section 4.2.1", "degree 2", "DOF from which the GPU is faster"));
        continue;
      }
      bool printed = false;
      for (const char* table : tables)
        for (const CurvePoint& row : paper().curve(table, "DOF"))
          for (const char* column : {"CPU", "GPU"}) {
            const double seconds = paper().at(table, std::to_string(static_cast<int>(row.x)), column);
            printed = printed || (row.y == p.x && (is_figure ? seconds / row.y : seconds) == p.y);
          }
      EXPECT_TRUE(printed) << plot.title << ", " << line.label << ": " << p.x << ", " << p.y;
    }
  }
}

// Level 5, which a CPU computes in seconds: the row of each degree has the paper's numbers. Its kernels are not the
// paper's, so that they have no verdict.
TEST(MembraneStudies, ListsTablesNextToPaperRows) {
  SKIP_AT_SMALL_REACH("tables and figures of a study; its parts have tests");
  const ShortTimingScope brief;
  const auto backend = Backend::make_cpu(1);
  const StudyResult result = tables_study(*backend, 5, [](const std::string&) {});
  expect_labels_of_kinds(result);
  ASSERT_EQ(result.tables.size(), 2u) << "the crossings need a GPU";
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
        EXPECT_EQ(cells["source_gpu_seconds_per_dof"], StudyValue(std::string())) << "the paper has none";
        continue;
      }
      ++beside;
      EXPECT_EQ(cells["source_gpu_seconds_per_dof"], paper().printed(place, "5", "GPU"));
      EXPECT_EQ(cells["source_core_seconds_per_dof"], paper().printed(place, "5", "CPU"));
      EXPECT_EQ(cells["source_ratio"], paper().printed(place, "5", "ratio GPU/CPU"));
    }
  EXPECT_EQ(beside, 2u * (5 + 2)) << "two kernels, five degrees and two with integration level 10";
  ASSERT_EQ(result.plots.size(), 2u) << "both tables";
  for (const StudyPlot& plot : result.plots) expect_printed_lines(plot, false);
}

// Result matrices of cells, added up by the host, equal the matrices that the simulation assembles by rows of patches:
// the same sums in another order. A buffer of one cell at a time gives the same result as one for all, and so do both
// layouts.
TEST(MembraneStudies, ResultMatricesOfCellsAddUpToTheMatrices) {
  for (const BackendKind kind : tested_backends()) {
    const auto backend = kind == BackendKind::cpu ? Backend::make_cpu(2) : Backend::make_cuda();
    for (const int degree : {1, 3}) {
      const Structure structure(Cover(2, degree), 1.3);
      Parameters parameters;
      parameters.integration_level = 0;
      Form form = membrane_form(parameters, degree);
      for (bool& fixed : form.fixed) fixed = false;  // the paper measures without the boundary terms
      const Space space(*backend, structure);
      Array<double> k(*backend, static_cast<std::size_t>(structure.values), "K"),
          m(*backend, static_cast<std::size_t>(structure.values), "M"),
          f(*backend, static_cast<std::size_t>(structure.unknowns), "F");
      Targets to;
      to.stiffness = k.data();
      to.mass = m.data();
      to.load = f.data();
      Assembler(*backend).run(Kernel::rows, structure, space, form, to);
      for (const auto& [buffer, entries_first] : std::vector<std::pair<std::size_t, bool>>{
               {1, true}, {std::size_t{1} << 24, true}, {1, false}, {std::size_t{1} << 24, false}}) {
        CellResults cells(*backend, structure, buffer);
        cells.set_entries_first(entries_first);
        const CellSeconds seconds = cells.run(form);
        EXPECT_GT(seconds.evaluate, 0);
        const auto expect_alike = [](const std::vector<double>& expected, const std::vector<double>& got) {
          ASSERT_EQ(expected.size(), got.size());
          double largest = 0, apart = 0;
          for (std::size_t n = 0; n < got.size(); ++n) {
            largest = std::max(largest, std::abs(expected[n]));
            apart = std::max(apart, std::abs(expected[n] - got[n]));
          }
          EXPECT_GT(largest, 0);
          EXPECT_LT(apart, 1e-13 * largest);
        };
        expect_alike(k.download(), cells.stiffness());
        expect_alike(m.download(), cells.mass());
        expect_alike(f.download(), cells.load());
      }
    }
  }
}

// Degrees 1 and 2, which take a second.
TEST(MembraneStudies, ListsPaperMethodNextToPaperRows) {
  SKIP_AT_SMALL_REACH("tables and figures of a study; its parts have tests");
  const auto backend = Backend::make_cpu(1);
  std::size_t partial_rows = 0;
  const StudyProgress progress = StudyReporter{
      [](const std::string&) {}, [&](const StudyResult& r) { partial_rows = r.tables.at(0).rows.size(); }};
  const StudyResult result = cells_study(*backend, {.max_degree = 2}, progress);
  expect_labels_of_kinds(result);
  ASSERT_EQ(result.tables.size(), 3u);
  EXPECT_TRUE(result.tables[2].rows.empty()) << "registers are a GPU's";
  EXPECT_NE(result.tables[2].note.find("not measured here"), std::string::npos);
  const StudyTable& table = result.tables[0];
  EXPECT_NE(table.note.find("Left out because of time: levels above 5; use --long"), std::string::npos) << table.note;
  ASSERT_EQ(table.rows.size(), 4u) << "p = 1 and 2, each with its own integration level and with 10";
  EXPECT_EQ(partial_rows, 4u);
  for (const auto& row : table.rows) {
    std::map<std::string, StudyValue> cells;
    for (std::size_t c = 0; c < row.size(); ++c) cells[table.columns[c].id] = row[c];
    const double p = std::get<double>(cells["degree"]), unknowns = std::get<double>(cells["unknowns"]);
    const char* place = std::get<double>(cells["integration_level"]) == 10 ? (p == 1 ? "table 4.7" : "table 4.8")
                                                                           : (p == 1 ? "table 4.2" : "table 4.3");
    EXPECT_EQ(cells["source_gpu_seconds_per_dof"], paper().printed(place, "5", "GPU"));
    EXPECT_EQ(cells["source_core_seconds_per_dof"], paper().printed(place, "5", "CPU"));
    EXPECT_EQ(cells["source_ratio"], paper().printed(place, "5", "ratio GPU/CPU"));
    EXPECT_EQ(cells["ratio_core"], StudyValue(std::string())) << "needs a GPU";
    double parts = 0;
    for (const char* part : {"schedule", "there", "evaluate", "back", "insert"}) {
      const double seconds = std::get<double>(cells[std::string(part) + "_seconds"]);
      EXPECT_GE(seconds, 0) << part;
      parts += seconds;
    }
    EXPECT_GT(parts, 0);
    EXPECT_GT(std::get<double>(cells["seconds_per_dof"]) * unknowns, 0);
  }
  EXPECT_TRUE(result.tables[1].rows.empty()) << "p = 5 was not run, and the others need a GPU";
  // Figures 4.1 to 4.3: the paper's two devices, and here one core.
  ASSERT_EQ(result.plots.size(), 4u);
  for (std::size_t k = 1; k < result.plots.size(); ++k) {
    const StudyPlot& figure = result.plots[k];
    EXPECT_EQ(figure.title.find("Figure 4." + std::to_string(k)), 0u) << figure.title;
    expect_printed_lines(figure, true);
    for (const char* wanted : {"the paper, GPU", "the paper, one core"})
      EXPECT_TRUE(std::any_of(figure.lines.begin(), figure.lines.end(),
                              [&](const StudyLine& line) { return line.label.starts_with(wanted); }))
          << figure.title << ": " << wanted;
    const bool measured = std::any_of(figure.lines.begin(), figure.lines.end(),
                                      [](const StudyLine& line) { return line.label.starts_with("one core, p"); });
    EXPECT_EQ(measured, k != 2) << figure.title << ": p = 3 to 5 were not run";
  }
}

TEST(MembraneStudies, CellsUseThePapersBlock) {
  EXPECT_EQ(cell_results_block, paper().at("section 3.5", "kernel", "threads per block"));
}

// The paper's own table, whose text states the crossing as about 3e5: between its levels 7 and 8.
TEST(MembraneStudies, TheCrossingIsWhereTheRatioFallsBelowOne) {
  std::vector<CurvePoint> ratios;
  for (const CurvePoint& row : paper().curve("table 4.3", "ratio GPU/CPU"))
    ratios.push_back({paper().at("table 4.3", std::to_string(static_cast<int>(row.x)), "DOF"), row.y});
  const double stated = paper().at("section 4.2.1", "degree 2", "DOF from which the GPU is faster");
  EXPECT_NEAR(crossing_unknowns(ratios) / stated, 1, 0.3);
  EXPECT_NEAR(crossing_unknowns({{100, 2}, {400, 0.5}}), 200, 1e-9) << "half-way in logarithms";
  EXPECT_EQ(crossing_unknowns({{100, 0.9}, {400, 0.5}}), 0);
  EXPECT_TRUE(std::isinf(crossing_unknowns({{100, 3}, {400, 2}})));
}

// Rows of the kernel `cells` as if measured: seconds per unknown, in as many repeats as the studies make, which differ
// by less than a percent.
struct AsIfMeasured {
  MeasuredRows rows;
  void add(int degree, int level, bool own_level, double gpu, double core) {
    Times& times = rows[{degree, level, own_level, Kernel::cells}];
    times.unknowns = 1000 * degree;
    for (std::size_t repeat = 0; repeat < repeats_of_finding; ++repeat) {
      const auto k = static_cast<double>(repeat);
      times.gpu.push_back(gpu * times.unknowns * (1 + 0.001 * k));
      times.core.push_back(core * times.unknowns * (1 + 0.001 * k));
    }
  }
  const Finding* find(const std::vector<Finding>& findings, const std::string& part) const {
    for (const Finding& finding : findings)
      if (finding.claim.find(part) != std::string::npos) return &finding;
    return nullptr;
  }
  std::vector<Finding> findings() const { return table_findings(paper(), rows, Kernel::cells, "cells", true); }
};

// "Nearly 2" is what the advantage increases to over the degrees 3 to 5: asked of the last, at its largest level.
TEST(MembraneStudies, AsksTheStatedAdvantageOfTheLargestRow) {
  AsIfMeasured here;
  for (int degree = 1; degree <= 5; ++degree) here.add(degree, 6, true, 1, 1);
  for (int degree = 1; degree <= 2; ++degree) here.add(degree, 6, false, 1, 1);
  here.add(5, 8, true, 1, 1.9);
  here.add(1, 9, false, 1, 5);
  int nearly = 0, about = 0;
  for (const Finding& finding : here.findings()) {
    EXPECT_EQ(finding.claim.find("at least"), std::string::npos) << finding.claim;
    if (finding.claim.find("nearly 2 times") != std::string::npos) {
      ++nearly;
      EXPECT_NE(finding.claim.find("p = 5, cells, level 8"), std::string::npos) << finding.claim;
      EXPECT_EQ(finding.paper, 2);
      EXPECT_EQ(verdict_text(finding), "agrees");
    }
    if (finding.claim.find("about 3 times") != std::string::npos) {
      ++about;
      EXPECT_EQ(finding.paper, 3);
      EXPECT_EQ(verdict_text(finding), "differs") << finding.claim;
    }
  }
  EXPECT_EQ(nearly, 1);
  EXPECT_EQ(about, 2);
}

// A gain at a small level that is a loss at a large one: the largest level that both tables have decides.
TEST(MembraneStudies, AsksGainsAtTheLargestCommonLevel) {
  AsIfMeasured here;
  here.add(1, 6, true, 2, 1);
  here.add(1, 8, true, 1, 2);
  here.add(1, 9, true, 1, 2);
  here.add(1, 6, false, 1, 1);
  here.add(1, 8, false, 1, 1);
  here.add(2, 7, true, 2, 1);
  here.add(2, 7, false, 1, 1);
  const std::vector<Finding> findings = here.findings();
  const Finding* first = here.find(findings, "integration level, 10 against 1, p = 1, cells, level 8");
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->place, "tables 4.2 and 4.7");
  EXPECT_DOUBLE_EQ(first->paper,
                   paper().at("table 4.2", "8", "ratio GPU/CPU") / paper().at("table 4.7", "8", "ratio GPU/CPU"));
  EXPECT_EQ(verdict_text(*first), text_of(Verdict::reversed));
  const Finding* second = here.find(findings, "integration level, 10 against 2, p = 2, cells, level 7");
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second->place, "tables 4.3 and 4.8");
  EXPECT_EQ(verdict_text(*second), text_of(Verdict::holds));
}

// Its text says that its GPU is faster for p > 1, where there are many unknowns: its smallest rows are not asked.
TEST(MembraneStudies, AsksWhichIsFasterWhereItsTextSaysSo) {
  AsIfMeasured small, large;
  for (int degree = 1; degree <= 3; ++degree) {
    small.add(degree, 6, true, 1, 2);
    large.add(degree, 9, true, 1, 2);
  }
  large.add(2, 8, true, 1, 2);
  const std::vector<Finding> of_small = small.findings(), of_large = large.findings();
  EXPECT_NE(small.find(of_small, "one core is faster than the GPU, p = 1"), nullptr);
  for (const char* degree : {"p = 2", "p = 3"}) {
    EXPECT_EQ(small.find(of_small, std::string("faster than one core, ") + degree), nullptr);
    EXPECT_EQ(small.find(of_small, std::string("faster than the GPU, ") + degree), nullptr);
    EXPECT_NE(small.find(of_large, std::string("the GPU is faster than one core, ") + degree + ", cells, level 9"),
              nullptr);
  }
  const Finding* crossing = small.find(of_large, "the GPU is faster than one core, p = 2, cells, level 8");
  ASSERT_NE(crossing, nullptr);
  EXPECT_EQ(crossing->place, "section 4.2.1, table 4.3");
  for (const Finding& finding : of_large) {
    if (!std::isnan(finding.paper)) {
      EXPECT_GT(finding.paper, 1) << finding.claim;
    }
  }
}

// Rows that take one core longer run once and are left to the next smaller level.
TEST(MembraneStudies, FindingsUseRowsThatWereRepeated) {
  AsIfMeasured here;
  here.add(1, 8, true, 2, 1);
  here.add(1, 9, true, 2, 1);
  here.add(1, 8, false, 1, 2);
  here.add(1, 9, false, 1, 2);
  here.rows[{1, 9, false, Kernel::cells}].core.resize(1);
  const std::vector<Finding> findings = here.findings();
  EXPECT_NE(here.find(findings, "one core is faster than the GPU, p = 1, cells, level 9"), nullptr) << "alone";
  EXPECT_NE(here.find(findings, "the GPU is faster than one core, p = 1, integration level 10, cells, level 8"),
            nullptr);
  EXPECT_NE(here.find(findings, "integration level, 10 against 1, p = 1, cells, level 8"), nullptr);
}

// "One degree more for the same time": the GPU's time per unknown for p + 1 against one core's for p. It holds where
// the GPU needs less, and not where it needs more.
TEST(MembraneStudies, ComparesOneDegreeMoreOnTheGpu) {
  AsIfMeasured here;
  for (int degree = 1; degree <= 5; ++degree) here.add(degree, 6, true, degree == 4 ? 0.5 : 2, 1);
  int found = 0;
  for (const Finding& finding : here.findings()) {
    if (finding.claim.find("no more time per unknown") == std::string::npos) continue;
    ++found;
    const bool fast = finding.claim.find("p = 4 takes") != std::string::npos;
    EXPECT_EQ(verdict_text(finding), text_of(fast ? Verdict::holds : Verdict::reversed)) << finding.claim;
    const std::string table_of_core = fast ? "table 4.4" : "table 4.5", table_of_gpu = fast ? "table 4.5" : "table 4.6";
    EXPECT_DOUBLE_EQ(finding.paper, paper().at(table_of_core, "6", "CPU") / paper().at(table_of_gpu, "6", "GPU"));
  }
  EXPECT_EQ(found, 2);
}

// Counted individually: a line of n patches has an interval of each patch alone and one of each pair of neighbours.
TEST(MembraneStudies, AnEntryGetsSumsFromAsManyCellsAsPatchesShare) {
  for (const int level : {0, 1, 3, 6}) {
    const int patches = 1 << level;
    int pairs = 0, intervals = 0;
    for (int a = 0; a < patches; ++a)
      for (int b = std::max(0, a - 1); b <= std::min(patches - 1, a + 1); ++b) {
        ++pairs;
        // Interval 2k is patch k's alone, 2k + 1 that of k and k + 1.
        for (int k = 0; k < 2 * patches - 1; ++k) {
          const auto covers = [&](int patch) { return k >= 2 * patch - 1 && k <= 2 * patch + 1; };
          intervals += covers(a) && covers(b) ? 1 : 0;
        }
      }
    EXPECT_DOUBLE_EQ(cells_of_entry(level), std::pow(static_cast<double>(intervals) / pairs, 2)) << level;
  }
}

}  // namespace
}  // namespace perturb::membrane
