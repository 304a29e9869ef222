// Studies of what the wave's paper says about its convolution and copies: its first convolution, global against shared
// and constant memory, textures and sizes of blocks; pageable against pinned memory; and larger tanks.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/studies/paper.h"
#include "cuda/studies/wave/paper.h"
#include "cuda/studies/wave/studies.h"

namespace perturb::wave {

namespace {

constexpr int turns = 9;

int side_of_paper() {
  return static_cast<int>(paper_table("wave").at("section Implementing", "CPU version", "cells a side"));
}

std::size_t cells_of(int side) { return static_cast<std::size_t>(side) * static_cast<std::size_t>(side); }

std::string format_side(int side) { return std::to_string(side) + " cells per side"; }

// On one thread of the processor, as the paper's CPU program.
void convolve_on_cpu(int side, const float* from, const float* taps, float* to) {
  const auto all = [&](const auto& tap) {
    for (int j = 0; j < side; ++j)
      for (int i = 0; i < side; ++i) to[j * side + i] = paper_convolution_at(side, from, i, j, tap);
  };
  if (taps != nullptr)
    all([taps](int a, int b) { return taps[3 * b + a]; });
  else
    all([](int a, int b) { return a == 1 && b == 1 ? -4.f : a == 1 || b == 1 ? 1.f : 0.f; });
}

// One way to convolve the field.
struct ConvolutionWay {
  std::string name;
  PaperBlock block;  // none: on the CPU
  RepeatedWork work;
};

enum CpuWay { cpu_memory, cpu_constant };
enum CudaWay {
  first_9,
  shared_3,
  global_3,
  constant_3,
  constant_9_7,
  constant_8,
  constant_16,
  constant_32,
  texture_16
};

std::vector<ConvolutionWay> ways_of(Backend& backend, int side, const float* from, const float* taps, float* to) {
  if (!backend.is_cuda()) {
    const auto work = [=](const float* of_taps) {
      return [=](int times) {
        for (int k = 0; k < times; ++k) convolve_on_cpu(side, from, of_taps, to);
      };
    };
    return {{"taps in memory", {}, work(taps)}, {"taps known to the compiler", {}, work(nullptr)}};
  }
  const int side_of_block =
      static_cast<int>(paper_table("wave").at("section CUDA", "convolution", "threads a side of a block"));
  const PaperBlock small = {side_of_block, side_of_block};
  const int side_of_first =
      static_cast<int>(paper_table("wave").at("section CUDA", "first convolution", "threads a side of its block"));
  const PaperBlock of_first = {side_of_first, side_of_first};
  std::vector<ConvolutionWay> ways = {{"global memory, taps too, one block for the whole field", of_first,
                                       [=, &backend](int times) {
                                         for (int k = 0; k < times; ++k)
                                           wave_paper_convolve_first(backend, side, of_first, from, taps, to);
                                       }},
                                      {"shared memory, taps in constant memory", small, [=, &backend](int times) {
                                         for (int k = 0; k < times; ++k) wave_paper_convolve(backend, side, from, to);
                                       }}};
  const auto plain = [&](const char* name, PaperBlock block, const float* of_taps) {
    ways.push_back({name, block, [=, &backend](int times) {
                      for (int k = 0; k < times; ++k)
                        wave_paper_convolve_plain(backend, side, block, from, of_taps, to);
                    }});
  };
  plain("global memory, taps too", small, taps);
  // 9 x 7 threads are as many as two whole warps, less one.
  for (const PaperBlock block : {small, PaperBlock{9, 7}, PaperBlock{8, 8}, PaperBlock{16, 16}, PaperBlock{32, 32}})
    plain("global memory, taps in constant memory", block, nullptr);
  constexpr int of_texture = 16;
  ways.push_back({"texture, taps in constant memory", {of_texture, of_texture}, [=, &backend](int times) {
                    wave_paper_convolve_texture(backend, side, of_texture, times, from, to);
                  }});
  return ways;
}

}  // namespace

std::vector<std::vector<float>> wave_convolutions(Backend& backend, int side, const std::vector<float>& field) {
  Array<float> from(backend, cells_of(side), "field"), taps(backend, 9, "taps"), to(backend, cells_of(side), "result");
  from.upload(std::span<const float>(field));
  const std::vector<float> laplacian = {0, 1, 0, 1, -4, 1, 0, 1, 0};
  taps.upload(std::span<const float>(laplacian));
  std::vector<std::vector<float>> results;
  for (const ConvolutionWay& way : ways_of(backend, side, from.data(), taps.data(), to.data())) {
    to.fill_zero();
    way.work(1);
    results.push_back(to.download());
  }
  return results;
}

StudyResult convolution_study(Backend& backend, const Setup& scene, const StudyProgress& progress) {
  const PaperTable& paper = paper_table("wave");
  StudyTable table("convolution", "The paper's convolution: the memory that it reads, and its blocks",
                   {column("side", "cells per side", 6), column("way", "reads from"), column("on"),
                    column("block", "threads per block"), column("seconds", "time", "s"),
                    column("longest_seconds", "at most", "s"), column("rate", "rate", "cell/s")});
  table.note =
      "Medians of nine groups, run alternately. Each thread tests the border at each tap. With shared memory a block "
      "loads its cells and their neighbours once, and tests the border there. The paper draws its first convolution as "
      "one block \"to simplify things\", which is timed too; the findings compare equal grids. It prints no times.";
  if (!backend.is_cuda()) table.note += " The processor: " + processor_of(backend) + ".";
  std::vector<Finding> findings;
  StudyPlot plot = plot_of(table.title, {"cells per side", "", Scale::logarithmic},
                           {"time of a convolution", "s", Scale::logarithmic});
  const std::vector<int> sides = study_request().size_given ? std::vector<int>{(scene.width + 7) / 8 * 8}
                                                            : std::vector<int>{side_of_paper(), 2048};
  for (const int side : sides) {
    progress(format_side(side));
    Array<float> from(backend, cells_of(side), "field"), taps(backend, 9, "taps"),
        to(backend, cells_of(side), "result");
    from.fill_zero();
    const std::vector<float> laplacian = {0, 1, 0, 1, -4, 1, 0, 1, 0};
    taps.upload(std::span<const float>(laplacian));
    const std::vector<ConvolutionWay> ways = ways_of(backend, side, from.data(), taps.data(), to.data());
    std::vector<RepeatedWork> works;
    for (const ConvolutionWay& way : ways) works.push_back(way.work);
    const std::vector<std::vector<double>> t = seconds_each(backend, works, turns);
    for (std::size_t k = 0; k < ways.size(); ++k) {
      const double seconds = median_of(t[k]);
      const int block = ways[k].block.threads();
      const std::string label = ways[k].name + (block > 0 ? ", " + std::to_string(block) + " threads" : "");
      table.add({side, ways[k].name, backend.is_cuda() ? "cuda" : "cpu, 1 thread", value_if(block > 0, block), seconds,
                 longest_of(t[k]), static_cast<double>(cells_of(side)) / seconds});
      if (plot.lines.size() <= k) plot.lines.push_back({label, {}});
      plot.lines[k].add(side, seconds);
    }
    const std::string of = ", " + format_side(side);
    if (backend.is_cuda()) {
      const char* const advice = "section CUDA Kernels best practices";
      findings.push_back(
          {"the convolution with shared and constant memory is faster than the first one, all from global memory, in "
           "the same blocks" +
               of,
           "section CUDA", NAN, t[shared_3], t[global_3]});
      findings.push_back(
          {"shared memory makes the convolution faster than global memory, in the paper's blocks, with taps in "
           "constant memory" +
               of,
           "section CUDA", NAN, t[shared_3], t[constant_3]});
      findings.push_back({"taps in constant memory make the convolution faster than in global memory" + of,
                          "section CUDA", NAN, t[constant_3], t[global_3]});
      findings.push_back({"blocks of whole warps make the convolution faster: 8 x 8 threads against 9 x 7" + of, advice,
                          NAN, t[constant_8], t[constant_9_7]});
      findings.push_back({"more than 64 threads per block make the convolution faster: 16 x 16 against 8 x 8" + of,
                          advice, NAN, t[constant_16], t[constant_8]});
      findings.push_back({"a texture makes the convolution faster than global memory" + of, advice, NAN, t[texture_16],
                          t[constant_16]});
    } else {
      findings.push_back({"taps in constant memory make the convolution faster than in global memory" + of,
                          "section CUDA", NAN, t[cpu_constant], t[cpu_memory]});
      restrict_to_device(findings.back(), "processor");
    }
    report_partial(progress, {{table}, {plot}});
  }
  return {{std::move(table),
           findings_table(findings,
                          "The paper: " + paper.cited() + "." +
                              (backend.is_cuda() ? ""
                                                 : " Kinds of GPU memory need a GPU: not measured here. On the "
                                                   "processor the taps are in memory or known to the compiler."))},
          {std::move(plot)}};
}

// ---- copies

StudyResult transfers_study(Backend& backend, const Setup& scene, const StudyProgress& progress) {
  const PaperTable& paper = paper_table("wave");
  StudyTable table("transfers", "Copies of a field between host and device",
                   {column("side", "cells per side", 6), column("direction"), column("memory", "host memory"),
                    column("seconds", "time", "s"), column("longest_seconds", "at most", "s"),
                    column("bytes_per_second", "bandwidth", "B/s")});
  if (!backend.is_cuda()) {
    table.note = "Needs a CUDA device: not measured here. Device and host are the same memory on a processor.";
    return {{std::move(table)}, {}};
  }
  // Each backend has a stream of its own: kernels of the other one can run during its copies.
  const std::unique_ptr<Backend> other_stream = Backend::make_cuda(backend.device_index());
  std::vector<Finding> findings;
  const std::vector<int> sides =
      study_request().size_given ? std::vector<int>{scene.width} : std::vector<int>{side_of_paper(), 2048};
  for (const int side : sides) {
    progress(format_side(side));
    const std::size_t bytes = cells_of(side) * sizeof(float);
    Array<float> field(backend, cells_of(side), "field"), other(backend, cells_of(side), "result");
    field.fill_zero();
    std::vector<float> pageable(cells_of(side));
    const std::unique_ptr<PinnedReadback> pinned = backend.make_pinned_readback(bytes),
                                          overlapping = other_stream->make_pinned_readback(bytes);
    const auto repeated = [](const std::function<void()>& once) {
      return [once](int times) {
        for (int k = 0; k < times; ++k) once();
      };
    };
    const std::vector<std::vector<double>> t =
        seconds_each(backend,
                     {repeated([&] { backend.copy_from_host(field.data(), pageable.data(), bytes); }),
                      repeated([&] { backend.copy_from_host(field.data(), pinned->data(), bytes); }),
                      repeated([&] { backend.copy_to_host(pageable.data(), field.data(), bytes); }), repeated([&] {
                        pinned->start(field.data());
                        pinned->wait();
                      }),
                      // The host waits after the copy and after the kernel; once for both, one after the other; or
                      // once for both, at the same time.
                      repeated([&] {
                        pinned->start(field.data());
                        pinned->wait();
                        wave_paper_convolve(backend, side, field.data(), other.data());
                        backend.synchronize();
                      }),
                      repeated([&] {
                        pinned->start(field.data());
                        wave_paper_convolve(backend, side, field.data(), other.data());
                        backend.synchronize();
                      }),
                      repeated([&] {
                        overlapping->start(field.data());
                        wave_paper_convolve(backend, side, field.data(), other.data());
                        overlapping->wait();
                        backend.synchronize();
                      })},
                     turns);
    enum { to_pageable, to_pinned, from_pageable, from_pinned, blocking, queued, overlapped };
    const char* const words[][2] = {{"to the device", "pageable"},
                                    {"to the device", "pinned"},
                                    {"from the device", "pageable"},
                                    {"from the device", "pinned"},
                                    {"from the device, and a convolution", "pinned, the host waits for each"},
                                    {"from the device, and a convolution", "pinned, queued"},
                                    {"from the device, and a convolution", "pinned, a stream of its own"}};
    for (std::size_t k = 0; k < t.size(); ++k)
      table.add({side, words[k][0], words[k][1], median_of(t[k]), longest_of(t[k]),
                 static_cast<double>(bytes) / median_of(t[k])});
    const std::string of = ", " + format_side(side);
    const char* const advice = "section CUDA Kernels best practices";
    findings.push_back({"pinned memory makes copies to the device faster than pageable" + of, advice, NAN, t[to_pinned],
                        t[to_pageable]});
    findings.push_back({"pinned memory makes copies from the device faster than pageable" + of, "section CUDA", NAN,
                        t[from_pinned], t[from_pageable]});
    findings.push_back({"copies from the device are slower than copies to it, pageable memory" + of, advice, NAN,
                        t[to_pageable], t[from_pageable]});
    findings.push_back({"copies from the device are slower than copies to it, pinned memory" + of, advice, NAN,
                        t[to_pinned], t[from_pinned]});
    findings.push_back(
        {"a copy on a stream of its own, at the same time as a convolution, makes both together faster than a copy "
         "that blocks" +
             of,
         advice, NAN, t[overlapped], t[blocking]});
    report_partial(progress, {{table}, {}});
  }
  table.note =
      "Medians of nine groups, run alternately. Queued: the convolution follows the copy on the same stream. On a "
      "stream of its own the copy can run at the same time as the convolution: both read the field, neither waits for "
      "the other. The processor: " +
      processor_of(backend) + ".";
  return {{std::move(table), findings_table(findings, "The paper: " + paper.cited() + ". It prints no times.")}, {}};
}

// ---- larger data

StudyResult larger_study(Backend& backend, const Setup& scene, const StudyProgress& progress) {
  const PaperTable& paper = paper_table("wave");
  StudyTable table("larger", "The paper's programs with larger tanks, coloured at every step",
                   {column("side", "cells per side", 6), column("cpu_seconds", "matrices on one CPU thread", "s"),
                    column("gpu_seconds", "all on the device", "s"), column("speed_up", "CPU over GPU", 4)});
  table.note =
      "Medians of seven groups of steps, run alternately: the first steps after one droplet. The paper has only its "
      "own size. The processor: " +
      processor_of(backend) + ".";
  const auto plot = [&] {
    std::vector<StudyLine> lines = {table.line("side", "cpu_seconds", "matrices, cpu, 1 thread")};
    if (backend.is_cuda()) lines.push_back(table.line("side", "gpu_seconds", "device, cuda"));
    return plot_of(table.title, {"cells per side", "", Scale::logarithmic}, {"time per step", "s", Scale::logarithmic},
                   std::move(lines));
  };
  constexpr int groups = 7;
  std::vector<double> first_gain, last_gain;
  std::vector<int> sides = {side_of_paper(), 2 * side_of_paper(), 4 * side_of_paper()};
  if (study_request().size_given) sides = {scene.width, 2 * scene.width};
  for (const int side : sides) {
    progress(format_side(side));
    std::vector<std::unique_ptr<PaperProgram>> programs;
    programs.push_back(make_wave_paper(PaperMethod::matrices, backend, side, PaperColours::table));
    if (backend.is_cuda()) programs.push_back(make_wave_paper(PaperMethod::device, backend, side, PaperColours::table));
    std::vector<RepeatedWork> works;
    for (const auto& program : programs) {
      program->drop(side / 2, side / 2);
      works.emplace_back([&backend, &program](int times) {
        for (int k = 0; k < times; ++k) {
          backend.stop_point();
          program->step();
        }
      });
    }
    const std::vector<std::vector<double>> t = seconds_each(backend, works, groups);
    if (backend.is_cuda()) {
      last_gain = quotients_of(t[0], t[1]);
      if (first_gain.empty()) first_gain = last_gain;
      table.add({side, median_of(t[0]), median_of(t[1]), median_of(t[0]) / median_of(t[1])});
    } else {
      table.add({side, median_of(t[0]), "", ""});
    }
    report_partial(progress, {{table}, {plot()}});
  }
  std::vector<Finding> findings;
  if (backend.is_cuda())
    findings.push_back({"the GPU's gain over the CPU grows with larger data, " + format_side(sides.front()) + " to " +
                            std::to_string(sides.back()),
                        "section Performance comparison", NAN, first_gain, last_gain});
  return {{table,
           findings_table(findings, "The paper: " + paper.cited() + "." +
                                        (backend.is_cuda() ? "" : " The gain of a GPU needs one: not measured here."))},
          {plot()}};
}

}  // namespace perturb::wave
