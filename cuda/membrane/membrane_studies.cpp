// What `perturb bench membrane` tells beyond a row of kernels: the source's tables, what a drag
// costs, how iterations grow.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "cuda/core/parallel_for.h"
#include "cuda/core/roofline.h"
#include "cuda/membrane/membrane.h"
#include "cuda/membrane/membrane_discretisation.h"
#include "cuda/membrane/membrane_theory.h"

namespace perturb {

namespace {

using Clock = std::chrono::steady_clock;

// Seconds that `work` takes, the least of several: long enough together for the clock, short enough for a table.
template <class Work>
double seconds_of(Backend& backend, const Work& work) {
  double best = 1e300, spent = 0;
  for (int turn = 0; turn < 20 && (turn == 0 || spent < 0.25); ++turn) {
    backend.synchronize();
    const auto start = Clock::now();
    work();
    backend.synchronize();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    best = std::min(best, seconds), spent += seconds;
  }
  return best;
}

// Eight independent chains of fused multiplications and additions a thread.
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
  const double seconds = seconds_of(
      backend, [&] { parallel_for(backend, "membrane.arithmetic", Range1D{threads}, ArithmeticFp64{out.data()}); });
  return 2.0 * 8 * 512 * threads / seconds;
}

// One cover on one backend, with room for the matrices and the load alone.
class Bench {
 public:
  Bench(Backend& backend, const MembraneStructure& structure)
      : backend_(backend),
        structure_(structure),
        space_(backend, structure),
        stiffness_(backend, static_cast<std::size_t>(structure.values), "stiffness matrix"),
        mass_(backend, static_cast<std::size_t>(structure.values), "mass matrix"),
        load_(backend, static_cast<std::size_t>(structure.unknowns), "load"),
        assembler_(backend) {}
  double seconds(MembraneKernel kernel, int integration_level) {
    MembraneParameters p;
    p.integration_level = integration_level;
    const MembraneForm form = membrane_form(p, structure_.highest_degree);
    MembraneTargets to;
    to.stiffness = stiffness_.data(), to.mass = mass_.data(), to.load = load_.data();
    return seconds_of(backend_, [&] { assembler_.run(kernel, structure_, space_, form, to); });
  }
  static std::size_t bytes(int level, int degree) {
    return static_cast<std::size_t>(2 * membrane_uniform_values(level, degree) +
                                    membrane_uniform_unknowns(level, degree)) *
               sizeof(double) +
           MembraneSpace::uniform_bytes(level) + (std::size_t{64} << 20);
  }

