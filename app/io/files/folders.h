// Folders: the standard ones for a program's files (XDG Base Directory Specification) and for the user's own files, the
// contents of a folder, and paths relative to one.
#pragma once

#include <string>
#include <vector>

#include "cuda/core/backend/message.h"

namespace perturb {

// "$XDG_CONFIG_HOME/perturb", otherwise in ~/.config; the others in the same way. A variable that is not an absolute
// path counts as not set. Empty if HOME is not set either: then nothing is saved.
std::string config_folder();
std::string data_folder();
std::string cache_folder();
std::string state_folder();

// The desktop's folders for images and documents (user-dirs.dirs), otherwise those with these names in the home folder,
// otherwise the home folder, otherwise the folder in which the program was started ("."). `note` receives a message if
// user-dirs.dirs cannot be read.
std::string pictures_folder(Message* note = nullptr);
std::string documents_folder(Message* note = nullptr);

// Expands "~" and "~/waves.png" in a typed path. Leaves other paths unchanged, and all of them if there is no home
// folder.
std::string with_home_folder(const std::string& path);

struct FolderItem {
  std::string name;
  bool is_folder = false;
};

// The contents of a folder, for choosing a file in the window.
struct FolderListing {
  std::string folder;             // absolute, without "." and ".."
  std::vector<FolderItem> items;  // folders by name, then files, newest first; without hidden ones
  Message problem;                // why the folder cannot be read; empty: no error
  bool is_cut = false;            // the folder has more items than the list can show
};

// Lists the folders, and the files with one of these endings ("toml"), ignoring case. "" means the folder in which the
// program was started.
FolderListing list_folder(const std::string& folder, const std::vector<std::string>& endings);

// The parent folder; the folder itself if it is the root.
std::string folder_above(const std::string& folder);

// Whether the path ends in one of these: has_ending("A.PNG", {"png"}).
bool has_ending(const std::string& path, const std::vector<std::string>& endings);

// The path of the file that `file` calls `name`, relative to the folder of `file`. Empty if it is outside that folder
// and its subfolders after links are resolved.
std::string resolve_relative_path(const std::string& file, const std::string& name);

}  // namespace perturb
