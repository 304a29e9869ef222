// The studies of `perturb bench membrane` in addition to the rows of kernels: the cost of a drag, the growth of
// iterations, and the paper's tables 4.2 to 4.8.
#include "cuda/studies/membrane/studies.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/timing/roofline.h"
#include "cuda/membrane/membrane.h"
#include "cuda/membrane/model/discretisation.h"
#include "cuda/membrane/model/theory.h"
#include "cuda/studies/paper.h"

namespace perturb::membrane {

namespace {

using Clock = std::chrono::steady_clock;

// Shortest time of several calls of `work`, in seconds: long enough in total for the clock, short enough for a table.
template <class Work>
double seconds_of(Backend& backend, const Work& work) {
  const std::vector<double> repeats = membrane_repeats(backend, 1, work);
  return *std::min_element(repeats.begin(), repeats.end());
}

// Times what the window does when the user drags the load, and when a parameter changes on which the matrices depend.
StudyResult drag(Backend& backend, const Setup& scene, const StudyProgress& progress) {
  StudyTable table;
  table.id = "drag", table.title = "A frame while the load is dragged, and after a change of the overlap";
  table.columns = {{"level", "level", "", 3},
                   {"degree", "p", "", 3},
                   {"unknowns", "degrees of freedom", "", 8},
                   {"iterations", "iterations", "", 3},
                   {"solve_seconds", "load and solution", "s", 3},
                   {"paint_seconds", "picture 1280 x 720", "s", 3},
                   {"frame_seconds", "together", "s", 3},
                   {"assemble_seconds", "K, M and F", "s", 3},
                   {"change_seconds", "all after a change", "s", 3}};
  Field<std::uint32_t> picture(backend, 1280, 720, "picture");
  const ColorTable colors(backend, find_colormap("balance"));
  for (const auto& [level, degree] : {std::pair{5, 2}, std::pair{6, 2}, std::pair{7, 2}}) {
    progress("level " + std::to_string(level));
    Setup setup = scene;
    setup.parameters["level"] = level, setup.parameters["degree"] = degree;
    const auto membrane = create(backend, setup);
    int turn = 0, iterations = 0;
    const double solve = seconds_of(backend, [&] {
      // About the distance that a pointer moves in a frame.
      const double angle = 0.1 * ++turn;
      membrane->apply(
          Action{"source", {{"x", 0.5 + 0.2 * std::cos(angle)}, {"y", 0.5 + 0.2 * std::sin(angle)}}, "", nullptr});
      membrane->step(1);
    });
    const ViewSettings view;  // the displacement, in its own range
    for (const Scalar& scalar : membrane->diagnostics(view, true).scalars)
      if (scalar.id == "iterations") iterations = static_cast<int>(scalar.value);
    const double paint = seconds_of(backend, [&] { membrane->paint(picture.view(), Camera{}, view, colors); });
    double overlap = 1.3;
    const double change = seconds_of(backend, [&] {
      membrane->set_parameter("overlap", overlap = overlap == 1.3 ? 1.35 : 1.3);
      membrane->step(1);
    });
    const Structure structure(Cover(level, degree), 1.3);
    const std::vector<double> repeats = Bench(backend, structure).repeats(Kernel::tensor, 0);
    const double assemble = *std::min_element(repeats.begin(), repeats.end());
    table.rows.push_back({static_cast<double>(level), static_cast<double>(degree),
                          static_cast<double>(structure.unknowns), static_cast<double>(iterations), solve, paint,
                          solve + paint, assemble, change});
  }
  table.note =
      "Tolerance 1e-8, starting from the solution of the previous frame. A change of the overlap rebuilds the cover, "
      "the matrices and the preconditioner.";
  return {{table}, {}};
}

StudyResult iterations(Backend& backend, const Setup&, const StudyProgress& progress) {
  StudyTable table;
  table.id = "iterations", table.title = "Iterations of conjugate gradients to 1e-8, sigma = 1";
  table.columns = {{"degree", "p", "", 3},
                   {"level", "level", "", 3},
                   {"unknowns", "degrees of freedom", "", 8},
                   {"multilevel", "multilevel", "", 4},
                   {"multilevel_seconds", "multilevel", "s", 3},
                   {"patch", "patch blocks", "", 4},
                   {"patch_seconds", "patch blocks", "s", 3}};
  StudyPlot plot;
  plot.title = table.title, plot.x_label = "degrees of freedom", plot.y_label = "iterations";
  plot.logarithmic_x = plot.logarithmic_y = true;
  for (const int degree : {1, 2, 3}) {
    StudyLine multilevel{"multilevel, p = " + std::to_string(degree), {}};
    StudyLine patch{"reference: patch blocks, p = " + std::to_string(degree), {}, LineKind::reference};
    for (int level = 3; level <= (backend.is_cuda() ? 9 : 7); ++level) {
      if (Discretisation::uniform_bytes(level, degree) > 0.7 * static_cast<double>(backend.free_memory())) continue;
      progress("p = " + std::to_string(degree) + ", level " + std::to_string(level));
      Parameters p;
      p.source_x = 0.35, p.source_y = 0.6;
      Discretisation d(backend, Cover(level, degree), p);
      const Form form = membrane_form(p, degree);
      d.assemble(Kernel::tensor, form, true, true);
      std::vector<StudyValue> row = {static_cast<double>(degree), static_cast<double>(level),
                                     static_cast<double>(d.structure().unknowns)};
      for (const Preconditioner kind : {Preconditioner::multilevel, Preconditioner::patch}) {
        d.solver().prepare(d.matrix(1), form, kind);
        d.solution().fill_zero();
        backend.synchronize();
        const auto start = Clock::now();
        const Solved solved = d.solve(1, true, {kind, 1e-8, 20000});
        backend.synchronize();
        row.push_back(static_cast<double>(solved.iterations));
        row.push_back(std::chrono::duration<double>(Clock::now() - start).count());
        (kind == Preconditioner::multilevel ? multilevel : patch)
            .points.push_back({static_cast<double>(d.structure().unknowns), static_cast<double>(solved.iterations)});
      }
      table.rows.push_back(row);
    }
    plot.lines.push_back(multilevel), plot.lines.push_back(patch);
  }
  table.note = "Starting from zero, each with one sweep over the patch colours before and after the coarser level.";
  return {{table}, {plot}};
}

}  // namespace

std::vector<Study> membrane_studies() {
  return {
      {"tables", "Time per degree of freedom by degree and size, GPU compared with CPU: the paper's tables.", true,
       [](Backend& backend, const Setup&, const StudyProgress& progress) {
         return tables_study(backend, highest_level_of_tables, progress,
                             study_request().long_too ? TableRows::all : TableRows::quick);
       }},
      {"cells",
       "The paper's way to assemble: schedule, transfers, a result matrix for each cell, insertion by the host.", false,
       [](Backend& backend, const Setup&, const StudyProgress& progress) {
         CellRows rows;
         constexpr double seconds = 4;  // so that the core's rows take about a minute and a half in all
         if (backend.is_cuda()) rows.highest_level = highest_level_of_tables, rows.most_seconds_on_a_core = seconds;
         if (study_request().long_too)
           rows = {.highest_level = highest_level_of_tables,
                   .most_seconds_on_a_core = std::numeric_limits<double>::infinity()};
         return cells_study(backend, rows, progress);
       }},
      {"drag", "Cost of a frame while the load is dragged, and after a change of the overlap.", false, drag},
      {"iterations", "How the number of solver iterations grows with the level.", false, iterations},
      {"convergence", "Error against the number of unknowns, refined by splitting, by degree and by both.", false,
       convergence_study},
      {"modes", "The lowest modes of a fixed membrane, computed for each degree and by theory.", false, modes_study}};
}

// ---- the paper's tables
//
// Time per degree of freedom by degree, level and integration level: the paper's tables 4.2 to 4.8.

namespace {

// Eight independent chains of fused multiply-adds per thread.
struct ArithmeticFp64 {
  double* out;
  PERTURB_HD void operator()(int i) const {
    double x[8];
    for (int k = 0; k < 8; ++k) x[k] = 1 + 1e-3 * (i + k);
    for (int turn = 0; turn < 512; ++turn)
      for (int k = 0; k < 8; ++k) x[k] = multiply_add(x[k], 0.999, 1e-3);
    double sum = 0;
    for (int k = 0; k < 8; ++k) sum += x[k];
    out[i] = sum;
  }
};
double measured_fp64(Backend& backend) {
  const int threads = backend.is_cuda() ? 1 << 21 : 1 << 16;
  Array<double> out(backend, static_cast<std::size_t>(threads), "results of arithmetic");
  const double seconds = shortest_of(membrane_repeats(
      backend, 1, [&] { parallel_for(backend, "membrane.arithmetic", Range1D{threads}, ArithmeticFp64{out.data()}); }));
  return 2.0 * 8 * 512 * threads / seconds;
}

// The paper's figures 4.1 to 4.3: its metric, (t/DOF)/DOF, of the GPU and of one core, with the number of unknowns from
// which the GPU is faster. Two of each, one for each kernel.
struct PaperFigure {
  const char* title;
  bool own_level;
  int least_degree, most_degree;
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

StudyPlot figure_of(const PaperTable& paper, const MeasuredRows& measured, const PaperFigure& wanted, Kernel kernel) {
  StudyPlot figure;
  figure.title = std::string(wanted.title) + ", kernel " + kernel_word(kernel);
  figure.x_label = "degrees of freedom", figure.y_label = "(t/DOF)/DOF", figure.y_unit = "s";
  figure.logarithmic_x = figure.logarithmic_y = true;
  std::vector<StudyLine> of_paper;
  double low = std::numeric_limits<double>::infinity(), high = 0, crossing_of_paper = 0;
  const auto add = [&](StudyLine& line, double unknowns, double seconds_per_unknown) {
    const double y = seconds_per_unknown / unknowns;
    line.points.push_back({unknowns, y});
    low = std::min(low, y), high = std::max(high, y);
  };
  for (int degree = wanted.least_degree; degree <= wanted.most_degree; ++degree) {
    const std::string p = "p = " + std::to_string(degree), place = table_of(paper, degree, wanted.own_level);
    StudyLine gpu{"GPU, " + p, {}}, core{"one core, " + p, {}};
    for (const auto& [key, times] : measured) {
      if (key.degree != degree || key.own_level != wanted.own_level || key.kernel != kernel) continue;
      if (paper.find(place, std::to_string(key.level), "DOF") == nullptr) continue;
      if (!times.gpu.empty()) add(gpu, times.unknowns, shortest_of(times.gpu) / times.unknowns);
      if (!times.core.empty()) add(core, times.unknowns, shortest_of(times.core) / times.unknowns);
    }
    const double crossing = crossing_unknowns(ratios_of(measured, {degree, wanted.own_level}, kernel, shortest_of));
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

StudyValue number_or_nothing(bool known, double value) { return known ? StudyValue(value) : StudyValue(std::string()); }

}  // namespace

StudyResult tables_study(Backend& backend, int highest_level, const StudyProgress& progress, TableRows rows) {
  const bool all = rows == TableRows::all;
  const PaperTable& paper = paper_table("membrane");
  // A GPU is compared with this machine's CPU, and with one core of it as in the paper.
  std::optional<StudyCpu> other;
  if (backend.is_cuda()) other.emplace(progress);
  Backend* cpu = other ? other->get() : &backend;
  Backend* gpu = backend.is_cuda() ? &backend : nullptr;
  const StudyCpu core(progress, 1);
  progress("the roof of " + backend.device_name());
  const Roofline roof = measure_roofline(backend);
  const double fp64 = measured_fp64(backend);
  const double rate_over_core = gpu != nullptr ? fp64 / measured_fp64(*core) : 0;
  StudyResult result;
  MeasuredRows measured;
  // Also for a study that is stopped: figures, crossings and findings of the rows so far.
  const auto evaluated = [&](StudyResult rows_so_far) {
    constexpr Kernel kernels[] = {Kernel::cells, Kernel::tensor};
    for (const Kernel kernel : kernels)
      for (const PaperFigure& figure : paper_figures)
        rows_so_far.plots.push_back(figure_of(paper, measured, figure, kernel));
    if (gpu != nullptr)
      rows_so_far.tables.push_back(
          crossings_of(paper, measured, {{kernels[0], kernel_word(kernels[0])}, {kernels[1], kernel_word(kernels[1])}},
                       shortest_of));
    std::vector<Finding> findings;
    for (const Kernel kernel : kernels)
      for (Finding& finding :
           table_findings(paper, measured, kernel, kernel_word(kernel), gpu != nullptr, rate_over_core))
        findings.push_back(std::move(finding));
    rows_so_far.tables.push_back(
        findings_table(findings, gpu != nullptr ? "Each at the largest level whose rows take one core at most " +
                                                      format_number(most_seconds_of_finding) + " seconds."
                                                : "Its findings about a GPU need a GPU: not measured here."));
    return rows_so_far;
  };
  for (const bool own_level : {true, false}) {
    StudyTable table;
    table.id = own_level ? "integration_level_p" : "integration_level_10";
    table.title =
        own_level ? "K, M and F assembled, integration level p" : "K, M and F assembled, integration level 10";
    table.columns = {{"degree", "p", "", 3},
                     {"level", "level", "", 3},
                     {"unknowns", "degrees of freedom", "", 8},
                     {"kernel", "kernel", "", 3},
                     {"gpu_seconds", "GPU", "s", 3},
                     {"gpu_seconds_per_dof", "GPU per DOF", "s", 3},
                     {"cpu_seconds", "CPU", "s", 3},
                     {"cpu_seconds_per_dof", "CPU per DOF", "s", 3},
                     {"core_seconds_per_dof", "one core per DOF", "s", 3},
                     {"ratio_core", "GPU over one core", "", 3},
                     {"ratio_cpu", "GPU over CPU", "", 3},
                     {"of_writing", "share of the writing bound", "", 3},
                     {"of_fp64", "share of the FP64 peak", "", 3},
                     {"source_gpu_seconds_per_dof", "source, GPU", "s", 3},
                     {"source_core_seconds_per_dof", "source, one core", "s", 3},
                     {"source_ratio", "source, GPU over one core", "", 4}};
    StudyPlot plot;
    plot.title = table.title + ", tensor, on the " + (gpu != nullptr ? "GPU" : "CPU");
    plot.x_label = "degrees of freedom", plot.y_label = "time per degree of freedom", plot.y_unit = "s";
    plot.logarithmic_x = plot.logarithmic_y = true;
    std::vector<StudyLine> paper_lines;
    std::string left_out;
    for (int degree = 1; degree <= membrane_max_degree; ++degree) {
      const std::string place = table_of(paper, degree, own_level);
      StudyLine line{"p = " + std::to_string(degree), {}},
          paper_values{"the paper, p = " + std::to_string(degree), {}, LineKind::paper};
      for (int level = 5; level <= highest_level; ++level) {
        const std::string row = std::to_string(level);
        const bool printed = !place.empty() && paper.find(place, row, "DOF") != nullptr;
        // All rows that the paper has, and a sample of those that it does not.
        if (!printed && (!place.empty() || (level != 6 && level != 8))) continue;
        if (printed)
          paper_values.points.push_back({paper.at(place, row, "DOF"), paper.at(place, row, gpu ? "GPU" : "CPU")});
        const std::string name = "p = " + std::to_string(degree) + ", level " + row;
        const std::size_t bytes = Bench::bytes(level, degree);
        const bool on_gpu = gpu && bytes < 0.9 * static_cast<double>(gpu->free_memory());
        const bool on_cpu = bytes < 0.7 * static_cast<double>(cpu->free_memory());
        const bool slow_too = all && printed;
        const double entries = static_cast<double>(uniform_values(level, degree));
        // A cover with more entries takes seconds to minutes on a CPU before anything is timed.
        const double most_entries_on_cpu = gpu ? 3e8 : 6e7;
        if (!on_gpu && (!on_cpu || (!slow_too && entries > most_entries_on_cpu))) {
          left_out += (left_out.empty() ? "" : "; ") + name + ", both kernels";
          continue;
        }
        progress(name + ", its cover");
        const Structure structure(Cover(level, degree), 1.3);
        study_stop_point(progress);
        const int q = own_level ? 0 : 10, points = own_level ? degree + 1 : 11;
        for (const Kernel kernel : {Kernel::cells, Kernel::tensor}) {
          // The method by cells takes minutes for the largest on a CPU: these many operations take one core half a
          // minute, or a few seconds where there is no GPU to compare with.
          const double operations = entries * points * points * 10;
          const double most_operations_of_core = gpu ? 6e10 : 8e9;
          const bool tensor = kernel == Kernel::tensor;
          const bool cpu_too =
              on_cpu && (slow_too || (entries <= most_entries_on_cpu &&
                                      (tensor || operations < most_operations_of_core * std::min(cpu->threads(), 4))));
          const bool core_too = cpu_too && (slow_too || tensor || operations < most_operations_of_core);
          const bool gpu_too = on_gpu && (slow_too || tensor || operations < 4e12);
          if (!core_too || (gpu && !gpu_too))
            left_out += (left_out.empty() ? "" : "; ") + name + ", kernel " + kernel_word(kernel) + " on " +
                        (gpu && !gpu_too ? core_too ? "the GPU" : "the GPU and " : "") +
                        (core_too  ? ""
                         : cpu_too ? "one core"
                                   : "the CPU");
          if (!gpu_too && !cpu_too) continue;
          Times& times = measured[{degree, level, own_level, kernel}];
          times.unknowns = static_cast<double>(structure.unknowns);
          const auto repeats_on = [&](Backend& where, const char* device, bool of_finding) {
            progress(name + (own_level ? ", " : ", integration level 10, ") + kernel_word(kernel) + ", " + device);
            Bench bench(where, structure);
            std::vector<double> repeats = bench.repeats(kernel, q);
            while (of_finding && repeats.size() < repeats_of_finding && repeats[0] <= most_seconds_of_finding) {
              study_stop_point(progress);
              repeats.push_back(bench.repeats(kernel, q)[0]);
            }
            return repeats;
          };
          const bool compared = is_compared({degree, own_level}, gpu != nullptr);
          if (gpu_too) times.gpu = repeats_on(*gpu, "GPU", compared);
          if (cpu_too) times.cpu = repeats_on(*cpu, "CPU", compared && cpu->threads() == 1);
          if (core_too) times.core = cpu->threads() == 1 ? times.cpu : repeats_on(*core, "one core", compared);
          const double gpu_seconds = gpu_too ? shortest_of(times.gpu) : 0,
                       cpu_seconds = cpu_too ? shortest_of(times.cpu) : 0,
                       core_seconds = core_too ? shortest_of(times.core) : 0;
          const double unknowns = times.unknowns, seconds = gpu ? gpu_seconds : cpu_seconds;
          const double written = (2 * entries + unknowns) * sizeof(double);
          const double flops = tensor ? 5 * entries : 9 * entries * cells_of_entry(level) * points * points;
          const bool known = gpu ? gpu_too : cpu_too;
          const auto from_paper = [&](const char* column) {
            return printed ? paper.printed(place, row, column) : StudyValue(std::string());
          };
          table.rows.push_back(
              {static_cast<double>(degree), static_cast<double>(level), unknowns, std::string(kernel_word(kernel)),
               number_or_nothing(gpu_too, gpu_seconds), number_or_nothing(gpu_too, gpu_seconds / unknowns),
               number_or_nothing(cpu_too, cpu_seconds), number_or_nothing(cpu_too, cpu_seconds / unknowns),
               number_or_nothing(core_too, core_seconds / unknowns),
               number_or_nothing(gpu_too && core_too, gpu_seconds / core_seconds),
               number_or_nothing(gpu_too && cpu_too, gpu_seconds / cpu_seconds),
               number_or_nothing(known, written / roof.bytes_per_second / seconds),
               number_or_nothing(known, flops / fp64 / seconds), from_paper("GPU"), from_paper("CPU"),
               from_paper("ratio GPU/CPU")});
          if (tensor && known) line.points.push_back({unknowns, seconds / unknowns});
        }
        StudyResult so_far = result;
        so_far.tables.push_back(table);
        report_partial(progress, evaluated(std::move(so_far)));
      }
      plot.lines.push_back(line);
      if (!paper_values.points.empty()) paper_lines.push_back(paper_values);
    }
    // The measured lines come first: colours repeat after the eighth line.
    plot.lines.insert(plot.lines.end(), paper_lines.begin(), paper_lines.end());
    table.note =
        "A time is the shortest of its repeats; rows that take more than a quarter of a second run once, and those "
        "that "
        "the findings compare " +
        std::to_string(repeats_of_finding) +
        " times. The findings compare medians. Both shares are of rates measured on " + backend.device_name() +
        ": memory by copying, FP64 by fused multiplications and additions. The CPU: " + cpu->device_name() + ", " +
        std::to_string(cpu->threads()) +
        " threads. The writing bound counts every number of K, M and F once. The paper: " + paper.cited() +
        ", tables 4.2 to 4.8, a GeForce GTX 560 Ti and one core of a Core i7-2600K.";
    if (!left_out.empty())
      table.note +=
          all ? " Not measured because of memory, or of time where the paper has no such row: " + left_out + "."
              : " Not measured because of memory or time: " + left_out + "; use --long to include them.";
    result.tables.push_back(std::move(table));
    result.plots.push_back(std::move(plot));
  }
  return evaluated(result);
}

}  // namespace perturb::membrane
