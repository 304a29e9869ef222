#include "app/lessons/lesson_progress.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/io/files/folders.h"
#include "app/io/files/output.h"
#include "app/io/files/text_file.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_progress_file = 4 << 20;  // a larger file was not written by this program
constexpr int progress_format = 1;
constexpr const char* unchanged =
    "The file stays unchanged and new progress is not saved. Move the file away to start again.";

int int_in(const nlohmann::json& entry, const char* key) {
  const auto found = entry.find(key);
  return found != entry.end() && found->is_number_integer() ? std::clamp(found->get<int>(), 0, 1000000) : 0;
}

}  // namespace

std::string lesson_progress_path() {
  const std::string folder = state_folder();
  return folder.empty() ? folder : folder + "/lessons.json";
}

LessonProgress::LessonProgress(std::string path, Message* note) : path_(std::move(path)) {
  Message failure;
  const std::optional<std::string> text =
      read_kept_file(path_, "file of progress in lessons", largest_progress_file, failure);
  if (!failure.empty()) {
    if (note) *note = failure + unchanged;
    path_.clear();
  }
  if (!text) return;
  const nlohmann::json json = nlohmann::json::parse(*text, nullptr, false);
  const bool is_valid = json.is_object() && json.contains("lessons") && json["lessons"].is_object();
  if (!is_valid || int_in(json, "format") != progress_format) {
    if (note)
      *note = Message(is_valid ? "Cannot read the lesson progress from \"{}\": another version of Perturb wrote it."
                               : "Cannot read the lesson progress from \"{}\": the file is damaged.",
                      path_) +
              unchanged;
    path_.clear();
    return;
  }
  for (const auto& [lesson, entry] : json["lessons"].items())
    if (entry.is_object())
      scores_[lesson] = {int_in(entry, "step"), int_in(entry, "now"), int_in(entry, "points"), int_in(entry, "of")};
}

const LessonScore* LessonProgress::score_of(const std::string& lesson) const {
  const auto found = scores_.find(lesson);
  return found == scores_.end() ? nullptr : &found->second;
}

void LessonProgress::reach(const std::string& lesson, int step, int points, int max_points) {
  LessonScore& score = scores_[lesson];
  score.step = step;
  score.current_points = points;
  // Compares fractions of the maximum, which may have grown since.
  if (max_points > 0 && (score.max_points == 0 || points * score.max_points >= score.best_points * max_points)) {
    score.best_points = points;
    score.max_points = max_points;
  }
  if (path_.empty()) return;
  nlohmann::ordered_json lessons = nlohmann::ordered_json::object();
  for (const auto& [id, one] : scores_)
    lessons[id] = {
        {"step", one.step}, {"now", one.current_points}, {"points", one.best_points}, {"of", one.max_points}};
  const std::string text = nlohmann::ordered_json{{"format", progress_format}, {"lessons", std::move(lessons)}}.dump(
                               1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
                           "\n";
  const std::string path = path_;
  try {
    std::error_code ignored;
    fs::create_directories(fs::path(path).parent_path(), ignored);
    replace_file(path, std::as_bytes(std::span(text)));
  } catch (const Error& error) {
    path_.clear();
    throw Error(error.message() + "Lesson progress is not saved from now on.");
  }
}

}  // namespace perturb
