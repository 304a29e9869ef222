// The files of the page as answers of HTTP: those in the program, or those of a folder that `scripts/web` has made and
// that has the engine for browsers, too.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "app/serve/net/http_message.h"

namespace perturb {

// Any thread.
class PageFiles {
 public:
  // `catalog`: the engine's answer to the call "catalog", which the page needs before it is connected.
  explicit PageFiles(const std::string& catalog);
  // Reads the folder now. Throws InputError if it is none with a page and its engine.
  explicit PageFiles(const std::filesystem::path& folder);

  // For GET and HEAD. `path` "/" is the page itself.
  HttpAnswer answer(const HttpRequest& request) const;
  // What may be read without a code: the form that asks for it, and what browsers read without a cookie.
  static bool is_of_join_page(const std::string& path);

 private:
  std::string index_;
  std::map<std::string, std::string_view, std::less<>> images_;  // PNG, by path
  std::map<std::string, std::string> languages_;                 // texts, by path
  std::map<std::string, std::string> folder_;                    // contents, by path; empty: those in the program
};

}  // namespace perturb
