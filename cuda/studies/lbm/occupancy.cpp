// The paper's register arithmetic: figures 1 and 2 and equation 1, on the GPUs of all five papers, and with
// CUDA for the parts of our own kernels, compared with measurements.
#include "cuda/core/launch/occupancy.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/lbm/kernels/kernels.h"
#include "cuda/lbm/model/edit.h"
#include "cuda/lbm/model/step_params.h"
#include "cuda/studies/lbm/studies.h"
#include "cuda/studies/paper.h"

namespace perturb::lbm {

namespace {

constexpr int block_of_paper = 256;  // threads; the paper does not state its own, and this value gives its occupancies

std::string block_words() {
  return std::to_string(block_of_paper) +
         " threads per block: the paper does not state its own number, and this one is chosen because it gives the "
         "paper's occupancies";
}

std::string format_capability(int capability) {
  return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

double share_on(const GpuRules& rules, int block, int registers) {
  return occupancy_of(rules, {block, registers, 0}).share;
}

int registers_of(const PaperTable& paper, const char* kernel) {
  return static_cast<int>(paper.at("figure 2", kernel, "registers per thread"));
}

// Figure 2: the paper's two kernels, on each GPU. The branching kernel needs the registers of the larger branch.
StudyTable branches(const PaperTable& paper) {
  StudyTable table("branches", "Occupancy of the paper's if-kernel and else-kernel",
                   {column("gpu", "GPU"), column("compute_capability", "compute capability"), column("kernel"),
                    column("registers_per_thread", "registers"), column("occupancy", "occupancy", "%", 4),
                    column("limit", "no more for"), column("source_occupancy", "the paper", "%", 4)});
  for (const PaperGpu& gpu : paper_gpus())
    for (const char* kernel : {"if-kernel", "else-kernel"}) {
      const int registers = registers_of(paper, kernel);
      const Occupancy occupancy = occupancy_of(*gpu_rules(gpu.compute_capability), {block_of_paper, registers, 0});
      const bool its_own = gpu.compute_capability == paper_gpus().front().compute_capability;
      table.add({gpu.name, format_capability(gpu.compute_capability), kernel, registers, 100 * occupancy.share,
                 name_of(occupancy.limit), its_own ? paper.printed("figure 2", kernel, "occupancy") : StudyValue("")});
    }
  table.note = "By the rules of each compute capability, " + block_words() + ".";
  return table;
}

// Figure 1: the gain from freed registers, at the best number of them.
StudyTable loops(const PaperTable& paper) {
  const int freed = static_cast<int>(paper.at("figure 1", "loop split", "registers freed"));
  StudyTable table(
      "loops", "The most that " + std::to_string(freed) + " registers less of each thread gain",
      {column("gpu", "GPU"), column("block", "threads of a block", 4), column("gain", "occupancy gained", "%", 4),
       column("registers_before", "registers before", 4), column("source_gain", "the paper", "%", 4)});
  for (const PaperGpu& gpu : paper_gpus()) {
    const GpuRules& rules = *gpu_rules(gpu.compute_capability);
    for (const int block : {128, 256, 384}) {
      double gain = 0;
      int at = 0;
      for (int registers = freed + 1; registers <= rules.max_registers; ++registers) {
        const double before = share_on(rules, block, registers), after = share_on(rules, block, registers - freed);
        if (before > 0 && after - before > gain) {
          gain = after - before;
          at = registers;
        }
      }
      const bool its_own = &gpu == &paper_gpus().front() && block == block_of_paper;
      table.add({gpu.name, block, 100 * gain, at,
                 its_own ? paper.printed("figure 1", "loop split", "largest gain of occupancy") : StudyValue("")});
    }
  }
  table.note =
      "In points of a hundred, where the kernel runs before and after. The paper says \"up to\", and does not state "
      "its threads per block: " +
      std::to_string(block_of_paper) + " are compared because they give its number.";
  return table;
}

// The paper's example in its introduction: the most threads that its GPU holds at once, and the registers per thread
// with which it still does.
StudyTable threads_at_once(const PaperTable& paper) {
  constexpr int processors_of_multiprocessor = 8;  // compute capability 1.x (NVIDIA, CUDA C Programming Guide)
  const char *const place = "section 1", *const row = "GeForce 8";
  const GpuRules& g80 = *gpu_rules(paper_gpus().front().compute_capability);
  const double multiprocessors = paper.at(place, row, "processors") / processors_of_multiprocessor;
  StudyTable table("threads", "Threads at once on the G80 against the registers of a thread",
                   {column("registers_per_thread", "registers", 4), column("threads", "threads at once", 6),
                    column("occupancy", "occupancy", "%", 4), column("source_threads", "the paper")});
  const auto stated = static_cast<int>(paper.at(place, row, "registers per thread at full occupancy"));
  for (int registers = 1; registers <= 2 * stated; ++registers) {
    const Occupancy occupancy = occupancy_of(g80, {block_of_paper, registers, 0});
    const double threads = multiprocessors * occupancy.blocks * block_of_paper;
    table.add({registers, threads, 100 * occupancy.share,
               registers == stated ? paper.printed(place, row, "active threads") : StudyValue("")});
  }
  table.note = "By the rules of its compute capability, " + block_words() + ".";
  return table;
}

// Equation 1 with the paper's occupancies, against the fraction of the time in the if-branch.
StudyTable equation(const PaperTable& paper) {
  const GpuRules& g80 = *gpu_rules(paper_gpus().front().compute_capability);
  const double of_if = share_on(g80, block_of_paper, registers_of(paper, "if-kernel")),
               of_else = share_on(g80, block_of_paper, registers_of(paper, "else-kernel"));
  const auto speed_up = [&](double share) {
    return split_speed_up({{share, of_if}, {1 - share, of_else}}, std::min(of_if, of_else), 0);
  };
  StudyTable table("equation", "Equation 1 on the G80: the split against the kernel that branches",
                   {column("share", "the if-branch's share of the time", "%"), column("speed_up", "speed-up", 4),
                    column("measured", "the paper measured")});
  for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) table.add({100 * share, speed_up(share), ""});
  // 1 / speed-up is linear in the fraction.
  for (const char* size : {"128 x 128", "256 x 256"}) {
    const double wanted = 1 + paper.at("figure 8", size, "gain of the split version") / 100;
    const double share = (1 / speed_up(0) - 1 / wanted) / (1 / speed_up(0) - 1 / speed_up(1));
    table.add({100 * share, wanted, "figure 8, " + std::string(size)});
  }
  table.note =
      "With the registers of figure 2, which the paper gives for its pseudo-code; it does not state those of the "
      "kernels of figure 8. Without the cost of the launch. The last rows give the share at which the equation with "
      "these registers has the gains of figure 8. That is arithmetic: the paper does not make this comparison. The "
      "printed equation has T = sum of t times occupancy, which is not a time; here it is read as the sum of t. "
      "(Equation 2 is misprinted too: its first term has F^eq in place of F. In equation 3 the 1 of the equilibrium is "
      "missing, and the linear term has 1/3 instead of 3.)";
  return table;
}

StudyPlot occupancy_by_registers(const PaperTable& paper) {
  StudyPlot plot = plot_of("Occupancy with " + std::to_string(block_of_paper) + " threads per block",
                           {"Registers of a thread"}, {"Occupancy", "%"});
  constexpr int most = 64;
  std::vector<int> drawn;
  for (const PaperGpu& gpu : paper_gpus()) {
    if (std::find(drawn.begin(), drawn.end(), gpu.compute_capability) != drawn.end()) continue;
    drawn.push_back(gpu.compute_capability);
    StudyLine line{std::string("theory: ") + gpu.name, {}, LineKind::theory};
    for (int registers = 1; registers <= most; ++registers)
      line.add(registers, 100 * share_on(*gpu_rules(gpu.compute_capability), block_of_paper, registers));
    plot.lines.push_back(std::move(line));
  }
  for (const char* kernel : {"if-kernel", "else-kernel"})
    plot.lines.push_back(
        {std::string("the paper, ") + kernel,
         {{paper.at("figure 2", kernel, "registers per thread"), paper.at("figure 2", kernel, "occupancy")}},
         LineKind::paper});
  return plot;
}

// Registers of our parts: the model compared with the CUDA runtime.
StudyTable parts_here(const std::vector<PartShape>& parts) {
  StudyTable table(
      "here", "Our kernels' parts on this device",
      {column("kernel"), column("part"), column("registers_per_thread", "registers"),
       column("block", "threads of a block"), column("occupancy", "occupancy, CUDA runtime", "%", 4),
       column("model", "by the model", "%", 4), column("on_g80", "the same registers on the G80", "%", 4)});
  const GpuRules* here = gpu_rules(cuda_status().compute_capability);
  const GpuRules& g80 = *gpu_rules(paper_gpus().front().compute_capability);
  for (const PartShape& part : parts) {
    const KernelNeeds needs{part.shape.block_x * std::max(1, part.shape.block_y), part.shape.registers_per_thread,
                            part.shape.shared_bytes};
    const Occupancy old = occupancy_of(g80, needs);
    table.add({part.kernel, part.part, needs.registers, needs.block, 100 * part.shape.occupancy,
               here != nullptr ? StudyValue(100 * occupancy_of(*here, needs).share) : StudyValue("not known"),
               old.blocks > 0 ? StudyValue(100 * old.share) : StudyValue(name_of(old.limit))});
  }
  return table;
}

// The second kernel of the paper's flow by itself, and the two that replace it, on fluid at rest with one solid cell in
// each warp: the paper's worst case, for which it gives equation 1.
class VelocityKernels {
 public:
  VelocityKernels(Backend& backend, int side)
      : backend_(backend),
        from_(backend, lbm_links * cells_of(side), "populations"),
        to_(backend, lbm_links * cells_of(side), "populations"),
        links_(backend, cells_of(side), "boundary links") {
    params_.width = params_.height = side;
    params_.painted = true;
    const Setup setup = paper_flow(side, 0, threads_of_warp);
    const auto rate = static_cast<float>(1 / (3 * setup.parameters.at("viscosity") + 0.5));
    params_.rates.relaxation = lbm_relaxation(rate, rate);
    const std::vector<std::uint8_t> wall = paper_walls(side, 0, threads_of_warp);
    std::vector<std::uint8_t> links;
    for (int j = 0; j < side; ++j)
      for (int i = 0; i < side; ++i)
        links.push_back(static_cast<std::uint8_t>(boundary_links_of(params_, {wall.data(), side, side, side}, i, j)));
    links_.upload(std::span<const std::uint8_t>(links));
    params_.links = {links_.data(), side, side, side};
    from_.fill_zero();
    to_.fill_zero();
  }

