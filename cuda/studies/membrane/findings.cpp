// Statements of the paper's tables 4.2 to 4.8 and of its text about them, asked of measured rows. Each is asked at the
// largest level that its rows have here: the paper's statements are about large problems, and at small ones the time of
// a launch decides.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"
#include "cuda/studies/membrane/studies.h"
#include "cuda/studies/paper.h"

namespace perturb::membrane {

const char* id_in_options(Kernel kernel) {
  return kernel == Kernel::cells ? "cells" : kernel == Kernel::tensor ? "tensor" : "rows";
}

std::string table_of(const PaperTable& paper, int degree, bool own_level) {
  for (const char* place : {"table 4.2", "table 4.3", "table 4.4", "table 4.5", "table 4.6", "table 4.7", "table 4.8"})
    if (paper.at(place, "all rows", "degree") == degree &&
        (paper.at(place, "all rows", "integration level") == degree) == own_level)
      return place;
  return "";
}

int crossing_level(const PaperTable& paper) {
  const double unknowns = paper.at("section 4.2.1", "degree 2", "DOF from which the GPU is faster");
  for (const CurvePoint& row : paper.curve(table_of(paper, 2, true), "DOF"))
    if (row.y > unknowns) return static_cast<int>(row.x);
  return 0;
}

double cells_of_entry(int level) {
  const double patches = std::pow(2.0, level), of_line = (5 * patches - 4) / (3 * patches - 2);
  return of_line * of_line;
}

double crossing_unknowns(const std::vector<CurvePoint>& gpu_over_core) {
  for (std::size_t k = 0; k < gpu_over_core.size(); ++k) {
    const CurvePoint& to = gpu_over_core[k];
    if (!(to.y < 1)) continue;
    if (k == 0) return 0;
    const CurvePoint& from = gpu_over_core[k - 1];
    const double part = std::log(from.y) / std::log(from.y / to.y);
    return from.x * std::pow(to.x / from.x, part);
  }
  return std::numeric_limits<double>::infinity();
}

std::vector<CurvePoint> ratios_of(const MeasuredRows& measured, const DegreeTable& of, Kernel kernel, OneOf one_of) {
  std::vector<CurvePoint> ratios;
  for (const auto& [key, times] : measured)
    if (key.degree == of.degree && key.own_level == of.own_level && key.kernel == kernel && !times.gpu.empty() &&
        !times.core.empty())
      ratios.push_back({times.unknowns, one_of(times.gpu) / one_of(times.core)});
  std::sort(ratios.begin(), ratios.end(), [](const CurvePoint& a, const CurvePoint& b) { return a.x < b.x; });
  return ratios;
}

StudyTable crossings_of(const PaperTable& paper, const MeasuredRows& measured,
                        const std::vector<std::pair<Kernel, std::string>>& kernels, OneOf one_of) {
  StudyTable table("crossings", "Degrees of freedom from which the GPU is faster than one core",
                   {column("degree", "p"), column("integration_level", "integration level"), column("kernel"),
                    column("unknowns", "here"), column("source_unknowns", "the paper")},
                   "Between two rows by a straight line in logarithms. The paper states only one of them.");
  for (const bool own_level : {true, false})
    for (int degree = 1; degree <= (own_level ? membrane_max_degree : 2); ++degree)
      for (const auto& [kernel, name] : kernels) {
        const std::vector<CurvePoint> ratios = ratios_of(measured, {degree, own_level}, kernel, one_of);
        if (ratios.empty()) continue;
        const double here = crossing_unknowns(ratios);
        const std::string row = "degree " + std::to_string(degree);
        table.add({degree, own_level ? "p" : "10", name,
                   here == 0             ? StudyValue("from the smallest row on")
                   : std::isfinite(here) ? StudyValue(here)
                                         : StudyValue("at none of the rows"),
                   own_level ? paper.printed_or_dash("section 4.2.1", row, "DOF from which the GPU is faster")
                             : StudyValue("-")});
      }
  return table;
}

namespace {

std::vector<double> per_unknown(std::vector<double> seconds, const Times& of) {
  for (double& s : seconds) s /= of.unknowns;
  return seconds;
}

std::string text_of(const DegreeTable& table) {
  return "p = " + std::to_string(table.degree) + (table.own_level ? "" : ", integration level 10");
}

bool is_repeated(const Times& times, bool with_gpu) {
  return times.core.size() >= repeats_of_finding && (!with_gpu || times.gpu.size() >= repeats_of_finding);
}

// Input of the findings of one kernel. `how`: its text in a claim.
struct Rows {
  const PaperTable& paper;
  const MeasuredRows& measured;
  Kernel kernel;
  std::string how;
  bool with_gpu;

