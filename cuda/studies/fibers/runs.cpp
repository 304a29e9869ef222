// The paper's complete runs: table B.1, the time of a step by part (table 6.3), and the first profiles (tables 2.1 and
// 2.2) at their own time step and number of steps.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "cuda/core/backend/check.h"
#include "cuda/core/backend/peak_rates.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/timing/roofline.h"
#include "cuda/core/timing/timing_duration.h"
#include "cuda/fibers/fibers.h"
#include "cuda/fibers/model/plan.h"
#include "cuda/studies/fibers/studies.h"
#include "cuda/studies/paper.h"

namespace perturb::fibers {

namespace {

// Seconds of a whole run, and how it ended.
double seconds_of_run(Backend& backend, int fibers, Diagnostics* end) {
  const auto run = cloud_of_paper(backend, fibers, Precision::fp64, fiber_paper_run().time_step);
  const double seconds = seconds_to_step(*run, fiber_paper_run().steps());
  const Diagnostics d = run->diagnostics({}, true);
  if (!d.finite) throw Error("The run of {} fibers did not reach its end: {}", std::to_string(fibers), d.error);
  if (end != nullptr) *end = d;
  return seconds;
}

double iterations_of(const Diagnostics& d) { return d.number("iterations"); }

}  // namespace

int PaperRun::steps() const { return static_cast<int>(std::lround(end / time_step)); }

std::string PaperRun::text() const {
  return "t = 0 .. " + format_number(end) + " in " + std::to_string(steps()) + " steps of " + format_number(time_step) +
         " (" + std::to_string(steps() + 1) + " evaluations)";
}

PaperRun fiber_paper_run() {
  const PaperTable& paper = paper_table("fibers");
  const auto paper_value = [&](const char* what) { return paper.at("chapter 6", "run", what); };
  return {paper_value("time step"), paper_value("end"), paper_value("radius")};
}

PaperRun paper_profile() {
  const PaperTable& paper = paper_table("fibers");
  const auto paper_value = [&](const char* what) { return paper.at("section 2.3.1", "profile", what); };
  return {paper_value("time step"), paper_value("end"), fiber_paper_run().radius};
}

double paper_ball_radius(int fibers) {
  static const double largest = paper_table("fibers").curve("table B.1", "CPU-only").back().x;
  static const double radius = fiber_paper_run().radius;
  return fibers > largest ? radius * std::cbrt(fibers / largest) : radius;
}

std::unique_ptr<Simulation> cloud_of_paper(Backend& backend, int fibers, Precision precision, double dt,
                                           std::uint32_t seed) {
  Setup setup;
  setup.simulation = "fibers";
  setup.width = fibers;
  setup.seed = seed;
  setup.parameters = {{"time_step", dt},
                      {"precision", static_cast<double>(precision)},
                      {"min_distance", 0.04},
                      {"radius", paper_ball_radius(fibers)}};
  // The paper's runs keep their sums: the fastest kernel but `levels`, whose error is larger.
  Parameters p;
  p.precision = precision;
  Rates rates = typical_fiber_rates(backend, p);
  rates.levels = INFINITY;
  const DeviceMemory memory{backend.free_memory(), backend.total_memory()};
  const Plan plan = plan_fibers(backend, fibers, p, "auto", memory, rates);
  auto run = fibers_simulation().create(backend, setup);
  run->select_kernel(id_of(plan.kernel));
  return run;
}

namespace {

// The largest number of a table whose rows are 100, 200, ... fibers: all, what the size requests, or `usual` on a
// processor.
int max_of_table(bool cuda, const Setup& scene, int usual) {
  const std::vector<CurvePoint> rows = paper_table("fibers").curve("table B.1", "CPU-only");
  const int smallest = static_cast<int>(rows.front().x), largest = static_cast<int>(rows.back().x);
  if (study_request().size_given) {
    if (scene.width < smallest)
      throw InputError("The table begins with {} fibers. Give at least --size {}x1.", std::to_string(smallest),
                       std::to_string(smallest));
    return std::min(largest, scene.width - scene.width % smallest);
  }
  return cuda || study_request().long_too ? largest : usual;
}

}  // namespace

int max_run_fibers(bool cuda, const Setup& scene) { return max_of_table(cuda, scene, 300); }

int max_interaction_fibers(bool cuda, const Setup& scene) {
  // With a GPU too, the processor computes every evaluation once for each way of the extension.
  return max_of_table(false, scene, cuda ? 600 : 500);
}

std::string fiber_left_out(const char* place, int most) {
  std::string left_out;
  for (const CurvePoint& row : paper_table("fibers").curve(place, "CPU-only"))
    if (row.x > most) left_out += (left_out.empty() ? "" : ", ") + std::to_string(static_cast<int>(row.x));
  return left_out_note(left_out.empty() ? "" : left_out + " fibers");
}

StudyResult runs_study(Backend& backend, int most, const StudyProgress& progress) {
  const PaperTable& paper = paper_table("fibers");
  const PaperRun paper_run = fiber_paper_run();
  StudyTable table(
      "runs", "Balls of radius " + format_number(paper_run.radius) + ", " + paper_run.text() + ", FP64",
      {column("fibers", "fibers", 6), column("seconds", "whole run", "s"), column("seconds_per_step", "a step", "s"),
       column("iterations", "iterations at the end"), column("source_cpu_seconds", "source, CPU only", "s", 8),
       column("source_gpu_seconds", "source, GPU extension", "s", 8),
       column("times_faster", "source, GPU, over here", 4)});
  table.note = "The paper: " + paper.cited() +
               ", table B.1, on a Core i7-920 with a GeForce GTX 260. Its starts are drawn by other random numbers.";
  table.note += fiber_left_out("table B.1", most);
  StudyResult result;
  cloud_of_paper(backend, 64, Precision::fp64, paper_run.time_step)->step(1);  // loads the kernels
  for (int fibers = 100; fibers <= most; fibers += 100) {
    progress(std::to_string(fibers) + " fibers");
    Diagnostics end;
    const double seconds = seconds_of_run(backend, fibers, &end);
    const std::string row = std::to_string(fibers);
    table.add({fibers, seconds, seconds / paper_run.steps(), iterations_of(end),
               paper.printed("table B.1", row, "CPU-only"), paper.printed("table B.1", row, "GPU-extension"),
               paper.at("table B.1", row, "GPU-extension") / seconds});
    result = {{table},
              {plot_of("The paper's run", {"fibers", "", Scale::logarithmic}, {"run time", "s", Scale::logarithmic},
                       {table.line("fibers", "seconds", "here"),
                        {"the paper, CPU only", paper.curve("table B.1", "CPU-only"), LineKind::paper},
                        {"the paper, GPU extension", paper.curve("table B.1", "GPU-extension"), LineKind::paper}})}};
    report_partial(progress, result);
  }
  return result;
}

// ---- time of a step by part

StudyResult profile_study(Backend& backend, const std::vector<int>& sizes, const StudyProgress& progress) {
  StudyTable table("profile",
                   "A step by part: balls of radius " + format_number(fiber_paper_run().radius) + ", time step " +
                       format_number(fiber_paper_run().time_step),
                   {column("fibers", "fibers", 6), column("precision", "numbers"), column("kernel"),
                    column("seconds_per_step", "a step", "s"), column("interaction", "interaction and assembly", "s"),
                    column("products", "matrix-vector products", "s"), column("solve", "rest of the solve", "s"),
                    column("rest", "motion, step", "s"), column("share", "share of the interaction", "%"),
                    column("source_share", "the paper's", "%"), column("iterations"),
                    column("flop_share", "interaction, % of peak"), column("memory_share", "products, % of copy")});
  table.note =
      "Timing waits for each kernel, so the parts together take longer than the step. Peak: the device's FP64 or FP32 "
      "rate by its specification; copy: measured here. Iterations and their products: the mean over ten steps, those "
      "of GMRES where fibers interpenetrate included. The paper's share: of `greendotleg1` and `greenint` in a whole "
      "run on its CPU in double precision, table 6.3. The sums of the kernel `nodes` are in its products: its "
      "interaction is that of close pairs alone, whose share is not comparable with the paper's.";
  const PaperTable& paper = paper_table("fibers");
  StudyPlot plot = plot_of("Table 6.3: the interaction's share", {"fibers"}, {"share", "%"});
  StudyLine paper_values{"the paper, of its run on the CPU", {}, LineKind::paper};
  for (const CurvePoint& p : paper.curve("table 6.3", "portion"))
    if (p.x <= sizes.back()) paper_values.points.push_back(p);
  const PeakRates peak = peak_rates(backend);
  progress("the machine's bandwidth");
  const Roofline roof = measure_roofline(backend);
  for (const Precision precision : {Precision::fp64, Precision::fp32})
    for (const Kernel kernel : {Kernel::stable, Kernel::recursion, Kernel::nodes}) {
      // In single precision the published starts lose their digits: `accuracy` has them.
      if (kernel == Kernel::recursion && precision == Precision::fp32) continue;
      plot.lines.push_back({Method{kernel, precision}.text(), {}});
      for (const int fibers : sizes) {
        progress(format_fiber_count(fibers) + ", " + id_of(kernel) + ", " + id_of(precision));
        const auto run = cloud_of_paper(backend, fibers, precision, fiber_paper_run().time_step);
        run->select_kernel(id_of(kernel));
        run->step(2);
        const int steps = 10;
        const double plain = seconds_to_step(*run, steps) / steps;
        backend.stats().set_timing(true);
        std::map<std::string, double> parts;
        std::vector<double> shares;  // of each step
        double products = 0;
        for (int k = 0; k < steps; ++k) {
          backend.stats().clear();
          run->step(1);
          double inner = 0, all = 0;
          for (const KernelTime& time : backend.stats().table()) {
            const std::string part = part_of(time.label);
            parts[part] += time.seconds / steps;
            all += time.seconds;
            if (part == "interaction" || part == "assembly") inner += time.seconds;
          }
          shares.push_back(100 * inner / all);
          const Diagnostics d = run->diagnostics({}, true);
          if (!d.finite) throw Error("The profile of {} stopped early: {}", format_fiber_count(fibers), d.error);
          products += (iterations_of(d) + 2) / steps;
        }
        backend.stats().set_timing(false);
        Parameters p;
        p.precision = precision;
        const Work once = fiber_work(fibers, p, Kernel::stable, true, 0),
                   twice = fiber_work(fibers, p, Kernel::stable, true, 1);
        const bool matrix = !sums_over_nodes(kernel);
        const double rate = precision == Precision::fp64 ? peak.fp64 : peak.fp32;
        const double inner = parts["interaction"] + parts["assembly"];
        table.add({fibers, id_of(precision), id_of(kernel), plain, inner, parts["products"], parts["solve"],
                   parts["rest"], median_of(shares), paper.printed("table 6.3", std::to_string(fibers), "portion"),
                   products - 2, value_if(matrix, 100 * once.flops / inner / rate),
                   value_if(matrix,
                            100 * products * (twice.bytes - once.bytes) / parts["products"] / roof.bytes_per_second)});
        plot.lines.back().add(fibers, median_of(shares));
        report_partial(progress, {{table}, {plot}});
      }
    }
  plot.lines.push_back(std::move(paper_values));
  StudyResult result;
  result.tables = {table};
  result.plots = {std::move(plot)};
  return result;
}

// ---- the first profiles

namespace {

// The functions of the paper's tables in their order, and their counterparts here. Its `assemble` calls `greendotleg1`,
// `tprod` and `tsum`, and `greendotleg1` calls `greenint` and `tprod`: all of them are one loop here, whose time cannot
// be divided among them.
struct PaperFunction {
  const char *name, *here;
};
constexpr std::array<PaperFunction, 7> paper_functions = {{{"advect", "motion, step"},
                                                           {"velocity", "products and solve"},
                                                           {"assemble", "interaction and assembly"},
                                                           {"greendotleg1", "within the loop of `assemble`"},
                                                           {"greenint", "within the loop of `assemble`"},
                                                           {"tprod", "within the loop of `assemble`"},
                                                           {"tsum", "within the loop of `assemble`"}}};
constexpr std::size_t timed_functions = 3;  // the first ones: each is called by the one before it
enum PaperFunctionIndex { advect_function, velocity_function, assemble_function };

std::size_t function_of(const std::string& part) {
  return part == "interaction" || part == "assembly" ? assemble_function
         : part == "rest"                            ? advect_function
                                                     : velocity_function;
}

}  // namespace

StudyResult calls_study(Backend& backend, int steps, const StudyProgress& progress) {
  const PaperTable& paper = paper_table("fibers");
  PaperRun profile = paper_profile();
  profile.end = steps * profile.time_step;
  StudyResult result;
  StudyPlot plot = plot_of("Tables 2.1 and 2.2: shares of a run", {"fibers"}, {"share", "%"},
                           {{"assemble", {}},
                            {"velocity by itself", {}},
                            {"the paper, assemble", {}, LineKind::paper},
                            {"the paper, velocity by itself", {}, LineKind::paper}});
  StudyTable table(
      "calls", "Calls and times by part, " + profile.text() + ", FP64",
      {column("fibers", "fibers", 6), column("source_function", "of the paper"), column("part", "here"),
       column("source_calls", "its calls", 8), column("calls", "launches here", 8),
       column("source_total_seconds", "its total time", "s", 7), column("total_seconds", "total time here", "s"),
       column("source_self_seconds", "its self time", "s", 7), column("self_seconds", "self time here", "s"),
       column("source_total_share", "its share, total", "%"), column("total_share", "share here, total", "%")});
  table.note = "The paper: " + paper.cited() +
               ", tables 2.1 and 2.2. Total time includes the functions that a function calls, self time does not. "
               "Here one loop does what `assemble` and all that it calls do: its time is listed with `assemble`, whose "
               "self time is not known by itself, and the rows below have none. Launches here: of kernels or loops, by "
               "the kernel stable; a call of the paper's function is many of them where its iterations are, so that "
               "the two columns count unlike things. Timing waits for each. Starts are drawn by other random numbers.";
  Finding finding;
  // One call per fiber and evaluation.
  const auto fibers_of = [&](const char* place) {
    return static_cast<int>(paper.at(place, "greenint", "calls") / paper.at(place, "velocity", "calls"));
  };
  finding.claim = "the share of `assemble` falls from " + std::to_string(fibers_of("table 2.1")) + " to " +
                  format_fiber_count(fibers_of("table 2.2"));
  finding.place = "tables 2.1, 2.2";
  const auto share_of_paper = [&](const char* place) {
    return paper.at(place, "assemble", "total time") / paper.at(place, "advect", "total time");
  };
  finding.paper = share_of_paper("table 2.1") / share_of_paper("table 2.2");
  for (const char* place : {"table 2.1", "table 2.2"}) {
    const int fibers = fibers_of(place);
    progress(format_fiber_count(fibers));
    cloud_of_paper(backend, 64, Precision::fp64, profile.time_step)->step(1);  // loads the kernels
    const auto run = cloud_of_paper(backend, fibers, Precision::fp64, profile.time_step);
    run->select_kernel("stable");
    std::array<double, timed_functions> seconds{}, calls{};
    std::vector<double>& shares = finding.more.empty() ? finding.more : finding.less;
    constexpr int progress_steps = 10;  // seconds on a processor
    backend.stats().set_timing(true);
    for (int step = 0; step < steps; ++step) {
      if (step > 0 && step % progress_steps == 0)
        progress(format_fiber_count(fibers) + ", step " + std::to_string(step) + " of " + std::to_string(steps));
      backend.stats().clear();
      run->step(1);  // the first one with the start's own evaluation
      std::array<double, timed_functions> now{};
      for (const KernelTime& time : backend.stats().table()) {
        const std::size_t part = function_of(part_of(time.label));
        now[part] += time.seconds;
        calls[part] += static_cast<double>(time.launches);
      }
      for (std::size_t k = 0; k < now.size(); ++k) seconds[k] += now[k];
      if (step % std::max(1, steps / 10) == 0)
        shares.push_back(100 * now[assemble_function] / (now[0] + now[1] + now[2]));
    }
    backend.stats().set_timing(false);
    const Diagnostics d = run->diagnostics({}, true);
    if (!d.finite) throw Error("The profile of {} stopped early: {}", format_fiber_count(fibers), d.error);
    const double all = seconds[0] + seconds[1] + seconds[2], paper_all = paper.at(place, "advect", "total time");
    double total = all;
    for (std::size_t k = 0; k < paper_functions.size(); ++k) {
      const PaperFunction& function = paper_functions[k];
      const bool timed = k < timed_functions;
      const auto here = [&](double value) { return value_if(timed, value); };
      table.add({fibers, function.name, function.here, paper.printed(place, function.name, "calls"),
                 here(timed ? calls[k] : 0), paper.printed(place, function.name, "total time"), here(total),
                 paper.printed(place, function.name, "self time"),
                 value_if(timed && k != assemble_function, timed ? seconds[k] : 0),
                 100 * paper.at(place, function.name, "total time") / paper_all, here(100 * total / all)});
      if (timed) total -= seconds[k];
    }
    // `advect` is negligible in comparison.
    const double x = fibers;
    plot.lines[0].add(x, 100 * seconds[assemble_function] / all);
    plot.lines[1].add(x, 100 * seconds[velocity_function] / all);
    plot.lines[2].add(x, 100 * paper.at(place, "assemble", "total time") / paper_all);
    plot.lines[3].add(x, 100 * paper.at(place, "velocity", "self time") / paper_all);
    result.tables = {table};
    result.plots = {plot};
    report_partial(progress, result);
  }
  if (backend.is_cuda()) restrict_to_device(finding, "GPU");  // the paper's profiles are of its program on the CPU
  result.tables = {table, findings_table({finding}, "Shares of ten steps each, spread over the run.")};
  return result;
}

}  // namespace perturb::fibers
