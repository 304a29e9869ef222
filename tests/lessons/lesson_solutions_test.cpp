// Every bundled lesson is solved from its text alone. The answers below are written down by hand: each was found with
// the text of its step, and of the steps before it, as a student has it, and the working is next to it. None is read
// from the program. They must get all points in a run without a window, in which theory and measurement must agree too.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/edited/edited_kernel.h"
#include "app/io/preset/presets.h"
#include "app/io/preset/scenes.h"
#include "app/lessons/lesson_library.h"
#include "app/run/experiment.h"
#include "tests/support/files_scratch.h"
#include "tests/support/reach.h"

namespace perturb {
namespace {

struct Solution {
  std::string lesson;
  std::vector<std::string> answers;  // one for each question
};

std::vector<Solution> solutions() {
  return {
      {"wave/two-slits",
       {"2",           // one oscillation takes 1 / 12.5 = 0.08 s, and the crest travels 25 cm each second
        "screen.csv",  // two_slits_sketch()
        "6.18",        // sine 2 / 6.4 = 0.3125, angle 18.21 degrees, tangent 0.329; 18.8 * 0.329
        "A"}},         // wavelength 20 / 12.5 = 1.6 cm: the paths differ by 1.6 cm closer to the middle
      {"wave/moving-source",
       {"1.36",   // 340 / 250
        "0.816",  // in 0.004 s the crest travels 1.36 m and the source follows by 0.4 * 1.36 = 0.544 m
        "C"}},    // 1.36 + 0.544 = 1.9: longer than 1.36 by as much as 0.816 is shorter
      {"wave/refraction",
       {"1.4",   // 0.7 * 25 / 12.5
        "20.5",  // sine 0.5 * 0.7 = 0.35
        "C",     // sine 0.5 * 1.2 = 0.6: 36.9 degrees
        "2"}},   // 0.5 * ratio = 1
      {"wave/time-step",
       {"0.5",      // 25 cm/s for 0.002 s, cells 0.1 cm wide
        "0.00283",  // 25 * step / 0.1 = 0.707
        "B",        // nothing takes energy away or adds it
        "C",        // 0.0000001 * 1.4^100 = 4e7
        "C"}},      // 4 times the cells, 2 times the steps
      {"wave/faster-kernel",
       {"12",    // 3 numbers of 4 bytes
        "48",    // 2 + 3 + 3 + 2 + 2 = 12 numbers
        "1.33",  // 4 numbers of 4 bytes for 12 steps
        "4",     // a guess between 1 and 9: as in write_known_times()
        "D",     // the shortest bar of write_known_times()
        "A",     // 12 bytes need the time of at least 60 operations, and there are 10
        "A"}},   // the same operations in the same order
      {"wave/one-cell",
       {"0.908",   // read under the microscope, in the cell (5, 6)
        "0.25",    // 0.5 squared
        "0.885",   // 0.9 + 0.25 * (1.76 + 1.78 - 3.6)
        "0.8945",  // 1.816 - 0.895 + 0.25 * (3.526 - 3.632)
        "B"}},     // the rule neither prefers up nor down
      {"wave/edit-kernel",
       {"0.5",         // 1 + 0.25 * (2 - 4)
        "12.5",        // root of 0.25, times 25
        "half.h",      // written by the test
        "fading.h"}},  // written by the test
      {"wave/frame-time",
       {"16.7",    // 1000 / 60
        "B",       // 1 ms: a million cells at a thousand million cells a second, as in write_known_times()
        "12.7",    // (16.7 - 4) / 1
        "0.96",    // 8 * 60 * 0.002
        "29.4"}},  // 1000 / 34
      {"lbm/channel",
       {"0.064",    // 0.05 * 0.1024 / 0.08
        "B",        // 0.64 instead of 0.32, squared: 4
        "0.128"}},  // 0.05 * 0.4096 / (8 * 0.02)
      {"lbm/vortex-street",
       {"125",     // 62.5 * 2 / 1
        "B",       // a beat is five diameters, so 1/5 of it passes during one diameter
        "0.16"}},  // 2 / 62.5 = 0.032 s for one diameter, divided by 0.2
      {"lbm/drag",
       {"20",   // 62.5 * 2 / 6.25
        "2.8",  // 0.28 / (0.01 * 20 / 2)
        "B",    // friction falls, pressure stays: less than before, more than a fifth
        "4"}},  // 2 squared
      {"lbm/nine-numbers",
       {"72",     // 9 * 4, read and written
        "13200",  // 1e12 / (72 * 1048576) = 13245
        "0.064",  // 0.05 * 0.1024 / 0.08
        "A",      // a part of the push is lost: slower
        "111"}},  // 8e9 / 72 = 111e6
      {"fibers/cloud-speed",
       {"C",       // the flows of the others carry each fiber: faster than alone
        "3.45"}},  // 1.95 = 1.5 from the others + 0.45; 2 * 1.5 + 0.45
      {"fibers/upright-and-level",
       {"2",     // speed is proportional to weight
        "0.31",  // d = 2 * 4.605 - 1 = 8.21, 1/2 + 1/8.21 = 0.622, times 0.5
        "B"}},   // half of the weight each way
      {"fibers/two-together",
       {"C",       // each falls in the downward flow of the other
        "0.042",   // half the distance, twice 0.021
        "12.6"}},  // 0.021 / 0.005 = 4.2 times the distance 3
      {"fibers/all-pairs",
       {"4950",  // 100 * 99 / 2
        "34.4",  // 19900 * 216 * 8 = 34.4e6
        "B",     // half the bytes per number
        "86"}},  // 5e7 pairs * 1728 bytes
      {"particles/pressure",
       {"1.177",  // 1 + 2 * 0.079 + 3 * 0.079^2
        "2.15",   // (1 + 0.0986 / 8) / 0.686^2 = 1.0123 / 0.4706
        "B"}},    // twice the push, twice as often
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
        "14.9",  // ln(250000) / ln(2.3) = 12.43 / 0.833
        "A",     // ln(1.25e14) / ln(2.3) = 32.5 / 0.833 = 39, compared with 14.9
        "B"}},   // an average does not depend on where each disc is
      {"particles/race",
       {"2^7 / 2^52",  // the last of 53 digits
        "0.83",        // ln(6e5) / 16 = 13.3 / 16
        "36.7",        // ln(3.57e13) / 0.85 = 31.2 / 0.85
        "C"}},         // 4e-6 * exp(25.5) is far more than a box: the discs are anywhere
      {"membrane/drum-modes",
       {"177",  // 125 * 1.414
        "B",    // m and n exchanged
        "2"}},  // sqrt(8) / sqrt(2)
      {"membrane/convergence",
       {"8",     // 2, 4, 8
        "B",     // (1/8)^3 = 0.00195
        "C",     // (1/2)^3
        "B",     // (1/8)^4 / (1/8)^3 = 1/8
        "16"}},  // 2^4
      {"membrane/pitch",
       {"354",    // the speed doubles: 2 * 177
        "140",    // 125 * sqrt(1.25)
        "A",      // 125 * sqrt(0 + 1)
        "251"}},  // sqrt(178^2 + 2 * 125^2)
      {"membrane/solver",
       {"384",  // 64 patches * 6 terms
        "B",    // twice as many patches to cross
        "A",    // news crosses the membrane at once: very few
        "A"}},  // and the number of patches does not matter
  };
}

