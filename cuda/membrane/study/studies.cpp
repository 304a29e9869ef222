// The studies of `perturb bench membrane` in addition to the rows of kernels: the cost of a drag, the growth of
// iterations, and the paper's tables (study/tables.cpp).
#include "cuda/membrane/study/studies.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "cuda/membrane/measure/theory.h"
#include "cuda/membrane/membrane.h"
#include "cuda/membrane/model/discretisation.h"
#include "cuda/membrane/study/bench.h"

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
  table.note = "From zero, each with one sweep over the patches' colours before and after the coarser level.";
  return {{table}, {plot}};
}

}  // namespace

std::vector<Study> membrane_studies() {
  return {
      {"tables", "Time per degree of freedom by degree and size, GPU beside CPU: the source's tables.", true,
       [](Backend& backend, const Setup&, const StudyProgress& progress) {
         return tables_study(backend, 10, progress);
       }},
      {"rows", "The source's tables with those rows too that take a processor minutes.", false,
       [](Backend& backend, const Setup&, const StudyProgress& progress) {
         return tables_study(backend, 10, progress, TableRows::all);
       }},
      {"cells",
       "The source's way to assemble: schedule, transfers, a result matrix for each cell, insertion by the host.",
       false,
       [](Backend& backend, const Setup&, const StudyProgress& progress) {
         return cells_study(backend, backend.is_cuda() ? 7 : 5, membrane_max_degree, progress);
       }},
      {"drag", "What a frame costs while the load is dragged, and after a change of the overlap.", false, drag},
      {"iterations", "How the solver's iterations grow with the level.", false, iterations},
      {"convergence", "The error against the unknowns, refined by splitting, by degree and by both.", false,
       convergence_study},
      {"modes", "The lowest modes of a fixed membrane, computed for each degree and by theory.", false, modes_study}};
}

}  // namespace perturb::membrane
