// Where what is written goes, and what it is called: the user's choice of a folder, else the desktop's own.
#pragma once

#include <string>

#include "app/session/run_client.h"

namespace perturb {

class OutputFolders {
 public:
  // What files go to that folder of the user's choice, else: to one for pictures or one for everything else.
  enum class Kind { picture, document };

  OutputFolders(RunClient& client, UiState& state) : client_(client), state_(state) {}

  // Where files go that nobody has chosen a folder for; "": the folder that the program was started in.
  void set_default_folders(const std::string& pictures, const std::string& documents);
  // "", or with a slash at its end.
  std::string folder(Kind kind = Kind::document) const;
  // "/home/me/Pictures/perturb-wave-rain-1200": how the names of files begin that are written now.
  std::string stem(Kind kind = Kind::document) const;
  // The same with an ending, as no file is called yet: what was saved before is not replaced.
  std::string unused(const std::string& ending, Kind kind = Kind::document) const;
  // "Picture saved: NAME in FOLDER", with the folder at hand.
  void show_saved(const std::string& what, const std::string& path);

  bool handle(UiCommand command);
  void handle(const ChooseOutputFolder& request);

 private:
  void show() const;

  RunClient& client_;
  UiState& state_;
  std::string pictures_, documents_;
};

// The run as it is now is in a file.
void mark_saved(UiState& state, const RunStatus& run);
// "picture.png in /home/somebody": for a message that says where a file is.
std::string in_its_folder(const std::string& path);
// From the root on; as it is given where that cannot be found out.
std::string whole_path_of(const std::string& path);

}  // namespace perturb
