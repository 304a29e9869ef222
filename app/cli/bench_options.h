// The options of "perturb bench": what is timed, which studies are run, where their findings go.
#pragma once

#include <map>
#include <string>

#include "app/cli/option_set.h"

namespace perturb {

// Each study is an option of its own, --ID; true for those that are given.
using StudiesGiven = std::map<std::string, bool>;

// `bench` and `studies` get the values, and must live until options.finish().
void add_bench_options(OptionSet& options, BenchOptions& bench, StudiesGiven& studies);
// Throws InputError where some of them contradict each other; then `bench.study` is the study that is given.
void choose_study(BenchOptions& bench, const StudiesGiven& studies);

}  // namespace perturb
