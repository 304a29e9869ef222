// The paper's assembly with its schedule, its transfers and its insertion timed separately (kernels/cell_results.h),
// compared with its tables 4.2 to 4.8.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cuda/core/backend/check.h"
#include "cuda/core/bench/occupancy.h"
#include "cuda/core/bench/paper.h"
#include "cuda/core/simulation/format.h"
#include "cuda/membrane/kernels/cell_results.h"
#include "cuda/membrane/model/discretisation.h"
#include "cuda/membrane/study/studies.h"

namespace perturb::membrane {

namespace {

// Seconds per degree of freedom, one number for each repeat.
using PerUnknown = std::vector<double>;

std::string place_of_degree(const PaperTable& paper, int degree, int integration_level) {
  for (const char* place : {"table 4.2", "table 4.3", "table 4.4", "table 4.5", "table 4.6", "table 4.7", "table 4.8"})
    if (paper.at(place, "all rows", "degree") == degree &&
        paper.at(place, "all rows", "integration level") == integration_level)
      return place;
  return "";
}

StudyValue printed_or_dash(const PaperTable& paper, const std::string& place, int level, const char* column) {
  const PaperValue* value = place.empty() ? nullptr : paper.find(place, std::to_string(level), column);
  return value != nullptr ? StudyValue(PrintedNumber{value->value, value->digits}) : StudyValue(std::string("-"));
}

}  // namespace

namespace {

// The kernels' needs, of which its sections 3.5 and 5 speak; and the occupancy with these registers, as far as its GPU
// has them, on that GPU.
StudyTable shapes_of_kernels(const Backend& backend, std::vector<Finding>& findings) {
  StudyTable table;
  table.id = "shapes", table.title = "Registers and occupancy of the kernels in the paper's way";
  table.columns = {{"degree", "p", "", 3},
                   {"patches", "patches over a cell", ""},
                   {"registers_per_thread", "registers", ""},
                   {"shared_bytes", "shared memory", "B"},
                   {"occupancy", "occupancy", "%", 4},
                   {"on_its_gpu", "on a GTX 560 Ti", "%", 4}};
  if (!backend.is_cuda()) {
    table.note = "Needs a CUDA device: not measured here.";
    return table;
  }
  constexpr int its_capability = 21;
  const GpuRules& its_gpu = *gpu_rules(its_capability);
  const char* const place = "section 3.5.2";
  for (int degree = 1; degree <= membrane_max_degree; ++degree)
    for (const int over : {1, 2, 4}) {
      const LaunchShape shape = cell_results_shape(backend, degree, over);
      const int registers = std::min(shape.registers_per_thread, its_gpu.most_registers);
      table.rows.push_back({static_cast<double>(degree), static_cast<double>(over),
                            static_cast<double>(shape.registers_per_thread), static_cast<double>(shape.shared_bytes),
                            100 * shape.occupancy,
                            100 * occupancy_of(its_gpu, {cell_results_block, registers, shape.shared_bytes}).share});
      if (over != 4) continue;  // the cells with most work
      const std::string of = ", p = " + std::to_string(degree);
      findings.push_back(counted_finding("the kernel's registers leave it less than all of the occupancy" + of, place,
                                         NAN, shape.occupancy, 1));
      constexpr double none = 0.5;  // bytes
      findings.push_back(
          agreement("bytes of shared memory that the kernel uses" + of, place, 0, shape.shared_bytes, none));
    }
  table.note = "In blocks of " + std::to_string(cell_results_block) +
               " threads. On its GPU: by the occupancy model, with the same registers or as many as it has.";
  return table;
}

}  // namespace

StudyResult cells_study(Backend& backend, const CellRows& rows, const StudyProgress& progress) {
  const PaperTable& paper = paper_table("membrane");
  StudyTable table;
  table.id = "cells", table.title = "K, M and F in the paper's way, part by part";
  table.columns = {{"degree", "p", "", 3},
                   {"integration_level", "integration level", "", 3},
                   {"level", "level", "", 3},
                   {"unknowns", "degrees of freedom", "", 8},
                   {"on", "on", ""},
                   {"schedule_seconds", "schedule", "s"},
                   {"there_seconds", "to the device", "s"},
                   {"evaluate_seconds", "evaluation", "s"},
                   {"back_seconds", "back", "s"},
                   {"insert_seconds", "insertion", "s"},
                   {"seconds_per_dof", "all, per DOF", "s"},
                   {"source_gpu_seconds_per_dof", "source, GPU", "s"},
                   {"source_core_seconds_per_dof", "source, one core", "s"}};
  table.note =
      "Parts are means of the repeats, the time per DOF is their median. Without the boundary's terms, as there. On a "
      "GPU "
      "in blocks of " +
      std::to_string(cell_results_block) +
      " threads, by kernels compiled for each degree and number of patches, as there. The paper: " + paper.cited() +
      ", tables 4.2 to 4.8.";
  StudyPlot plot;
  plot.title = "The paper's way";
  plot.x_label = "p", plot.y_label = "time per degree of freedom", plot.y_unit = "s";
  plot.logarithmic_y = true;

  const StudyCpu core(progress, 1);
  std::vector<std::pair<std::string, Backend*>> places = {{"one core", core.get()}};
  if (backend.is_cuda())
    places.insert(places.begin(), {"GPU", &backend});
  else if (backend.threads() > 1)
    places.insert(places.begin(), {"CPU", &backend});
  constexpr int all_repeats = 5, min_level = 5;
  constexpr double long_run = 2, most_share_of_memory = 0.7;  // seconds; of the host's
  std::string left_out;
  std::map<std::tuple<std::string, int, int>, PerUnknown> at_least_level;  // by device, degree, integration level
  for (const auto& [name, where] : places) plot.lines.push_back({name, {}});
  for (const auto& [degree, integration] : {std::pair{1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}, {1, 10}, {2, 10}})
    for (int level = min_level; level <= rows.highest_level && degree <= rows.most_degree; ++level) {
      const std::string place = place_of_degree(paper, degree, integration);
      if (paper.find(place, std::to_string(level), "DOF") == nullptr) continue;
      const std::string words = "p = " + std::to_string(degree) + ", integration level " + std::to_string(integration) +
                                ", level " + std::to_string(level);
      const Structure structure(Cover(level, degree), 1.3);
      Parameters parameters;
      parameters.integration_level = integration;
      const Form form = membrane_form(parameters, degree);
      for (std::size_t k = 0; k < places.size(); ++k) {
        const auto& [name, where] = places[k];
        const bool fits = static_cast<double>(CellResults::bytes(level, degree)) <
                          most_share_of_memory * static_cast<double>(core->free_memory());
        if (!fits || (where == core.get() && level > rows.highest_level_on_a_core)) {
          left_out += (left_out.empty() ? "" : "; ") + words + ", " + name;
          continue;
        }
        progress(words + ", " + name);
        CellResults assembly(*where, structure);
        PerUnknown all;
        CellSeconds sum;
        const double first = assembly.run(form).all();  // allocates memory
        // Findings are about the lowest level. Of the others, long ones are run twice in all.
        const int repeats = level == min_level || first < long_run ? all_repeats : 1;
        for (int turn = 0; turn < repeats; ++turn) {
          study_stop_point(progress);
          const CellSeconds s = assembly.run(form);
          sum.schedule += s.schedule, sum.there += s.there, sum.evaluate += s.evaluate, sum.back += s.back;
          sum.insert += s.insert;
          all.push_back(s.all() / static_cast<double>(structure.unknowns));
        }
        table.rows.push_back({static_cast<double>(degree), static_cast<double>(integration), static_cast<double>(level),
                              static_cast<double>(structure.unknowns), name, sum.schedule / repeats,
                              sum.there / repeats, sum.evaluate / repeats, sum.back / repeats, sum.insert / repeats,
                              median_of(all), printed_or_dash(paper, place, level, "GPU"),
                              printed_or_dash(paper, place, level, "CPU")});
        if (level == min_level) {
          if (integration == degree) plot.lines[k].points.push_back({static_cast<double>(degree), median_of(all)});
          at_least_level[{name, degree, integration}] = all;
        }
        report_partial(progress, {{table}, {plot}});
      }
    }
  for (const char* column : {"GPU", "CPU"}) {
    StudyLine paper_values{std::string("the paper, ") + (column[0] == 'G' ? "GPU" : "one core"), {}, LineKind::paper};
    for (int degree = 1; degree <= 5; ++degree)
      paper_values.points.push_back({static_cast<double>(degree), paper.at(place_of_degree(paper, degree, degree),
                                                                           std::to_string(min_level), column)});
    plot.lines.push_back(std::move(paper_values));
  }

  if (!left_out.empty())
    table.note +=
        rows.highest_level_on_a_core < highest_level_of_tables
            ? " Left out because of memory or time: " + left_out + "; use --long to include what fits in memory."
            : " Left out because of memory: " + left_out + ".";
  if (rows.highest_level < highest_level_of_tables)
    table.note += left_out_note("levels above " + std::to_string(rows.highest_level));

  const auto measured = [&](const char* where, int degree, int integration) {
    return at_least_level[{where, degree, integration}];
  };
  const auto printed = [&](int degree, int integration, const char* column) {
    return paper.at(place_of_degree(paper, degree, integration), std::to_string(min_level), column);
  };
  const auto ratios = [&](int degree, int integration) {
    PerUnknown all = measured("GPU", degree, integration);
    const PerUnknown one = measured("one core", degree, integration);
    for (std::size_t k = 0; k < all.size(); ++k) all[k] /= one[k];
    return all;
  };
  const std::string of = ", level " + std::to_string(min_level);
  std::vector<Finding> findings = {{"on one core an unknown costs more for p = 5 than for p = 1" + of,
                                    "tables 4.2 and 4.6", printed(5, 5, "CPU") / printed(1, 1, "CPU"),
                                    measured("one core", 1, 1), measured("one core", 5, 5)}};
  if (backend.is_cuda()) {
    constexpr const char* ratio = "ratio GPU/CPU";
    findings.push_back({"the GPU is faster than one core, p = 5" + of, "table 4.6", 1 / printed(5, 5, ratio),
                        measured("GPU", 5, 5), measured("one core", 5, 5)});
    findings.push_back({"against one core the GPU gains with the degree, p = 5 against p = 1" + of,
                        "tables 4.2 and 4.6", printed(1, 1, ratio) / printed(5, 5, ratio), ratios(5, 5), ratios(1, 1)});
    findings.push_back({"against one core the GPU gains with the integration level, 10 against 1, p = 1" + of,
                        "tables 4.2 and 4.7", printed(1, 1, ratio) / printed(1, 10, ratio), ratios(1, 10),
                        ratios(1, 1)});
  }
  StudyTable shapes = shapes_of_kernels(backend, findings);
  return {{std::move(table),
           findings_table(findings, backend.is_cuda() ? "" : "Its findings about a GPU need a GPU: not measured here."),
           std::move(shapes)},
          {std::move(plot)}};
}

const char* kernel_word(Kernel kernel) {
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

namespace {

std::vector<double> quotients(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> all;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) all.push_back(a[k] / b[k]);
  return all;
}

std::string own_level_or_10(int degree, bool own_level) {
  return "p = " + std::to_string(degree) + (own_level ? "" : ", integration level 10");
}

// Compares the speed of GPU and one core in a row of the paper's tables.
Finding compare_kernels(const PaperTable& paper, const Times& times, const TableRow& key, const std::string& of) {
  const std::string place = table_of(paper, key.degree, key.own_level);
  const double gpu_over_core = paper.at(place, std::to_string(key.level), "ratio GPU/CPU");
  const std::string words = own_level_or_10(key.degree, key.own_level) + of;
  if (gpu_over_core > 1)
    return {"one core is faster than the GPU, " + words, place, gpu_over_core, times.core, times.gpu};
  return {"the GPU is faster than one core, " + words, place, 1 / gpu_over_core, times.gpu, times.core};
}

// The advantage that the paper's text states for its largest rows, "nearly" or "about" a whole number: to a half, at
// the largest level of which both were measured here.
std::vector<Finding> stated_advantage(const PaperTable& paper, const std::map<TableRow, Times>& measured, int degree,
                                      bool own_level, Kernel kernel) {
  const PaperValue* stated = own_level ? paper.find("section 4.2.1", "degrees 3 to 5", "advantage of the GPU")
                                       : paper.find("section 4.2.2", "integration level 10", "advantage of the GPU");
  if (stated == nullptr) throw Error("internal: the paper states no advantage of its GPU");
  const Times* times = nullptr;
  int level = 0;
  for (const auto& [key, found] : measured)
    if (key.degree == degree && key.own_level == own_level && key.kernel == kernel && !found.gpu.empty() &&
        !found.core.empty())
      times = &found, level = key.level;
  if (times == nullptr) return {};
  constexpr double half = 0.5;
  const std::string how = stated->read.substr(stated->read.find(": ") + 2);
  return {agreement("the GPU is " + how + " " + stated->digits +
                        " times as fast as one core: their ratio, to a half, " + own_level_or_10(degree, own_level) +
                        ", " + kernel_word(kernel) + ", level " + std::to_string(level),
                    stated->place, stated->value, quotients(times->core, times->gpu), half)};
}

// "Polynomials of one degree more can be used with the same performance" (section 4.2.1): the GPU's time per degree of
// freedom for p + 1 against that of one core for p.
Finding one_degree_more(const PaperTable& paper, const Times& core, const Times& gpu, int degree, int level,
                        Kernel kernel) {
  const auto printed = [&](int p, const char* column) {
    const PaperValue* value = paper.find(table_of(paper, p, true), std::to_string(level), column);
    return value != nullptr ? value->value : NAN;
  };
  std::vector<double> on_gpu = gpu.gpu, on_core = core.core;
  for (double& seconds : on_gpu) seconds /= gpu.unknowns;
  for (double& seconds : on_core) seconds /= core.unknowns;
  const std::string p = std::to_string(degree), more = std::to_string(degree + 1);
  return {"the GPU needs less time per unknown for p = " + more + " than one core for p = " + p + ", " +
              kernel_word(kernel) + ", level " + std::to_string(level),
          "section 4.2.1", printed(degree, "CPU") / printed(degree + 1, "GPU"), on_gpu, on_core};
}

}  // namespace

StudyTable table_findings(const PaperTable& paper, std::map<TableRow, Times>& measured, int level,
                          double rate_over_core) {
  const bool with_gpu = rate_over_core > 0;
  std::vector<Finding> findings;
  const auto printed = [&](int degree, bool own_level, const char* column) {
    return paper.at(table_of(paper, degree, own_level), std::to_string(level), column);
  };
  constexpr const char* ratio = "ratio GPU/CPU";
  for (const Kernel kernel : {Kernel::cells, Kernel::tensor}) {
    const std::string of = std::string(", ") + kernel_word(kernel) + ", level " + std::to_string(level);
    const Times &low = measured[{1, level, true, kernel}], &high = measured[{5, level, true, kernel}],
                &fine = measured[{1, level, false, kernel}];
    std::vector<double> cost_low = low.core, cost_high = high.core;
    for (double& seconds : cost_low) seconds /= low.unknowns;
    for (double& seconds : cost_high) seconds /= high.unknowns;
    findings.push_back({"on one core an unknown costs more for p = 5 than for p = 1" + of, "tables 4.2 and 4.6",
                        printed(5, true, "CPU") / printed(1, true, "CPU"), cost_low, cost_high});
    if (!with_gpu) continue;
    for (const bool own_level : {true, false})
      for (int degree = 1; degree <= (own_level ? 5 : 2); ++degree) {
        const TableRow key{degree, level, own_level, kernel};
        findings.push_back(compare_kernels(paper, measured[key], key, of));
      }
    const TableRow crossing{2, crossing_level(paper), true, kernel};
    if (measured.count(crossing) > 0) {
      const std::string there = std::string(", ") + kernel_word(kernel) + ", level " + std::to_string(crossing.level);
      findings.push_back(compare_kernels(paper, measured[crossing], crossing, there));
    }
    for (const auto& [degree, own_level] :
         {std::pair{3, true}, std::pair{4, true}, std::pair{5, true}, std::pair{1, false}, std::pair{2, false}}) {
      const std::vector<Finding> found = stated_advantage(paper, measured, degree, own_level, kernel);
      findings.insert(findings.end(), found.begin(), found.end());
    }
    // It says this of higher degrees.
    for (const int degree : {3, 4})
      findings.push_back(one_degree_more(paper, measured[{degree, level, true, kernel}],
                                         measured[{degree + 1, level, true, kernel}], degree, level, kernel));
    // The paper's GPU has this many times the peak rate of one core; its speedup stays below that.
    const std::vector<double> gains = quotients(high.core, high.gpu);
    findings.push_back({"the GPU's advantage over one core is less than that of its FP64 rate, p = 5" + of,
                        "section 4.1, table 4.6",
                        paper.at("section 4.1", "GPU over CPU", "theoretical advantage") * printed(5, true, ratio),
                        gains, std::vector<double>(gains.size(), rate_over_core)});
    findings.push_back({"against one core the GPU gains with the degree, p = 5 against p = 1" + of,
                        "tables 4.2 and 4.6", printed(1, true, ratio) / printed(5, true, ratio),
                        quotients(high.gpu, high.core), quotients(low.gpu, low.core)});
    findings.push_back({"against one core the GPU gains with the integration level, 10 against 1, p = 1" + of,
                        "tables 4.2 and 4.7", printed(1, true, ratio) / printed(1, false, ratio),
                        quotients(fine.gpu, fine.core), quotients(low.gpu, low.core)});
  }
  return findings_table(findings, with_gpu ? "" : "Its findings about a GPU need a GPU: not measured here.");
}

}  // namespace perturb::membrane