  // Launches follow each other without waiting for the host, as in a run.
  RepeatedWork repeated(VelocityPart part) const {
    return [this, part](int times) {
      const int side = params_.width;
      const Populations<float> from{from_.data(), side, side, side}, to{to_.data(), side, side, side};
      for (int k = 0; k < times; ++k) cuda_velocities(backend_, part, params_, from, to);
    };
  }

 private:
  static std::size_t cells_of(int side) { return static_cast<std::size_t>(side) * static_cast<std::size_t>(side); }

  Backend& backend_;
  Array<float> from_, to_;
  Array<std::uint8_t> links_;
  StepParams params_;
};

// Prediction of equation 1 for the branches on this machine, compared with the branching kernel.
StudyTable predicted_here(Backend& backend, const std::vector<PartShape>& parts, const StudyProgress& progress) {
  const auto occupancy = [&](const char* kernel, const char* part) {
    for (const PartShape& p : parts)
      if (p.kernel == kernel && p.part.starts_with(part)) return p.shape.occupancy;
    return 1.0;
  };
  const double together = occupancy("unsplit", "velocities"), of_if = occupancy("split", "if-kernel"),
               of_else = occupancy("split", "else-kernel");
  StudyTable table("prediction", "Equation 1 for our branches, compared with measurements",
                   {column("size", "cells"), column("launch_seconds", "a launch of nothing", "s"),
                    column("together", "one kernel", "s"), column("if_seconds", "if-kernel", "s"),
                    column("else_seconds", "else-kernel", "s"), column("predicted", "speed-up by equation 1", 4),
                    column("measured", "speed-up measured", 4), column("least_measured", "at least", 4),
                    column("most_measured", "at most", 4)});
  for (const int side : {128, 256, 2048}) {
    const std::string size = std::to_string(side) + " x " + std::to_string(side);
    progress("parts, " + size);
    const VelocityKernels kernels(backend, side);
    const RepeatedWork nothing = [&backend](int times) {
      for (int k = 0; k < times; ++k) launch_nothing(backend);
    };
    constexpr int turns = 9;
    const std::vector<std::vector<double>> t =
        seconds_each(backend,
                     {kernels.repeated(VelocityPart::both), kernels.repeated(VelocityPart::only_if),
                      kernels.repeated(VelocityPart::only_else), nothing},
                     turns);
    std::vector<double> medians;
    for (const std::vector<double>& repeats : t) medians.push_back(median_of(repeats));
    std::vector<StudyValue> row = {size, medians[3], medians[0], medians[1], medians[2]};
    constexpr double launches = 2;  // a kernel this short is over before the next one is launched
    if (*std::min_element(medians.begin(), medians.begin() + 3) < launches * medians[3]) {
      row.insert(row.end(), {std::string("launches set the pace"), "-", "-", "-"});
    } else {
      const Prediction found = prediction(t[0], t[1], t[2], together, of_if, of_else);
      const auto [least, most] = std::minmax_element(found.measured.begin(), found.measured.end());
      row.insert(row.end(), {median_of(found.predicted), median_of(found.measured), *least, *most});
    }
    table.add(std::move(row));
  }
  table.note =
      "The equation takes time as one over occupancy, and that a kernel which branches takes the time of both "
      "branches. There is no verdict: the paper gives it for kernels that nothing else limits, and these are limited "
      "by launches (where a kernel takes less than twice the time of a launch of nothing, no prediction is made) or by "
      "memory (nine numbers read and written for each cell). For kernels that neither limits see --splitting. Medians "
      "of nine groups, run alternately, of launches that do not wait for each other. Flow: " +
      std::string(paper_flow_text()) + ", at rest, with one solid cell in each warp, the paper's worst case.";
  return table;
}

}  // namespace

double split_speed_up(const std::vector<Branch>& branches, double together, double overhead) {
  double before = 0, after = overhead;
  for (const Branch& branch : branches) {
    before += branch.seconds;
    after += branch.seconds * together / branch.occupancy;
  }
  return before / after;
}

Prediction prediction(const std::vector<double>& together, const std::vector<double>& of_if,
                      const std::vector<double>& of_else, double share_together, double share_if, double share_else) {
  Prediction found;
  for (std::size_t k = 0; k < std::min({together.size(), of_if.size(), of_else.size()}); ++k) {
    // Time of each branch at the common occupancy, by the equation's own rule.
    const double before_if = of_if[k] * share_if / share_together,
                 before_else = of_else[k] * share_else / share_together;
    found.predicted.push_back(split_speed_up({{before_if, share_if}, {before_else, share_else}}, share_together, 0));
    found.measured.push_back(together[k] / (of_if[k] + of_else[k]));
  }
  return found;
}

Finding equation_finding(const std::vector<double>& measured, const std::vector<double>& predicted) {
  std::vector<double> ratios;
  for (std::size_t k = 0; k < std::min(measured.size(), predicted.size()); ++k)
    ratios.push_back(measured[k] / predicted[k]);
  constexpr double part = 0.1;  // the paper calls the equation an idea of what can be expected
  return agreement(
      "in the worst case the speed-up of the split is what equation 1 gives, to a tenth (measured over computed)",
      "equation 1", 1, std::move(ratios), part);
}

StudyResult occupancy_study(Backend& backend, const Setup&, const StudyProgress& progress) {
  const PaperTable& paper = paper_table("lbm");
  progress("registers and occupancy");
  StudyResult result;
  result.tables = {branches(paper), loops(paper), equation(paper)};
  result.plots = {occupancy_by_registers(paper)};
  result.tables.push_back(threads_at_once(paper));
  if (backend.is_cuda()) {
    report_partial(progress, result);
    const std::vector<PartShape> parts = split_shapes(lbm_plain);
    result.tables.push_back(parts_here(parts));
    result.tables.push_back(predicted_here(backend, parts, progress));
  } else {
    result.tables[2].note +=
        " Registers of our own kernels and the comparison with measured times need a GPU: not measured here.";
  }
  return result;
}

}  // namespace perturb::lbm
