#include "app/io/state/state_reader.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/io/state/hdf5_handle.h"
#include "app/io/state/state_file.h"
#include "app/io/state/state_wire.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

// ---- limits

// In addition to the memory that the process uses when it starts.
constexpr rlim_t max_memory = rlim_t{1} << 30;
// Processor time for everything but the numbers, and the minimum speed that gives the additional time for these.
#if defined(PERTURB_ADDRESS_SANITIZER)
// AddressSanitizer is slow, and reads /proc when an exception is thrown.
constexpr double header_seconds = 5;
constexpr bool may_open_files = true;
#else
constexpr double header_seconds = 0.5;
constexpr bool may_open_files = false;
#endif
constexpr double min_bytes_per_second = 2e7;

template <class Resource>
void limit(Resource resource, rlim_t most) {
  struct rlimit now {};
  if (getrlimit(resource, &now) != 0) return;
  now.rlim_cur = std::min(now.rlim_max, most);
  setrlimit(resource, &now);
}

void limit_memory() {
  unsigned long pages = 0;
  if (std::FILE* own = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(own, "%lu", &pages) != 1) pages = 0;
    std::fclose(own);
  }
  if (pages > 0) limit(RLIMIT_AS, pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + max_memory);
}

// Limits the processor time from now on; the signal at its end kills the process.
void allow_seconds(double seconds) {
  struct itimerval timer {};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec = static_cast<suseconds_t>((seconds - static_cast<double>(timer.it_value.tv_sec)) * 1e6);
  setitimer(ITIMER_PROF, &timer, nullptr);
}

void limit_everything() {
  std::signal(SIGPROF, SIG_DFL);
  std::signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
  limit_memory();
  allow_seconds(header_seconds);
}

// ---- sending

void write_all(const void* bytes, std::size_t count) {
  const char* from = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t n = write(STDOUT_FILENO, from, count);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) _exit(1);  // the parent has closed the pipe
    from += n;
    count -= static_cast<std::size_t>(n);
  }
}

void send(const WirePacker& message) {
  const std::uint64_t size = message.bytes().size();
  write_all(&size, sizeof size);
  write_all(message.bytes().data(), message.bytes().size());
}

[[noreturn]] void send_and_exit(WireKind kind, const Message& why) {
  WirePacker message;
  message.number(kind);
  pack_message(why, message);
  send(message);
  _exit(0);
}

// ---- attributes

constexpr std::size_t max_text = std::size_t{1} << 16, max_parameters = 1000, max_fields = 100;

std::string read_text_value(hid_t attribute, hid_t type, const Message& doing) {
  if (H5Tis_variable_str(type) > 0) {
    char* characters = nullptr;
    const Handle memory(H5Tcopy(H5T_C_S1), H5Tclose, doing);
    checked(H5Tset_size(memory, H5T_VARIABLE), doing);
    checked(H5Tset_cset(memory, H5Tget_cset(type)), doing);
    checked(H5Aread(attribute, memory, &characters), doing);
    const std::string text = characters ? characters : "";
    H5free_memory(characters);
    return text;
  }
  const std::size_t size = H5Tget_size(type);
  if (size > max_text) throw InputError("{}: the text is too long", doing);
  std::string text(size, '\0');
  checked(H5Aread(attribute, type, text.data()), doing);
  return text.substr(0, text.find('\0'));
}

// An attribute as text: numbers in the shortest form that reads back bit for bit.
std::string read_attribute(hid_t object, const std::string& name) {
  const Message doing("reading the attribute {}", name);
  const Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose, doing);
  const Handle space(H5Aget_space(attribute), H5Sclose, doing);
  if (H5Sget_simple_extent_npoints(space) != 1) throw InputError("the attribute {} is not a single value", name);
  const Handle type(H5Aget_type(attribute), H5Tclose, doing);
  char text[40];
  switch (H5Tget_class(type)) {
    case H5T_STRING:
      return read_text_value(attribute, type, doing);
    case H5T_FLOAT: {
      double value = 0;
      checked(H5Aread(attribute, H5T_NATIVE_DOUBLE, &value), doing);
      return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
    }
    case H5T_INTEGER: {
      std::int64_t value = 0;
      checked(H5Aread(attribute, H5T_NATIVE_INT64, &value), doing);
      if (H5Tget_size(type) == 1) return value != 0 ? "true" : "false";
      return std::to_string(value);
    }
    default:
      throw InputError("the attribute {} is neither a number nor a text", name);
  }
}

