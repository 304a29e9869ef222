// The contents of a folder, for choosing a file in the window.
#pragma once

#include <string>
#include <vector>

namespace perturb {

struct FolderItem {
  std::string name;
  bool is_folder = false;
};

struct FolderListing {
  std::string folder;             // absolute, without "." and ".."
  std::vector<FolderItem> items;  // folders by name, then files, newest first; without hidden ones
  std::string problem;            // why the folder cannot be read; empty: no error
  bool is_cut = false;            // the folder has more items than the list can show
};

// Lists the folders, and the files with one of these endings ("h5"), ignoring case. "" means the folder in which the
// program was started.
FolderListing list_folder(const std::string& folder, const std::vector<std::string>& endings);

// The parent folder; the folder itself if it is the root.
std::string folder_above(const std::string& folder);

// Whether the path ends in one of these: has_ending("A.PNG", {"png"}).
bool has_ending(const std::string& path, const std::vector<std::string>& endings);

}  // namespace perturb
