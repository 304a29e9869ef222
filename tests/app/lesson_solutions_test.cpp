// Every bundled lesson is solved from its text alone. The answers below are written down by hand: each was found with
// the text of its step, and of the steps before it, as a student has it, and the working is next to it. None is read
// from the program. They must get all points in a run without a window, in which theory and measurement must agree too.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/lessons/lesson_library.h"
#include "tests/app/files_scratch.h"
#include "tests/support/sanitized.h"

namespace perturb {
namespace {

struct Solution {
  std::string lesson;
  std::vector<std::string> answers;  // one for each question
};

std::vector<Solution> solutions() {
  return {
      {"wave/two-slits",
       {"20",          // one oscillation takes 1 / 0.05 = 20 time units, and the crest travels 1 per time unit
        "screen.csv",  // two_slits_sketch()
        "61.8",        // sine 20 / 64 = 0.3125, angle 18.21 degrees, tangent 0.329; 188 * 0.329
        "A"}},         // wavelength 0.8 / 0.05 = 16: the paths differ by 16 closer to the middle
      {"wave/moving-source",
       {"20",   // 1 / 0.05
        "12",   // in 20 time units the crest travels 20 and the source follows by 0.4 * 20 = 8
        "C"}},  // 20 + 8 = 28: longer than 20 by as much as 12 is shorter
      {"wave/refraction",
       {"14",    // 0.7 / 0.05
        "20.5",  // sine 0.5 * 0.7 = 0.35
        "C",     // sine 0.5 * 1.2 = 0.6: 36.9 degrees
        "2"}},   // 0.5 * ratio = 1
      {"wave/time-step",
       {"0.5",    // speed 1 for 0.5 time units, cells 1 wide
        "0.707",  // step = 1 / sqrt(2)
        "B",      // nothing takes energy away or adds it
        "C",      // 0.0000001 * 1.4^100 = 4e7
        "C"}},    // 4 times the cells, 2 times the steps
      {"lbm/channel",
       {"0.0064",    // 5e-6 * 1024 / 0.8
        "B",         // 64 instead of 32, squared: 4
        "0.0128"}},  // 5e-6 * 4096 / (8 * 0.2)
      {"lbm/vortex-street",
       {"125",     // 0.1 * 20 / 0.016
        "B",       // a beat is five diameters, so 1/5 of it passes during one diameter
        "1000"}},  // 20 / 0.1 = 200 steps for one diameter, divided by 0.2
      {"lbm/drag",
       {"20",   // 0.1 * 20 / 0.1
        "2.8",  // 0.28 / (0.01 * 20 / 2)
        "B",    // friction falls, pressure stays: less than before, more than a fifth
        "4"}},  // 2 squared
      {"lbm/nine-numbers",
       {"72",      // 9 * 4, read and written
        "13200",   // 1e12 / (72 * 1048576) = 13245
        "0.0064",  // 5e-6 * 1024 / 0.8
        "A",       // a part of the push is lost: slower
        "111"}},   // 8e9 / 72 = 111e6
      {"fibers/cloud-speed",
       {"C",      // the flows of the others carry each fiber: faster than alone
        "6.9"}},  // 3.9 = 3 from the others + 0.9; 2 * 3 + 0.9
      {"fibers/upright-and-level",
       {"2",     // speed is proportional to weight
        "0.62",  // d = 2 * 4.605 - 1 = 8.21, 1/2 + 1/8.21 = 0.622
        "B"}},   // half of the weight each way
      {"fibers/two-together",
       {"C",       // each falls in the downward flow of the other
        "0.084",   // half the distance, twice 0.042
        "12.6"}},  // 0.042 / 0.01 = 4.2 times the distance 3
      {"fibers/all-pairs",
       {"4950",  // 100 * 99 / 2
        "34.4",  // 19900 * 216 * 8 = 34.4e6
        "B",     // half the bytes per number
        "86"}},  // 5e7 pairs * 1728 bytes
      {"particles/pressure",
       {"1.03",  // ideal would be 1, and the discs fill 2.8 % of the box: a little more
        "2.13",  // (1 + 0.0961 / 8) / 0.69^2 = 1.012 / 0.4761
        "B"}},   // twice the push, twice as often
      {"particles/free-path",
       {"0.94",  // 1 / (2 * 1.414 * 0.1 * 2) = 1.77, times 0.53
        "C"}},   // 1 / (2 * 1.414 * 0.1 * 1) = 3.54, times 0.87 = 3.1: more than three times 0.94
      {"particles/speeds",
       {"0.333",  // (1/3 + 1/3) / 2
        "0.72",   // sqrt(3.1416 / 6)
        "B",      // root of 4
        "6.3"}},  // root of 40
      {"particles/chaos",
       {"0.76",  // 0.72 / 0.95
        "11.3",  // ln(250000) / ln(3) = 12.43 / 1.099
        "A",     // ln(1.25e14) / ln(3) = 32.5 / 1.099 = 29.6, compared with 11.3
        "B"}},   // an average does not depend on where each disc is
      {"membrane/drum-modes",
       {"4.44",  // pi * 1.414
        "B",     // m and n exchanged
        "2"}},   // sqrt(8) / sqrt(2)
      {"membrane/convergence",
       {"8",     // 2, 4, 8
        "B",     // (1/8)^3 = 0.00195
        "C",     // (1/2)^3
        "B",     // (1/8)^4 / (1/8)^3 = 1/8
        "16"}},  // 2^4
      {"membrane/pitch",
       {"8.88",   // the speed doubles: 2 * 4.44
        "3.51",   // pi * sqrt(1.25)
        "A",      // pi * sqrt(0 + 1)
        "6.3"}},  // sqrt(20 + 2 * 9.87)
      {"membrane/solver",
       {"384",  // 64 patches * 6 terms
        "B",    // twice as many patches to cross
        "A",    // news crosses the membrane at once: very few
        "A"}},  // and the number of patches does not matter
  };
}

// The paths to a point at a distance y from the middle of the screen are the hypotenuses of triangles 188 long and
// y - 32 and y + 32 high. Their difference is 0 in the middle (bright), 10 = half a wavelength at y = 30 (dark), 20 at
// y = 62 (bright) and about 30 at y = 100 (dark).
std::string two_slits_sketch() {
  const double from_middle[] = {-96, -81, -62, -46, -30, -15, 0, 15, 30, 46, 62, 81, 96};
  const double light[] = {0, 0.4, 1, 0.5, 0, 0.5, 1, 0.5, 0, 0.5, 1, 0.4, 0};
  std::string lines;
  for (std::size_t k = 0; k < std::size(light); ++k)
    lines += std::to_string(256 + from_middle[k]) + "," + std::to_string(light[k]) + "\n";
  return lines;
}

class EveryLesson : public ScratchFolder, public testing::WithParamInterface<std::string> {};

TEST_P(EveryLesson, IsSolvedFromItsText) {
  const std::vector<Solution> all = solutions();
  const auto found = std::find_if(all.begin(), all.end(), [](const Solution& one) { return one.lesson == GetParam(); });
  ASSERT_NE(found, all.end()) << "solve this lesson by hand and add its answers";
  std::string lines;
  for (const std::string& answer : found->answers) lines += answer + "\n";
  write("answers.txt", lines);
  write("screen.csv", two_slits_sketch());
  const Outcome outcome = run("lesson " + GetParam() + " --headless --backend cpu --threads 2 --answers answers.txt");
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find("All steps pass."), std::string::npos) << outcome.out;
  const std::string points = std::to_string(2 * found->answers.size());
  EXPECT_NE(outcome.out.find("\n" + points + " of " + points + " points."), std::string::npos) << outcome.out;
}

// A lesson is a whole run: with a sanitizer, one about discs and one about the membrane.
std::vector<std::string> solved_lessons() {
  std::vector<std::string> paths;
  std::string simulation;
  for (const auto& lesson : find_lessons("").lessons) {
    if (is_sanitized && lesson->simulation == simulation) continue;
    if (is_sanitized && lesson->simulation != "particles" && lesson->simulation != "membrane") continue;
    simulation = lesson->simulation;
    paths.push_back(lesson->path());
  }
  return paths;
}

std::string lesson_test_name(const testing::TestParamInfo<std::string>& lesson) {
  std::string name = lesson.param;
  for (char& c : name)
    if (c == '/' || c == '-') c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Bundled, EveryLesson, testing::ValuesIn(solved_lessons()), lesson_test_name);

}  // namespace
}  // namespace perturb