 private:
  Backend& backend_;
  const MembraneStructure& structure_;
  MembraneSpace space_;
  Array<double> stiffness_, mass_, load_;
  MembraneAssembler assembler_;
};

// Seconds a degree of freedom of the source where its text tells them: on its GPU (GTX 560 Ti), for one size each.
StudyValue source_of(int degree, int level, bool own_level) {
  if (own_level && degree == 1 && level == 10) return 3.0e-5;
  if (own_level && degree == 5 && level == 8) return 1.24e-4;
  return std::string();
}

const char* const kernel_words[] = {"rows", "cells", "tensor"};

StudyResult tables(Backend& backend, const Setup&, const StudyProgress& progress) {
  // A GPU stands beside this machine's processor, as in the source.
  std::unique_ptr<Backend> other;
  if (backend.is_cuda()) other = Backend::make_cpu();
  Backend* cpu = other ? other.get() : &backend;
  Backend* gpu = backend.is_cuda() ? &backend : nullptr;
  progress("the roof of " + backend.device_name());
  const Roofline roof = measure_roofline(backend);
  const double fp64 = measured_fp64(backend);
  StudyResult result;
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
                     {"ratio", "CPU over GPU", "", 3},
                     {"of_writing", "share of the writing bound", "", 3},
                     {"of_fp64", "share of the FP64 peak", "", 3},
                     {"source_seconds_per_dof", "the source's GPU per DOF", "s", 3}};
    StudyPlot plot;
    plot.title = table.title;
    plot.x_label = "degrees of freedom", plot.y_label = "time per degree of freedom", plot.y_unit = "s";
    plot.logarithmic_x = plot.logarithmic_y = true;
    for (int degree = 1; degree <= membrane_most_degree; ++degree) {
      StudyLine line{"p = " + std::to_string(degree), {}, false};
      for (const int level : {4, 6, 8, 10}) {
        if (level == 10 && degree > (gpu ? 2 : 1)) continue;
        const std::size_t bytes = Bench::bytes(level, degree);
        const bool on_gpu = gpu && bytes < 0.9 * static_cast<double>(gpu->free_memory());
        const bool on_cpu = bytes < 0.7 * static_cast<double>(cpu->free_memory());
        if (!on_gpu && !on_cpu) continue;
        progress("p = " + std::to_string(degree) + ", level " + std::to_string(level));
        const MembraneStructure structure(MembraneCover(level, degree), 1.3);
        const int q = own_level ? 0 : 10, points = own_level ? degree + 1 : 11;
        for (const MembraneKernel kernel : {MembraneKernel::cells, MembraneKernel::tensor}) {
          const double entries = static_cast<double>(structure.values);
          // The cells' way takes minutes for the largest on a processor; the smaller ones tell as much.
          const double operations = entries * points * points * 10;
          const bool tensor = kernel == MembraneKernel::tensor;
          const bool cpu_too = on_cpu && (tensor || operations < 3e9);
          const bool gpu_too = on_gpu && (tensor || operations < 4e12);
          const double gpu_seconds = gpu_too ? Bench(*gpu, structure).seconds(kernel, q) : 0;
          const double cpu_seconds = cpu_too ? Bench(*cpu, structure).seconds(kernel, q) : 0;
          if (!gpu_too && !cpu_too) continue;
          const double unknowns = static_cast<double>(structure.unknowns), seconds = gpu ? gpu_seconds : cpu_seconds;
          const auto number = [](bool known, double value) {
            return known ? StudyValue(value) : StudyValue(std::string());
          };
          const double written = (2 * entries + unknowns) * sizeof(double);
          const double flops = tensor ? 5 * entries : 9 * entries * points * points;
          const bool known = gpu ? gpu_too : cpu_too;
          table.rows.push_back({static_cast<double>(degree), static_cast<double>(level), unknowns,
                                std::string(kernel_words[static_cast<int>(kernel)]), number(gpu_too, gpu_seconds),
                                number(gpu_too, gpu_seconds / unknowns), number(cpu_too, cpu_seconds),
                                number(cpu_too, cpu_seconds / unknowns),
                                number(gpu_too && cpu_too, cpu_seconds / gpu_seconds),
                                number(known, written / roof.bytes_per_second / seconds),
                                number(known, flops / fp64 / seconds), source_of(degree, level, own_level)});
          if (tensor && known) line.points.push_back({unknowns, seconds / unknowns});
        }
      }
      plot.lines.push_back(line);
    }
    plot.lines.push_back({"the source, p = 1 (GTX 560 Ti)", {{1e3, 3.0e-5}, {3.15e6, 3.0e-5}}, true});
    table.note = std::string("Shares of what was measured on ") + backend.device_name() +
                 ": memory by copying, FP64 by fused multiplications and additions. The CPU: " + cpu->device_name() +
                 ", " + std::to_string(cpu->threads()) +
                 " threads. The writing bound counts every number of K, M and F once. Kanis (2012), tables 4.2 to 4.8: "
                 "3.0e-5 s a degree of freedom on a GTX 560 Ti and "
                 "2.9e-5 s on a processor core for p = 1 with 3.15e6 of them, 1.24e-4 s (171 s in all) for p = 5 with "
                 "1.38e6.";
    if (!own_level) {
      plot.lines.pop_back();
      table.columns.pop_back();
      for (auto& row : table.rows) row.pop_back();
    }
    result.tables.push_back(std::move(table));
    result.plots.push_back(std::move(plot));
  }
  return result;
}