// The paths to a point at a distance y from the middle of the screen are the hypotenuses of triangles 18.8 cm long and
// y - 3.2 and y + 3.2 cm high. Their difference is 0 in the middle (bright), 1 cm = half a wavelength at y = 3 cm
// (dark), 2 cm at y = 6.2 cm (bright) and about 3 cm at y = 10 cm (dark). A file has the simulation's units, 1 mm.
std::string two_slits_sketch() {
  const double from_middle[] = {-96, -81, -62, -46, -30, -15, 0, 15, 30, 46, 62, 81, 96};
  const double light[] = {0, 0.4, 1, 0.5, 0, 0.5, 1, 0.5, 0, 0.5, 1, 0.4, 0};
  std::string lines;
  for (std::size_t k = 0; k < std::size(light); ++k)
    lines += std::to_string(256 + from_middle[k]) + "," + std::to_string(light[k]) + "\n";
  return lines;
}

// Which kernels a machine has and how fast they are is not known here. So the program measures them once, and then
// finds other times in its file: 1 ms for the kernel `temporal`, 4 ms for the others, 20 GB/s and 100 Gflop/s.
void write_known_times(const std::string& file) {
  using Json = nlohmann::ordered_json;
  std::ifstream written(file);
  Json json = Json::parse(written);
  for (Json& table : json.at("tables"))
    for (Json& kernel : table) kernel["seconds_per_step"] = kernel.at("kernel") == "temporal" ? 1e-3 : 4e-3;
  for (Json& roofline : json.at("rooflines")) {
    roofline["bytes_per_second"] = 2e10;
    roofline["flops_per_second"] = 1e11;
  }
  std::ofstream(file) << json;
}

