#include "app/i18n/language.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "app/i18n/translation.h"
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

std::vector<PoEntry> entries_of(const std::string& id) {
  std::vector<PoEntry> all;
  for (const auto& [language, entries] : added_texts())
    if (language == id) all.insert(all.end(), entries.begin(), entries.end());
  for (const EmbeddedFile& file : embedded_languages())
    if (file.name.starts_with(id + "/"))
      for (PoEntry& entry : read_po(file.text, "languages/" + std::string(file.name))) all.push_back(std::move(entry));
  return all;
}

struct Chosen {
  std::mutex mutex;  // images and messages may be translated on threads other than the window's
  std::string id = english_id;
  std::unique_ptr<Translation> table;  // null: English
  bool pseudo = false;
};
Chosen& chosen() {
  static Chosen one;
  return one;
}

}  // namespace

const std::vector<LanguageName>& languages() {
  static const std::vector<LanguageName> all = [] {
    std::vector<LanguageName> found = {{english_id, "English"}};
    // The name is in a small file of its own: the other files are read when the language is selected.
    for (const EmbeddedFile& file : embedded_languages()) {
      const std::string id(file.name.substr(0, file.name.find('/')));
      if (!file.name.ends_with("/language.po")) continue;
      for (const PoEntry& entry : read_po(file.text, "languages/" + std::string(file.name)))
        if (entry.english == "Name of this language") found.push_back({id, entry.translated});
    }
    return found;
  }();
  return all;
}

namespace {

void require_language(const std::string& id) {
  const auto& all = languages();
  if (std::none_of(all.begin(), all.end(), [&](const LanguageName& l) { return l.id == id; })) {
    std::string ids;
    for (const LanguageName& one : all) ids += (ids.empty() ? "" : ", ") + one.id;
    throw InputError("Unknown language \"" + id + "\". Choose one of " + ids + ".");
  }
}

}  // namespace

void add_texts(const std::string& id, std::string_view texts) {
  require_language(id);
  added_texts().emplace_back(id, read_po(texts, "languages/" + id + ".po"));
}

void use_language(const std::string& id) {
  Chosen& now = chosen();
  {
    const std::lock_guard lock(now.mutex);
    if (id == now.id && !now.pseudo) return;
  }
  require_language(id);
  auto table = id == english_id ? nullptr : std::make_unique<Translation>(entries_of(id));
  const std::lock_guard lock(now.mutex);
  now.id = id, now.table = std::move(table), now.pseudo = false;
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

std::string tr(std::string_view english) {
  Chosen& now = chosen();
  const std::lock_guard lock(now.mutex);
  if (now.pseudo) return pseudo_localized(english);
  return now.table ? now.table->of(english) : std::string(english);
}

std::string tr_with(std::string_view english, const std::vector<std::string>& values) {
  Chosen& now = chosen();
  const std::lock_guard lock(now.mutex);
  if (now.pseudo) return filled(pseudo_localized(english), values);
  if (!now.table) return filled(english, values);
  return now.table->kept(filled(now.table->of(english), values));
}

std::string mark_translated(std::string text) {
  Chosen& now = chosen();
  const std::lock_guard lock(now.mutex);
  return now.table ? now.table->kept(std::move(text)) : text;
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
