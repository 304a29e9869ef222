// Dialog logic for choosing a file or folder: lists the files, and saves the state under the chosen name.
#pragma once

#include <string>

#include "app/session/output_folders.h"
#include "app/session/run_client.h"

namespace perturb {

class FileChooser {
 public:
  FileChooser(RunClient& client, UiState& state, OutputFolders& output)
      : client_(client), state_(state), output_(output) {}

  bool handle(UiCommand command);
  void handle(const ListFolder& request) { list(request.folder); }
  void handle(const SaveStateAs& request);

 private:
  using Purpose = FileBrowsing::Purpose;
  void open(Purpose purpose);
  void list(const std::string& folder);

  RunClient& client_;
  UiState& state_;
  OutputFolders& output_;
};

}  // namespace perturb