// The built-in cell function of the wave tank with one change, as the lesson asks for.
std::string edited_kernel(const std::string& from, const std::string& to) {
  const std::unique_ptr<Backend> backend = Backend::make_cpu(1);
  const Experiment experiment(*backend, load_scene("wave/droplet"));
  std::string text(dynamic_cast<const EditableCell&>(experiment.simulation()).kernel_source().built_in_text());
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << "the lesson names a line that is not there: " << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
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
  const std::string line = "return multiply_add(courant2, laplacian, memory);";
  write("half.h", edited_kernel(line, "return multiply_add(Real(0.25) * courant2, laplacian, memory);"));
  write("fading.h", edited_kernel("multiply_add(inertia, u, (Real(1) - inertia) * u_previous)",
                                  "multiply_add(Real(1.999), u, (Real(1) - Real(1.999)) * u_previous)"));
  const std::shared_ptr<const Lesson> lesson = load_lesson(GetParam());
  if (lesson->has_tasks() && find_compiler().empty())
    GTEST_SKIP() << "no C++ compiler is installed: the kernels of this lesson cannot be compiled";
  const std::string command = "lesson " + GetParam() + " --headless --backend cpu --threads 2",
                    cache = "XDG_CACHE_HOME='" + path("cache") + "'";
  const auto measures = std::find_if(lesson->steps.begin(), lesson->steps.end(),
                                     [](const LessonStep& step) { return step.measures_kernels; });
  if (measures != lesson->steps.end()) {
    run(command + " --step " + std::to_string(measures - lesson->steps.begin() + 1), cache);
    ASSERT_TRUE(std::filesystem::exists(path("cache/perturb/kernels.json")));
    write_known_times(path("cache/perturb/kernels.json"));
  }
  const Outcome outcome =
      run(command + (lesson->has_tasks() ? " --edited-kernels" : "") + " --answers answers.txt", cache);
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find("All steps pass."), std::string::npos) << outcome.out;
  const std::string points = std::to_string(2 * found->answers.size());
  EXPECT_NE(outcome.out.find("\n" + points + " of " + points + " points."), std::string::npos) << outcome.out;
}

// A lesson is a whole run: at small reach, one about discs and one about the membrane.
std::vector<std::string> solved_lessons() {
  std::vector<std::string> paths;
  std::string simulation;
  for (const auto& lesson : find_lessons("").lessons) {
    if (has_small_reach() && lesson->simulation == simulation) continue;
    if (has_small_reach() && lesson->simulation != "particles" && lesson->simulation != "membrane") continue;
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
