// Folders and names of output files: the folder that the user chose, else the desktop's.
#pragma once

#include <string>

#include "app/session/run_client.h"

namespace perturb {

class OutputFolders {
 public:
  // Kind of output file. Without a folder chosen by the user, images go to one folder and everything else to another.
  enum class Kind { picture, document };

  OutputFolders(RunClient& client, UiState& state) : client_(client), state_(state) {}

  // Folders used if the user has not chosen one; "": the working directory.
  void set_default_folders(const std::string& pictures, const std::string& documents);
  // "", or a path that ends with a slash.
  std::string folder(Kind kind = Kind::document) const;
  // Common beginning of output file names: "/home/me/Pictures/perturb-wave-rain-1200".
  std::string stem(Kind kind = Kind::document) const;
  // The stem with an ending, made unique so that no existing file is overwritten.
  std::string unused(const std::string& ending, Kind kind = Kind::document) const;
  // Shows "Picture saved: NAME in FOLDER", with a button that opens the folder.
  void show_saved(const std::string& what, const std::string& path);

  bool handle(UiCommand command);
  void handle(const ChooseOutputFolder& request);

 private:
  void show() const;

  RunClient& client_;
  UiState& state_;
  std::string pictures_, documents_;
};

// Records that the current run is saved in a file.
void mark_saved(UiState& state, const RunStatus& run);
// "picture.png in /home/me": text for messages with the location of a file.
std::string in_its_folder(const std::string& path);
// Absolute path; unchanged if it cannot be determined.
std::string whole_path_of(const std::string& path);

}  // namespace perturb
