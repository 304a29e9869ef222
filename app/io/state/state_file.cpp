#include "app/io/state/state_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/io/files/folders.h"
#include "app/io/files/output.h"
#include "app/io/files/process.h"
#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/main_memory.h"
#include "cuda/core/simulation/catalog.h"

namespace perturb {

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> fallback_folders() {
  std::vector<fs::path> places;
  std::error_code failure;
  if (const fs::path folder = fs::temp_directory_path(failure); !failure) places.push_back(folder);
  if (const char* home = std::getenv("HOME"); home && *home) places.emplace_back(home);
  return places;
}

// Writes the state to a new file in the folder for temporary files or, if that fails, in the home folder. Returns its
// path; empty if both fail. The name is that of `path` with random digits.
std::string save_to_fallback(const std::string& path, const std::function<void(const WriteBytes&)>& produce) {
  for (const fs::path& place : fallback_folders()) {
    const std::string name = fallback_name((place / fs::path(path).filename()).string());
    try {
      replace_file_in_pieces(name, produce, true);  // other users may read the folder for temporary files
      return name;
    } catch (const Error&) {
      // Tries the next folder.
    }
  }
  return "";
}

// ---- reading

// Returns the file's size.
std::uint64_t require_ordinary_file(int file, int failure) {
  struct stat status {};
  if (file < 0 && failure == ENOENT) throw InputError("the file does not exist. Choose a saved state (.perturb)");
  if (file < 0) throw InputError("it is unreadable ({}). Check its permissions", std::strerror(failure));
  if (fstat(file, &status) != 0) throw InputError("it is unreadable");
  if (S_ISDIR(status.st_mode)) throw InputError("it is a folder. Choose a saved state (.perturb)");
  if (!S_ISREG(status.st_mode)) throw InputError("it is not a regular file. Choose a saved state (.perturb)");
  if (status.st_size == 0) throw InputError("the file is empty. Choose a state saved by Perturb");
  return static_cast<std::uint64_t>(status.st_size);
}

// Returns the number of bytes; fewer than requested at the end of the file, which may be truncated meanwhile.
std::size_t read_bytes(int file, std::uint64_t position, std::span<std::byte> bytes) {
  std::size_t got = 0;
  while (got < bytes.size()) {
    const ssize_t n = pread(file, bytes.data() + got, bytes.size() - got, static_cast<off_t>(position + got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw InputError("it is unreadable ({}). Check the disk, or use another copy", std::strerror(errno));
    if (n == 0) break;
    got += static_cast<std::size_t>(n);
  }
  return got;
}

void require_memory_for(const State& header) {
  std::size_t bytes = 0;
  for (const auto& [name, dataset] : header.datasets) bytes += dataset.rows() * dataset.row_bytes();
  constexpr std::size_t small = std::size_t{1} << 26;
  if (bytes <= small) return;
  const std::size_t free = Backend::make_cpu(1)->free_memory();
  if (bytes > free)
    throw InputError(
        "it needs {} of memory, but only {} are free. Close other programs, or use a machine with more memory",
        format_bytes(bytes), format_bytes(free));
}

}  // namespace

void require_state_name(const std::string& path) {
  if (has_ending(path, {"h5", "hdf5"}))
    throw InputError(
        "Cannot save the state to \"{}\": HDF5 files are exports for other programs. Use a name ending with .perturb, "
        "or export the fields with --export (in the window: Ctrl+E).",
        path);
}

void save_state(const State& header, const ReadRows& read, const std::string& path) {
  require_state_name(path);
  const auto produce = [&](const WriteBytes& write) { write_portable_state(header, read, write); };
  try {
    replace_file_in_pieces(path, produce);
  } catch (const Error& error) {
    const std::string other = save_to_fallback(path, produce);
    throw Error(error.message() +
                (other.empty() ? Message("The state was not saved, and no other folder is available.")
                               : Message("The state was saved in \"{}\" instead. Move it to another disk.", other)));
  }
}

void save_state(const State& state, const std::string& path) { save_state(state, state.row_reader(), path); }

double memory_to_save(const SimulationInfo& info, const Setup& setup, double whole) {
  const int width = setup.width > 0 ? setup.width : info.default_width;
  const int height = setup.height > 0 ? setup.height : info.default_height;
  double all = 0;
  State header;
  header.simulation = info.id;
  for (const SavedField& field : catalog_fields(header)) {
    double bytes = 0;
    for (const ElementType type : field.types) bytes = std::max(bytes, static_cast<double>(size_of(type)));
    // Fields with a choice of types are saved as they are computed, in single precision.
    if (field.types.size() > 1) bytes = static_cast<double>(size_of(ElementType::float32));
    for (const Extent& extent : field.shape)
      bytes *= extent.kind == Extent::Kind::width    ? width
               : extent.kind == Extent::Kind::height ? height
                                                     : static_cast<double>(extent.number);
    all += bytes;
  }
  // A state is at most as large as its run; tables have a capacity that most runs do not use. If the memory of the
  // process is limited, the heaps of threads and libraries also count, even unused.
  const double of_band = 64.0 * 8 * width;
  constexpr double of_libraries = 8 << 20, of_threads = 64 << 20;
  return std::min(all, whole) + of_band + of_libraries + (memory_of_process_is_limited() ? of_threads : 0);
}

void require_memory_to_save(const Experiment& experiment) {
  if (memory_of_process_is_limited()) return;  // then too large a request fails with a message
  const Setup& setup = experiment.setup();
  const SimulationInfo& info = find_simulation(setup.simulation);
  const double needed =
      memory_to_save(info, setup, static_cast<double>(info.memory_needed(experiment.backend(), setup)));
  const std::size_t free = main_memory().free;
  if (needed <= static_cast<double>(free)) return;
  throw Error(
      "Cannot save the state: this needs up to {} of memory, but only {} are free. Close other programs and try again.",
      format_bytes(static_cast<std::size_t>(needed)), format_bytes(free));
}

namespace {

// A state may come from another source, so it must not open arbitrary files of this machine. A preset file that it
// names is searched for next to the state. If it is missing, the run continues without that file's title, hint and
// view.
std::string preset_beside(const std::string& preset, const std::string& path) {
  if (!preset.ends_with(".toml")) return preset;
  const fs::path beside = fs::path(path).parent_path() / fs::path(preset).filename();
  std::error_code ignored;
  return fs::is_regular_file(beside, ignored) ? beside.string() : std::string();
}

}  // namespace

State load_state(const std::string& path) { return load_state(path, catalog_fields); }

State load_state(const std::string& path, const SavedFieldsOf& fields_of) {
  try {
    const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    const std::uint64_t size = require_ordinary_file(file.id(), errno);
    const PortableStateReader reader(
        [&file](std::uint64_t position, std::span<std::byte> bytes) { return read_bytes(file.id(), position, bytes); },
        size, fields_of);
    require_memory_for(reader.header());
    State state = reader.header();
    reader.read_fields(state.row_writer());
    state.preset = preset_beside(state.preset, path);
    return state;
  } catch (const InputError& error) {
    throw InputError("Cannot load \"{}\": {}.", path, error.message());
  } catch (const Error& error) {
    throw Error("Cannot load \"{}\": {}.", path, error.message());
  }
}

}  // namespace perturb
