// The box in which a file or a folder is chosen: what it lists, and the state that is saved under the name chosen.
#pragma once

#include <string>

#include "app/session/conversation.h"
#include "app/session/output_folders.h"

namespace perturb {

class FileChooser {
 public:
  FileChooser(Conversation& conversation, UiState& state, OutputFolders& output)
      : conversation_(conversation), state_(state), output_(output) {}

  bool hear(UiCommand command);
  void hear(const ListFolder& wanted) { list(wanted.folder); }
  void hear(const SaveStateAs& wanted);

 private:
  using Purpose = FileBrowsing::Purpose;
  void open(Purpose purpose);
  void list(const std::string& folder);

  Conversation& conversation_;
  UiState& state_;
  OutputFolders& output_;
};

}  // namespace perturb
