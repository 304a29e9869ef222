// Puzzles (app/kernels/puzzles): each with its solution and a wrong text, and texts that do all that a kernel must not
// do.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/edited/edited_kernel.h"
#include "app/io/image/image.h"
#include "app/io/preset/puzzles.h"
#include "app/kernels/puzzles/puzzle_cases.h"
#include "app/kernels/puzzles/puzzle_check.h"
#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"
#include "cuda/wave/model/cell.h"
#include "tests/support/files_scratch.h"
#include "tests/support/reach.h"
#include "tests/support/sanitized.h"

namespace perturb {
namespace {

using Json = nlohmann::json;

const std::string own_cell = "const int i = blockIdx.x * blockDim.x + threadIdx.x;\n";

std::string complaint_about(const std::string& puzzle, const std::string& text) {
  return check_puzzle(find_puzzle(puzzle), text).complaint.english();
}
void expect_complaint(const std::string& puzzle, const std::string& text, const std::string& part) {
  const std::string complaint = complaint_about(puzzle, text);
  EXPECT_NE(complaint.find(part), std::string::npos) << text << "\n" << complaint;
}

std::string answer_to(const Puzzle& puzzle, const std::string& text) {
  try {
    return check_puzzle(puzzle, text).complaint.english();
  } catch (const CompileError& error) {
    return error.problems().empty() ? error.what() : error.problems().front().text;
  }
}

TEST(Puzzles, AtLeastEightGrow) {
  ASSERT_GE(all_puzzles().size(), 8u);
  for (std::size_t k = 0; k < all_puzzles().size(); ++k) {
    const Puzzle& puzzle = all_puzzles()[k];
    EXPECT_EQ(puzzle.order, static_cast<int>(k) + 1) << puzzle.id;
    EXPECT_GE(puzzle.hints.size(), 2u) << puzzle.id;
    EXPECT_GE(puzzle_cases(puzzle.id).size(), 2u) << puzzle.id;
  }
}

// At small reach one puzzle: a text takes a run of the compiler.
bool is_tested(const Puzzle& puzzle) { return reach(true, puzzle.id == all_puzzles().front().id); }

TEST(Puzzles, SolutionsAreRightAndReachTheGoals) {
  for (const Puzzle& puzzle : all_puzzles()) {
    if (!is_tested(puzzle)) continue;
    const PuzzleResult result = check_puzzle(puzzle, puzzle.solution);
    EXPECT_TRUE(result.is_solved()) << puzzle.id << ": " << result.complaint.english();
  }
}

TEST(Puzzles, WrongTextsGetTheirComplaint) {
  for (const Puzzle& puzzle : all_puzzles())
    if (is_tested(puzzle)) expect_complaint(puzzle.id, puzzle.wrong, puzzle.complaint);
}

TEST(Puzzles, StartTextsCompileAndDoNotSolve) {
  for (const Puzzle& puzzle : all_puzzles()) {
    if (!is_tested(puzzle)) continue;
    EXPECT_NE(complaint_about(puzzle.id, puzzle.start), "") << puzzle.id;
  }
}

TEST(Puzzles, FirstDifferentCellIsNamedWithBothNumbers) {
  const PuzzleCase one = puzzle_cases("index").front();
  EXPECT_EQ(complaint_about("index",
                            "const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                            "after[i] = i == 7 ? 125.f : 0.5f * now[i];"),
            "after[7] is 125. Expected: " + format_number(one.expected.at("after")[7], 6) + " (256 x 1 cells).");
}

// The references are the physics of the simulations.
TEST(PuzzleCases, WaveReferencesAgreeWithTheCellFunctions) {
  constexpr float tolerance = 1e-5f;  // rounding, of numbers of about 1
  for (const char* id : {"stencil", "absorbing"}) {
    for (const PuzzleCase& one : puzzle_cases(id)) {
      const std::vector<float>&now = one.inputs.at("now"), &before = one.inputs.at("before");
      const auto courant2 = static_cast<float>(one.numbers.at("courant2"));
      const bool absorbs = id == std::string("absorbing");
      const auto at = [&](int i, int j) {
        if (absorbs) {
          i = i < 0 ? 1 : i >= one.width ? one.width - 2 : i;
          j = j < 0 ? 1 : j >= one.height ? one.height - 2 : j;
        }
        const bool inside = i >= 0 && j >= 0 && i < one.width && j < one.height;
        return inside ? now[static_cast<std::size_t>(j * one.width + i)] : 0.f;
      };
      float largest = 0;
      for (int j = 0; j < one.height; ++j)
        for (int i = 0; i < one.width; ++i) {
          const auto n = static_cast<std::size_t>(j * one.width + i);
          float after = wave::wave_update(now[n], before[n], at(i - 1, j), at(i + 1, j), at(i, j - 1), at(i, j + 1),
                                          courant2, 2.f);
          const int sides = (i == 0 || i == one.width - 1 ? 1 : 0) + (j == 0 || j == one.height - 1 ? 1 : 0);
          if (absorbs && sides > 0) after = wave::absorb(after, before[n], courant2, sides);
          largest = std::max(largest, std::fabs(after - one.expected.at("after")[n]));
        }
      EXPECT_LT(largest, tolerance) << id;
    }
  }
}

// Rows are lowered to a mean of zero, or added up from the left, and no cell changes in another way.
TEST(PuzzleCases, RowsAreLevelledAndAddedUp) {
  constexpr float tolerance = 1e-5f;  // rounding, of numbers of about 1
  for (const std::string id : {"reduction", "scan"}) {
    std::vector<PuzzleCase> cases = puzzle_cases(id);
    cases.push_back(puzzle_case_of_text(id, "a text"));
    for (const PuzzleCase& one : cases) {
      EXPECT_EQ(one.grid.x, 1u) << "a block for each row";
      const std::vector<float>&now = one.inputs.at("now"), &after = one.expected.at("after");
      for (int j = 0; j < one.height; ++j) {
        double sum = 0;
        float largest = 0;
        for (int i = 0; i < one.width; ++i) {
          const auto n = static_cast<std::size_t>(j * one.width + i);
          sum += after[n];
          const float old = i > 0 ? after[n - 1] : 0.f;
          if (id == "scan") largest = std::max(largest, std::fabs(after[n] - old - now[n]));
          if (id == "reduction" && i > 0)
            largest = std::max(largest, std::fabs(after[n] - old - (now[n] - now[n - 1])));
        }
        EXPECT_LT(largest, tolerance) << id;
        EXPECT_LT(id == "reduction" ? std::fabs(sum / one.width) : 0, tolerance);
      }
    }
  }
}

// ---- the score

PuzzleScore score_of(const std::string& puzzle, const std::string& text) {
  const PuzzleResult result = check_puzzle(find_puzzle(puzzle), text);
  EXPECT_TRUE(result.score.has_value()) << result.complaint.english();
  return result.score.value_or(PuzzleScore{});
}

TEST(PuzzleScores, CountAccessesOfAThread) {
  const PuzzleScore score = score_of("index",
                                     "__shared__ float tile[64];\n"
                                     "const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                     "tile[threadIdx.x] = now[i];\n"
                                     "tile[threadIdx.x] *= 0.5f;\n"
                                     "after[i] = tile[threadIdx.x] + 0 * now[i] + 0 * tile[threadIdx.x];");
  EXPECT_EQ(score.global_reads, 2);
  EXPECT_EQ(score.global_writes, 1);
  EXPECT_EQ(score.shared_reads, 3);
  EXPECT_EQ(score.shared_writes, 2);
  EXPECT_EQ(score.bytes_per_cell, 12);
  EXPECT_EQ(score.sectors_per_warp, 4);
  EXPECT_EQ(score.shared_passes, 1);
}

TEST(PuzzleScores, PassesOfAWarpCountWhatItsThreadsDoOneAfterTheOther) {
  const std::string cell = "const int i = blockIdx.x * blockDim.x + threadIdx.x;\n";
  EXPECT_EQ(score_of("index", cell + "after[i] = 0.5f * now[i];").passes_of_warp, 2);
  // 8 sectors in place of the 4 of 32 numbers in a row.
  EXPECT_EQ(score_of("index",
                     "const int i = blockIdx.x * 64 + threadIdx.x % 8 * 8 + threadIdx.x / 8;\n"
                     "after[i] = 0.5f * now[i];")
                .passes_of_warp,
            4);
  EXPECT_EQ(score_of("index", cell + "float half;\nif (threadIdx.x % 2 == 0)\n  half = 0.5f * now[i];\nelse\n"
                                     "  half = 0.5f * now[i];\nafter[i] = half;")
                .passes_of_warp,
            3);
  EXPECT_EQ(score_of("index", cell + "for (int turn = 0; turn < 4; ++turn) {\n  __syncthreads();\n"
                                     "  if (turn == int(threadIdx.x % 4)) after[i] = 0.5f * now[i];\n}")
                .passes_of_warp,
            8);
}

TEST(PuzzleScores, ElementsAreAddedToVariables) {
  EXPECT_EQ(complaint_about("index",
                            "__shared__ float tile[64];\n"
                            "const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                            "tile[threadIdx.x] = now[i];\n"
                            "float half = 0;\n"
                            "half += tile[threadIdx.x];\n"
                            "after[i] = half /= 2;"),
            "");
}

TEST(PuzzleScores, StrideTakesASectorForEachThread) {
  // Thread i of 64 in cell 8 (i % 8) + i / 8 of its block: the 32 of a warp touch all 8 sectors of the 64 cells.
  const PuzzleScore score = score_of("index",
                                     "const int i = blockIdx.x * 64 + threadIdx.x % 8 * 8 + threadIdx.x / 8;\n"
                                     "after[i] = 0.5f * now[i];");
  EXPECT_EQ(score.sectors_per_warp, 8);
  EXPECT_EQ(score.bytes_per_cell, 16);
}

TEST(PuzzleScores, CountAPassForEachThreadOfOneBank) {
  const PuzzleScore score = score_of("index",
                                     "__shared__ float tile[64][32];\n"
                                     "const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                     "tile[threadIdx.x][5] = now[i];\n"
                                     "after[i] = 0.5f * tile[threadIdx.x][5];");
  EXPECT_EQ(score.shared_passes, 32);
}

TEST(PuzzleScores, LoopsAreOneAccessForEachRound) {
  const PuzzleScore score = score_of("index",
                                     "const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                     "float sum = 0;\n"
                                     "for (int k = 0; k < 4; ++k) sum += now[i / 64 * 64 + (i + k) % 64];\n"
                                     "after[i] = 0.5f * now[i] + 0 * sum;");
  EXPECT_EQ(score.global_reads, 5);
  // Three of a warp's six accesses do not begin at a sector, and so reach into a fifth one.
  EXPECT_EQ(score.sectors_per_warp, 4.5);
}

// ---- the map of accesses

AccessMap accesses_of(const std::string& puzzle, const std::string& text) {
  const PuzzleResult result = check_puzzle(find_puzzle(puzzle), text);
  EXPECT_TRUE(result.accesses) << result.complaint.english();
  return result.accesses ? *result.accesses : AccessMap{};
}
// Of a thread to an array.
ThreadUse use_of(const AccessMap& map, int thread, const std::string& array, bool writes) {
  for (const ThreadUse& use : uses_of(map, thread))
    if (map.arrays.at(static_cast<std::size_t>(use.array)).name == array && use.writes == writes) return use;
  return {};
}

TEST(PuzzleAccesses, StencilReadsFiveCellsOfNowAndOneOfBefore) {
  const AccessMap map = accesses_of("stencil", find_puzzle("stencil").solution);
  // The block that writes the middle of 96 x 64 cells, and its thread that does.
  EXPECT_EQ(map.block.x, 1u);
  EXPECT_EQ(map.block.y, 4u);
  EXPECT_EQ(map.thread, 16);
  EXPECT_FALSE(map.fault);
  EXPECT_TRUE(map.complete);
  const int thread = 3 * 32 + 16;
  const std::int64_t n = (4 * 8 + 3) * 96 + 32 + 16;
  const ThreadUse now = use_of(map, thread, "now", false), before = use_of(map, thread, "before", false),
                  after = use_of(map, thread, "after", true);
  EXPECT_EQ(uses_of(map, thread).size(), 3u);
  EXPECT_EQ(now.elements, (std::vector<std::int64_t>{n - 96, n - 1, n, n + 1, n + 96}));
  EXPECT_EQ(now.accesses, 6);  // its own cell twice
  // A row of the warp begins at a sector; the cells left and right of it reach into a fifth one.
  EXPECT_EQ(now.units, 4 * 4 + 2 * 5);
  EXPECT_EQ(now.min_units, 6 * 4);
  EXPECT_EQ(now.elements_of_warp.size(), 32u + 34u + 32u);
  EXPECT_EQ(now.moved.size(), 32u + 48u + 32u);
  EXPECT_EQ(before.elements, std::vector<std::int64_t>{n});
  EXPECT_EQ(after.elements, std::vector<std::int64_t>{n});
  EXPECT_EQ(after.units, 4);
  EXPECT_EQ(map.arrays.at(1).cell_of(n), (ArrayCell{48, 35}));
}

TEST(PuzzleAccesses, SharedMemoryHasItsRowsAndPasses) {
  const AccessMap map = accesses_of("index",
                                    "__shared__ float tile[64][32];\n"
                                    "const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                    "tile[threadIdx.x][5] = now[i];\n"
                                    "after[i] = 0.5f * tile[threadIdx.x][5];");
  ASSERT_EQ(map.arrays.size(), 3u);
  EXPECT_EQ(map.arrays[2].role, AccessMap::Role::shared);
  EXPECT_EQ(map.arrays[2].size, 64 * 32);
  for (const bool writes : {false, true}) {
    const ThreadUse tile = use_of(map, 40, "tile", writes);
    ASSERT_EQ(tile.elements.size(), 1u);
    EXPECT_EQ(map.arrays[2].cell_of(tile.elements[0]), (ArrayCell{5, 40}));
    EXPECT_EQ(tile.units, 32);  // all in one bank
    EXPECT_EQ(tile.min_units, 1);
    EXPECT_TRUE(tile.moved.empty());
  }
}

TEST(PuzzleAccesses, MirroredOutputHasRowsOfItsOwn) {
  const AccessMap map = accesses_of("tile", find_puzzle("tile").solution);
  EXPECT_EQ(map.arrays.at(0).columns, 48);
  EXPECT_EQ(map.arrays.at(1).columns, 64);
}

TEST(PuzzleAccesses, WrongIndexIsMarkedNextToItsArray) {
  AccessMap map = accesses_of("index", own_cell + "after[i + 1] = 0.5f * now[i];");
  ASSERT_TRUE(map.fault);
  EXPECT_EQ(map.block.x, 3u);
  EXPECT_EQ(map.arrays.at(static_cast<std::size_t>(map.fault->array)).name, "after");
  EXPECT_EQ(map.fault->cell, (ArrayCell{256, 0}));
  EXPECT_EQ(map.fault->thread, 63);
  EXPECT_EQ(map.thread, 63);
  EXPECT_TRUE(map.fault->writes);
  // The thread's earlier accesses are listed.
  EXPECT_EQ(use_of(map, 63, "now", false).elements, std::vector<std::int64_t>{255});
  map = accesses_of("index", own_cell + "__shared__ float tile[2][8];\ntile[1][threadIdx.x] = 1.f;");
  ASSERT_TRUE(map.fault);
  EXPECT_EQ(map.arrays.at(static_cast<std::size_t>(map.fault->array)).name, "tile");
  EXPECT_EQ(map.fault->cell, (ArrayCell{8, 1}));
  EXPECT_EQ(map.fault->thread, 8);
  for (const auto& [offset, cell] :
       {std::pair{"- 1", ArrayCell{-1, 0}}, {"- width", ArrayCell{0, -1}}, {"- 5 - width", ArrayCell{91, -2}}}) {
    map = accesses_of("stencil", "const int n = threadIdx.x;\nafter[n] = now[n " + std::string(offset) + "];");
    ASSERT_TRUE(map.fault) << offset;
    EXPECT_EQ(map.fault->cell, cell) << offset;
    EXPECT_FALSE(map.fault->writes);
  }
}

TEST(PuzzleAccesses, RaceHasBothThreads) {
  AccessMap map = accesses_of("index", own_cell + "__shared__ float tile[64];\ntile[threadIdx.x] = now[i];\n" +
                                           "after[i] = 0.5f * now[i];\ntile[threadIdx.x ^ 1] = 0.f;");
  ASSERT_TRUE(map.fault);
  EXPECT_FALSE(map.finished);
  EXPECT_EQ(map.fault->cell, (ArrayCell{1, 0}));
  EXPECT_EQ(map.fault->thread, 1);
  EXPECT_EQ(map.fault->other_thread, 0);
  EXPECT_TRUE(map.fault->other_writes);
  // The other thread is in another block, which is not drawn.
  map = accesses_of("index", "after[threadIdx.x] = 0.5f * now[threadIdx.x];");
  ASSERT_TRUE(map.fault);
  EXPECT_EQ(map.block.x, 1u);
  EXPECT_EQ(map.fault->other_thread, -1);
}

TEST(PuzzleAccesses, DifferentCellHasTheThreadThatWroteIt) {
  const AccessMap map = accesses_of("stencil", find_puzzle("stencil").wrong);
  ASSERT_TRUE(map.fault);
  EXPECT_EQ(map.block.x + map.block.y, 0u);
  EXPECT_EQ(map.fault->cell, (ArrayCell{0, 1}));
  EXPECT_EQ(map.fault->thread, 32);
  EXPECT_TRUE(map.finished);
  EXPECT_EQ(map.thread, 32);
  // The mistake: the end of the row below.
  const std::vector<std::int64_t> read = use_of(map, 32, "now", false).elements;
  EXPECT_TRUE(std::binary_search(read.begin(), read.end(), 95));
}

TEST(PuzzleAccesses, CellThatNoThreadWroteHasNoThread) {
  const AccessMap map = accesses_of("index", own_cell + "if (i != 70) after[i] = 0.5f * now[i];");
  ASSERT_TRUE(map.fault);
  EXPECT_EQ(map.fault->cell, (ArrayCell{70, 0}));
  EXPECT_EQ(map.fault->thread, -1);
}

TEST(PuzzleAccesses, ListIsBoundedForEachThread) {
  const AccessMap map = accesses_of("index", own_cell +
                                                 "float sum = 0;\nfor (int k = 0; k < 1100; ++k) sum += now[i];\n"
                                                 "after[i] = 0.5f * now[i] + 0 * sum;");
  EXPECT_FALSE(map.complete);
  EXPECT_EQ(std::ssize(map.accesses), BlockAccesses::max_accesses);
  EXPECT_EQ(use_of(map, 63, "now", false).accesses, BlockAccesses::max_accesses / 64);
}

TEST(PuzzleTiming, HasATimeOrStatesWhyNot) {
  SKIP_UNDER_SANITIZERS("the arrays are large, and the code that fills them runs in other tests");
  const Puzzle& guard = find_puzzle("guard");
  const PuzzleTime time = time_puzzle(guard, guard.solution);
  EXPECT_EQ(time.min_bytes, 2.0 * sizeof(float) * time.width);
  if (time.complaint.empty()) {
    EXPECT_GT(time.seconds, 0);
    return;
  }
  const std::string complaint = time.complaint.english();
  EXPECT_NE(complaint.find("cannot be timed on the GPU: "), std::string::npos) << complaint;
  // A device without NVRTC gives no time either.
  EXPECT_TRUE(!cuda_status().usable || complaint.find("NVRTC") != std::string::npos) << complaint;
}

TEST(PuzzleTiming, OneBlockIsNotTimed) {
  const Puzzle& map = find_puzzle("map");
  const std::string complaint = time_puzzle(map, map.solution).complaint.english();
  EXPECT_NE(complaint.find("it has one block"), std::string::npos) << complaint;
}

// ---- what a kernel must not do

TEST(BadPuzzleText, IndexOutOfRangeIsReportedWithThreadAndIndex) {
  expect_complaint("index", own_cell + "after[i + 1] = 0.5f * now[i];",
                   "Line 2: thread (63, 0) of block (3, 0) writes after[256], but the array has 256 elements");
  expect_complaint("index", own_cell + "after[i] = 0.5f * now[i - 1];",
                   "Line 2: thread (0, 0) of block (0, 0) reads now[-1], but the array has 256 elements");
  expect_complaint("index", own_cell + "__shared__ float tile[2][8];\ntile[1][threadIdx.x] = 1.f;",
                   "Line 3: thread (8, 0) of block (0, 0) writes tile[1][8], but the array has 2 x 8 elements");
}

TEST(BadPuzzleText, RaceOfABlockIsReported) {
  const std::string tile = own_cell + "__shared__ float tile[64];\ntile[threadIdx.x] = now[i];\n";
  const std::string use = "after[i] = 0.5f * tile[63 - (63 - threadIdx.x)] + 0 * tile[threadIdx.x ^ 1];";
  expect_complaint("index", tile + "__syncthreads();\ntile[threadIdx.x ^ 1] = 0.f;\n" + use,
                   "Race in line 5: thread (1, 0) of block (0, 0) uses tile[0]");
  const std::string fill = own_cell + "__shared__ float tile[64];\ntile[threadIdx.x] = now[i ^ 1];\n";
  EXPECT_EQ(complaint_about("index", fill + "__syncthreads();\nafter[i] = 0.5f * tile[threadIdx.x ^ 1];"), "");
  expect_complaint("index", own_cell + "after[i] = 0.5f * now[i];\nif (i > 0) after[i - 1] = after[i - 1] + 0.f;",
                   "Race in line 3: thread (1, 0) of block (0, 0) uses after[0]");
}

TEST(BadPuzzleText, RaceOfBlocksIsReported) {
  expect_complaint("index", "after[threadIdx.x] = 0.5f * now[threadIdx.x];",
                   "which a thread of block (0, 0) uses in line 1");
}

TEST(BadPuzzleText, ValueThatWasNeverWrittenIsReported) {
  expect_complaint("index", own_cell + "after[i] += 0.5f * now[i];",
                   "Line 2: thread (0, 0) of block (0, 0) reads after[0], which has no value yet");
  expect_complaint("index", own_cell + "__shared__ float tile[64];\nafter[i] = tile[threadIdx.x];",
                   "reads tile[0], which has no value yet");
}

TEST(BadPuzzleText, MissedBarrierIsReported) {
  expect_complaint("index", own_cell + "if (threadIdx.x == 3) return;\n__syncthreads();\nafter[i] = 0.5f * now[i];",
                   "Line 3: thread (0, 0) of block (0, 0) waits for the barrier, but thread (3, 0) of block (0, 0) has "
                   "ended without it");
  expect_complaint("index",
                   own_cell +
                       "if (threadIdx.x < 32)\n  __syncthreads();\nelse\n  __syncthreads();\n"
                       "after[i] = 0.5f * now[i];",
                   "Line 3: thread (0, 0) of block (0, 0) waits for this barrier, but thread (32, 0) of block (0, 0) "
                   "waits for the one in line 5");
}

TEST(BadPuzzleText, TooMuchSharedMemoryIsReported) {
  expect_complaint("index", "__shared__ float tile[128][128];\ntile[0][0] = 1.f;", "have 65536 bytes");
}

TEST(BadPuzzleText, EndlessLoopIsStopped) {
  expect_complaint("index", own_cell + "for (volatile int k = 0; k < 1; k = 0) {}\nafter[i] = 0.5f * now[i];",
                   "last in thread (0, 0) of block (0, 0): it may loop forever");
  if (has_small_reach()) return;  // each takes the time after which a loop is endless
  expect_complaint("index", own_cell + "while (now[i] < 1000) {}\nafter[i] = 0.5f * now[i];", "it may loop forever");
  expect_complaint("index", own_cell + "for (;;) __syncthreads();", "it may loop forever");
}

TEST(BadPuzzleText, CrashIsReportedWithItsThread) {
  expect_complaint("guard", own_cell + "if (i == 70) *reinterpret_cast<volatile int*>(0) = 1;",
                   "The kernel crashed in thread (6, 0) of block (1, 0): ");
  expect_complaint("guard",
                   "struct Deep { static int f(volatile int n) { return n > 0 ? f(n + 1) + n : n; } };\n"
                   "if (Deep::f(threadIdx.x + 1) == 7) return;",
                   "The kernel crashed in thread (0, 0)");
}

TEST(BadPuzzleText, MissingFunctionIsReported) {
  expect_complaint("index", "extern void missing();\nmissing();", "calls a function that does not exist");
}

void expect_error_in(int line, const std::string& text, const std::string& part) {
  try {
    check_puzzle(find_puzzle("index"), text);
    ADD_FAILURE() << "compiled: " << text;
  } catch (const CompileError& error) {
    ASSERT_FALSE(error.problems().empty());
    EXPECT_EQ(error.problems().front().line, line) << text;
    EXPECT_NE(error.problems().front().text.find(part), std::string::npos) << error.problems().front().text;
  }
}

TEST(BadPuzzleText, ErrorsOfTheCompilerHaveTheirLine) {
  expect_error_in(2, own_cell + "nonsense;", "nonsense");
  expect_error_in(2, own_cell + "now[i] = 1;", "");  // an input
  expect_error_in(1, "__shared__ float one, two[3];", "__shared__ float tile[8][32]");
  expect_error_in(3, own_cell + "__shared__ float tile[64];\nafter[i] = i > 3 ? tile[0] : 0;", "");  // would be rounded
  EXPECT_THROW(check_puzzle(find_puzzle("index"), "}"), CompileError);
  EXPECT_THROW(check_puzzle(find_puzzle("index"), std::string(std::size_t{1} << 19, ' ')), InputError);
}

TEST(BadPuzzle, FileIsReportedAtItsLine) {
  const std::string good =
      "title = \"a\"\ntask = \"b\"\nsignature = \"float* x\"\nstart = \"c\"\nsolution = \"d\"\n"
      "wrong = \"e\"\ncomplaint = \"f\"\n";
  EXPECT_EQ(parse_puzzle(good, "p.toml", "p").arguments.size(), 1u);
  for (const auto& [change, part] :
       {std::pair{"other = 1\n", "other"}, {"[goal]\nnothing = 1\n", "nothing"}, {"own = [\"x\"]\n", "x"}}) {
    try {
      parse_puzzle(good + change, "p.toml", "p");
      ADD_FAILURE() << change;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("p.toml"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(parse_puzzle("title = \"a\"\n", "p.toml", "p"), InputError);
  EXPECT_THROW(find_puzzle("gard"), InputError);
}

TEST(BadPuzzleText, AnyLengthIsRead) {
  const std::string name(30000, 'a');
  expect_error_in(1, "__shared__ float " + name, "__shared__ float tile[8][32]");
  expect_error_in(1, "__shared__ float " + name + "[", "__shared__ float tile[8][32]");
  expect_error_in(2, "//" + name + "\n__shared__ " + std::string(30000, '['), "__shared__ float tile[8][32]");
  EXPECT_EQ(complaint_about("index", own_cell + "__shared__ float " + name + "[64];\n" + name +
                                         "[threadIdx.x] = now[i];\nafter[i] = 0.5f * " + name + "[threadIdx.x];"),
            "");
  EXPECT_EQ(complaint_about("index",
                            "/* __shared__ */ " + own_cell + "// __shared__ " + name + "\nafter[i] = 0.5f * now[i];"),
            "");
}

TEST(BadPuzzleText, RejectsFunctionsOfTheProcess) {
  for (const char* text :
       {"if (i == 65) _Exit(0);", "float* volatile all = new float[64];", "extern char** environ;\nenviron[0] = 0;"})
    expect_error_in(0, own_cell + text, "which a GPU does not have");
  EXPECT_EQ(
      complaint_about("index", own_cell + "const float u = now[i];\n"
                                          "after[i] = 0.5f * u + 0 * (sinf(u) + powf(2.f, fabsf(u)) + fmodf(u, 2.f));"),
      "");
}

TEST(BadPuzzleText, RejectsMemoryThatIsNotCounted) {
  expect_error_in(2, own_cell + "static float all[256];", "static variable");
  expect_error_in(2, own_cell + "thread_local float all[256];", "static variable");
  expect_error_in(1, "} float all[256]; void other() {", "ends the kernel");
  expect_error_in(1, "__shared__ long all[64];", "__shared__ float tile[8][32]");
  // Where no scanner finds it.
  for (const char* text : {"#define JOINED(a, b) a##b\nJOINED(sta, tic) float all[64];", "sta\\\ntic float all[64];",
                           "struct Box {\n  mutable float all[64];\n};\nstatic const Box box{};\nauto& all = box.all;"})
    expect_error_in(0, own_cell + text + "\nall[threadIdx.x] = now[i];\nafter[i] = 0.5f * all[threadIdx.x / 2];",
                    "static variable");
  EXPECT_EQ(complaint_about("index", own_cell + "struct Half { static float of(float x) { return 0.5f * x; } };\n"
                                                "static constexpr float one[2] = {1, 1};\n"
                                                "after[i] = Half::of(one[0] * now[i]);"),
            "");
}

// ---- texts that do the work with a few threads, or not at all, and right ones of different kinds
//
// tests/kernels/puzzle_texts/NAME.txt has several texts for a puzzle, each after a line
//   //! cheat, PART OF THE ANSWER | WHAT IT DOES
//   //! cheat | WHAT IT DOES
//   //! right | WHAT IT DOES
struct OtherText {
  std::string kind, answer, what, text;
};
std::vector<OtherText> other_texts(const std::string& puzzle) {
  std::ifstream file(PERTURB_SOURCE_DIR "/tests/kernels/puzzle_texts/" + puzzle + ".txt");
  std::vector<OtherText> all;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("//! ", 0) != 0) {
      all.back().text += line + "\n";
      continue;
    }
    const std::size_t bar = line.find(" | "), comma = std::min(line.find(", "), bar);
    OtherText& one = all.emplace_back();
    one.kind = line.substr(4, comma - 4);
    one.what = line.substr(bar + 3);
    if (comma < bar) one.answer = line.substr(comma + 2, bar - comma - 2);
  }
  return all;
}
// One test for each puzzle: a text takes a run of the compiler.
class PuzzleTexts : public testing::TestWithParam<std::string> {};

TEST_P(PuzzleTexts, CheatsFailAndRightTextsPass) {
  const Puzzle& puzzle = find_puzzle(GetParam());
  int cheats = 0, right = 0;
  for (const OtherText& other : other_texts(puzzle.id)) {
    ++(other.kind == "right" ? right : cheats);
    // At small reach one text.
    if (has_small_reach() && cheats + right > 1) continue;
    SCOPED_TRACE(other.what);
    const std::string answer = answer_to(puzzle, other.text);
    if (other.kind == "right")
      EXPECT_EQ(answer, "");
    else
      EXPECT_TRUE(!answer.empty() && answer.find(other.answer) != std::string::npos)
          << (answer.empty() ? "solved" : answer);
  }
  EXPECT_GE(cheats, 5);
  EXPECT_GE(right, 3);
}

std::vector<std::string> names_of_puzzles() {
  std::vector<std::string> names;
  for (const Puzzle& puzzle : all_puzzles())
    if (is_tested(puzzle)) names.push_back(puzzle.id);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Bundled, PuzzleTexts, testing::ValuesIn(names_of_puzzles()),
                         [](const testing::TestParamInfo<std::string>& puzzle) {
                           std::string name = puzzle.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(PuzzleCounts, AreWholeNumbersWhereTheyAreLarge) {
  EXPECT_EQ(count_text(4), "4");
  EXPECT_EQ(count_text(4.5), "4.5");
  EXPECT_EQ(count_text(12.345), "12.3");
  EXPECT_EQ(count_text(6144), "6144");
  EXPECT_EQ(count_text(45210.4), "45210");
}

// ---- the command

class PuzzleCommand : public ScratchFolder {
 protected:
  bool has_offscreen() const { return run("doctor").out.find("works (EGL)") != std::string::npos; }
};

TEST_F(PuzzleCommand, ListsAndShows) {
  const Outcome list = run("puzzle");
  EXPECT_EQ(list.code, 0) << list.err;
  for (const Puzzle& puzzle : all_puzzles()) EXPECT_NE(list.out.find(puzzle.title), std::string::npos) << puzzle.id;
  EXPECT_EQ(Json::parse(run("puzzle --json").out).size(), all_puzzles().size());
  const Puzzle& guard = find_puzzle("guard");
  EXPECT_NE(run("puzzle guard").out.find(guard.task), std::string::npos);
  EXPECT_EQ(run("puzzle guard --start").out, guard.start);
  EXPECT_EQ(run("puzzle guard --solution").out, guard.solution);
  const std::string hints = run("puzzle guard --hint 2").out;
  EXPECT_NE(hints.find(guard.hints[1]), std::string::npos);
  EXPECT_EQ(hints.find(guard.hints[2]), std::string::npos);
}

TEST_F(PuzzleCommand, ExitCodeStatesTheResult) {
  const Puzzle& guard = find_puzzle("guard");
  write("right.cu", guard.solution);
  write("wrong.cu", guard.wrong);
  write("bad.cu", "int i\n");
  const Outcome right = run("puzzle guard right.cu --json");
  EXPECT_EQ(right.code, 0) << right.err;
  EXPECT_TRUE(Json::parse(right.out).at("solved").get<bool>());
  EXPECT_NEAR(Json::parse(right.out).at("score").at("global_reads").get<double>(), 250.0 / 256, 1e-12);
  const Outcome wrong = run("puzzle guard wrong.cu");
  EXPECT_EQ(wrong.code, 1);
  EXPECT_NE(wrong.out.find(guard.complaint), std::string::npos) << wrong.out;
  const Outcome bad = run("puzzle guard bad.cu");
  EXPECT_EQ(bad.code, 2);
  EXPECT_NE(bad.err.find("bad.cu:"), std::string::npos) << bad.err;
  for (const char* arguments : {"puzzle gard", "puzzle guard missing.cu", "puzzle guard --hint 9", "puzzle --start",
                                "puzzle guard --start --solution", "puzzle guard right.cu --hint 1", "puzzle a b c",
                                "puzzle guard --image a.png", "puzzle guard right.cu --image a.jpg"})
    EXPECT_EQ(run(arguments).code, 2) << arguments;
}

TEST_F(PuzzleCommand, ImageShowsTheAccesses) {
  if (!has_offscreen()) GTEST_SKIP() << "no offscreen OpenGL here";
  const Outcome solved = run("puzzle stencil --solution --image right.png"),
                wrong = run("puzzle stencil --start --image wrong.png");
  EXPECT_EQ(solved.code, 0) << solved.err;
  EXPECT_EQ(wrong.code, 1) << wrong.err;
  const auto right_image = load_grey_image(path("right.png")), wrong_image = load_grey_image(path("wrong.png"));
  EXPECT_NE(right_image->values, wrong_image->values);
}

}  // namespace
}  // namespace perturb
