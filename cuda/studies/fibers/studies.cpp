#include "cuda/studies/fibers/studies.h"

#include <algorithm>
#include <map>

#include "cuda/core/backend/check.h"
#include "cuda/core/backend/peak_rates.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/timing/roofline.h"
#include "cuda/core/timing/timing_duration.h"
#include "cuda/fibers/kernels/evaluate.h"
#include "cuda/fibers/model/plan.h"
#include "cuda/studies/paper.h"

namespace perturb::fibers {

// Parts like those of the paper's tables 2.1, 2.2 and 6.3, by the labels of the loops here. Its assembly is part of the
// interaction kernel here. The paper does not state how it solved its systems; here they are solved by iterations,
// which is a difference.
const char* part_of(const std::string& label) {
  static const std::map<std::string, const char*> parts = {{"fibers.interaction", "interaction"},
                                                           {"fibers.recursion", "interaction"},
                                                           {"fibers.close", "interaction"},
                                                           {"fibers.recursion sums", "assembly"},
                                                           {"fibers.product", "products"},
                                                           {"fibers.nodes", "products"},
                                                           {"fibers.far", "products"},
                                                           {"fibers.cells", "interaction"},
                                                           {"fibers.extent", "interaction"},
                                                           {"fibers.motion", "rest"},
                                                           {"fibers.stretch", "rest"},
                                                           {"fibers.step", "rest"},
                                                           {"fibers.stage", "rest"},
                                                           {"fibers.weights", "rest"},
                                                           {"fibers.pull", "rest"}};
  const auto found = parts.find(label);
  return found == parts.end() ? "solve" : found->second;
}

namespace {

// --------------------------------------------------------------------------------------------------------------- sizes

StudyResult study_sizes(Backend& backend, const Setup&, const StudyProgress& progress) {
  StudyTable table("sizes", "One evaluation at tolerance 1e-6, with a matrix and without",
                   {column("fibers", "fibers", 6), column("precision", "numbers"), column("way"),
                    column("seconds", "an evaluation", "s"), column("iterations"), column("memory", "memory", "B"),
                    column("closed_pairs", "pairs in closed form", 4),
                    column("pairs_per_second", "pairs in its sums", "pair/s"), column("chosen", "chosen by auto")});
  StudyPlot plot = plot_of("One evaluation", {"fibers", "", Scale::logarithmic}, {"time", "s", Scale::logarithmic});
  const struct {
    const char* words;
    Kernel kernel;
    bool stored;
    int most;  // on CUDA, on the CPU: more take minutes
    int max_cpu;
  } all[] = {{"matrix stored", Kernel::stable, true, 20000, 1000},
             {"matrix recomputed", Kernel::stable, false, 10000, 300},
             {"sums over nodes", Kernel::nodes, false, 20000, 1000},
             {"sums by level", Kernel::levels, false, 20000, 3000}};
  std::map<int, Placement> placements;
  const std::vector<int> sizes = {100, 300, 1000, 3000, 10000, 20000};
  std::string too_long, too_large;
  // "matrix stored, fp64: 3000, 10000; sums over nodes, fp64: 3000"
  const auto add = [](std::string& list, const std::string& way, int fibers) {
    const std::size_t last = list.rfind("; ");
    const std::string head = way + ": ";
    const bool same = list.compare(last == std::string::npos ? 0 : last + 2, head.size(), head) == 0;
    list += (same ? ", " : (list.empty() ? "" : "; ") + head) + std::to_string(fibers);
  };
  for (const Precision precision : {Precision::fp64, Precision::fp32})
    for (const auto& way : all) {
      StudyLine line{std::string(way.words) + ", " + id_of(precision), {}};
      for (const int fibers : sizes) {
        const int most = backend.is_cuda() ? way.most : way.max_cpu;
        if (fibers > most && !study_request().long_too) {
          add(too_long, line.label, fibers);
          continue;
        }
        Parameters p;
        p.precision = precision;
        const std::size_t free = backend.free_memory();
        if (Flow::bytes(fibers, p, fiber_tile(backend), way.kernel, way.stored) > 0.9 * static_cast<double>(free)) {
          add(too_large, line.label, fibers);
          continue;
        }
        progress(format_fiber_count(fibers) + ", " + line.label);
        Placement& placement = placements[fibers];
        if (placement.count() == 0) placement = fiber_cloud(fibers, paper_ball_radius(fibers), 0.04, 1);
        const Plan plan = plan_fibers(backend, fibers, p, "auto", {free, backend.total_memory()});
        const std::size_t size = placement.position.size(), before = backend.memory_in_use();
        Array<double> x(backend, size, "x"), t(backend, size, "t"), v(backend, size, "v"), w(backend, size, "w"),
            a(backend, 5 * size, "a");
        x.upload(placement.position);
        t.upload(placement.tangent);
        Flow flow(backend, fibers, p, way.kernel, way.stored);
        const auto evaluate = [&] {
          Solve solve;
          const double taken = seconds_to_run(
              backend, [&] { solve = flow.evaluate(p, x.data(), t.data(), {}, v.data(), w.data(), a.data()); });
          return std::pair{taken, solve};
        };
        auto [seconds, solve] = evaluate();
        // The first one loads kernels; long ones are not repeated.
        if (seconds < 2) std::tie(seconds, solve) = evaluate();
        StudyValue rate = "-";
        if (sums_over_nodes(way.kernel)) {
          backend.stats().clear();
          backend.stats().set_timing(true);
          if (seconds < 2) evaluate();
          backend.stats().set_timing(false);
          double sums = 0;
          for (const KernelTime& time : backend.stats().table())
            if (time.label == "fibers.nodes" || time.label == "fibers.far") sums += time.seconds;
          if (sums > 0) rate = (solve.iterations + 2.0) * fibers * (fibers - 1.0) / sums;
        }
        table.add(
            {fibers, id_of(precision), way.words, seconds, solve.iterations, backend.memory_in_use() - before,
             flow.closed_pairs(), rate,
             plan.kernel == way.kernel && (sums_over_nodes(way.kernel) || plan.stored == way.stored) ? "yes" : ""});
        line.add(fibers, seconds);
      }
      plot.lines.push_back(line);
    }
  table.note = "Balls at the density of 1000 fibers in a radius of 6.";
  if (!too_large.empty()) table.note += " Left out because of memory: " + too_large + ".";
  table.note += left_out_note(too_long.empty() ? "" : too_long + " fibers");
  StudyResult result;
  result.tables = {table};
  result.plots = {plot};
  return result;
}

std::string sizes_left_out(const std::vector<int>& all, const std::vector<int>& sizes) {
  std::string left_out;
  for (const int fibers : all)
    if (std::find(sizes.begin(), sizes.end(), fibers) == sizes.end())
      left_out += (left_out.empty() ? "" : ", ") + std::to_string(fibers);
  return left_out_note(left_out.empty() ? "" : left_out + " fibers");
}

}  // namespace

std::vector<int> fiber_sizes(bool cuda, const std::vector<int>& all) {
  if (cuda || study_request().long_too) return all;
  constexpr int max_on_cpu = 300;
  std::vector<int> some;
  for (const int fibers : all)
    if (fibers <= max_on_cpu) some.push_back(fibers);
  return some;
}

std::vector<Study> fibers_studies() {
  return {
      {"profile", "A step by part for several numbers of fibers, after the paper's tables 2.1, 2.2 and 6.3.", true,
       [](Backend& backend, const Setup&, const StudyProgress& progress) {
         const std::vector<int> all =
             backend.is_cuda() ? std::vector<int>{300, 600, 1000} : std::vector<int>{100, 300, 600, 1000};
         const std::vector<int> sizes = fiber_sizes(backend.is_cuda(), all);
         StudyResult result = profile_study(backend, sizes, progress);
         result.tables[0].note += sizes_left_out(all, sizes);
         return result;
       }},
      {"runs", "The paper's run, t = 0 .. 40 in 80 steps, for 100 to 1000 fibers: its table B.1.", false,
       [](Backend& backend, const Setup& scene, const StudyProgress& progress) {
         return runs_study(backend, max_run_fibers(backend.is_cuda(), scene), progress);
       }},
      {"ring", "The paper's figure 6.1: whether its ball of fibers opens into a ring.", false,
       [](Backend& backend, const Setup& scene, const StudyProgress& progress) {
         // The smallest number of pairs that allows a verdict.
         const int starts = study_request().starts > 0 ? study_request().starts : 7;
         return ring_study(backend, ring_fibers(backend.is_cuda(), scene), starts, fiber_paper_run().steps(), progress);
       }},
      {"accuracy",
       "Digits lost with single precision and the other kernels, at once and in the long run: after the paper's "
       "figures 5.5 and 5.6.",
       false,
       [](Backend& backend, const Setup&, const StudyProgress& progress) {
         const double end = paper_table("fibers").at("figure 5.5", "run", "end");
         const std::vector<int> all = {100, 300, 1000}, sizes = fiber_sizes(backend.is_cuda(), all);
         StudyResult result = accuracy_study(backend, sizes, end, progress);
         result.tables[0].note += sizes_left_out(all, sizes);
         return result;
       }},
      {"interaction",
       "The interaction alone on the CPU and on the GPU, both at once, and what a run gains by it: the paper's tables "
       "6.1 to 6.3 and B.2, figures 6.2 and 6.3.",
       false,
       [](Backend& backend, const Setup& scene, const StudyProgress& progress) {
         return interaction_study(backend, max_interaction_fibers(backend.is_cuda(), scene),
                                  fiber_paper_run().steps() + 1, progress);
       }},
      {"patterns",
       "Good and bad memory access patterns: coalescing and bank conflicts, the paper's figures 5.7 to 5.10, and the "
       "loops of its algorithms 5.2 to 5.5.",
       false, patterns_study},
      {"sizes", "Time and memory of an evaluation against the number of fibers, with and without a matrix.", false,
       study_sizes},
      {"calls", "Calls and times by part of the paper's profiles of 300 and 600 fibers: its tables 2.1 and 2.2.", false,
       [](Backend& backend, const Setup&, const StudyProgress& progress) {
         return calls_study(backend, paper_profile().steps(), progress);
       }},
      {"points",
       "A ball of fibers compared with the same ball of point forces: its ring, the fibers left behind, its parting.",
       false, points_study}};
}

}  // namespace perturb::fibers