template <class Number>
Number read_number_attribute(hid_t object, const std::string& name) {
  const std::string text = read_attribute(object, name);
  const char* end = text.data() + text.size();
  Number value = 0;
  const auto result = std::from_chars(text.data(), end, value);
  if (text.empty() || result.ec != std::errc() || result.ptr != end)
    throw InputError("the attribute {} is \"{}\" instead of a number", name, text);
  return value;
}

struct Names {
  std::vector<std::string> list;
  std::size_t most;
  herr_t add(const char* name) {
    if (list.size() >= most) return -1;
    list.emplace_back(name);
    return 0;
  }
};

void read_parameters(hid_t file, State& state) {
  const Handle group(H5Gopen2(file, "parameters", H5P_DEFAULT), H5Gclose, "opening the group of parameters");
  Names names{{}, max_parameters};
  hsize_t position = 0;
  checked(
      H5Aiterate2(
          group, H5_INDEX_NAME, H5_ITER_INC, &position,
          [](hid_t, const char* name, const H5A_info_t*, void* list) { return static_cast<Names*>(list)->add(name); },
          &names),
      "reading the parameters");
  for (const std::string& id : names.list) state.parameters[id] = read_attribute(group, id);
}

// ---- fields

// The names in the file's root, which may contain only fields and the group of parameters, and no links to other
// places.
std::vector<std::string> field_names(hid_t file) {
  Names names{{}, max_fields};
  hsize_t position = 0;
  checked(
      H5Literate(
          file, H5_INDEX_NAME, H5_ITER_INC, &position,
          [](hid_t, const char* name, const H5L_info_t*, void* list) { return static_cast<Names*>(list)->add(name); },
          &names),
      "reading the list of fields");
  std::erase(names.list, "parameters");
  for (const std::string& name : names.list) {
    H5L_info_t info{};
    checked(H5Lget_info(file, name.c_str(), &info, H5P_DEFAULT), {"looking at {}", name});
    if (info.type != H5L_TYPE_HARD)
      throw InputError("its field \"{}\" is a link. Replace the link with the data", name);
    const Handle object(H5Oopen(file, name.c_str(), H5P_DEFAULT), H5Oclose, {"opening {}", name});
    if (H5Iget_type(object) != H5I_DATASET)
      throw InputError("it contains \"{}\", which is not a field. Remove that from the file", name);
  }
  return names.list;
}

ElementType element_type_of(hid_t type, const std::string& name) {
  const std::size_t size = H5Tget_size(type);
  const bool is_real = H5Tget_class(type) == H5T_FLOAT, is_integer = H5Tget_class(type) == H5T_INTEGER;
  const bool is_signed = is_integer && H5Tget_sign(type) == H5T_SGN_2;
  if (is_real && size == 4) return ElementType::float32;
  if (is_real && size == 8) return ElementType::float64;
  if (is_integer && !is_signed && size == 1) return ElementType::uint8;
  if (is_integer && !is_signed && size == 4) return ElementType::uint32;
  if (is_integer && is_signed && size == 8) return ElementType::int64;
  throw InputError("the field {} has an unknown element type", name);
}

// Throws unless the numbers are stored completely in this file, compressed only by filters that every HDF5 has.
void require_plain_storage(hid_t data, const std::string& name, std::size_t bytes) {
  const Message doing("looking at the field {}", name);
  const Handle made(H5Dget_create_plist(data), H5Pclose, doing);
  const H5D_layout_t layout = H5Pget_layout(made);
  const bool plain = layout == H5D_CONTIGUOUS || layout == H5D_CHUNKED || layout == H5D_COMPACT;
  if (!plain || H5Pget_external_count(made) != 0)
    throw InputError("its field \"{}\" is stored in another file. Store the data in this file", name);
  const int filters = H5Pget_nfilters(made);
  for (int k = 0; k < filters; ++k) {
    unsigned flags = 0, configuration = 0;
    std::size_t values = 0;
    const H5Z_filter_t filter =
        H5Pget_filter2(made, static_cast<unsigned>(k), &flags, &values, nullptr, 0, nullptr, &configuration);
    if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_FLETCHER32)
      throw InputError("its field \"{}\" has an unsupported compression. Use gzip or none", name);
  }
  // A damaged header may announce more data than the file can hold, so the stored size is checked. gzip compresses at
  // most 1032 bytes into one.
  constexpr std::size_t max_packed = 1100;
  const hsize_t least = filters > 0 ? 1 + bytes / max_packed : bytes;
  const bool stored = bytes == 0 || H5Dget_storage_size(data) >= least;
  if (!stored) throw InputError("the field {} is incomplete", name);
}

