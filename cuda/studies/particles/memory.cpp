// Memory and atomic operations in the discs' paper: constant, shared, local and managed memory (its section 3.2), and
// threads that add to one counter (its section 8.3).
#include "cuda/studies/particles/memory.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/loops/atomic.h"
#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/simulation/format.h"
#include "cuda/studies/paper.h"
#include "cuda/studies/particles/studies.h"

namespace perturb::particles {

namespace {

constexpr int turns = 9;

// Each thread adds to its counter, `count` times, and uses the former values, as for a place in a list.
struct AddToCounters {
  int counters, count;
  int *values, *sums;
  PERTURB_HD void operator()(int thread) const {
    int& counter = values[thread % counters * counter_stride];
    unsigned sum = 0;  // wraps, as the counter does after many repeats
    for (int k = 0; k < count; ++k) sum += static_cast<unsigned>(atomic_add(counter, 1));
    sums[thread] = static_cast<int>(sum);
  }
  static constexpr int counter_stride = 32;  // each counter in a cache line of its own
};
constexpr int many_counters = 4096, additions = 16;

StudyTable contention_of_counters(Backend& backend, const StudyProgress& progress, std::vector<Finding>& findings) {
  StudyTable table("contention", "Additions to one counter and to many",
                   {column("threads", "threads", 8), column("one_seconds", "one counter, per addition", "s"),
                    column("many_seconds", std::to_string(many_counters) + " counters, per addition", "s"),
                    column("ratio", "one over many")});
  table.note =
      "Medians of nine groups, run alternately, of " + std::to_string(additions) + " additions of each thread.";
  if (!backend.is_cuda())
    table.note +=
        " A processor takes them as iterations of a loop, on " + std::to_string(backend.threads()) + " threads.";
  const std::vector<int> sizes =
      backend.is_cuda() ? std::vector<int>{1 << 12, 1 << 16, 1 << 20} : std::vector<int>{1 << 12, 1 << 14, 1 << 16};
  std::vector<double> first, last;  // seconds per addition to one counter
  for (const int threads : sizes) {
    progress(std::to_string(threads) + " threads add to counters");
    Array<int> values(backend, std::size_t{many_counters} * AddToCounters::counter_stride, "counters"),
        sums(backend, static_cast<std::size_t>(threads), "former values");
    values.fill_zero();
    const auto adding_to = [&](int counters) {
      return [&backend, threads, loop = AddToCounters{counters, additions, values.data(), sums.data()}](int times) {
        for (int k = 0; k < times; ++k) parallel_for(backend, "particles.contention", Range1D{threads}, loop);
      };
    };
    const std::vector<std::vector<double>> t = seconds_each(backend, {adding_to(1), adding_to(many_counters)}, turns);
    const double all = static_cast<double>(threads) * additions;
    table.add({threads, median_of(t[0]) / all, median_of(t[1]) / all, median_of(t[0]) / median_of(t[1])});
    last = times_of(t[0], 1 / all);
    if (first.empty()) first = last;
    if (threads == sizes.back())
      findings.push_back({"threads that add to one counter take longer than with " + std::to_string(many_counters) +
                              " counters, " + std::to_string(threads) + " threads",
                          "section 8.3", NAN, t[1], t[0]});
  }
  findings.push_back({"an addition to one counter takes longer if more threads add to it, " +
                          std::to_string(sizes.front()) + " to " + std::to_string(sizes.back()) + " threads",
                      "section 8.3", NAN, first, last});
  if (!backend.is_cuda()) restrict_to_device(findings, "processor");
  return table;
}

// CUDA.
StudyTable kinds_of_memory(Backend& backend, int count, const StudyProgress& progress, std::vector<Finding>& findings) {
  StudyTable table("memory", "The check of pairs by kind of memory, N = " + std::to_string(count),
                   {column("memory"), column("seconds", "time", "s"), column("longest_seconds", "at most", "s")});
  progress("kinds of memory, N = " + std::to_string(count));
  const Setup setup = report_setup(count, {"", "all-pairs", false, true});
  const auto run = make_discs(backend, setup, "all-pairs");
  run->step(1);
  const StateDiscs state(backend, setup, run->save());
  const CheckNumbers numbers{2 * disc_parameter(setup, "radius"), count};
  Array<CheckNumbers> global(backend, 1, "parameters");
  global.upload(std::span<const CheckNumbers>(&numbers, 1));
  Array<std::int64_t> counter(backend, 1, "number of candidates");
  counter.fill_zero();
  set_check_numbers(backend, numbers);
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(Disc<double>);
  std::vector<Disc<double>> host(static_cast<std::size_t>(count));
  backend.copy_to_host(host.data(), state.grid().discs, bytes);
  Array<Disc<double>> copied(backend, host.size(), "discs");
  const ManagedDiscs managed(backend, host.size());
  std::vector<RepeatedWork> works;
  constexpr CheckMemory kinds[] = {CheckMemory::constant, CheckMemory::global, CheckMemory::shared,
                                   CheckMemory::discs_shared};
  for (const CheckMemory memory : kinds)
    works.emplace_back([&, memory](int times) {
      for (int k = 0; k < times; ++k)
        count_pairs_from(backend, memory, numbers, global.data(), state.grid().discs, counter.data());
    });
  // Discs come from the host before each check. In the paper they stay on the device, and the host reads and writes the
  // candidates: this measures only what managed memory costs compared with copies of the same size.
  works.emplace_back([&](int times) {
    for (int k = 0; k < times; ++k) {
      backend.copy_from_host(copied.data(), host.data(), bytes);
      count_pairs_from(backend, CheckMemory::constant, numbers, global.data(), copied.data(), counter.data());
      backend.synchronize();
    }
  });
  works.emplace_back([&](int times) {
    for (int k = 0; k < times; ++k) {
      std::copy(host.begin(), host.end(), managed.data());
      count_pairs_from(backend, CheckMemory::constant, numbers, global.data(), managed.data(), counter.data());
      backend.synchronize();  // until then the host must not touch managed memory
    }
  });
  const std::vector<std::vector<double>> t = seconds_each(backend, works, turns);
  enum { constant, of_global, of_shared, discs_shared, with_copies, with_managed };
  for (std::size_t k = 0; k < t.size(); ++k)
    table.add({k < std::size(kinds)
                   ? std::string(name_of(kinds[k]))
                   : std::string(k == with_copies ? "discs copied to the device each time"
                                                  : "discs in managed memory, written by the host each time"),
               median_of(t[k]), longest_of(t[k])});
  table.note =
      "Medians of nine groups, run alternately, FP64, contraction, in the paper's blocks over pairs. In the last two "
      "rows all discs come from the host before each check: copied from its memory, or written by it to managed "
      "memory. In the paper discs stay on the device, and the host orders the candidates.";
  const std::string of = ", N = " + std::to_string(count);
  const char* const place = "section 3.2";
  const auto faster = [&](const std::string& what, const std::vector<double>& slow) {
    findings.push_back({what + of, place, NAN, t[constant], slow});
  };
  faster("parameters in constant memory make the check of pairs faster than in global memory", t[of_global]);
  faster("parameters in constant memory make the check of pairs faster than in shared memory", t[of_shared]);
  faster("discs in local memory make the check of pairs faster than in shared memory", t[discs_shared]);
  findings.push_back(
      {"managed memory that the host writes before a check makes it slower than copies to the device" + of, place, NAN,
       t[with_copies], t[with_managed]});
  return table;
}

}  // namespace

const char* name_of(CheckMemory memory) {
  switch (memory) {
    case CheckMemory::constant:
      return "parameters in constant, discs in local memory";
    case CheckMemory::global:
      return "parameters in global memory";
    case CheckMemory::shared:
      return "parameters in shared memory";
    case CheckMemory::discs_shared:
      return "discs in shared memory";
  }
  return "";
}

std::vector<int> particles_additions(Backend& backend, int threads, int counters) {
  Array<int> values(backend, static_cast<std::size_t>(counters) * AddToCounters::counter_stride, "counters"),
      sums(backend, static_cast<std::size_t>(threads), "former values");
  values.fill_zero();
  parallel_for(backend, "particles.contention", Range1D{threads},
               AddToCounters{counters, additions, values.data(), sums.data()});
  const std::vector<int> all = values.download();
  std::vector<int> each;
  for (int k = 0; k < counters; ++k) each.push_back(all[static_cast<std::size_t>(k * AddToCounters::counter_stride)]);
  return each;
}

StudyResult memory_study(Backend& backend, const Setup& scene, const StudyProgress& progress) {
  const PaperTable& paper = paper_table("particles");
  StudyResult result;
  std::vector<Finding> findings;
  result.tables.push_back(contention_of_counters(backend, progress, findings));
  report_partial(progress, result);
  if (backend.is_cuda()) {
    const int count = std::min(8000, max_discs_of_studies(true, scene));
    result.tables.push_back(kinds_of_memory(backend, count, progress, findings));
    report_partial(progress, result);
  }
  result.tables.push_back(findings_table(
      findings, "The paper: " + paper.cited() + ". It states these without times." +
                    (backend.is_cuda() ? "" : " Kinds of memory need a CUDA device: not measured here.")));
  return result;
}

}  // namespace perturb::particles