// What the window does when the load is dragged, and when a parameter changes that the matrices depend on.
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
    const auto membrane = membrane_create(backend, setup);
    int turn = 0, iterations = 0;
    const double solve = seconds_of(backend, [&] {
      // As far as a hand moves in a frame.
      const double angle = 0.1 * ++turn;
      membrane->apply(
          Action{"source", {{"x", 0.5 + 0.2 * std::cos(angle)}, {"y", 0.5 + 0.2 * std::sin(angle)}}, "", nullptr});
      membrane->step(1);
    });
    for (const Scalar& scalar : membrane->diagnostics(setup.view, true).scalars)
      if (scalar.id == "iterations") iterations = static_cast<int>(scalar.value);
    ViewSettings view = setup.view;
    view.minimum = -0.01, view.maximum = 0.01;
    const double paint = seconds_of(backend, [&] { membrane->paint(picture.view(), Camera{}, view, colors); });
    double overlap = 1.3;
    const double change = seconds_of(backend, [&] {
      membrane->set_parameter("overlap", overlap = overlap == 1.3 ? 1.35 : 1.3);
      membrane->step(1);
    });
    const MembraneStructure structure(MembraneCover(level, degree), 1.3);
    const double assemble = Bench(backend, structure).seconds(MembraneKernel::tensor, 0);
    table.rows.push_back({static_cast<double>(level), static_cast<double>(degree),
                          static_cast<double>(structure.unknowns), static_cast<double>(iterations), solve, paint,
                          solve + paint, assemble, change});
  }
  table.note =
      "Tolerance 1e-8, the solution of the frame before as the start. A change of the overlap makes the cover, the "
      "matrices and the preconditioner anew.";
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
    StudyLine multilevel{"multilevel, p = " + std::to_string(degree), {}, false};
    StudyLine patch{"patch blocks, p = " + std::to_string(degree), {}, true};
    for (int level = 3; level <= (backend.is_cuda() ? 9 : 7); ++level) {
      if (MembraneDiscretisation::uniform_bytes(level, degree) > 0.7 * static_cast<double>(backend.free_memory()))
        continue;
      progress("p = " + std::to_string(degree) + ", level " + std::to_string(level));
      MembraneParameters p;
      p.source_x = 0.35, p.source_y = 0.6;
      MembraneDiscretisation d(backend, MembraneCover(level, degree), p);
      const MembraneForm form = membrane_form(p, degree);
      d.assemble(MembraneKernel::tensor, form, true, true);
      std::vector<StudyValue> row = {static_cast<double>(degree), static_cast<double>(level),
                                     static_cast<double>(d.structure().unknowns)};
      for (const MembranePreconditioner kind : {MembranePreconditioner::multilevel, MembranePreconditioner::patch}) {
        d.solver().prepare(d.matrix(1), form, kind);
        d.solution().fill_zero();
        backend.synchronize();
        const auto start = Clock::now();
        const MembraneSolved solved = d.solve(1, true, {kind, 1e-8, 20000});
        backend.synchronize();
        row.push_back(static_cast<double>(solved.iterations));
        row.push_back(std::chrono::duration<double>(Clock::now() - start).count());
        (kind == MembranePreconditioner::multilevel ? multilevel : patch)
            .points.push_back({static_cast<double>(d.structure().unknowns), static_cast<double>(solved.iterations)});
      }
      table.rows.push_back(row);
    }
    plot.lines.push_back(multilevel), plot.lines.push_back(patch);
  }
  table.note = "From zero, each with one sweep over the patches' colours before and after the coarser level.";
  return {{table}, {plot}};
}

}  // namespace

std::vector<Study> membrane_studies() {
  return {
      {"tables", "Time per degree of freedom by degree and size, GPU beside CPU: the source's tables.", true, tables},
      {"drag", "What a frame costs while the load is dragged, and after a change of the overlap.", false, drag},
      {"iterations", "How the solver's iterations grow with the level.", false, iterations}};
}

}  // namespace perturb
