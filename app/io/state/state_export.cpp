#include "app/io/state/state_export.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <hdf5.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/io/files/folders.h"
#include "app/io/files/output.h"
#include "app/io/files/process.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/catalog.h"

namespace perturb {

namespace fs = std::filesystem;

namespace {

// ---- HDF5's objects

// Throws Error if an HDF5 call has failed. The message says what was being done: HDF5's own messages describe its
// internals and do not help the user.
template <class Code>
Code checked(Code code, const Message& doing) {
  if (code < 0) {
    H5Eclear2(H5E_DEFAULT);
    throw Error("{}: HDF5 failed", doing);
  }
  return code;
}

// Owns any HDF5 object, and closes it.
class Handle {
 public:
  Handle(hid_t id, herr_t (*closer)(hid_t), const Message& doing) : id_(checked(id, doing)), close_(closer) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  // Releases ownership without closing.
  hid_t release() { return std::exchange(id_, -1); }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

// No output to stderr, because failures become messages here; no clean-up at exit, which may crash after a failure.
void quiet_hdf5() {
  static const bool first = [] { return H5dont_atexit() >= 0; }();
  (void)first;
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

hid_t native_type(ElementType type) {
  switch (type) {
    case ElementType::float32:
      return H5T_NATIVE_FLOAT;
    case ElementType::float64:
      return H5T_NATIVE_DOUBLE;
    case ElementType::uint8:
      return H5T_NATIVE_UINT8;
    case ElementType::uint32:
      return H5T_NATIVE_UINT32;
    case ElementType::int64:
      return H5T_NATIVE_INT64;
  }
  return H5T_NATIVE_FLOAT;
}

void write_attribute(hid_t object, const std::string& name, hid_t type, const void* value) {
  const Message doing("writing the attribute {}", name);
  const Handle scalar(H5Screate(H5S_SCALAR), H5Sclose, doing);
  const Handle attribute(H5Acreate2(object, name.c_str(), type, scalar, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, doing);
  checked(H5Awrite(attribute, type, value), doing);
}

// Fixed length: text of variable length would be stored in a heap.
void write_text(hid_t object, const std::string& name, const std::string& text) {
  const Message doing("writing the attribute {}", name);
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose, doing);
  checked(H5Tset_size(type, std::max<std::size_t>(1, text.size())), doing);
  checked(H5Tset_strpad(type, H5T_STR_NULLPAD), doing);
  checked(H5Tset_cset(type, H5T_CSET_UTF8), doing);
  write_attribute(object, name, type, text.c_str());
}

void write_integer(hid_t object, const std::string& name, std::int64_t value) {
  write_attribute(object, name, H5T_NATIVE_INT64, &value);
}

void write_real(hid_t object, const std::string& name, double value) {
  write_attribute(object, name, H5T_NATIVE_DOUBLE, &value);
}

template <class Number>
bool read_number(const std::string& text, Number& value) {
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc() && result.ptr == end && !text.empty();
}

// The type of a parameter's value according to its table entry; real if there is none.
ValueKind kind_of(const State& state, const std::string& id) {
  for (const SimulationInfo* info : catalog())
    if (info->id == state.simulation)
      for (const Parameter& p : info->parameters)
        if (p.id == id) return p.kind;
  return ValueKind::real;
}

void write_parameter(hid_t group, const std::string& id, const std::string& text, ValueKind kind) {
  double real = 0;
  std::int64_t whole = 0;
  if (text == "true" || text == "false") {
    const signed char truth = text == "true" ? 1 : 0;
    write_attribute(group, id, H5T_NATIVE_INT8, &truth);
  } else if (kind == ValueKind::integer && read_number(text, whole)) {
    write_integer(group, id, whole);
  } else if (kind != ValueKind::choice && kind != ValueKind::formula && read_number(text, real)) {
    write_real(group, id, real);
  } else {
    write_text(group, id, text);
  }
}

// ---- the file without the fields' bytes

// Bytes of a field in the file.
struct FieldRange {
  std::string name;
  std::uint64_t position, size;
};

// Properties for creating an object: without times, so that the same state gives the same bytes, and with all
// attributes and links in its own header.
Handle creation(hid_t object_class) {
  const Message doing = "preparing the file";
  Handle properties(H5Pcreate(object_class), H5Pclose, doing);
  constexpr unsigned many = 1000;
  checked(H5Pset_obj_track_times(properties, false), doing);
  checked(H5Pset_attr_phase_change(properties, many, 0), doing);
  if (object_class != H5P_DATASET_CREATE) checked(H5Pset_link_phase_change(properties, many, 0), doing);
  return properties;
}

// Reserves the field's bytes in the file without writing them.
FieldRange make_field(hid_t file, const std::string& name, const Dataset& dataset) {
  const Message doing("writing the field {}", name);
  const std::vector<hsize_t> extents(dataset.shape.begin(), dataset.shape.end());
  const Handle space(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), H5Sclose, doing);
  const Handle made = creation(H5P_DATASET_CREATE);
  checked(H5Pset_alloc_time(made, H5D_ALLOC_TIME_EARLY), doing);
  checked(H5Pset_fill_time(made, H5D_FILL_TIME_NEVER), doing);
  const Handle data(H5Dcreate2(file, name.c_str(), native_type(dataset.type), space, H5P_DEFAULT, made, H5P_DEFAULT),
                    H5Dclose, doing);
  write_text(data, "unit", dataset.unit);
  return {name, H5Dget_offset(data), dataset.rows() * dataset.row_bytes()};
}

// Returns the ranges of the fields in the order of the file.
std::vector<FieldRange> write_structure(hid_t file, const State& header) {
  write_text(file, "format", "perturb-state");
  write_integer(file, "format_version", 1);
  write_text(file, "program_version", PERTURB_VERSION);
  write_text(file, "simulation", header.simulation);
  write_text(file, "preset", header.preset);
  write_integer(file, "steps", header.steps);
  write_real(file, "time", header.time);
  write_integer(file, "seed", header.seed);
  write_integer(file, "width", header.width);
  write_integer(file, "height", header.height);
  if (!header.kernel.empty()) write_text(file, "kernel", header.kernel);
  {
    const Handle made = creation(H5P_GROUP_CREATE);
    const Handle group(H5Gcreate2(file, "parameters", H5P_DEFAULT, made, H5P_DEFAULT), H5Gclose,
                       "writing the parameters");
    for (const auto& [id, text] : header.parameters) write_parameter(group, id, text, kind_of(header, id));
  }
  std::vector<FieldRange> ranges;
  for (const auto& [name, dataset] : header.datasets) ranges.push_back(make_field(file, name, dataset));
  std::erase_if(ranges, [](const FieldRange& range) { return range.size == 0; });
  std::ranges::sort(ranges, {}, &FieldRange::position);
  return ranges;
}

// The file as HDF5 writes it, in memory: HDF5 does not notice a full disk. The bytes of the fields are holes, which
// take no memory.
class Structure {
 public:
  explicit Structure(const State& header) {
    quiet_hdf5();
    const Message doing = "preparing the file";
    const Handle made = creation(H5P_FILE_CREATE), access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, doing);
    checked(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18), doing);
    const fs::path shared_memory = "/dev/shm";  // HDF5 opens files by name only, so memfd_create does not serve
    std::error_code ignored;
    std::string path = ((fs::is_directory(shared_memory, ignored) ? shared_memory : fs::temp_directory_path(ignored)) /
                        "export-XXXXXX")
                           .string();
    memory_ = Descriptor(mkostemp(path.data(), O_CLOEXEC));
    if (!memory_) throw Error("{}: {}", doing, std::strerror(errno));
    const hid_t made_file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, made, access);
    unlink(path.c_str());
    Handle file(made_file, H5Fclose, doing);
    try {
      fields_ = write_structure(file, header);
      checked(H5Fflush(file, H5F_SCOPE_LOCAL), "finishing the file");
    } catch (const Error&) {
      file.release();  // closing an incomplete file may crash
      throw;
    }
    checked(H5Fclose(file.release()), "finishing the file");
    struct stat status {};
    if (fstat(memory_.id(), &status) == 0) size_ = static_cast<std::uint64_t>(status.st_size);
  }

