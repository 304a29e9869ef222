#include "app/kernels/puzzles/puzzle_check.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "app/edited/compiler.h"
#include "app/kernels/puzzles/puzzle_cases.h"
#include "app/kernels/puzzles/puzzle_process.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

// Relative to the larger of the number and 1: the order of the operations is free.
constexpr float tolerance = 1e-5f;

Message thread_text(const puzzle::Dim& thread, const puzzle::Dim& block) {
  return {"thread ({}, {}) of block ({}, {})", thread.x, thread.y, block.x, block.y};
}

// "tile[3][32]"
Message element_text(const Puzzle& puzzle, const PuzzleReport& report) {
  std::string text = report.shared_name;
  if (report.array >= 0) {
    int arrays = 0;
    for (const PuzzleArgument& argument : puzzle.arguments) {
      const bool is_array =
          argument.kind == PuzzleArgument::Kind::input || argument.kind == PuzzleArgument::Kind::output;
      if (is_array && arrays++ == report.array) text = argument.name;
    }
  }
  for (int d = 0; d < report.dimensions; ++d) text += "[" + std::to_string(report.index[d]) + "]";
  return Message::value(text);
}
std::string sizes_text(const PuzzleReport& report) {
  std::string text;
  for (int d = 0; d < report.dimensions; ++d) text += (d == 0 ? "" : " x ") + std::to_string(report.size[d]);
  return text;
}

Message fault_text(const Puzzle& puzzle, const PuzzleReport& report) {
  const Message thread = thread_text(report.thread, report.block);
  const Message element = element_text(puzzle, report);
  switch (report.fault) {
    case PuzzleFault::index:
      return {report.writes
                  ? "Line {}: {} writes {}, but the array has {} elements. Check the index, or guard it with an if."
                  : "Line {}: {} reads {}, but the array has {} elements. Check the index, or guard it with an if.",
              report.line, thread, element, sizes_text(report)};
    case PuzzleFault::unwritten:
      return {
          "Line {}: {} reads {}, which has no value yet. Write it first, and call __syncthreads() before another "
          "thread reads it.",
          report.line, thread, element};
    case PuzzleFault::race: {
      const bool is_same_block = report.block.x == report.other_block.x && report.block.y == report.other_block.y;
      if (!is_same_block)
        return {
            "Race in line {}: {} uses {}, which a thread of block ({}, {}) uses in line {}, and one of the two "
            "writes. Blocks run in any order: let each element be written by one block, and read by no other.",
            report.line,
            thread,
            element,
            report.other_block.x,
            report.other_block.y,
            report.other_line};
      return {
          "Race in line {}: {} uses {}, which {} uses in line {}, and one of the two writes. Call __syncthreads() "
          "between, or let only one thread write it.",
          report.line,
          thread,
          element,
          thread_text(report.other_thread, report.block),
          report.other_line};
    }
    case PuzzleFault::barrier:
      return {
          "Line {}: {} waits for the barrier, but {} has ended without it. Call __syncthreads() outside of any if "
          "and before any return.",
          report.line, thread, thread_text(report.other_thread, report.block)};
    case PuzzleFault::two_barriers:
      return {
          "Line {}: {} waits for this barrier, but {} waits for the one in line {}. Call __syncthreads() outside "
          "of any if.",
          report.line, thread, thread_text(report.other_thread, report.block), report.other_line};
    case PuzzleFault::too_much_shared_memory:
      return {"The arrays in shared memory have {} bytes; a block has at most 49152. Make them smaller.",
              report.size[0]};
    case PuzzleFault::endless:
      return {"Line {}: {} uses {} after 4 million accesses of its block: it may loop forever. Check its loops.",
              report.line, thread, element};
    case PuzzleFault::none:
      break;
  }
  return {};
}

// Why the process of the kernel did not come to its end; empty: it did.
Message failure_text(const Puzzle& puzzle, const PuzzleRun& run) {
  const Message thread = thread_text(run.report.thread, run.report.block);
  if (run.too_slow) return {"The kernel ran for 2 s, last in {}: it may loop forever. Check its loops.", thread};
  if (run.signal != 0) return {"The kernel crashed in {}: {}.", thread, std::string(strsignal(run.signal))};
  if (run.report.fault != PuzzleFault::none) return fault_text(puzzle, run.report);
  if (!run.report.started && run.message.find(undefined_symbol) == std::string::npos)
    throw CompilerError("its library cannot be loaded ({})", Message::value(run.message));
  if (!run.report.started)
    return "The kernel calls a function that does not exist. Use only functions of its own text.";
  if (!run.report.finished) return {"The kernel ended its process in {}. Return from the kernel instead.", thread};
  return {};
}

// The first cell that differs.
struct Difference {
  WatchedElement cell;
  Message text;
};
std::optional<Difference> find_difference(const Puzzle& puzzle, const PuzzleCase& one, const PuzzleRun& run) {
  int array = -1;
  for (const PuzzleArgument& argument : puzzle.arguments) {
    if (argument.kind == PuzzleArgument::Kind::input) ++array;
    if (argument.kind != PuzzleArgument::Kind::output) continue;
    ++array;
    const std::vector<float>& got = run.outputs.at(argument.name);
    const std::vector<float>& expected = one.expected.at(argument.name);
    for (std::size_t n = 0; n < expected.size(); ++n) {
      const WatchedElement at{array, static_cast<std::int64_t>(n)};
      const Message cell = Message::value(argument.name + "[" + std::to_string(n) + "]");
      if (is_unwritten(got[n]))
        return Difference{at,
                          {"{} is not written. Expected: {} ({} x {} cells).", cell, format_number(expected[n], 6),
                           one.width, one.height}};
      if (!(std::fabs(got[n] - expected[n]) <= tolerance * std::max(1.f, std::fabs(expected[n]))))
        return Difference{at,
                          {"{} is {}. Expected: {} ({} x {} cells).", cell, format_number(got[n], 6),
                           format_number(expected[n], 6), one.width, one.height}};
    }
  }
  return {};
}

