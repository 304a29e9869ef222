#include "app/lessons/lesson_library.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <tuple>

#include "app/io/files/folders.h"
#include "app/io/files/text_file.h"
#include "app/io/preset/presets.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/embedded.h"

namespace perturb {

std::span<const EmbeddedFile> embedded_lessons();  // made by perturb_embed from assets/lessons

namespace {

namespace fs = std::filesystem;

std::size_t catalog_index(const std::string& simulation) {
  std::size_t place = 0;
  while (place < catalog().size() && catalog()[place]->id != simulation) ++place;
  return place;
}

void add_lesson(LessonLibrary& library, Lesson lesson) {
  std::erase_if(library.lessons, [&](const auto& other) { return other->path() == lesson.path(); });
  library.lessons.push_back(std::make_shared<const Lesson>(std::move(lesson)));
}

// The .toml files in the simulations' folders below `folder`, sorted by name.
std::vector<fs::path> user_lesson_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const SimulationInfo* info : catalog()) {
    std::error_code error;
    for (fs::directory_iterator entry(folder / info->id, error), end; !error && entry != end; entry.increment(error))
      if (entry->path().extension() == ".toml") files.push_back(entry->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Lesson read_lesson_file(const fs::path& path, const std::string& simulation) {
  return parse_lesson(read_text_file(path.string(), "lesson"), path.string(), simulation, path.stem().string());
}

}  // namespace

std::string user_lessons_folder() {
  const std::string folder = data_folder();
  return folder.empty() ? folder : folder + "/lessons";
}

LessonLibrary find_lessons(const std::string& folder) {
  LessonLibrary library;
  for (const EmbeddedFile& file : embedded_lessons()) {
    const fs::path path(file.name);
    const std::string simulation = path.parent_path().string();
    if (!is_simulation(simulation)) continue;  // a program with other simulations, such as a test
    add_lesson(library, parse_lesson(std::string(file.text), "lessons/" + std::string(file.name), simulation,
                                     path.stem().string()));
  }
  if (!folder.empty())
    for (const fs::path& path : user_lesson_files(folder)) {
      try {
        add_lesson(library, read_lesson_file(path, path.parent_path().filename().string()));
      } catch (const Error& error) {
        library.problems.push_back(error.message());
      }
    }
  std::sort(library.lessons.begin(), library.lessons.end(), [](const auto& a, const auto& b) {
    return std::tuple(catalog_index(a->simulation), a->order, a->id) <
           std::tuple(catalog_index(b->simulation), b->order, b->id);
  });
  return library;
}

const LessonLibrary& all_lessons() {
  static const LessonLibrary library = find_lessons(user_lessons_folder());
  return library;
}

std::shared_ptr<const Lesson> load_lesson(const std::string& lesson) {
  if (lesson.ends_with(".toml")) return std::make_shared<const Lesson>(read_lesson_file(lesson, ""));
  const LessonLibrary& library = all_lessons();
  std::shared_ptr<const Lesson> match;
  int count = 0;
  for (const auto& one : library.lessons) {
    if (one->path() == lesson) return one;
    if (one->id == lesson) {
      match = one;
      ++count;
    }
  }
  if (count == 1) return match;
  // If the user's own lesson of that name cannot be read, this reports its problem.
  if (const std::string folder = user_lessons_folder(); count == 0 && !folder.empty())
    for (const fs::path& path : user_lesson_files(folder))
      if (path.string().ends_with("/" + lesson + ".toml"))
        return std::make_shared<const Lesson>(read_lesson_file(path, path.parent_path().filename().string()));
  std::vector<std::string> known;
  for (const auto& one : library.lessons) known.push_back(one->path());
  for (const auto& one : library.lessons) known.push_back(one->id);
  throw InputError("There is no lesson \"{}\"{}", lesson,
                   did_you_mean(lesson, known, ": \"perturb lesson\" shows what there is."));
}

std::shared_ptr<const Lesson> next_lesson(const LessonLibrary& library, const Lesson& lesson) {
  const auto& all = library.lessons;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& other) { return other->path() == lesson.path(); });
  return found == all.end() || found + 1 == all.end() ? nullptr : *(found + 1);
}

}  // namespace perturb
