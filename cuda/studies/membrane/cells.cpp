// The paper's assembly with its schedule, its transfers and its insertion timed separately (kernels/cell_results.h),
// compared with its tables 4.2 to 4.8.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cuda/core/backend/check.h"
#include "cuda/core/launch/occupancy.h"
#include "cuda/core/simulation/format.h"
#include "cuda/membrane/kernels/cell_results.h"
#include "cuda/membrane/model/discretisation.h"
#include "cuda/studies/membrane/studies.h"
#include "cuda/studies/paper.h"

namespace perturb::membrane {

namespace {

// The kernels' needs, of which its sections 3.5 and 5 speak; and the occupancy with these registers, as far as its GPU
// has them, on that GPU.
StudyTable shapes_of_kernels(const Backend& backend) {
  StudyTable table("shapes", "Registers and occupancy of the kernels in the paper's way",
                   {column("degree", "p"), column("patches", "patches over a cell"),
                    column("registers_per_thread", "registers"), column("shared_bytes", "shared memory", "B"),
                    column("occupancy", "occupancy", "%", 4), column("on_its_gpu", "on a GTX 560 Ti", "%", 4)});
  if (!backend.is_cuda()) {
    table.note = "Needs a CUDA device: not measured here.";
    return table;
  }
  constexpr int its_capability = 21;
  const GpuRules& its_gpu = *gpu_rules(its_capability);
  for (int degree = 1; degree <= membrane_max_degree; ++degree)
    for (const int over : {1, 2, 4}) {
      const LaunchShape shape = cell_results_shape(backend, degree, over);
      const int registers = std::min(shape.registers_per_thread, its_gpu.max_registers);
      table.add({degree, over, shape.registers_per_thread, shape.shared_bytes, 100 * shape.occupancy,
                 100 * occupancy_of(its_gpu, {cell_results_block, registers, shape.shared_bytes}).share});
    }
  table.note = "In blocks of " + std::to_string(cell_results_block) +
               " threads. On its GPU: by the occupancy model, with the same registers or as many as it has.";
  return table;
}

// Section 4.3 of the paper expects a better occupancy and performance of a kernel with fewer registers: the compiler
// limits those of the kernel for cells with four patches.
StudyTable limited_registers(Backend& backend, const StudyProgress& progress, std::vector<Finding>& findings) {
  // Large enough for more blocks than a multiprocessor holds at once, also of the results in the buffer.
  constexpr int level = 8, max_degree = 3;
  const std::size_t buffer = std::min(std::size_t{2} << 30, backend.free_memory() / 2);
  StudyTable table(
      "limited", "Evaluation with limited registers, cells with four patches",
      {column("degree", "p"), column("registers_per_thread", "registers"), column("limited_registers", "limited"),
       column("occupancy", "occupancy", "%", 4), column("limited_occupancy", "limited", "%", 4),
       column("seconds", "evaluation", "s"), column("limited_seconds", "limited", "s")});
  table.note = "Level " + std::to_string(level) +
               ". All cells, of which those with four patches take the most time. The compiler keeps what exceeds the "
               "limit in local memory.";
  for (int degree = 1; degree <= max_degree; ++degree) {
    progress("limited registers, p = " + std::to_string(degree));
    const Structure structure(Cover(level, degree), 1.3);
    const Form form = membrane_form(Parameters(), degree);
    CellResults assembly(backend, structure, buffer);
    std::vector<double> usual, limited;
    for (std::size_t turn = 0; turn <= repeats_of_finding; ++turn)  // the first one allocates memory
      for (const bool limits : {false, true}) {
        study_stop_point(progress);
        assembly.limit_registers(limits);
        const double seconds = assembly.run(form).evaluate;
        if (turn > 0) (limits ? limited : usual).push_back(seconds);
      }
    const LaunchShape shape = cell_results_shape(backend, degree, 4),
                      with_limit = cell_results_shape(backend, degree, 4, true);
    table.add({degree, shape.registers_per_thread, with_limit.registers_per_thread, 100 * shape.occupancy,
               100 * with_limit.occupancy, median_of(usual), median_of(limited)});
    findings.push_back({"fewer registers make the evaluation faster, p = " + std::to_string(degree), "section 4.3", NAN,
                        std::move(limited), std::move(usual)});
  }
  return table;
}

double median_of_all(const std::vector<double>& repeats) { return median_of(repeats); }

// "The experiments showed that the evaluations aren't expensive" (section 4.3): of each degree with its own integration
// level, at the largest level that was repeated.
void add_shares_of_evaluation(const std::map<TableRow, std::vector<CellSeconds>>& parts_on_gpu, const std::string& how,
                              std::vector<Finding>& findings) {
  std::map<int, std::pair<int, const std::vector<CellSeconds>*>> largest;  // by degree
  for (const auto& [row, repeats] : parts_on_gpu)                          // levels ascend
    if (row.own_level && repeats.size() >= repeats_of_finding) largest[row.degree] = {row.level, &repeats};
  for (const auto& [degree, found] : largest) {
    std::vector<double> evaluation, rest, share;
    for (const CellSeconds& s : *found.second) {
      evaluation.push_back(s.evaluate);
      rest.push_back(s.all() - s.evaluate);
      share.push_back(100 * s.evaluate / s.all());
    }
    findings.push_back(with_measured(
        {"the evaluations are not expensive for the GPU: less than half of the time, p = " + std::to_string(degree) +
             ", " + how + ", level " + std::to_string(found.first),
         "section 4.3", NAN, std::move(evaluation), std::move(rest)},
        median_of(share), "%"));
  }
}

constexpr int all_repeats = repeats_of_finding, min_level = 5;
constexpr double long_duration = 5, very_long_duration = 60;  // seconds
constexpr double max_share_of_memory = 0.7;                   // of the host's

StudyTable empty_cells_table() {
  StudyTable table("cells", "K, M and F in the paper's way, part by part",
                   {column("degree", "p"), column("integration_level", "integration level"), column("level"),
                    column("unknowns", "degrees of freedom", 8), column("on"),
                    column("schedule_seconds", "schedule", "s"), column("there_seconds", "to the device", "s"),
                    column("evaluate_seconds", "evaluation", "s"), column("back_seconds", "back", "s"),
                    column("insert_seconds", "insertion", "s"), column("seconds_per_dof", "all, per DOF", "s"),
                    column("ratio_core", "GPU over one core"), column("source_gpu_seconds_per_dof", "source, GPU", "s"),
                    column("source_core_seconds_per_dof", "source, one core", "s"),
                    column("source_ratio", "source, GPU over one core", 4)});
  table.note = "Parts are means of the repeats, the time per DOF is their median: of " + std::to_string(all_repeats) +
               " repeats, or of one above " + format_number(long_duration) +
               " s, after a first run, which allocates memory; above " + format_number(very_long_duration) +
               " s of the first run itself. Without the boundary's terms, as there. On a GPU in blocks of " +
               std::to_string(cell_results_block) +
               " threads, as there, by a kernel compiled for each degree and number of patches: there the compiler is "
               "given only the largest of both. The paper: " +
               paper_table("membrane").cited() + ", tables 4.2 to 4.8.";
  return table;
}

// The paper's figures 4.1 to 4.3: its metric, (t/DOF)/DOF, of the GPU and of one core, with the number of unknowns from
// which the GPU is faster.
struct PaperFigure {
  const char* title;
  bool own_level;
  int min_degree, max_degree;
};
constexpr PaperFigure paper_figures[] = {{"Figure 4.1: integration level p", true, 1, 2},
                                         {"Figure 4.2: integration level p", true, 3, 5},
                                         {"Figure 4.3: integration level 10", false, 1, 2}};

// The point of a line at `x`, by a straight line between logarithms.
CurvePoint point_at(const std::vector<CurvePoint>& line, double x) {
  for (std::size_t k = 1; k < line.size(); ++k) {
    const CurvePoint &from = line[k - 1], &to = line[k];
    if (x > to.x) continue;
    return {x, from.y * std::pow(to.y / from.y, std::log(x / from.x) / std::log(to.x / from.x))};
  }
  return line.back();
}

StudyPlot figure_of(const PaperTable& paper, const MeasuredRows& measured, const PaperFigure& wanted) {
  StudyPlot figure =
      plot_of(wanted.title, {"degrees of freedom", "", Scale::logarithmic}, {"(t/DOF)/DOF", "s", Scale::logarithmic});
  std::vector<StudyLine> of_paper;
  double low = std::numeric_limits<double>::infinity(), high = 0, crossing_of_paper = 0;
  const auto add = [&](StudyLine& line, double unknowns, double seconds_per_unknown) {
    const double y = seconds_per_unknown / unknowns;
    line.add(unknowns, y);
    low = std::min(low, y);
    high = std::max(high, y);
  };
  for (int degree = wanted.min_degree; degree <= wanted.max_degree; ++degree) {
    const std::string p = "p = " + std::to_string(degree), place = table_of(paper, degree, wanted.own_level);
    StudyLine gpu{"GPU, " + p, {}}, core{"one core, " + p, {}};
    for (const auto& [key, times] : measured) {
      if (key.degree != degree || key.own_level != wanted.own_level) continue;
      if (paper.find(place, std::to_string(key.level), "DOF") == nullptr) continue;
      if (!times.gpu.empty()) add(gpu, times.unknowns, median_of(times.gpu) / times.unknowns);
      if (!times.core.empty()) add(core, times.unknowns, median_of(times.core) / times.unknowns);
    }
    const double crossing =
        crossing_unknowns(ratios_of(measured, {degree, wanted.own_level}, Kernel::cells, median_of_all));
    if (crossing > 0 && std::isfinite(crossing))
      figure.lines.push_back({"crossing here, " + p, {point_at(core.points, crossing)}});
    for (StudyLine* line : {&gpu, &core})
      if (!line->points.empty()) figure.lines.push_back(std::move(*line));
    for (const char* column : {"GPU", "CPU"}) {
      StudyLine line{std::string("the paper, ") + (column[0] == 'G' ? "GPU, " : "one core, ") + p, {}, LineKind::paper};
      for (const CurvePoint& row : paper.curve(place, column))
        add(line, paper.at(place, std::to_string(static_cast<int>(row.x)), "DOF"), row.y);
      of_paper.push_back(std::move(line));
    }
    const PaperValue* stated =
        paper.find("section 4.2.1", "degree " + std::to_string(degree), "DOF from which the GPU is faster");
    if (wanted.own_level && stated != nullptr) crossing_of_paper = stated->value;
  }
  figure.lines.insert(figure.lines.end(), of_paper.begin(), of_paper.end());
  if (crossing_of_paper > 0)
    figure.lines.push_back(
        {"the paper, crossing, p = 2", {{crossing_of_paper, low}, {crossing_of_paper, high}}, LineKind::paper});
  return figure;
}

// The lowest level against the degree, on each of these devices.
StudyPlot cells_plot(const StudyTable& table, const std::vector<std::string>& devices) {
  const PaperTable& paper = paper_table("membrane");
  StudyPlot plot = plot_of("The paper's way", {"p"}, {"time per degree of freedom", "s", Scale::logarithmic});
  for (const std::string& device : devices) {
    StudyTable of_device = table;
    std::erase_if(of_device.rows, [&](const std::vector<StudyValue>& row) {
      const auto number = [&](const char* of) { return number_of(row[table.index_of(of)]); };
      return std::get<std::string>(row[table.index_of("on")]) != device || number("level") != min_level ||
             number("integration_level") != number("degree");
    });
    plot.lines.push_back(of_device.line("degree", "seconds_per_dof", device));
  }
  for (const char* of_paper : {"GPU", "CPU"}) {
    StudyLine paper_values{std::string("the paper, ") + (of_paper[0] == 'G' ? "GPU" : "one core"), {}, LineKind::paper};
    for (int degree = 1; degree <= 5; ++degree)
      paper_values.add(degree, paper.at(table_of(paper, degree, true), std::to_string(min_level), of_paper));
    plot.lines.push_back(std::move(paper_values));
  }
  return plot;
}

}  // namespace

StudyResult cells_study(Backend& backend, const CellRows& rows, const StudyProgress& progress) {
  const PaperTable& paper = paper_table("membrane");
  StudyTable table = empty_cells_table();
  const StudyCpu core(progress, 1);
  std::vector<std::pair<std::string, Backend*>> places = {{"one core", core.get()}};
  if (backend.is_cuda())
    places.insert(places.begin(), {"GPU", &backend});
  else if (backend.threads() > 1)
    places.insert(places.begin(), {"CPU", &backend});
  std::vector<std::string> devices;
  for (const auto& [name, where] : places) devices.push_back(name);
  std::string left_out;
  MeasuredRows measured;
  std::map<TableRow, std::vector<CellSeconds>> parts_on_gpu;
  const char* const how = "in the paper's way";
  const StudyTable shapes = shapes_of_kernels(backend);
  std::vector<Finding> of_registers;
  std::optional<StudyTable> limited;
  if (backend.is_cuda()) limited = limited_registers(backend, progress, of_registers);
  const auto so_far = [&] {
    StudyResult result{{table}, {cells_plot(table, devices)}};
    for (const PaperFigure& figure : paper_figures) result.plots.push_back(figure_of(paper, measured, figure));
    std::string& note = result.tables[0].note;
    if (!left_out.empty())
      note += std::isinf(rows.max_seconds_on_a_core) ? " Not measured because of memory: " + left_out + "."
                                                     : " Not measured because of memory or time: " + left_out +
                                                           "; use --long to include what fits in memory.";
    if (rows.highest_level < highest_level_of_tables)
      note += left_out_note("levels above " + std::to_string(rows.highest_level));
    std::vector<Finding> findings = table_findings(paper, measured, Kernel::cells, how, backend.is_cuda());
    add_shares_of_evaluation(parts_on_gpu, how, findings);
    findings.insert(findings.end(), of_registers.begin(), of_registers.end());
    result.tables.push_back(findings_table(findings, backend.is_cuda()
                                                         ? "Each at the largest level whose rows were repeated."
                                                         : "Its findings about a GPU need a GPU: not measured here."));
    result.tables.push_back(shapes);
    if (limited) result.tables.push_back(*limited);
    if (backend.is_cuda())
      result.tables.push_back(crossings_of(paper, measured, {{Kernel::cells, how}}, median_of_all));
    return result;
  };
  // All tables of a level before the next level, so that a study that is stopped has a part of each table.
  std::map<std::pair<int, int>, double> expected_of_table;  // seconds on one core of the next level
  for (int level = min_level; level <= rows.highest_level; ++level) {
    for (const auto& [degree, integration] : {std::pair{1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}, {1, 10}, {2, 10}}) {
      const std::string place = table_of(paper, degree, integration == degree);
      if (degree > rows.max_degree || paper.find(place, std::to_string(level), "DOF") == nullptr) continue;
      double& expected_on_core = expected_of_table[{degree, integration}];
      const std::string words = "p = " + std::to_string(degree) + ", integration level " + std::to_string(integration) +
                                ", level " + std::to_string(level);
      const Structure structure(Cover(level, degree), 1.3);
      Parameters parameters;
      parameters.integration_level = integration;
      const Form form = membrane_form(parameters, degree);
      const TableRow key{degree, level, integration == degree, Kernel::cells};
      double of_gpu = NAN;  // seconds per degree of freedom, with its row in the table
      std::size_t row_of_gpu = 0;
      for (const auto& [name, where] : places) {
        const bool on_core = where == core.get();
        const bool fits = static_cast<double>(CellResults::bytes(level, degree)) <
                          max_share_of_memory * static_cast<double>(core->free_memory());
        if (!fits || (on_core && level > min_level && expected_on_core > rows.max_seconds_on_a_core)) {
          expected_on_core = on_core ? std::numeric_limits<double>::infinity() : expected_on_core;
          left_out += (left_out.empty() ? "" : "; ") + words + (on_core ? " on one core" : " on the " + name);
          continue;
        }
        progress(words + ", " + name);
        CellResults assembly(*where, structure);
        std::vector<double> per_unknown;
        std::vector<CellSeconds> repeated;
        CellSeconds sum;
        const CellSeconds first = assembly.run(form);
        if (on_core) expected_on_core = 4 * first.all();
        const int repeats = first.all() < long_duration ? all_repeats : 1;
        Times& times = measured[key];
        times.unknowns = static_cast<double>(structure.unknowns);
        for (int turn = 0; turn < repeats; ++turn) {
          study_stop_point(progress);
          const CellSeconds s = first.all() < very_long_duration ? assembly.run(form) : first;
          sum.schedule += s.schedule;
          sum.there += s.there;
          sum.evaluate += s.evaluate;
          sum.back += s.back;
          sum.insert += s.insert;
          repeated.push_back(s);
          per_unknown.push_back(s.all() / times.unknowns);
          (on_core ? times.core : where->is_cuda() ? times.gpu : times.cpu).push_back(s.all());
        }
        const double here = median_of(per_unknown);
        const auto source = [&](const char* of_paper) {
          return paper.printed_or_dash(place, std::to_string(level), of_paper);
        };
        table.add({degree, integration, level, times.unknowns, name, sum.schedule / repeats, sum.there / repeats,
                   sum.evaluate / repeats, sum.back / repeats, sum.insert / repeats, here, "", source("GPU"),
                   source("CPU"), source("ratio GPU/CPU")});
        if (where->is_cuda()) {
          of_gpu = here;
          row_of_gpu = table.rows.size() - 1;
          parts_on_gpu[key] = std::move(repeated);
        } else if (on_core && std::isfinite(of_gpu)) {
          table.rows[row_of_gpu][table.index_of("ratio_core")] = of_gpu / here;
        }
        report_partial(progress, so_far());
      }
    }
  }
  return so_far();
}

}  // namespace perturb::membrane
