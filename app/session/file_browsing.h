// A file or a folder being chosen in the window.
#pragma once

#include <cstddef>
#include <string>

#include "app/io/files/folder_listing.h"

namespace perturb {

struct FileBrowsing {
  enum class Purpose { open, save_state, output_folder };
  Purpose purpose = Purpose::open;
  FolderListing listing;
  char name[1024] = "";      // the file's name, or its whole path; what is typed chooses among those that are listed
  std::string error;         // why the last one could not be opened or written
  std::string replaces;      // the file that saving once more replaces
  std::size_t chosen = 0;    // of the lines that are shown
  bool by_arrows = false;    // the line was chosen by them, in this folder
  bool just_opened = false;  // it has just been opened, or shows another folder
};

}  // namespace perturb
