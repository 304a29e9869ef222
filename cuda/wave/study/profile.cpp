// Times of the parts of a step of the paper's programs (study/paper.h), which the paper shows as profiler screenshots:
// most of the time is convolution on the CPU, and copies on the GPU.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "cuda/core/bench/paper_studies.h"
#include "cuda/core/bench/paper_table.h"
#include "cuda/core/bench/verdict.h"
#include "cuda/wave/study/paper.h"
#include "cuda/wave/study/studies.h"

namespace perturb::wave {

namespace {

constexpr int profile_groups = 7;
constexpr double profile_group_seconds = 0.05;

// Seconds of a step in each group of steps, [part][group].
using ProfileTimes = std::array<std::vector<double>, paper_parts.size()>;

ProfileTimes profile_of(PaperProgram& tank, int side, const Backend& stop_requested) {
  tank.drop(side / 2, side / 2);
  PaperSeconds seconds{};
  tank.add_parts_to(&seconds);
  const auto take = [&](int steps) {
    seconds.fill(0);
    for (int k = 0; k < steps; ++k) {
      stop_requested.stop_point();
      tank.step();
    }
  };
  take(2);
  take(2);  // the first two steps touch memory for the first time
  const double step = std::accumulate(seconds.begin(), seconds.end(), 0.0) / 2;
  const int steps = std::clamp(static_cast<int>(profile_group_seconds / std::max(step, 1e-9)), 4, 400);
  ProfileTimes times;
  for (int group = 0; group < profile_groups; ++group) {
    take(steps);
    for (std::size_t part = 0; part < times.size(); ++part) times[part].push_back(seconds[part] / steps);
  }
  tank.add_parts_to(nullptr);
  return times;
}

}  // namespace

StudyResult profile_study(Backend& backend, const Setup& scene, const StudyProgress& progress) {
  const PaperTable& paper = paper_table("wave");
  const int side =
      scene.width > 0 ? scene.width : static_cast<int>(paper.at("section Implementing", "CPU version", "cells a side"));
  StudyTable table;
  table.id = "profile";
  table.title = "What a step of the source's programs spends its time on, " + std::to_string(side) + " cells a side";
  table.columns = {{"program", "program", ""},
                   {"on", "on", ""},
                   {"part", "part of a step", ""},
                   {"seconds_per_step", "time per step", "s"},
                   {"longest_seconds_per_step", "at most", "s"},
                   {"percent", "of the step", "%"}};
  table.note = "Medians of " + std::to_string(profile_groups) +
               " groups of steps. The device is waited for at both ends of a part, so that a step of it takes longer "
               "than one that is not looked at. The source prints no numbers; what its windows draw is no part here.";
  StudyPlot plot;
  plot.title = table.title, plot.x_label = "part: convolution, products and sums, copies, colours";
  plot.y_label = "time per step", plot.y_unit = "s", plot.logarithmic_y = true;

  struct Program {
    const char* name;
    PaperMethod way;
  };
  std::vector<Program> programs = {{"matrices", PaperMethod::matrices}};
  if (backend.is_cuda()) {
    programs.push_back({"copies", PaperMethod::copies});
    programs.push_back({"device", PaperMethod::device});
  }
  std::vector<ProfileTimes> times;
  for (const Program& program : programs) {
    const std::string on = program.way == PaperMethod::matrices ? "cpu, 1 thread" : "cuda";
    progress(program.name + (" on " + on));
    const auto tank = make_wave_paper(program.way, backend, side, PaperColours::table);
    times.push_back(profile_of(*tank, side, backend));
    double step = 0;
    for (const std::vector<double>& part : times.back()) step += median_of(part);
    StudyLine line{program.name + (", " + on), {}, false};
    for (std::size_t part = 0; part < paper_parts.size(); ++part) {
      const std::vector<double>& repeats = times.back()[part];
      const double median = median_of(repeats);
      if (median <= 0) continue;  // the CPU's program has nothing to copy
      table.rows.push_back({std::string(program.name), on, std::string(paper_parts[part]), median,
                            *std::max_element(repeats.begin(), repeats.end()), 100 * median / step});
      line.points.push_back({static_cast<double>(part) + 1, median});
    }
    plot.lines.push_back(std::move(line));
    report_partial(progress, {{table}, {plot}});
  }

  const auto part = [&](std::size_t program, PaperPart which) {
    return times[program][static_cast<std::size_t>(which)];
  };
  constexpr std::size_t on_matrices = 0, with_copies = 1;
  using enum PaperPart;
  std::vector<Finding> findings = {
      {"on the CPU the convolution takes longer than the other products and sums", "section Implementing", NAN,
       part(on_matrices, matrices), part(on_matrices, convolution)},
      {"on the CPU the convolution takes longer than the colours", "section Implementing", NAN,
       part(on_matrices, colours), part(on_matrices, convolution)}};
  if (backend.is_cuda()) {
    findings.push_back({"the GPU's kernel convolves faster than the CPU", "section CUDA", NAN,
                        part(with_copies, convolution), part(on_matrices, convolution)});
    findings.push_back({"copies to the GPU and back take longer than its convolution", "section CUDA", NAN,
                        part(with_copies, convolution), part(with_copies, copies)});
  }
  return {{std::move(table),
           findings_table(findings,
                          "The source: " + paper.cited() + "." +
                              (backend.is_cuda() ? "" : " What it found of a GPU needs one: not measured here."))},
          {std::move(plot)}};
}

}  // namespace perturb::wave