  const std::vector<FieldRange>& fields() const { return fields_; }
  std::uint64_t size() const { return size_; }
  void copy(std::uint64_t from, std::uint64_t to, const WriteBytes& write) const {
    std::vector<std::byte> piece(std::min<std::uint64_t>(to - from, 65536));
    while (from < to) {
      piece.resize(std::min<std::uint64_t>(piece.size(), to - from));
      const ssize_t n = pread(memory_.id(), piece.data(), piece.size(), static_cast<off_t>(from));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) throw Error("finishing the file: HDF5 failed");
      write(std::span(piece).first(static_cast<std::size_t>(n)));
      from += static_cast<std::uint64_t>(n);
    }
  }

 private:
  Descriptor memory_;
  std::vector<FieldRange> fields_;
  std::uint64_t size_ = 0;
};

// A limit that the fields exceed applies to the structure too, of which HDF5 would only say that it failed.
void require_allowed_size(const State& header, const std::string& path) {
  std::uint64_t bytes = 0;
  for (const auto& [name, dataset] : header.datasets) bytes += dataset.rows() * dataset.row_bytes();
  struct rlimit limit {};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && bytes > limit.rlim_cur) throw Error(cannot_write(path, EFBIG));
}

Structure structure_of(const State& header, const std::string& path) {
  try {
    return Structure(header);
  } catch (const Error& error) {
    throw Error("Cannot export the fields to \"{}\": not enough memory ({}). Close other programs and try again.", path,
                error.message());
  }
}

void write_rows(const Dataset& dataset, const std::string& name, const ReadRows& read, const WriteBytes& write) {
  constexpr std::size_t piece_bytes = std::size_t{1} << 20;
  const std::size_t most = std::max<std::size_t>(1, piece_bytes / dataset.row_bytes()), rows = dataset.rows();
  std::vector<std::byte> piece;
  for (std::size_t first = 0; first < rows; first += most) {
    piece.resize(std::min(most, rows - first) * dataset.row_bytes());
    read(name, first, piece);
    write(piece);
  }
}

}  // namespace

void require_export_name(const std::string& path) {
  if (!has_ending(path, {"h5", "hdf5"}))
    throw InputError("Cannot export the fields to \"{}\": the name must end with .h5.", path);
}

void export_state(const State& header, const ReadRows& read, const std::string& path) {
  require_export_name(path);
  require_allowed_size(header, path);
  const Structure structure = structure_of(header, path);
  replace_file_in_pieces(path, [&](const WriteBytes& write) {
    std::uint64_t position = 0;
    for (const FieldRange& field : structure.fields()) {
      structure.copy(position, field.position, write);
      write_rows(header.datasets.at(field.name), field.name, read, write);
      position = field.position + field.size;
    }
    structure.copy(position, structure.size(), write);
  });
}

void export_state(const State& state, const std::string& path) { export_state(state, state.row_reader(), path); }

}  // namespace perturb
