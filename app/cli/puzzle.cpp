// The puzzle command: lists puzzles, shows a task, and checks a text.
#include "app/io/preset/puzzles.h"

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/terminal.h"
#include "app/io/files/text_file.h"
#include "app/lab/edited_kernel.h"
#include "app/puzzles/puzzle_check.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/edited_kernel.h"
#include "cuda/core/simulation/format.h"

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

std::string most_text(const Puzzle& puzzle, PuzzleScoreMember count) {
  const auto goal =
      std::find_if(puzzle.goals.begin(), puzzle.goals.end(), [&](const PuzzleGoal& one) { return one.count == count; });
  return goal == puzzle.goals.end() ? "" : format_number(goal->most, 3);
}

int show_task(const Puzzle& puzzle) {
  std::cout << puzzle.title << "\n\n" << puzzle.task << "\n\n";
  std::cout << "Write the body of this kernel:\n\n__global__ void kernel(" << puzzle.signature << ")\n\n"
            << puzzle.start;
  for (const PuzzleCount& count : puzzle_counts())
    if (const std::string most = most_text(puzzle, count.count); !most.empty())
      std::cout << "\nGoal: " << count.label << ": at most " << most << '\n';
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

Json json_of(const Puzzle& puzzle, const PuzzleResult& result) {
  Json all = {{"puzzle", puzzle.id}, {"solved", result.is_solved()}, {"complaint", result.complaint.english()}};
  if (!result.score) return all;
  Json score, goal = Json::object();
  for (const PuzzleCount& count : puzzle_counts()) score[count.id] = *result.score.*count.count;
  for (const PuzzleGoal& one : puzzle.goals)
    for (const PuzzleCount& count : puzzle_counts())
      if (count.count == one.count) goal[count.id] = one.most;
  all["score"] = score, all["goal"] = goal;
  if (!puzzle.built_in.empty())
    all["built_in"] = {{"kernel", puzzle.built_in}, {"bytes_per_cell", puzzle.built_in_bytes}};
  return all;
}

void print_score(const Puzzle& puzzle, const PuzzleScore& score) {
  TextTable table({"count", ">yours", ">at most"});
  for (const PuzzleCount& count : puzzle_counts())
    table.add({count.label, format_number(score.*count.count, 3), most_text(puzzle, count.count)});
  table.print(std::cout);
  if (!puzzle.built_in.empty())
    print_line(std::cout, "The built-in kernel " + puzzle.built_in + " needs at least " +
                              format_number(puzzle.built_in_bytes, 3) + " bytes per cell and step.");
  print_line(std::cout, "Counted on the processor as a GPU without caches moves it; not timed.");
}

int check_file(const Puzzle& puzzle, const PuzzleOptions& options) {
  const std::string text = read_text_file(options.file, "kernel", max_edited_text);
  try {
    const PuzzleResult result = check_puzzle(puzzle, text);
    if (options.json) {
      std::cout << json_of(puzzle, result).dump(2) << '\n';
    } else {
      print_line(std::cout, result.is_solved() ? "Solved: all cells are right." : result.complaint.english());
      if (result.score) print_score(puzzle, *result.score);
    }
    return result.is_solved() ? 0 : 1;
  } catch (const CompileError& error) {
    for (const CompileProblem& problem : error.problems())
      print_line(std::cerr,
                 (problem.line > 0 ? options.file + ":" + std::to_string(problem.line) + ": " : "") + problem.text);
    throw;
  }
}

}  // namespace

int puzzle_command(const PuzzleOptions& options) {
  if (options.puzzle.empty()) return list_puzzles(options.json);
  const Puzzle& puzzle = find_puzzle(options.puzzle);
  if (options.hint) return show_hints(puzzle, *options.hint);
  if (options.start || options.solution) {
    std::cout << (options.start ? puzzle.start : puzzle.solution);
    return 0;
  }
  return options.file.empty() ? show_task(puzzle) : check_file(puzzle, options);
}

}  // namespace perturb