  // The largest level of which rows of all these tables were repeated. 0: none.
  int level(const std::vector<DegreeTable>& tables) const {
    for (int level = highest_level_of_tables; level > 0; --level)
      if (std::all_of(tables.begin(), tables.end(), [&](const DegreeTable& table) {
            const auto found = measured.find({table.degree, level, table.own_level, kernel});
            return found != measured.end() && is_repeated(found->second, with_gpu);
          }))
        return level;
    return 0;
  }
  const Times& at(const DegreeTable& table, int level) const {
    return measured.at({table.degree, level, table.own_level, kernel});
  }
  // NaN if the paper has no such row.
  double printed(const DegreeTable& table, int level, const char* column) const {
    const PaperValue* value = paper.find(table_of(paper, table.degree, table.own_level), std::to_string(level), column);
    return value != nullptr ? value->value : NAN;
  }
  std::string end_of_claim(int level) const { return ", " + how + ", level " + std::to_string(level); }
};

constexpr const char* ratio_column = "ratio GPU/CPU";

// The text says of p = 1 that its processor is faster (section 4.2.1), of more that its GPU is (chapter 5), and of
// integration level 10 that its GPU is (section 4.2.2). Its smallest rows differ, of which it does not speak: they are
// not asked.
void add_faster(const Rows& rows, const DegreeTable& table, std::vector<Finding>& findings) {
  const int level = rows.level({table});
  if (level == 0) return;
  const double gpu_over_core = rows.printed(table, level, ratio_column);
  const Times& times = rows.at(table, level);
  const std::string words = text_of(table) + rows.end_of_claim(level);
  const std::string place = table_of(rows.paper, table.degree, table.own_level);
  if (table.degree == 1 && table.own_level)
    findings.push_back(
        {"one core is faster than the GPU, " + words, "section 4.2.1, " + place, gpu_over_core, times.core, times.gpu});
  else if (gpu_over_core < 1)
    findings.push_back({"the GPU is faster than one core, " + words,
                        (table.own_level ? "chapter 5, " : "section 4.2.2, ") + place, 1 / gpu_over_core, times.gpu,
                        times.core});
}

// The row of p = 2 from which its GPU is faster.
void add_crossing(const Rows& rows, std::vector<Finding>& findings) {
  const DegreeTable table{2, true};
  const int level = crossing_level(rows.paper);
  const auto found = rows.measured.find({table.degree, level, table.own_level, rows.kernel});
  if (found == rows.measured.end() || !is_repeated(found->second, true) || level == rows.level({table})) return;
  findings.push_back({"the GPU is faster than one core, " + text_of(table) + rows.end_of_claim(level),
                      "section 4.2.1, " + table_of(rows.paper, table.degree, table.own_level),
                      1 / rows.printed(table, level, ratio_column), found->second.gpu, found->second.core});
}

// The advantage that the text states for its largest rows, "nearly" or "about" a whole number: to a half. Of the
// degrees 3 to 5 it "increases nearly" to that number: the last reaches it.
void add_stated_advantage(const Rows& rows, const DegreeTable& table, std::vector<Finding>& findings) {
  const PaperValue* stated = table.own_level
                                 ? rows.paper.find("section 4.2.1", "degrees 3 to 5", "advantage of the GPU")
                                 : rows.paper.find("section 4.2.2", "integration level 10", "advantage of the GPU");
  if (stated == nullptr) throw Error("internal: the paper states no advantage of its GPU");
  const int level = rows.level({table});
  if (level == 0) return;
  constexpr double half = 0.5;
  const Times& times = rows.at(table, level);
  const std::string how_near = stated->read.substr(stated->read.find(": ") + 2);
  findings.push_back(agreement_of_ratio("the GPU is " + how_near + " " + stated->digits +
                                            " times as fast as one core: their ratio, to a half, " + text_of(table) +
                                            rows.end_of_claim(level),
                                        stated->place, stated->value, times.gpu, times.core, half));
}

// "Polynomials with a degree increased by one can be used resulting in the same performance" (section 4.2.1).
void add_one_degree_more(const Rows& rows, int degree, std::vector<Finding>& findings) {
  const DegreeTable table{degree, true}, more{degree + 1, true};
  const int level = rows.level({table, more});
  if (level == 0) return;
  const Times &core = rows.at(table, level), &gpu = rows.at(more, level);
  findings.push_back({"with the GPU p = " + std::to_string(degree + 1) + " takes no more time per unknown than p = " +
                          std::to_string(degree) + " on one core" + rows.end_of_claim(level),
                      "section 4.2.1", rows.printed(table, level, "CPU") / rows.printed(more, level, "GPU"),
                      per_unknown(gpu.gpu, gpu), per_unknown(core.core, core)});
}

// In its tables an unknown costs one core more for p = 5 than for p = 1; the GPU too where there are many.
void add_cost(const Rows& rows, std::vector<Finding>& findings) {
  const DegreeTable low{1, true}, high{5, true};
  const int level = rows.level({low, high});
  if (level == 0) return;
  const Times &of_low = rows.at(low, level), &of_high = rows.at(high, level);
  const std::string words = " for p = 5 than for p = 1" + rows.end_of_claim(level);
  findings.push_back({"on one core an unknown costs more" + words, "tables 4.2 and 4.6",
                      rows.printed(high, level, "CPU") / rows.printed(low, level, "CPU"),
                      per_unknown(of_low.core, of_low), per_unknown(of_high.core, of_high)});
  if (!rows.with_gpu) return;
  const double ratio = rows.printed(high, level, "GPU") / rows.printed(low, level, "GPU");
  const std::vector<double> on_low = per_unknown(of_low.gpu, of_low), on_high = per_unknown(of_high.gpu, of_high);
  if (ratio > 1)
    findings.push_back({"on the GPU an unknown costs more" + words, "tables 4.2 and 4.6", ratio, on_low, on_high});
  else
    findings.push_back({"on the GPU an unknown costs less" + words, "tables 4.2 and 4.6", 1 / ratio, on_high, on_low});
}

// Against one core the GPU gains from one table to another.
void add_gain(const Rows& rows, const DegreeTable& from, const DegreeTable& to, const std::string& with,
              std::vector<Finding>& findings) {
  const int level = rows.level({from, to});
  if (level == 0) return;
  const auto number = [&](const DegreeTable& table) {
    return table_of(rows.paper, table.degree, table.own_level).substr(std::string("table ").size());
  };
  findings.push_back({"against one core the GPU gains with the " + with + rows.end_of_claim(level),
                      "tables " + number(from) + " and " + number(to),
                      rows.printed(from, level, ratio_column) / rows.printed(to, level, ratio_column),
                      quotients_of(rows.at(to, level).gpu, rows.at(to, level).core),
                      quotients_of(rows.at(from, level).gpu, rows.at(from, level).core)});
}

}  // namespace

std::vector<Finding> table_findings(const PaperTable& paper, const MeasuredRows& measured, Kernel kernel,
                                    const std::string& how, bool with_gpu) {
  const Rows rows{paper, measured, kernel, how, with_gpu};
  std::vector<Finding> findings;
  add_cost(rows, findings);
  if (!with_gpu) return findings;
  for (const bool own_level : {true, false})
    for (int degree = 1; degree <= (own_level ? membrane_max_degree : 2); ++degree)
      add_faster(rows, {degree, own_level}, findings);
  add_crossing(rows, findings);
  for (const DegreeTable& table : {DegreeTable{5, true}, DegreeTable{1, false}, DegreeTable{2, false}})
    add_stated_advantage(rows, table, findings);
  for (const int degree : {3, 4}) add_one_degree_more(rows, degree, findings);
  add_gain(rows, {1, true}, {5, true}, "degree, p = 5 against p = 1", findings);
  for (const int degree : {1, 2})
    add_gain(rows, {degree, true}, {degree, false},
             "integration level, 10 against " + std::to_string(degree) + ", p = " + std::to_string(degree), findings);
  return findings;
}

}  // namespace perturb::membrane
