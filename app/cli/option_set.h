// A subcommand's options, taken as text, so that what is wrong with one is told in this program's words. CLI11 stays in
// the source file: to read its headers takes longer than to compile all options.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
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

  // `apply` gets each value given; it throws InputError.
  void value(const std::string& name, const std::string& placeholder, const std::string& help, const std::string& group,
             std::function<void(const std::string&)> apply, bool repeatable = false);
  // Of a name without dashes the value is a word in its place.
  void text(const std::string& name, const std::string& placeholder, const std::string& help, const std::string& group,
            std::string& target);
  void flag(const std::string& name, const std::string& help, const std::string& group, bool& target);

  // After the command line has been parsed: hands out the values. Throws InputError, also for what no option took.
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

// The value of `option` as a number from `minimum` to `maximum`; throws InputError.
std::int64_t parse_whole(const std::string& option, const std::string& text, double minimum, double maximum);
double parse_real(const std::string& option, const std::string& text, double minimum, double maximum);
// Throws InputError where the text is none of the choices.
void require_choice(const std::string& option, const std::string& text, const std::vector<std::string>& choices);

// Options that several subcommands have; the arguments must live until finish().
void add_backend(OptionSet& options, std::string& backend, int& threads, const std::string& group);
// `given`: whether there is one. And --fresh, which starts without what was kept.
void add_window_size(OptionSet& options, Size& size, bool& given, const std::string& group);
void add_output_folder(OptionSet& options, std::string& folder, const std::string& group);
void add_language(OptionSet& options, std::string& language, const std::string& group);
void add_fresh(OptionSet& options, bool& fresh, const std::string& group);
void add_frame_rate(OptionSet& options, double& rate, const std::string& group);

}  // namespace perturb
