#include "app/session/output_folders.h"

#include <filesystem>
#include <system_error>

#include "app/io/files/desktop.h"
#include "app/io/files/output.h"
#include "app/io/preset/scenes.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace fs = std::filesystem;

std::string in_its_folder(const std::string& path) {
  std::error_code failure;
  fs::path whole = fs::absolute(path, failure);
  if (failure) return path;
  if (!whole.has_filename()) whole = whole.parent_path();  // the desktop's folder of images ends with a slash
  return whole.filename().string() + " in " + whole.parent_path().string();
}

std::string whole_path_of(const std::string& path) {
  std::error_code failure;
  const fs::path whole = fs::absolute(path, failure);
  return failure ? path : whole.lexically_normal().string();
}

void OutputFolders::set_default_folders(const std::string& pictures, const std::string& documents) {
  pictures_ = pictures, documents_ = documents;
}

std::string OutputFolders::folder(Kind kind) const {
  const std::string& usual = kind == Kind::picture ? pictures_ : documents_;
  const std::string& chosen = state_.output_folder.empty() ? usual : state_.output_folder;
  return chosen.empty() || chosen == "." ? "" : chosen.ends_with("/") ? chosen : chosen + "/";
}

std::string OutputFolders::stem(Kind kind) const {
  return folder(kind) + output_stem_of(client_.run().scene->setup, client_.run().steps);
}

std::string OutputFolders::unused(const std::string& ending, Kind kind) const {
  return unused_stem(stem(kind), {ending}) + ending;
}

void mark_saved(UiState& state, const RunStatus& run) { state.saved = {run.opening, run.steps, run.last_change}; }

void OutputFolders::show_saved(const std::string& what, const std::string& path) {
  const fs::path whole(whole_path_of(path));
  client_.show_message(what + ": " + in_its_folder(path));
  state_.message_folder = state_.last_folder = whole.parent_path().string();
}

void OutputFolders::show() const {
  std::string folder = state_.last_folder;
  if (folder.empty()) folder = fs::path(whole_path_of(stem(Kind::picture))).parent_path().string();
  try {
    show_folder(folder);
  } catch (const Error& error) {
    client_.show_error(error.what());
  }
}

bool OutputFolders::handle(UiCommand command) {
  if (command != UiCommand::show_output_folder) return false;
  show();
  return true;
}

void OutputFolders::handle(const ChooseOutputFolder& request) {
  state_.output_folder = request.folder;
  if (state_.overlay == Overlay::files) state_.overlay = Overlay::none;
  client_.show_message("Pictures and files go to " + request.folder + " from now on.");
}

}  // namespace perturb
