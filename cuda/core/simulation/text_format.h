// A simulation's own text format for its state: small enough to be written manually or by another program, and to be
// compared line by line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cuda/core/simulation/setup.h"
#include "cuda/core/simulation/state.h"

namespace perturb {

// Which states are written, as requested by the text.
enum class TextMode { unset, print, perf };

// A start read from a text: the setup that creates the simulation, and the state to load into it.
struct TextStart {
  Setup setup;
  State state;
  std::int64_t steps = 0;  // the number of steps given by the text; 0: none given
  TextMode mode = TextMode::unset;
};

// `--input FILE`, `--print` and `--perf` of `perturb run`, for simulations that have a text format.
struct TextFormat {
  std::string help;  // the format in one line: "N L r S, then a line a disc: id x y vx vy"
  // `name` is the file's, for messages; `base` is the scene with the command line's changes. Throws InputError with
  // file, line and column.
  TextStart (*read)(const std::string& text, const std::string& name, const Setup& base) = nullptr;
  // The state after a step as lines that end in a line break (--print writes one after every step); `last`: after the
  // run, including its counts (--print and --perf end with it; --perf begins with the first state).
  std::string (*write)(const State& state, bool last) = nullptr;
};

// A field of a line of text.
struct TextField {
  std::string_view word;
  int column = 1;  // of its first character, from 1
};

// Throws InputError: "discs.txt:3:7: ", and `what`. `name`: of the file; lines and columns count from 1.
[[noreturn]] void reject_text(const std::string& name, int line, int column, const Message& what);
// The field's number. Throws InputError in the same way if it is not a finite number; `here`: the expected content.
double finite_number(const std::string& name, int line, const TextField& field, const Message& here);

}  // namespace perturb
