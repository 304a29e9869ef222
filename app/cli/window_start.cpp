#include "app/cli/window_start.h"

#include <filesystem>

#include "app/io/preset/presets.h"
#include "app/lessons/lesson_library.h"
#include "cuda/core/backend/check.h"

namespace perturb {

void restore_window(const std::string& output_folder, bool fresh, bool size_given, AppOptions& app,
                    WindowOptions& window) {
  if (!output_folder.empty()) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(output_folder, ignored))
      throw InputError("--output-folder cannot be \"{}\": there is no such folder. Create it first.", output_folder);
    app.output_folder = std::filesystem::absolute(output_folder, ignored).lexically_normal().string();
  }
  app.fresh = fresh;
  window.fits_screen = !size_given;
  if (fresh) return;
  app.keep_in = settings_path();
  app.settings = SettingsFile(app.keep_in, &app.note).settings();
  if (size_given) return;
  window.fullscreen = window.fullscreen || app.settings.fullscreen;
  if (const auto& place = app.settings.place) window.place = {place->x, place->y, place->width, place->height};
}

std::optional<Scene> last_scene(AppOptions& app) {
  const std::string& open = app.settings.open;
  if (open.empty()) return std::nullopt;
  try {
    const std::string of_lessons = "lesson ";
    if (!open.starts_with(of_lessons)) return load_scene(open);
    const std::string lesson = open.substr(of_lessons.size());
    Scene scene = load_lesson(lesson)->steps.front().scene;
    app.lesson = lesson;
    return scene;
  } catch (const Error& error) {
    app.note = Message("Cannot reopen the last session. {}", error.message());
    return std::nullopt;
  }
}

}  // namespace perturb
