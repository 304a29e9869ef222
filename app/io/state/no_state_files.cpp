// The page has no files: the browser passes bytes (portable_state.h) instead of paths.
#include "app/io/state/state_file.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

[[noreturn]] void throw_no_files(const std::string& path) {
  throw InputError("Cannot access the file \"{}\" in the browser. Save or load the state in the page's menu.", path);
}

}  // namespace

void save_state(const State&, const std::string& path) { throw_no_files(path); }
State load_state(const std::string& path) { throw_no_files(path); }
State load_state(const std::string& path, const SavedFieldsOf&) { throw_no_files(path); }

}  // namespace perturb
