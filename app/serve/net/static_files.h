// The files of a folder as answers of HTTP.
#pragma once

#include <string>

#include "app/serve/net/http_message.h"

namespace perturb {

// Serves the files of a folder, and its index.html for the path of a folder. Files are read anew for each request; an
// entity tag saves the transfer of a file that the browser has (304). Nothing outside the folder is served, neither by
// the path nor through a link, and no file or folder whose name begins with a dot. Any thread.
class StaticFiles {
 public:
  // Throws InputError if the folder does not exist or cannot be read.
  explicit StaticFiles(const std::string& folder);

  // For GET and HEAD; 404, 405 and so on say why there is no file.
  HttpAnswer answer(const HttpRequest& request) const;

  // What every answer of the page needs: the headers that isolate it, without which a browser gives it no threads, and
  // caching only after asking.
  static HttpFields page_fields();

 private:
  std::string root_;  // absolute, without links
};

}  // namespace perturb
