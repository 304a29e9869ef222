#include "app/io/state/state_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/io/files/output.h"
#include "app/io/state/checksum.h"
#include "app/io/state/portable_state.h"
#include "app/io/state/state_image.h"
#include "app/io/state/state_reader.h"
#include "app/io/state/state_wire.h"
#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/main_memory.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/format.h"

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

}  // namespace

std::string save_to_fallback(const std::string& path, std::span<const std::byte> bytes) {
  for (const fs::path& place : fallback_folders()) {
    const std::string name = fallback_name((place / fs::path(path).filename()).string());
    try {
      replace_file(name, bytes, true);  // other users may read the folder for temporary files
      return name;
    } catch (const Error&) {
      // Tries the next folder.
    }
  }
  return "";
}

namespace {

// ---- writing

// Called when the file cannot be written: throws the error together with the new location of the state.
[[noreturn]] void save_to_fallback_and_throw(const std::string& path, std::span<const std::byte> bytes,
                                             const Message& why) {
  const std::string other = save_to_fallback(path, bytes);
  throw Error(why + (other.empty()
                         ? Message("The state was not saved, and no other folder is available.")
                         : Message("The state was saved in \"{}\" instead. Move it to another disk.", other)));
}

template <class Make>
void save_bytes(const Make& make, const std::string& path) {
  const std::vector<std::byte> bytes = make();
  try {
    replace_file(path, bytes);
  } catch (const Error& error) {
    save_to_fallback_and_throw(path, bytes, error.message());
  }
}

template <class Make>
void save_image(const Make& make, const std::string& path) {
  std::unique_ptr<const StateImage> image;
  try {
    image = make();
  } catch (const Error& error) {
    throw Error("Cannot save the state to \"{}\": not enough memory ({}). Close other programs and try again.", path,
                error.message());
  }
  try {
    replace_file(path, image->bytes());
  } catch (const Error& error) {
    save_to_fallback_and_throw(path, image->bytes(), error.message());
  }
}

// ---- reading

class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : id_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~OpenFile() {
    if (id_ >= 0) close(id_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int id() const { return id_; }

 private:
  int id_;
};

// Returns the file's size.
std::uint64_t require_ordinary_file(int file, int failure) {
  struct stat status {};
  if (file < 0 && failure == ENOENT) throw InputError("the file does not exist. Choose a saved state (.h5)");
  if (file < 0) throw InputError("it is unreadable ({}). Check its permissions", std::strerror(failure));
  if (fstat(file, &status) != 0) throw InputError("it is unreadable");
  if (S_ISDIR(status.st_mode)) throw InputError("it is a folder. Choose a saved state (.h5)");
  if (!S_ISREG(status.st_mode)) throw InputError("it is not a regular file. Choose a saved state (.h5)");
  if (status.st_size == 0) throw InputError("the file is empty. Choose a state saved by Perturb");
  return static_cast<std::uint64_t>(status.st_size);
}

// Reads the beginning of a file that may be truncated meanwhile; returns what is available.
std::vector<std::byte> bytes_at_front(int file, std::uint64_t size) {
  std::vector<std::byte> bytes(size);
  std::size_t got = 0;
  while (got < bytes.size()) {
    const ssize_t n = pread(file, bytes.data() + got, bytes.size() - got, static_cast<off_t>(got));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    got += static_cast<std::size_t>(n);
  }
  bytes.resize(got);
  return bytes;
}

bool is_portable(int file) { return begins_portable_state(bytes_at_front(file, 64)); }

InputError damaged(const Message& why) { return InputError("it is truncated or damaged ({}). Use another copy", why); }

// Receives the first message of the process: everything except the datasets' bytes.
State receive_header(ReaderProcess& reader) {
  std::uint64_t size = 0;
  if (!reader.read(std::as_writable_bytes(std::span(&size, 1)))) throw damaged(reader.ending());
  if (size > max_wire_bytes) throw damaged("its texts are too long");
  std::vector<char> bytes(size);
  if (!reader.read(std::as_writable_bytes(std::span(bytes)))) throw damaged(reader.ending());
  WireUnpacker unpacker(bytes);
  const auto kind = unpacker.number<WireKind>();
  if (kind == WireKind::rejected) throw InputError(unpack_message(unpacker));
  if (kind != WireKind::state) throw damaged(unpack_message(unpacker));
  return unpack_header(unpacker);
}

void require_memory_for(std::uint64_t bytes) {
  constexpr std::uint64_t small = std::uint64_t{1} << 26;
  if (bytes <= small) return;
  const std::size_t free = Backend::make_cpu(1)->free_memory();
  if (bytes > free)
    throw InputError(
        "it needs {} of memory, but only {} are free. Close other programs, or use a machine with more memory",
        format_bytes(bytes), format_bytes(free));
}

void require_fields(const State& header, const std::vector<SavedField>& fields) {
  if (header.width < 0 || header.height < 0) throw InputError("its width or height is negative");
  std::uint64_t bytes = 0;
  for (const auto& [name, dataset] : header.datasets) {
    require_expected(fields, header, name, dataset.type, dataset.shape);
    bytes += bytes_of(name, dataset.type, dataset.shape);
  }
  // Zeros compress a thousandfold: a small file may exceed the memory.
  require_memory_for(bytes);
}

State receive(ReaderProcess& reader, const SavedFieldsOf& fields_of) {
  State state = receive_header(reader);
  require_fields(state, fields_of(state));
  for (auto& [name, dataset] : state.datasets) {
    dataset.bytes.resize(bytes_of(name, dataset.type, dataset.shape));
    if (!reader.read(dataset.bytes)) throw damaged({"reading the field {}: {}", name, reader.ending()});
  }
  return state;
}

std::vector<SavedField> catalog_fields(const State& header) {
  if (const std::vector<SavedField>* fields = find_saved_fields(header.simulation)) return *fields;
  throw InputError("its simulation \"{}\" is unknown. Open it with the version of Perturb that saved it",
                   header.simulation);
}

}  // namespace

void save_state(const State& state, const std::string& path) {
  if (path.ends_with(portable_state_ending))
    save_bytes([&state] { return portable_bytes_of(state); }, path);
  else
    save_image([&state] { return std::make_unique<const StateImage>(state); }, path);
}

void save_state(State&& state, const std::string& path) {
  if (path.ends_with(portable_state_ending))
    save_bytes([&state] { return portable_bytes_of(std::move(state)); }, path);
  else
    save_image([&state] { return std::make_unique<const StateImage>(std::move(state)); }, path);
}

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
  // A state is at most as large as its run; tables have a capacity that most runs do not use. Memory released on the
  // way need not return to the system. If the memory of the process is limited, the heaps of threads and libraries also
  // count, even unused.
  constexpr double of_libraries = 8 << 20, of_threads = 64 << 20;
  return 2 * std::min(all, whole) + of_libraries + (memory_of_process_is_limited() ? of_threads : 0);
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
    const OpenFile file(path);
    const std::uint64_t size = require_ordinary_file(file.id(), errno);
    State state;
    if (is_portable(file.id())) {
      require_memory_for(size);
      state = read_portable_state(bytes_at_front(file.id(), size));
      require_fields(state, fields_of(state));
    } else {
      verify_checksum_header(file.id(), size);
      ReaderProcess reader(file.id());
      state = receive(reader, fields_of);
    }
    state.preset = preset_beside(state.preset, path);
    return state;
  } catch (const InputError& error) {
    throw InputError("Cannot load \"{}\": {}.", path, error.message());
  } catch (const Error& error) {
    throw Error("Cannot load \"{}\": {}.", path, error.message());
  }
}

}  // namespace perturb
