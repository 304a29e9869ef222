// The options of "perturb bench": what to time, which studies to run, and where to write the results.
#pragma once

#include <map>
#include <string>

#include "app/cli/option_set.h"

namespace perturb {

// Each study is an option, --ID; true if it was given.
using StudiesGiven = std::map<std::string, bool>;

// The values are stored in `bench` and `studies`, which must outlive options.finish().
void add_bench_options(OptionSet& options, BenchOptions& bench, StudiesGiven& studies);
// Throws InputError for contradicting options; otherwise sets `bench.study` to the given study.
void choose_study(BenchOptions& bench, const StudiesGiven& studies);

}  // namespace perturb
