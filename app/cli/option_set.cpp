#include "app/cli/option_set.h"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "app/i18n/language.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/value_info.h"

namespace perturb {

namespace {

constexpr int largest_side = 1 << 30;

ValueInfo described(const std::string& option, ValueKind kind, double minimum, double maximum) {
  ValueInfo info;
  info.id = option;
  info.kind = kind;
  info.minimum = minimum, info.maximum = maximum;
  return info;
}

}  // namespace

void OptionSet::value(const std::string& name, const std::string& placeholder, const std::string& help,
                      const std::string& group, std::function<void(const std::string&)> apply, bool repeatable) {
  CLI::Option* option = app_.add_option(name, values_.emplace_back(), help);
  option->type_name(placeholder)->group(group)->allow_extra_args(false);
  entries_.push_back({option, name, std::move(apply), repeatable});
}

void OptionSet::text(const std::string& name, const std::string& placeholder, const std::string& help,
                     const std::string& group, std::string& target) {
  value(name, placeholder, help, group, [&target, name](const std::string& given) {
    if (given.empty()) throw InputError(name + " cannot be empty: leave it away or give it a name.");
    target = given;
  });
}

void OptionSet::flag(const std::string& name, const std::string& help, const std::string& group, bool& target) {
  app_.add_flag(name, target, help)->group(group)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

void OptionSet::finish() const {
  for (const Entry& entry : entries_) {
    if (!*entry.option) continue;
    const std::vector<std::string>& given = entry.option->results();
    if (given.size() > 1 && !entry.repeatable) throw InputError(entry.name + " is given twice: give it once.");
    for (const std::string& text : given) {
      if (text.starts_with("--")) throw InputError(entry.name + " needs a value before " + text + ".");
      entry.apply(text);
    }
  }
  reject_unknown();
}

void OptionSet::reject_unknown() const {
  const std::vector<std::string> left = app_.remaining();
  if (left.empty()) return;
  const std::string& word = left.front();
  if (!word.starts_with("-"))
    throw InputError("\"" + word + "\" is one word too many. \"perturb " + app_.get_name() +
                     " --help\" shows what it takes.");
  std::vector<std::string> names;
  for (const CLI::Option* option : app_.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  const std::string bare = word.substr(0, word.find('='));
  const std::string near = nearest_word(bare, names);
  throw InputError(
      "There is no option " + bare +
      (near.empty() ? ". \"perturb " + app_.get_name() + " --help\" shows all." : "; did you mean " + near + "?"));
}

std::int64_t parse_whole(const std::string& option, const std::string& text, double minimum, double maximum) {
  return static_cast<std::int64_t>(described(option, ValueKind::integer, minimum, maximum).parse(text));
}

double parse_real(const std::string& option, const std::string& text, double minimum, double maximum) {
  return described(option, ValueKind::real, minimum, maximum).parse(text);
}

void require_choice(const std::string& option, const std::string& text, const std::vector<std::string>& choices) {
  ValueInfo info = described(option, ValueKind::choice, 0, static_cast<double>(choices.size()) - 1);
  for (const std::string& choice : choices) info.choices.push_back({choice, choice});
  info.parse(text);
}

Size parse_size(const std::string& option, const std::string& text) {
  const std::size_t cross = text.find_first_of("xX");
  try {
    Size size;
    size.width = static_cast<int>(parse_whole(option, text.substr(0, cross), 1, largest_side));
    size.height = cross == std::string::npos
                      ? size.width
                      : static_cast<int>(parse_whole(option, text.substr(cross + 1), 1, largest_side));
    return size;
  } catch (const InputError&) {
    throw InputError(option + " cannot be \"" + text +
                     "\": it takes WIDTHxHEIGHT such as 512x256, whole numbers from 1 to " +
                     std::to_string(largest_side) + ".");
  }
}

void add_backend(OptionSet& options, std::string& backend, int& threads, const std::string& group) {
  options.value("--backend", "auto|cpu|cuda", "Where to compute; auto takes CUDA where a device can be used", group,
                [&](const std::string& text) {
                  require_choice("--backend", text, {"auto", "cpu", "cuda"});
                  backend = text;
                });
  options.value("--threads", "N", "CPU threads (default: one for each processor)", group,
                [&](const std::string& text) { threads = static_cast<int>(parse_whole("--threads", text, 1, 4096)); });
}

void add_window_size(OptionSet& options, Size& size, bool& given, const std::string& group) {
  options.value(
      "--window-size", "WxH", "Pixels of the window or the pictures (default: as it was left, else 1280x720)", group,
      [&](const std::string& text) {
        size = parse_size("--window-size", text);
        given = true;
        if (std::max(size.width, size.height) > 16384)
          throw InputError("--window-size cannot be \"" + text + "\": a picture's sides are at most 16384 pixels.");
      });
}

void add_output_folder(OptionSet& options, std::string& folder, const std::string& group) {
  options.text("--output-folder", "DIR",
               "Where the window puts pictures and files (default: your folders Pictures and Documents)", group,
               folder);
}

void add_language(OptionSet& options, std::string& language, const std::string& group) {
  std::string ids;
  for (const LanguageName& one : languages()) ids += (ids.empty() ? "" : "|") + one.id;
  options.value("--language", ids, "Of the window, pictures and reports (default: as LC_ALL, LC_MESSAGES, LANG say)",
                group, [&language](const std::string& text) {
                  std::vector<std::string> choices;
                  for (const LanguageName& one : languages()) choices.push_back(one.id);
                  require_choice("--language", text, choices);
                  language = text;
                });
}

void add_fresh(OptionSet& options, bool& fresh, const std::string& group) {
  options.flag("--fresh", "Open the window as at the first start, and do not keep how it is left", group, fresh);
}

void add_frame_rate(OptionSet& options, double& rate, const std::string& group) {
  options.value("--frame-rate", "N", "At most so many pictures a second (default: as the display shows them)", group,
                [&rate](const std::string& text) { rate = parse_real("--frame-rate", text, 1, 1000); });
}

}  // namespace perturb
