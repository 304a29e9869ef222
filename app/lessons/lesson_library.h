// The lesson library: lessons embedded in the program, and user lessons.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/io/preset/lesson_text.h"

namespace perturb {

struct LessonLibrary {
  // by simulation, in the order of the catalog; then by order and id
  std::vector<std::shared_ptr<const Lesson>> lessons;
  std::vector<Message> problems;  // error messages of files that are not valid lessons
};

// "$XDG_DATA_HOME/perturb/lessons", else in ~/.local/share; empty if neither variable is set. Its structure is that of
// assets/lessons: <simulation>/*.toml.
std::string user_lessons_folder();

// The embedded lessons and those below `folder`; a lesson in the folder replaces an embedded lesson of the same name. A
// missing folder has no lessons. An invalid file is reported as a problem, and the other files are still read.
LessonLibrary find_lessons(const std::string& folder);
// The same with the user's folder, which is read once, at the first call.
const LessonLibrary& all_lessons();

// Loads "wave/two-slits", "two-slits" if no other lesson has this id, or a path to a .toml file. Throws InputError with
// the nearest name, or with file, line and column.
std::shared_ptr<const Lesson> load_lesson(const std::string& lesson);

// The lesson after this one: by order, then the first one of the next simulation; null after the last lesson, and for a
// lesson that is not in the library.
std::shared_ptr<const Lesson> next_lesson(const LessonLibrary& library, const Lesson& lesson);

}  // namespace perturb