// In the middle of the first output: the block that writes it is not at the edge of the field.
WatchedElement middle_cell(const Puzzle& puzzle, const PuzzleCase& one) {
  WatchedElement middle;
  for (const PuzzleArgument& argument : puzzle.arguments) {
    if (argument.kind == PuzzleArgument::Kind::input) ++middle.array;
    if (argument.kind != PuzzleArgument::Kind::output) continue;
    const std::int64_t size = std::ssize(one.expected.at(argument.name));
    const auto columns = one.columns.find(argument.name);
    const std::int64_t width = columns == one.columns.end() ? one.width : columns->second;
    middle.element = size / width / 2 * width + width / 2;
    break;
  }
  return middle;
}

PuzzleScore score_of(const PuzzleCase& one, const PuzzleReport& report) {
  const auto per = [](std::int64_t count, double number) {
    return number > 0 ? static_cast<double>(count) / number : 0.0;
  };
  const auto threads = static_cast<double>(report.threads);
  const double cells = static_cast<double>(one.width) * one.height, steps = one.steps;
  const auto global = static_cast<double>(report.global_reads + report.global_writes);
  const auto shared = static_cast<double>(report.shared_reads + report.shared_writes);
  PuzzleScore score;
  score.global_reads = per(report.global_reads, threads);
  score.global_writes = per(report.global_writes, threads);
  score.shared_reads = per(report.shared_reads, threads);
  score.shared_writes = per(report.shared_writes, threads);
  score.bytes_per_cell = static_cast<double>(sector_bytes) * per(report.sectors, cells * steps);
  score.sectors_per_warp = per(report.sectors_of_threads, global);
  score.shared_passes = per(report.shared_passes_of_threads, shared);
  score.accesses_of_thread = static_cast<double>(report.accesses_of_thread);
  score.cells_of_thread = cells * per(report.cells_of_thread, static_cast<double>(report.size_of_cells));
  score.passes_of_warp = static_cast<double>(report.passes_of_warp);
  return score;
}

// The first goal that is missed; empty: none.
Message missed_goal(const Puzzle& puzzle, const PuzzleScore& score) {
  for (const PuzzleGoal& goal : puzzle.goals)
    for (const PuzzleCount& count : puzzle_counts())
      if (count.count == goal.count && score.*goal.count > goal.max)
        return {"All cells are right, but the goal is not reached. {}: {}, at most {} are allowed.",
                Message(count.label), count_text(score.*goal.count), count_text(goal.max)};
  return {};
}

}  // namespace

PuzzleResult check_puzzle(const Puzzle& puzzle, const std::string& text) {
  const std::shared_ptr<const Descriptor> library = compile_puzzle(puzzle, text);
  PuzzleResult result;
  const auto keep = [&](AccessMap map) {
    if (!map.accesses.empty() || map.fault) result.accesses = std::make_shared<const AccessMap>(std::move(map));
  };
  std::vector<PuzzleCase> cases = puzzle_cases(puzzle.id);
  cases.push_back(puzzle_case_of_text(puzzle.id, text));
  PuzzleScore score;
  for (const PuzzleCase& one : cases) {
    PuzzleRun run = run_puzzle(puzzle, *library, one, middle_cell(puzzle, one));
    result.complaint = failure_text(puzzle, run);
    if (!result.complaint.empty()) {
      result.score.reset();
      keep(access_map_of(puzzle, one, run));
      return result;
    }
    if (const std::optional<Difference> difference = find_difference(puzzle, one, run)) {
      result.complaint = difference->text;
      result.score.reset();
      run = run_puzzle(puzzle, *library, one, difference->cell);
      keep(access_map_of(puzzle, one, run, difference->cell));
      return result;
    }
    if (!result.accesses) keep(access_map_of(puzzle, one, run));
    score = score_of(one, run.report);
    if (&one == &cases.back()) break;
    if (!result.score) result.score = score;
    // No field may be left to a few threads, whatever its size.
    for (const auto count : {&PuzzleScore::accesses_of_thread, &PuzzleScore::cells_of_thread})
      *result.score.*count = std::max(*result.score.*count, score.*count);
  }
  result.complaint = missed_goal(puzzle, *result.score);
  // A text that is good only for the known size.
  if (result.complaint.empty()) result.complaint = missed_goal(puzzle, score);
  return result;
}

PuzzleTime time_puzzle(const Puzzle& puzzle, const std::string& text, int device) {
  const PuzzleCase one = timed_puzzle_case(puzzle.id);
  PuzzleTime time;
  if (one.grid.x * one.grid.y == 1) {
    time.complaint = "The kernel is not timed on the GPU: it has one block, and so uses a small part of it.";
    return time;
  }
  const PuzzleRun run = time_puzzle(puzzle, text, one, device);
  time.width = one.width;
  time.height = one.height;
  time.steps = one.steps;
  for (const auto* arrays : {&one.inputs, &one.expected})
    for (const auto& [name, values] : *arrays) time.min_bytes += static_cast<double>(values.size() * sizeof(float));
  if (!run.message.empty())
    time.complaint = {"The kernel cannot be timed on the GPU: {}", run.message};
  else if (!run.report.finished)
    time.complaint = "The kernel cannot be timed on the GPU: its process ended.";
  else if (const std::optional<Difference> difference = find_difference(puzzle, one, run))
    time.complaint = difference->text;
  time.seconds = run.seconds;
  return time;
}

}  // namespace perturb
