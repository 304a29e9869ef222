#include "app/session/file_chooser.h"

#include <filesystem>
#include <utility>
#include <vector>

#include "app/i18n/utf8.h"
#include "app/io/files/output.h"
#include "app/io/preset/file_kind.h"
#include "app/io/state/state_file.h"
#include "cuda/core/backend/check.h"

namespace perturb {

bool FileChooser::handle(UiCommand command) {
  switch (command) {
    case UiCommand::save_state_as:
      open(Purpose::save_state);
      return true;
    case UiCommand::open_file:
      open(Purpose::open);
      return true;
    case UiCommand::output_folder:
      open(Purpose::output_folder);
      return true;
    default:
      return false;
  }
}

void FileChooser::open(Purpose purpose) {
  FileBrowsing& files = state_.files;
  files.purpose = purpose;
  files.error.clear();
  files.replaces.clear();
  files.name[0] = '\0';
  const std::filesystem::path stem(whole_path_of(output_.stem()));
  if (purpose == Purpose::save_state)
    fill_field(files.name, std::filesystem::path(unused_stem(stem.string(), {".h5"})).filename().string() + ".h5");
  // The folder shown last, else the output folder.
  list(files.listing.folder.empty() ? stem.parent_path().string() : files.listing.folder);
  state_.overlay = Overlay::files;
}

void FileChooser::list(const std::string& folder) {
  FileBrowsing& files = state_.files;
  FolderListing listing = list_folder(folder, files.purpose == Purpose::open         ? endings_of_files()
                                              : files.purpose == Purpose::save_state ? endings_of_states()
                                                                                     : std::vector<std::string>{});
  files.error = listing.problem;
  if (listing.problem.empty() || files.listing.folder.empty()) files.listing = std::move(listing);
  if (files.purpose != Purpose::save_state) files.name[0] = '\0';
  files.chosen = files.listing.items.empty() ? 0 : 1;  // after the parent folder
  files.just_opened = true, files.by_arrows = false;
}

void FileChooser::handle(const SaveStateAs& request) {
  std::string path = request.path;
  if (!has_ending(path, endings_of_states())) path += ".h5";
  std::error_code ignored;
  FileBrowsing& files = state_.files;
  if (state_.overlay == Overlay::files && std::filesystem::exists(path, ignored) && files.replaces != path) {
    files.replaces = path;
    files.error = "\"" + std::filesystem::path(path).filename().string() +
                  "\" exists already. Save once more to replace it, or type another name.";
    return;
  }
  const auto write = [path](const Experiment& run) {
    require_memory_to_save(run);
    save_state(run.simulation().save(), path);
    return path;
  };
  client_.post(job::Inspect{write}, [this](JobResult& result) {
    try {
      result.check();
      mark_saved(state_, client_.run());
      if (state_.overlay == Overlay::files) state_.overlay = Overlay::none;
      output_.show_saved("State saved", result.text);
    } catch (const Error& error) {
      if (state_.overlay == Overlay::files)
        state_.files.error = error.what();
      else
        client_.show_error(error.what());
    }
  });
}

}  // namespace perturb
