#include "app/i18n/language.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "app/i18n/utf8.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/embedded.h"

namespace perturb {

std::span<const EmbeddedFile> embedded_languages();  // made by perturb_embed from assets/languages

namespace {

constexpr const char* english_id = "en";

// By language, in the order in which they were added.
std::vector<std::pair<std::string, std::vector<PoEntry>>>& added_texts() {
  static std::vector<std::pair<std::string, std::vector<PoEntry>>> all;
  return all;
}

}  // namespace

std::string page_texts(const std::string& id) {
  std::string all;
  for (const EmbeddedFile& file : embedded_languages())
    if (file.name.starts_with(id + "/") && file.name.ends_with(".po") && !file.name.ends_with("/puzzles.po"))
      all += file.text;
  return all;
}

std::vector<PoEntry> texts_of(const std::string& id) {
  std::vector<PoEntry> all;
  for (const auto& [language, entries] : added_texts())
    if (language == id) all.insert(all.end(), entries.begin(), entries.end());
  for (const EmbeddedFile& file : embedded_languages())
    if (file.name.starts_with(id + "/"))
      for (PoEntry& entry : read_po(file.text, "languages/" + std::string(file.name))) all.push_back(std::move(entry));
  return all;
}

namespace {

struct Chosen {
  std::mutex mutex;  // images and messages may be translated on threads other than the window's
  std::string id = english_id;
  std::unique_ptr<Translation> table;  // null: English
  bool pseudo = false;
  bool ascii_signs = false;
  std::optional<FrontEnd> front_end = FrontEnd::window;
};
Chosen& chosen() {
  static Chosen one;
  return one;
}

}  // namespace

namespace {

std::string name_in(const std::vector<PoEntry>& entries) {
  for (const PoEntry& entry : entries)
    if (entry.english == "Name of this language") return entry.translated;
  return {};
}

std::vector<LanguageName>& all_languages() {
  static std::vector<LanguageName> all = [] {
    std::vector<LanguageName> found = {{english_id, "English"}};
    // The name is in a small file of its own: the other files are read when the language is selected.
    for (const EmbeddedFile& file : embedded_languages())
      if (file.name.ends_with("/language.po"))
        found.push_back({std::string(file.name.substr(0, file.name.find('/'))),
                         name_in(read_po(file.text, "languages/" + std::string(file.name)))});
    return found;
  }();
  return all;
}

}  // namespace

const std::vector<LanguageName>& languages() { return all_languages(); }

namespace {

void require_language(const std::string& id) {
  const auto& all = languages();
  if (std::none_of(all.begin(), all.end(), [&](const LanguageName& l) { return l.id == id; })) {
    std::string ids;
    for (const LanguageName& one : all) ids += (ids.empty() ? "" : ", ") + one.id;
    throw InputError("Unknown language \"{}\". Choose one of {}.", id, ids);
  }
}

}  // namespace

void add_texts(const std::string& id, std::string_view texts) {
  require_language(id);
  added_texts().emplace_back(id, read_po(texts, "languages/" + id + ".po"));
}

void add_language(const std::string& id, std::string_view texts) {
  std::vector<PoEntry> entries = read_po(texts, "languages/" + id + ".po");
  const std::string name = name_in(entries);
  if (name.empty())
    throw InputError("The texts of the language \"{}\" lack its name. Add an entry for \"Name of this language\".", id);
  all_languages().push_back({id, name});
  added_texts().emplace_back(id, std::move(entries));
}

void use_language(const std::string& id) {
  Chosen& now = chosen();
  {
    const std::lock_guard lock(now.mutex);
    if (id == now.id && !now.pseudo) return;
  }
  require_language(id);
  auto table = id == english_id ? nullptr : std::make_unique<Translation>(texts_of(id));
  const std::lock_guard lock(now.mutex);
  now.id = id;
  now.table = std::move(table);
  now.pseudo = false;
}

void use_front_end(std::optional<FrontEnd> front_end) {
  const std::lock_guard lock(chosen().mutex);
  chosen().front_end = front_end;
}

const std::string& language() { return chosen().id; }

std::string language_of_environment() {
  for (const char* variable : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* value = std::getenv(variable);
    if (!value || !*value) continue;
    const std::string locale = value, id = locale.substr(0, locale.find_first_of("_.@"));
    for (const LanguageName& one : languages())
      if (one.id == id) return id;
    break;
  }
  return english_id;
}

namespace {

// With the mutex held.
std::string translated(const std::string& english) {
  Chosen& now = chosen();
  const std::string text = now.table && !now.pseudo ? now.table->of(english) : english;
  const std::string shown = now.front_end ? text_for(*now.front_end, text) : text;
  return now.pseudo ? pseudo_localized(shown) : shown;
}

std::string translated(const Message& message) {
  if (message.is_value()) return message.text();
  if (message.is_parameter()) {
    const std::string label = translated(message.arguments().front());
    return label.empty() ? message.text() : fill_placeholders(translated(std::string("\u201c{}\u201d")), {label});
  }
  std::string format = translated(message.text());
  if (message.arguments().empty()) return format;
  std::vector<std::string> values;
  for (const Message& argument : message.arguments()) values.push_back(translated(argument));
  return fill_placeholders(format, values);
}

}  // namespace

std::string tr(const Message& message) {
  const std::lock_guard lock(chosen().mutex);
  return chosen().ascii_signs ? with_ascii_signs(translated(message)) : translated(message);
}

void use_ascii_signs(bool on) {
  const std::lock_guard lock(chosen().mutex);
  chosen().ascii_signs = on;
}

std::vector<std::string> take_untranslated() {
  Chosen& now = chosen();
  const std::lock_guard lock(now.mutex);
  if (!now.table) return {};
  std::vector<std::string> all(now.table->missing().begin(), now.table->missing().end());
  std::sort(all.begin(), all.end());
  now.table->forget_missing();
  return all;
}

void use_pseudo_locale() {
  const std::lock_guard lock(chosen().mutex);
  chosen().pseudo = true;
}

}  // namespace perturb
