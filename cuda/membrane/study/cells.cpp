// The paper's assembly with its schedule, its transfers and its insertion timed separately (kernels/cell_results.h),
// compared with its tables 4.2 to 4.8.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cuda/core/bench/paper_studies.h"
#include "cuda/core/bench/paper_table.h"
#include "cuda/core/bench/verdict.h"
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
  return value != nullptr ? StudyValue(value->value) : StudyValue(std::string("-"));
}

}  // namespace

StudyResult cells_study(Backend& backend, int highest_level, int most_degree, const StudyProgress& progress) {
  const PaperTable& paper = paper_table("membrane");
  StudyTable table;
  table.id = "cells", table.title = "K, M and F in the source's way, part by part";
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
      "Parts are means of the repeats, the time per DOF is their median. Without the boundary's terms, as there. The "
      "source: " +
      paper.cited() + ", tables 4.2 to 4.8.";
  StudyPlot plot;
  plot.title = "The source's way";
  plot.x_label = "p", plot.y_label = "time per degree of freedom", plot.y_unit = "s";
  plot.logarithmic_y = true;

  const std::unique_ptr<Backend> core = Backend::make_cpu(1);
  std::vector<std::pair<std::string, Backend*>> places = {{"one core", core.get()}};
  if (backend.is_cuda())
    places.insert(places.begin(), {"GPU", &backend});
  else if (backend.threads() > 1)
    places.insert(places.begin(), {"CPU", &backend});
  constexpr int repeats = 5, min_level = 5;
  std::map<std::tuple<std::string, int, int>, PerUnknown> at_least_level;  // by device, degree, integration level
  for (const auto& [name, where] : places) plot.lines.push_back({name, {}, false});
  for (const auto& [degree, integration] : {std::pair{1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}, {1, 10}, {2, 10}})
    for (int level = min_level; level <= highest_level && degree <= most_degree; ++level) {
      const std::string words = "p = " + std::to_string(degree) + ", integration level " + std::to_string(integration) +
                                ", level " + std::to_string(level);
      const Structure structure(Cover(level, degree), 1.3);
      Parameters parameters;
      parameters.integration_level = integration;
      const Form form = membrane_form(parameters, degree);
      const std::string place = place_of_degree(paper, degree, integration);
      for (std::size_t k = 0; k < places.size(); ++k) {
        const auto& [name, where] = places[k];
        // Each level takes four times as long: minutes from here on.
        constexpr int most_level_on_a_core = 6;
        if (where == core.get() && level > most_level_on_a_core) continue;
        progress(words + ", " + name);
        CellResults assembly(*where, structure);
        PerUnknown all;
        CellSeconds mean;
        assembly.run(form);  // allocates memory
        for (int turn = 0; turn < repeats; ++turn) {
          const CellSeconds s = assembly.run(form);
          mean.schedule += s.schedule / repeats, mean.there += s.there / repeats;
          mean.evaluate += s.evaluate / repeats, mean.back += s.back / repeats, mean.insert += s.insert / repeats;
          all.push_back(s.all() / static_cast<double>(structure.unknowns));
        }
        table.rows.push_back({static_cast<double>(degree), static_cast<double>(integration), static_cast<double>(level),
                              static_cast<double>(structure.unknowns), name, mean.schedule, mean.there, mean.evaluate,
                              mean.back, mean.insert, median_of(all), printed_or_dash(paper, place, level, "GPU"),
                              printed_or_dash(paper, place, level, "CPU")});
        if (level == min_level) {
          if (integration == degree) plot.lines[k].points.push_back({static_cast<double>(degree), median_of(all)});
          at_least_level[{name, degree, integration}] = all;
        }
        report_partial(progress, {{table}, {plot}});
      }
    }
  for (const char* column : {"GPU", "CPU"}) {
    StudyLine paper_values{std::string("the source, ") + (column[0] == 'G' ? "GPU" : "one core"), {}, true};
    for (int degree = 1; degree <= 5; ++degree)
      paper_values.points.push_back({static_cast<double>(degree), paper.at(place_of_degree(paper, degree, degree),
                                                                           std::to_string(min_level), column)});
    plot.lines.push_back(std::move(paper_values));
  }

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
  return {{std::move(table), findings_table(findings, backend.is_cuda() ? ""
                                                                        : "What its findings say of a GPU needs one: "
                                                                          "not measured here.")},
          {std::move(plot)}};
}

}  // namespace perturb::membrane
