// A simulation's own text format for its state: small enough to be written by hand or by another program, and to be
// compared line by line.
#pragma once

#include <cstdint>
#include <string>

#include "cuda/core/simulation/setup.h"
#include "cuda/core/simulation/state.h"

namespace perturb {

// Which states a text that is read asks to be written.
enum class TextMode { unsaid, print, perf };

// A start that was read from a text: the setup that makes the simulation, and the state to load into it.
struct TextStart {
  Setup setup;
  State state;
  std::int64_t steps = 0;  // how many the text asks for; 0: it does not say
  TextMode mode = TextMode::unsaid;
};

// `--input FILE`, `--print` and `--perf` of `perturb run`. A simulation without one has no such text.
struct TextFormat {
  std::string help;  // the format in a line: "N L r S, then a line a disc: id x y vx vy"
  // `name` is the file's, for messages; `base` is the scene with the command line's changes. Throws InputError that
  // names file, line and column.
  TextStart (*read)(const std::string& text, const std::string& name, const Setup& base) = nullptr;
  // The state after a step as lines that end in a line break (--print writes one after every step); `last`: after the
  // run, with what has been counted in it (--print and --perf end with it; --perf begins with the first state).
  std::string (*write)(const State& state, bool last) = nullptr;
};

}  // namespace perturb
