// The options of the subcommands, read as text so that errors have this program's messages. CLI11 is included only by
// the source file: reading its headers takes longer than compiling all options.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "app/cli/options.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace perturb {

class OptionSet {
 public:
  explicit OptionSet(CLI::App& app) : app_(app) {}

  // Calls `apply` with each given value; it throws InputError.
  void value(const std::string& name, const std::string& placeholder, const std::string& help, const std::string& group,
             std::function<void(const std::string&)> apply, bool repeatable = false);
  // A name without dashes is a positional argument.
  void text(const std::string& name, const std::string& placeholder, const std::string& help, const std::string& group,
            std::string& target);
  void flag(const std::string& name, const std::string& help, const std::string& group, bool& target);

  // Call after the command line has been parsed: passes on the values. Throws InputError, also for unknown arguments.
  void finish() const;

 private:
  struct Entry {
    CLI::Option* option;
    std::string name;
    std::function<void(const std::string&)> apply;
    bool repeatable;
  };

  void reject_unknown() const;

  CLI::App& app_;
  std::list<std::vector<std::string>> values_;
  std::vector<Entry> entries_;
};

// The value of `option` as an integer from `minimum` to `maximum`; throws InputError.
std::int64_t parse_whole(const std::string& option, const std::string& text, double minimum, double maximum);
double parse_real(const std::string& option, const std::string& text, double minimum, double maximum);
// Throws InputError if the text is not one of the choices.
void require_choice(const std::string& option, const std::string& text, const std::vector<std::string>& choices);
// Throws InputError unless the path is empty or ends with this, in any case.
void check_ending(const std::string& option, const std::string& path, const std::string& ending);

// Options shared by several subcommands; the arguments must outlive finish().
void add_backend(
    OptionSet& options, std::string& backend, int& threads, const std::string& group,
    const std::string& threads_help = "CPU threads (default: one per processor, or the quota of a container)");
// `given`: set if the option was given. Also adds --fresh, which starts without the saved settings.
void add_window_size(OptionSet& options, Size& size, bool& given, const std::string& group);
void add_output_folder(OptionSet& options, std::string& folder, const std::string& group);
void add_language(OptionSet& options, std::string& language, const std::string& group);
void add_fresh(OptionSet& options, bool& fresh, const std::string& group);
void add_frame_rate(OptionSet& options, double& rate, const std::string& group);

// Adds the options of a run: scene, window, view and the files written without a window. The values are stored in
// `run`, which must outlive options.finish().
void add_run_options(OptionSet& options, RunOptions& run);
// Those that only "perturb race" has.
void add_race_options(OptionSet& options, RunOptions& run);
// Throws InputError if two of them contradict each other.
void check_run(const RunOptions& run);

// Each study is an option, --ID; true if it was given.
using StudiesGiven = std::map<std::string, bool>;

// Adds the options of "perturb bench": what to time, which studies to run, and where to write the results. The values
// are stored in `bench` and `studies`, which must outlive options.finish().
// `named`: a simulation, whose studies alone are then listed in the help; empty: all.
void add_bench_options(OptionSet& options, BenchOptions& bench, StudiesGiven& studies, const std::string& named);
// The first argument that names a simulation or a scene of one, as the simulation's id; empty: none does.
std::string simulation_named_in(const std::vector<std::string>& arguments);
// Throws InputError for contradicting options; otherwise sets `bench.study` to the given study.
void choose_study(BenchOptions& bench, const StudiesGiven& studies);

}  // namespace perturb
