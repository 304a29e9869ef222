// State of the dialog in which a file or folder is chosen.
#pragma once

#include <cstddef>
#include <string>

#include "app/io/files/folder_listing.h"

namespace perturb {

struct FileBrowsing {
  enum class Purpose { open, save_state, output_folder };
  Purpose purpose = Purpose::open;
  FolderListing listing;
  char name[1024] = "";      // the file's name or whole path; typing selects among the listed files
  std::string error;         // why the last file could not be opened or written
  std::string replaces;      // the file that a second press of "Save" overwrites
  std::size_t chosen = 0;    // index of the chosen line
  bool by_arrows = false;    // the line was chosen with the arrow keys, in this folder
  bool just_opened = false;  // just opened, or just moved to another folder
};

}  // namespace perturb