Handle open_field(hid_t file, const std::string& name) {
  const Message doing("opening the field {}", name);
  const Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose, doing);
  // Memory for a row of chunks, so that none is decompressed twice.
  checked(H5Pset_chunk_cache(access, 12421, std::size_t{1} << 28, 1), doing);
  return {H5Dopen2(file, name.c_str(), access), H5Dclose, doing};
}

Dataset read_shape(hid_t file, const std::string& name) {
  const Message doing("reading the field {}", name);
  const Handle data = open_field(file, name);
  const Handle type(H5Dget_type(data), H5Tclose, doing);
  const Handle space(H5Dget_space(data), H5Sclose, doing);
  Dataset dataset;
  dataset.type = element_type_of(type, name);
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank < 0) throw InputError("the field {} has no shape", name);
  std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
  if (rank > 0) checked(H5Sget_simple_extent_dims(space, extents.data(), nullptr), doing);
  dataset.shape.assign(extents.begin(), extents.end());
  require_plain_storage(data, name, bytes_of(name, dataset.type, dataset.shape));
  if (H5Aexists(data, "unit") > 0) dataset.unit = read_attribute(data, "unit");
  return dataset;
}

// Calls `body(start, count)` for boxes of at most `most` elements that together cover the whole, in the storage order
// of the elements.
template <class F>
void for_each_box(const std::vector<hsize_t>& shape, hsize_t most, const F& body) {
  // Each box spans all dimensions after `split` completely, and has a single index in those before it.
  std::size_t split = shape.size();
  hsize_t inner = 1;
  while (split > 0 && inner * shape[split - 1] <= most) inner *= shape[--split];
  if (split == 0) return body(std::vector<hsize_t>(shape.size(), 0), shape);
  --split;
  const hsize_t thick = std::max<hsize_t>(1, most / inner);
  std::vector<hsize_t> start(shape.size(), 0), count = shape;
  std::fill_n(count.begin(), split, 1);
  for (;;) {
    count[split] = std::min(thick, shape[split] - start[split]);
    body(start, count);
    start[split] += count[split];
    std::size_t k = split;
    while (start[k] >= shape[k]) {
      start[k] = 0;
      if (k-- == 0) return;
      ++start[k];
    }
  }
}

void send_dataset(hid_t file, const std::string& name, const Dataset& dataset) {
  const Message doing("reading the field {}", name);
  const std::size_t bytes = bytes_of(name, dataset.type, dataset.shape);
  if (bytes == 0) return;
  allow_seconds(header_seconds + static_cast<double>(bytes) / min_bytes_per_second);
  const Handle data = open_field(file, name);
  const Handle space(H5Dget_space(data), H5Sclose, doing);
  constexpr std::size_t piece_bytes = std::size_t{1} << 20;
  std::vector<std::byte> piece(std::min(bytes, piece_bytes));
  const std::vector<hsize_t> shape(dataset.shape.begin(), dataset.shape.end());
  for_each_box(shape, piece_bytes / size_of(dataset.type), [&](const auto& start, const auto& count) {
    hsize_t elements = 1;
    for (const hsize_t extent : count) elements *= extent;
    const Handle box(H5Screate_simple(1, &elements, nullptr), H5Sclose, doing);
    if (!shape.empty())
      checked(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), doing);
    checked(H5Dread(data, native_type(dataset.type), box, space, H5P_DEFAULT, piece.data()), doing);
    write_all(piece.data(), elements * size_of(dataset.type));
  });
}

// ---- whole file

