// The puzzle command: lists puzzles, shows a task, and checks a text.
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "app/cli/bench.h"
#include "app/cli/commands.h"
#include "app/cli/panel_image.h"
#include "app/cli/terminal.h"
#include "app/edited/edited_kernel.h"
#include "app/io/files/text_file.h"
#include "app/io/image/image.h"
#include "app/io/preset/puzzles.h"
#include "app/kernels/puzzles/puzzle_check.h"
#include "app/ui/kernels/access_map_view.h"
#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/edited_kernel.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/timing/roofline.h"

namespace perturb {

namespace {

using Json = nlohmann::ordered_json;

int list_puzzles(bool as_json) {
  if (as_json) {
    Json list = Json::array();
    for (const Puzzle& puzzle : all_puzzles())
      list.push_back({{"id", puzzle.id}, {"title", puzzle.title}, {"hints", puzzle.hints.size()}});
    std::cout << list.dump(2) << '\n';
    return 0;
  }
  TextTable table({"puzzle", "title", ">hints"});
  for (const Puzzle& puzzle : all_puzzles()) table.add({puzzle.id, puzzle.title, std::to_string(puzzle.hints.size())});
  table.print(std::cout);
  std::cout << "Show a task with \"perturb puzzle NAME\".\n";
  return 0;
}

std::string max_text(const Puzzle& puzzle, PuzzleScoreMember count) {
  const auto goal =
      std::find_if(puzzle.goals.begin(), puzzle.goals.end(), [&](const PuzzleGoal& one) { return one.count == count; });
  return goal == puzzle.goals.end() ? "" : count_text(goal->max);
}

int show_task(const Puzzle& puzzle) {
  std::cout << puzzle.title << "\n\n" << puzzle.task << "\n\n";
  std::cout << "Write the body of this kernel:\n\n__global__ void kernel(" << puzzle.signature << ")\n\n"
            << puzzle.start;
  for (const PuzzleCount& count : puzzle_counts())
    if (const std::string max = max_text(puzzle, count.count); !max.empty())
      std::cout << "\nGoal: " << count.label << ": at most " << max << '\n';
  std::cout << "\nBegin with \"perturb puzzle " << puzzle.id << " --start > mine.cu\", check with \"perturb puzzle "
            << puzzle.id << " mine.cu\". There are " << puzzle.hints.size() << " hints (--hint N).\n";
  return 0;
}

int show_hints(const Puzzle& puzzle, std::int64_t count) {
  const auto all = static_cast<std::int64_t>(puzzle.hints.size());
  if (count > all) throw InputError("--hint cannot be {}: {} has {} hints.", count, puzzle.id, all);
  for (std::int64_t k = 0; k < count; ++k)
    std::cout << k + 1 << ". " << puzzle.hints[static_cast<std::size_t>(k)] << '\n';
  return 0;
}

// A launch on the GPU, as shares of what the memory allows and of the built-in kernel's time.
struct TimedPuzzle {
  PuzzleTime time;
  double share_of_roofline = 0, share_of_built_in = 0;  // the second one: 0 if there is no such kernel
};

TimedPuzzle time_on_gpu(const Puzzle& puzzle, const std::string& text) {
  TimedPuzzle timed;
  timed.time = time_puzzle(puzzle, text);
  if (!timed.time.complaint.empty()) return timed;
  const std::unique_ptr<Backend> backend = Backend::make_cuda();
  const Roofline roof = measure_roofline(*backend);
  timed.share_of_roofline = roof.min_seconds(timed.time.min_bytes, 0) / timed.time.seconds;
  if (puzzle.built_in.empty()) return timed;
  const Size size{timed.time.width, timed.time.height};
  const BenchResult built_in = time_kernel(*backend, find_simulation("wave"), puzzle.built_in, size, {}, roof);
  timed.share_of_built_in = timed.time.seconds / (timed.time.steps * built_in.seconds_per_step);
  return timed;
}

Json json_of(const TimedPuzzle& timed) {
  if (!timed.time.complaint.empty()) return {{"complaint", timed.time.complaint.english()}};
  Json all = {{"complaint", ""},
              {"size", {timed.time.width, timed.time.height}},
              {"seconds", timed.time.seconds},
              {"share_of_roofline", timed.share_of_roofline}};
  if (timed.share_of_built_in > 0) all["share_of_built_in"] = timed.share_of_built_in;
  return all;
}

void print_time(const Puzzle& puzzle, const TimedPuzzle& timed) {
  if (!timed.time.complaint.empty()) return print_line(std::cout, timed.time.complaint.english());
  print_line(std::cout, "On the GPU, " + std::to_string(timed.time.width) + " x " + std::to_string(timed.time.height) +
                            " cells: " + with_prefix(timed.time.seconds, "s") + " per launch, " +
                            format_number(100 * timed.share_of_roofline, 3) + " % of what the memory allows.");
  if (timed.share_of_built_in > 0)
    print_line(std::cout, "The time of the built-in kernel " + puzzle.built_in + " for as many steps is 100 %, yours " +
                              format_number(100 * timed.share_of_built_in, 3) + " %.");
}

Json json_of(const Puzzle& puzzle, const PuzzleResult& result) {
  Json all = {{"puzzle", puzzle.id}, {"solved", result.is_solved()}, {"complaint", result.complaint.english()}};
  if (!result.score) return all;
  Json score, goal = Json::object();
  for (const PuzzleCount& count : puzzle_counts()) score[count.id] = *result.score.*count.count;
  for (const PuzzleGoal& one : puzzle.goals)
    for (const PuzzleCount& count : puzzle_counts())
      if (count.count == one.count) goal[count.id] = one.max;
  all["score"] = score;
  all["goal"] = goal;
  if (!puzzle.built_in.empty())
    all["built_in"] = {{"kernel", puzzle.built_in}, {"bytes_per_cell", puzzle.built_in_bytes}};
  return all;
}

void print_score(const Puzzle& puzzle, const PuzzleScore& score) {
  TextTable table({"count", ">yours", ">at most"});
  for (const PuzzleCount& count : puzzle_counts())
    table.add({count.label, count_text(score.*count.count), max_text(puzzle, count.count)});
  table.print(std::cout);
  if (!puzzle.built_in.empty())
    print_line(std::cout, "The built-in kernel " + puzzle.built_in + " needs at least " +
                              format_number(puzzle.built_in_bytes, 3) + " bytes per cell and step.");
  print_line(std::cout, "Counted on the processor as a GPU without caches moves it; not timed.");
}

Message result_text(const PuzzleResult& result) {
  return result.is_solved() ? Message("Solved: all cells are right.") : result.complaint;
}

// As in the window, without the text.
void save_image(const Puzzle& puzzle, const PuzzleResult& result, const std::string& file) {
  if (!result.accesses)
    return print_line(std::cerr, "No thread of the kernel used an array: " + file + " is not written.");
  constexpr int width = 1200, height = 900;
  save_png(panel_image(width, height,
                       [&](const Style& style) {
                         ImGui::PushFont(style.strong);
                         draw_wrapped(puzzle.title, color::text);
                         ImGui::PopFont();
                         draw_wrapped(result_text(result), result.is_solved() ? color::good : color::bad);
                         ImGui::Dummy(ImVec2(0, style.px(4)));
                         int thread = result.accesses->thread;
                         draw_access_map(style, *result.accesses, thread, ImGui::GetContentRegionAvail());
                       }),
           file);
  print_line(std::cerr, "Wrote " + file);
}

int check_text(const Puzzle& puzzle, const PuzzleOptions& options) {
  const std::string text = options.start      ? puzzle.start
                           : options.solution ? puzzle.solution
                                              : read_text_file(options.file, "kernel", max_edited_text);
  try {
    const PuzzleResult result = check_puzzle(puzzle, text);
    if (!options.image.empty()) save_image(puzzle, result, options.image);
    std::optional<TimedPuzzle> timed;
    if (result.score && cuda_status().usable) timed = time_on_gpu(puzzle, text);
    if (options.json) {
      Json all = json_of(puzzle, result);
      if (timed) all["gpu"] = json_of(*timed);
      std::cout << all.dump(2) << '\n';
    } else {
      print_line(std::cout, result_text(result).english());
      if (result.score) print_score(puzzle, *result.score);
      if (timed) print_time(puzzle, *timed);
    }
    return result.is_solved() ? 0 : 1;
  } catch (const CompileError& error) {
    for (const CompileProblem& problem : error.problems())
      print_line(std::cerr, (problem.line > 0 ? (options.file.empty() ? puzzle.id : options.file) + ":" +
                                                    std::to_string(problem.line) + ": "
                                              : "") +
                                problem.text);
    throw;
  }
}

}  // namespace

int puzzle_command(const PuzzleOptions& options) {
  if (options.puzzle.empty()) return list_puzzles(options.json);
  const Puzzle& puzzle = find_puzzle(options.puzzle);
  if (options.hint) return show_hints(puzzle, *options.hint);
  if (options.image.empty() && (options.start || options.solution)) {
    std::cout << (options.start ? puzzle.start : puzzle.solution);
    return 0;
  }
  return options.file.empty() && options.image.empty() ? show_task(puzzle) : check_text(puzzle, options);
}

}  // namespace perturb
