// The studies of `perturb bench membrane` in addition to the rows of kernels: the cost of a drag, the growth of
// iterations, and the paper's tables 4.2 to 4.8.
#include "cuda/studies/membrane/studies.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/timing/roofline.h"
#include "cuda/membrane/membrane.h"
#include "cuda/membrane/model/discretisation.h"
#include "cuda/studies/paper.h"

namespace perturb::membrane {

namespace {

// Shortest time of several calls of `work`, in seconds: long enough in total for the clock, short enough for a table.
template <class Work>
double seconds_of(Backend& backend, const Work& work) {
  const std::vector<double> repeats = membrane_repeats(backend, 1, work);
  return shortest_of(repeats);
}

// Times what the window does when the user drags the load, and when a parameter changes on which the matrices depend.
StudyResult drag(Backend& backend, const Setup& scene, const StudyProgress& progress) {
  StudyTable table(
      "drag", "A frame while the load is dragged, and after a change of the overlap",
      {column("level"), column("degree", "p"), column("unknowns", "degrees of freedom", 8), column("iterations"),
       column("solve_seconds", "load and solution", "s"), column("paint_seconds", "picture 1280 x 720", "s"),
       column("frame_seconds", "together", "s"), column("assemble_seconds", "K, M and F", "s"),
       column("change_seconds", "all after a change", "s")});
  Field<std::uint32_t> picture(backend, 1280, 720, "image");
  const ColorTable colors(backend, find_colormap("balance"));
  for (const auto& [level, degree] : {std::pair{5, 2}, std::pair{6, 2}, std::pair{7, 2}}) {
    progress("level " + std::to_string(level));
    Setup setup = scene;
    setup.parameters["level"] = level;
    setup.parameters["degree"] = degree;
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
    const double assemble = shortest_of(repeats);
    table.add({level, degree, structure.unknowns, iterations, solve, paint, solve + paint, assemble, change});
  }
  table.note =
      "Tolerance 1e-8, starting from the solution of the previous frame. A change of the overlap rebuilds the cover, "
      "the matrices and the preconditioner.";
  return {{table}, {}};
}

StudyResult iterations(Backend& backend, const Setup&, const StudyProgress& progress) {
  StudyTable table("iterations", "Iterations of conjugate gradients to 1e-8, sigma = 1",
                   {column("degree", "p"), column("level"), column("unknowns", "degrees of freedom", 8),
                    column("multilevel", "multilevel", 4), column("multilevel_seconds", "multilevel", "s"),
                    column("patch", "patch blocks", 4), column("patch_seconds", "patch blocks", "s")});
  StudyPlot plot =
      plot_of(table.title, {"degrees of freedom", "", Scale::logarithmic}, {"iterations", "", Scale::logarithmic});
  for (const int degree : {1, 2, 3}) {
    StudyLine multilevel{"multilevel, p = " + std::to_string(degree), {}};
    StudyLine patch{"reference: patch blocks, p = " + std::to_string(degree), {}, LineKind::reference};
    for (int level = 3; level <= (backend.is_cuda() ? 9 : 7); ++level) {
      if (Discretisation::uniform_bytes(level, degree) > 0.7 * static_cast<double>(backend.free_memory())) continue;
      progress("p = " + std::to_string(degree) + ", level " + std::to_string(level));
      Parameters p;
      p.source_x = 0.35;
      p.source_y = 0.6;
      Discretisation d(backend, Cover(level, degree), p);
      const Form form = membrane_form(p, degree);
      d.assemble(Kernel::tensor, form, true, true);
      std::vector<StudyValue> row = {degree, level, d.structure().unknowns};
      for (const Preconditioner kind : {Preconditioner::multilevel, Preconditioner::patch}) {
        d.solver().prepare(d.matrix(1), form, kind);
        d.solution().fill_zero();
        Solved solved;
        const double seconds = seconds_to_run(backend, [&] { solved = d.solve(1, true, {kind, 1e-8, 20000}); });
        row.push_back(solved.iterations);
        row.push_back(seconds);
        (kind == Preconditioner::multilevel ? multilevel : patch).add(d.structure().unknowns, solved.iterations);
      }
      table.add(row);
    }
    plot.lines.push_back(multilevel);
    plot.lines.push_back(patch);
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
         if (backend.is_cuda()) {
           rows.highest_level = highest_level_of_tables;
           rows.max_seconds_on_a_core = seconds;
         }
         if (study_request().long_too)
           rows = {.highest_level = highest_level_of_tables,
                   .max_seconds_on_a_core = std::numeric_limits<double>::infinity()};
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

constexpr Kernel compared_kernels[] = {Kernel::cells, Kernel::tensor};

// Measures the rows. A GPU is compared with this machine's CPU, and with one core of it as in the paper.
class TablesStudy {
 public:
  TablesStudy(Backend& backend, int highest_level, const StudyProgress& progress, bool all)
      : backend_(backend), progress_(progress), highest_level_(highest_level), all_(all), core_(progress, 1) {
    if (backend.is_cuda()) other_.emplace(progress);
    cpu_ = other_ ? other_->get() : &backend;
    gpu_ = backend.is_cuda() ? &backend : nullptr;
    progress("the roof of " + backend.device_name());
    bandwidth_ = measure_roofline(backend).bytes_per_second;
    fp64_ = measured_fp64(backend);
  }

  StudyResult run() {
    for (const bool own_level : {true, false}) {
      table_ = empty_table(own_level);
      left_out_.clear();
      for (int degree = 1; degree <= membrane_max_degree; ++degree)
        for (int level = 5; level <= highest_level_; ++level)
          // All rows that the paper has, and a sample of those that it does not.
          if (has_row(degree, level, own_level) ||
              (table_of(paper_, degree, own_level).empty() && (level == 6 || level == 8)))
            measure_level(degree, level, own_level);
      table_.note = note();
      result_.plots.push_back(plot(own_level));
      result_.tables.push_back(std::move(table_));
    }
    return evaluated(result_);
  }

 private:
  static StudyTable empty_table(bool own_level) {
    return StudyTable(
        own_level ? "integration_level_p" : "integration_level_10",
        own_level ? "K, M and F assembled, integration level p" : "K, M and F assembled, integration level 10",
        {column("degree", "p"), column("level"), column("unknowns", "degrees of freedom", 8), column("kernel"),
         column("gpu_seconds", "GPU", "s"), column("gpu_seconds_per_dof", "GPU per DOF", "s"),
         column("cpu_seconds", "CPU", "s"), column("cpu_seconds_per_dof", "CPU per DOF", "s"),
         column("core_seconds_per_dof", "one core per DOF", "s"), column("ratio_core", "GPU over one core"),
         column("ratio_cpu", "GPU over CPU"), column("of_writing", "share of the writing bound"),
         column("of_fp64", "share of the FP64 peak"), column("source_gpu_seconds_per_dof", "source, GPU", "s"),
         column("source_core_seconds_per_dof", "source, one core", "s"),
         column("source_ratio", "source, GPU over one core", 4)});
  }

  bool has_row(int degree, int level, bool own_level) const {
    const std::string place = table_of(paper_, degree, own_level);
    return !place.empty() && paper_.find(place, std::to_string(level), "DOF") != nullptr;
  }

  void leave_out(const std::string& rows) { left_out_ += (left_out_.empty() ? "" : "; ") + rows; }

  void measure_level(int degree, int level, bool own_level) {
    const std::string name = "p = " + std::to_string(degree) + ", level " + std::to_string(level);
    const std::size_t bytes = Bench::bytes(level, degree);
    const bool on_gpu = gpu_ && bytes < 0.9 * static_cast<double>(gpu_->free_memory());
    const bool on_cpu = bytes < 0.7 * static_cast<double>(cpu_->free_memory());
    const bool slow_too = all_ && has_row(degree, level, own_level);
    const double entries = static_cast<double>(uniform_values(level, degree));
    // A cover with more entries takes seconds to minutes on a CPU before anything is timed.
    const double max_entries_on_cpu = gpu_ ? 3e8 : 6e7;
    if (!on_gpu && (!on_cpu || (!slow_too && entries > max_entries_on_cpu))) {
      leave_out(name + ", both kernels");
      return;
    }
    progress_(name + ", its cover");
    const Structure structure(Cover(level, degree), 1.3);
    study_stop_point(progress_);
    const int points = own_level ? degree + 1 : 11;
    for (const Kernel kernel : compared_kernels) {
      // The method by cells takes minutes for the largest on a CPU: these many operations take one core half a minute,
      // or a few seconds where there is no GPU to compare with.
      const double operations = entries * points * points * 10;
      const double max_operations_of_core = gpu_ ? 6e10 : 8e9;
      const bool tensor = kernel == Kernel::tensor;
      const bool cpu_too =
          on_cpu && (slow_too || (entries <= max_entries_on_cpu &&
                                  (tensor || operations < max_operations_of_core * std::min(cpu_->threads(), 4))));
      const bool core_too = cpu_too && (slow_too || tensor || operations < max_operations_of_core);
      const bool gpu_too = on_gpu && (slow_too || tensor || operations < 4e12);
      if (!core_too || (gpu_ && !gpu_too))
        leave_out(name + ", kernel " + id_in_options(kernel) + " on " +
                  (gpu_ && !gpu_too ? core_too ? "the GPU" : "the GPU and " : "") +
                  (core_too  ? ""
                   : cpu_too ? "one core"
                             : "the CPU"));
      if (!gpu_too && !cpu_too) continue;
      const TableRow row{degree, level, own_level, kernel};
      measure_row(row, name, structure, gpu_too, cpu_too, core_too);
      add_row(row, entries);
    }
    StudyResult so_far = result_;
    so_far.tables.push_back(table_);
    report_partial(progress_, evaluated(std::move(so_far)));
  }

  void measure_row(const TableRow& row, const std::string& name, const Structure& structure, bool gpu_too, bool cpu_too,
                   bool core_too) {
    const int integration_level = row.own_level ? 0 : 10;
    const auto repeats_on = [&](Backend& where, const char* device) {
      progress_(name + (row.own_level ? ", " : ", integration level 10, ") + id_in_options(row.kernel) + ", " + device);
      return Bench(where, structure).repeats(row.kernel, integration_level);
    };
    Times& times = measured_[row];
    times.unknowns = static_cast<double>(structure.unknowns);
    if (gpu_too) times.gpu = repeats_on(*gpu_, "GPU");
    if (cpu_too) times.cpu = repeats_on(*cpu_, "CPU");
    if (core_too) times.core = cpu_->threads() == 1 ? times.cpu : repeats_on(*core_, "one core");
  }

  // Repeats on the device of the study.
  const std::vector<double>& here(const Times& times) const { return gpu_ ? times.gpu : times.cpu; }

  void add_row(const TableRow& row, double entries) {
    const Times& times = measured_.at(row);
    const double unknowns = times.unknowns;
    const int points = row.own_level ? row.degree + 1 : 11;
    const double written = (2 * entries + unknowns) * sizeof(double);
    const double flops =
        row.kernel == Kernel::tensor ? 5 * entries : 9 * entries * cells_of_entry(row.level) * points * points;
    // An empty cell for what was not measured.
    const auto shortest_over = [](const std::vector<double>& repeats, double divisor) {
      return repeats.empty() ? StudyValue("") : StudyValue(shortest_of(repeats) / divisor);
    };
    const auto ratio = [&](const std::vector<double>& other) {
      return other.empty() ? StudyValue("") : shortest_over(times.gpu, shortest_of(other));
    };
    const auto share = [&](double work, double rate) {
      return here(times).empty() ? StudyValue("") : StudyValue(work / rate / shortest_of(here(times)));
    };
    const auto from_paper = [&](const char* of_paper) {
      return has_row(row.degree, row.level, row.own_level)
                 ? paper_.printed(table_of(paper_, row.degree, row.own_level), std::to_string(row.level), of_paper)
                 : StudyValue("");
    };
    table_.add({row.degree, row.level, unknowns, id_in_options(row.kernel), shortest_over(times.gpu, 1),
                shortest_over(times.gpu, unknowns), shortest_over(times.cpu, 1), shortest_over(times.cpu, unknowns),
                shortest_over(times.core, unknowns), ratio(times.core), ratio(times.cpu), share(written, bandwidth_),
                share(flops, fp64_), from_paper("GPU"), from_paper("CPU"), from_paper("ratio GPU/CPU")});
  }

  StudyPlot plot(bool own_level) const {
    StudyPlot of_table = plot_of(table_.title + ", tensor, on the " + (gpu_ != nullptr ? "GPU" : "CPU"),
                                 {"degrees of freedom", "", Scale::logarithmic},
                                 {"time per degree of freedom", "s", Scale::logarithmic});
    std::vector<StudyLine> of_paper;
    for (int degree = 1; degree <= membrane_max_degree; ++degree) {
      const std::string p = "p = " + std::to_string(degree), place = table_of(paper_, degree, own_level);
      StudyLine line{p, {}}, paper_line{"the paper, " + p, {}, LineKind::paper};
      for (const auto& [row, times] : measured_)
        if (row.degree == degree && row.own_level == own_level && row.kernel == Kernel::tensor && !here(times).empty())
          line.add(times.unknowns, shortest_of(here(times)) / times.unknowns);
      for (int level = 5; level <= highest_level_; ++level)
        if (has_row(degree, level, own_level))
          paper_line.add(paper_.at(place, std::to_string(level), "DOF"),
                         paper_.at(place, std::to_string(level), gpu_ ? "GPU" : "CPU"));
      of_table.lines.push_back(std::move(line));
      if (!paper_line.points.empty()) of_paper.push_back(std::move(paper_line));
    }
    // The measured lines come first: colours repeat after the eighth line.
    of_table.lines.insert(of_table.lines.end(), of_paper.begin(), of_paper.end());
    return of_table;
  }

  std::string note() const {
    std::string text =
        "Kernels of this program, which the paper does not have: `--cells` works as it does, and has its findings. A "
        "time is the shortest of its repeats; rows that take more than a quarter of a second run once. Both shares are "
        "of rates measured on " +
        backend_.device_name() +
        ": memory by copying, FP64 by fused multiplications and additions. The CPU: " + cpu_->device_name() + ", " +
        std::to_string(cpu_->threads()) +
        " threads. The writing bound counts every number of K, M and F once. The paper: " + paper_.cited() +
        ", tables 4.2 to 4.8, a GeForce GTX 560 Ti and one core of a Core i7-2600K.";
    if (left_out_.empty()) return text;
    return text +
           (all_ ? " Not measured because of memory, or of time where the paper has no such row: " + left_out_ + "."
                 : " Not measured because of memory or time: " + left_out_ + "; use --long to include them.");
  }

  // Also for a study that is stopped: the crossings of the rows so far.
  StudyResult evaluated(StudyResult rows_so_far) const {
    std::vector<std::pair<Kernel, std::string>> names;
    for (const Kernel kernel : compared_kernels) names.emplace_back(kernel, id_in_options(kernel));
    if (gpu_ != nullptr) rows_so_far.tables.push_back(crossings_of(paper_, measured_, names, shortest_of));
    return rows_so_far;
  }

  Backend& backend_;
  const StudyProgress& progress_;
  int highest_level_;
  bool all_;
  const PaperTable& paper_ = paper_table("membrane");
  std::optional<StudyCpu> other_;
  StudyCpu core_;
  Backend *cpu_ = nullptr, *gpu_ = nullptr;
  double bandwidth_ = 0, fp64_ = 0;
  MeasuredRows measured_;
  StudyTable table_;  // of the integration level that is being measured
  std::string left_out_;
  StudyResult result_;
};

}  // namespace

StudyResult tables_study(Backend& backend, int highest_level, const StudyProgress& progress, TableRows rows) {
  return TablesStudy(backend, highest_level, progress, rows == TableRows::all).run();
}

}  // namespace perturb::membrane