State read_header(hid_t file) {
  if (H5Aexists(file, "format") <= 0 || read_attribute(file, "format") != state_format_name)
    throw InputError(
        "it is an HDF5 file, but not one that Perturb saved (it has no attribute format = \"perturb-state\")");
  const auto version = read_number_attribute<std::int64_t>(file, "format_version");
  if (version > state_format_version)
    throw InputError("a newer version of Perturb wrote it (format {}; this version reads up to {}). Update Perturb",
                     version, state_format_version);
  State state;
  state.simulation = read_attribute(file, "simulation");
  state.preset = read_attribute(file, "preset");
  state.steps = read_number_attribute<std::int64_t>(file, "steps");
  state.time = read_number_attribute<double>(file, "time");
  state.seed = read_number_attribute<std::uint32_t>(file, "seed");
  state.width = read_number_attribute<int>(file, "width");
  state.height = read_number_attribute<int>(file, "height");
  if (H5Aexists(file, "kernel") > 0) state.kernel = read_attribute(file, "kernel");
  read_parameters(file, state);
  for (const std::string& name : field_names(file)) state.datasets[name] = read_shape(file, name);
  return state;
}

// A failure here can no longer be reported: the numbers end too early, and the parent notices that.
void send_datasets(hid_t file, const State& state) noexcept {
  try {
    for (const auto& [name, dataset] : state.datasets) send_dataset(file, name, dataset);
  } catch (const std::exception&) {
    _exit(1);
  }
}

void read_and_send() {
  // Only writers need locks; some network disks do not support them and refuse access.
  setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);
  quiet_hdf5();
  checked(H5PLset_loading_state(0), "starting HDF5");
  constexpr const char* path = "/proc/self/fd/0";
  const htri_t is_hdf5 = H5Fis_hdf5(path);
  if (is_hdf5 == 0)
    throw InputError("it is not an HDF5 file, or its start is damaged. Choose a state saved by Perturb");
  const Handle file(H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, "opening it");
  // Prevents opening any other file, whatever this one contains.
  if (!may_open_files) limit(RLIMIT_NOFILE, 0);
  const State state = read_header(file);
  WirePacker message;
  message.number(WireKind::state);
  pack_header(state, message);
  send(message);
  send_datasets(file, state);
  _exit(0);
}

}  // namespace

bool is_state_reader(int argc, char** argv) { return argc == 2 && std::string_view(argv[1]) == state_reader_argument; }

void serve_as_state_reader() {
  limit_everything();
  try {
    read_and_send();
  } catch (const InputError& error) {
    send_and_exit(WireKind::rejected, error.message());
  } catch (const std::exception& error) {
    send_and_exit(WireKind::damaged, message_of(error));
  }
  _exit(1);
}

// ---- parent's side

namespace {

// In milliseconds: a disk may have to spin up. The reader's own limits are in processor time and much lower.
constexpr int max_silence_ms = 60000;

[[noreturn]] void throw_no_process(int why) {
  throw Error("the process that reads it cannot be started ({}). Close some programs", std::strerror(why));
}

}  // namespace

ReaderProcess::ReaderProcess(int file) {
  int made[2];
  if (pipe2(made, O_CLOEXEC) != 0) throw_no_process(errno);
  pipe_ = Descriptor(made[0]);
  const Descriptor output(made[1]);
#ifdef F_SETPIPE_SZ
  (void)!fcntl(pipe_.id(), F_SETPIPE_SZ, 1 << 20);  // faster; may be forbidden
#endif
  if (const int failure =
          child_.start({"/proc/self/exe", {"perturb", state_reader_argument}, {file, output.id(), no_file}}))
    throw_no_process(failure);
}

bool ReaderProcess::read(std::span<std::byte> into) {
  while (!into.empty()) {
    struct pollfd waited {
      pipe_.id(), POLLIN, 0
    };
    const int ready = poll(&waited, 1, max_silence_ms);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) silent_ = true;
    if (ready <= 0) return false;
    const ssize_t n = ::read(pipe_.id(), into.data(), into.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    into = into.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

Message ReaderProcess::ending() {
  if (silent_) return "the disk did not respond for a minute";
  const int status = child_.kill_and_wait();  // a signal has no effect if it has ended
  if (!WIFSIGNALED(status)) return "HDF5 failed";
  if (WTERMSIG(status) == SIGPROF) return "HDF5 did not finish";
  return {"HDF5 failed: {}", strsignal(WTERMSIG(status))};
}

}  // namespace perturb
