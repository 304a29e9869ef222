// Whether something that a published work found holds on this machine: computed from repeated measurements, so that no
// sentence in the code has to say what will come out.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "cuda/core/bench/study.h"

namespace perturb {

enum class Verdict { holds, reversed, inconclusive };

// "holds here", "reversed here", "cannot be told from the noise"
const char* text_of(Verdict verdict);

// How often chance alone would part two alike sets of measurements so clearly. One finding in a hundred may be wrong.
constexpr double verdict_chance = 0.01;

// Of the claim that `less` is less than `more`: repeats of two quantities of the same unit, taken in turns. The test is
// Mann and Whitney's, which asks for the order of the measurements alone: a repeat that something else on the machine
// made ten times as long counts as one that came out of order, no more. Exact; equal values count against either side.
// What is not finite, or fewer than five repeats each (four cannot part by chance so seldom), tells nothing.
Verdict verdict_of(const std::vector<double>& less, const std::vector<double>& more);

// The same of repeats that belong together in pairs, such as two runs from one start: what all starts differ in is no
// noise then. The test is Wilcoxon's of signed ranks, exact, of the logarithms of each pair's ratio; values that are
// not positive tell nothing, nor do fewer than seven pairs (six all of one sign come by chance too often).
Verdict verdict_of_pairs(const std::vector<double>& less, const std::vector<double>& more);

// The middle one of the repeats; of an even number the mean of the two in the middle. NaN of none.
double median_of(std::vector<double> repeats);

// Seconds of each of the works in each of so many turns, [work][turn]: first, second, ... and again from the first, so
// that a machine that grows slower does so for all of them. A work ends when what it has queued is done.
std::vector<std::vector<double>> interleaved_seconds(const std::vector<std::function<void()>>& works, int turns);

// A claim of a published work, and what was measured for it here.
struct Finding {
  std::string claim;  // of the work, in our words: "split is faster than unsplit, 128 x 128"
  std::string place;  // "figure 8"
  double paper = 0;   // its number, `more` over `less`; NaN where the work gives none
  std::vector<double> less, more;
  // One number on each side, which has no noise: registers, an occupancy, arithmetic.
  bool counted = false;
  // Not NaN: the claim is that `less` is `source`, to so much.
  double within = std::numeric_limits<double>::quiet_NaN();
  bool paired = false;  // each of `less` belongs to one of `more`
};

// A finding of one number on each side; one that a number here is the work's; one that it is so in repeats, of which so
// many are within or beyond that chance would seldom bring it about (a sign test); and one of pairs.
Finding counted_finding(std::string claim, std::string place, double paper, double less, double more);
Finding agreement(std::string claim, std::string place, double paper, double here, double within);
Finding agreement(std::string claim, std::string place, double paper, std::vector<double> repeats, double within);
Finding paired_finding(std::string claim, std::string place, double paper, std::vector<double> less,
                       std::vector<double> more);

// Says in a finding's claim that the work makes it of another kind of device than the one that is asked here: `device`,
// a "processor" or a "GPU". Its verdict is then of that device, and no word on the work.
void restrict_to_device(Finding& finding, const std::string& device);
void restrict_to_device(std::vector<Finding>& findings, const std::string& device);

// Its verdict's words: those of `Verdict`; of counted numbers also "alike here"; "agrees" or "differs", of repeats also
// that it cannot be told; "not measured here" of a finding without repeats.
std::string verdict_text(const Finding& finding);

// A table with a row for each: the claim, where it stands, the work's ratio of both and the one measured here (that of
// the medians, and of the ends of both ranges), the repeats and the verdict. `note` says what was compared.
StudyTable findings_table(const std::vector<Finding>& findings, std::string note = "");

}  // namespace perturb
