// What lies in a folder, for choosing a file in the window.
#pragma once

#include <string>
#include <vector>

namespace perturb {

struct FolderItem {
  std::string name;
  bool is_folder = false;
};

struct FolderListing {
  std::string folder;             // absolute, without "." and ".." in it
  std::vector<FolderItem> items;  // folders by name, then files, the newest first; hidden ones are left out
  std::string problem;            // why it cannot be read, in a sentence; empty: it could
  bool is_cut = false;            // there are more than a list can show
};

// The folders, and the files that end in one of these ("h5"), large and small letters alike; "" as the folder is the
// one that the program was started in.
FolderListing list_folder(const std::string& folder, const std::vector<std::string>& endings);

// The folder that this one lies in; itself where it is the uppermost.
std::string folder_above(const std::string& folder);

// Whether the path ends in one of these: has_ending("A.PNG", {"png"}).
bool has_ending(const std::string& path, const std::vector<std::string>& endings);

}  // namespace perturb
