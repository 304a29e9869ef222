#include "app/io/state/state_image.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <sys/mman.h>

#include "app/io/state/checksum.h"
#include "app/io/state/hdf5_handle.h"
#include "app/io/state/state_file.h"
#include "cuda/core/simulation/catalog.h"

namespace perturb {

// Memory of the file, which grows in place: the allocator's realloc holds the old and the new block at once if the
// block is too small for its own mapping.
struct GrowingMemory {
  void* start = nullptr;
  std::size_t size = 0;
};

namespace {

void write_attribute(hid_t object, const std::string& name, hid_t type, const void* value) {
  const Message doing("writing the attribute {}", name);
  const Handle scalar(H5Screate(H5S_SCALAR), H5Sclose, doing);
  const Handle attribute(H5Acreate2(object, name.c_str(), type, scalar, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, doing);
  checked(H5Awrite(attribute, type, value), doing);
}

// Writes text of fixed length: text of variable length is stored in a separate heap, and reading a damaged heap crashes
// HDF5.
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
  } else if (kind != ValueKind::choice && read_number(text, real)) {
    write_real(group, id, real);
  } else {
    write_text(group, id, text);
  }
}

// Properties for creating an object: without times, and with all attributes and links in its own header, because heaps
// and trees are more vulnerable to damage.
Handle creation(hid_t object_class) {
  const Message doing = "preparing the file";
  Handle properties(H5Pcreate(object_class), H5Pclose, doing);
  constexpr unsigned many = 1000;
  checked(H5Pset_obj_track_times(properties, false), doing);
  checked(H5Pset_attr_phase_change(properties, many, 0), doing);
  if (object_class != H5P_DATASET_CREATE) checked(H5Pset_link_phase_change(properties, many, 0), doing);
  return properties;
}

void write_dataset(hid_t file, const std::string& name, const Dataset& dataset) {
  const Message doing("writing the field {}", name);
  const std::vector<hsize_t> extents(dataset.shape.begin(), dataset.shape.end());
  const Handle space(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), H5Sclose, doing);
  const hid_t type = native_type(dataset.type);
  const Handle made = creation(H5P_DATASET_CREATE);
  const Handle data(H5Dcreate2(file, name.c_str(), type, space, H5P_DEFAULT, made, H5P_DEFAULT), H5Dclose, doing);
  if (dataset.count() > 0) checked(H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, dataset.bytes.data()), doing);
  write_text(data, "unit", dataset.unit);
}

// `consumed`: the same state, whose fields may be released once they are written; or null.
void write_state(hid_t file, const State& state, State* consumed) {
  write_text(file, "format", state_format_name);
  write_integer(file, "format_version", state_format_version);
  write_text(file, "program_version", PERTURB_VERSION);
  write_text(file, "simulation", state.simulation);
  write_text(file, "preset", state.preset);
  write_integer(file, "steps", state.steps);
  write_real(file, "time", state.time);
  write_integer(file, "seed", state.seed);
  write_integer(file, "width", state.width);
  write_integer(file, "height", state.height);
  if (!state.kernel.empty()) write_text(file, "kernel", state.kernel);
  {
    const Handle made = creation(H5P_GROUP_CREATE);
    const Handle group(H5Gcreate2(file, "parameters", H5P_DEFAULT, made, H5P_DEFAULT), H5Gclose,
                       "writing the parameters");
    for (const auto& [id, text] : state.parameters) write_parameter(group, id, text, kind_of(state, id));
  }
  for (const auto& [name, dataset] : state.datasets) {
    write_dataset(file, name, dataset);
    if (consumed) std::vector<std::byte>().swap(consumed->datasets[name].bytes);
  }
  checked(H5Fflush(file, H5F_SCOPE_LOCAL), "finishing the file");
}

void* grow(void* start, size_t size, H5FD_file_image_op_t, void* memory_of_file) {
  auto& memory = *static_cast<GrowingMemory*>(memory_of_file);
  void* const grown = start ? mremap(start, memory.size, size, MREMAP_MAYMOVE)
                            : mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (grown == MAP_FAILED) return nullptr;
  memory = {grown, size};
  return grown;
}
void* allocate(size_t size, H5FD_file_image_op_t op, void* memory_of_file) {
  return grow(nullptr, size, op, memory_of_file);
}
herr_t release(void* start, H5FD_file_image_op_t, void* memory_of_file) {
  auto& memory = *static_cast<GrowingMemory*>(memory_of_file);
  if (start) {
    munmap(start, memory.size);
    memory = {};
  }
  return 0;
}
void* copy_bytes(void* to, const void* from, size_t size, H5FD_file_image_op_t, void*) {
  return std::memcpy(to, from, size);
}
// HDF5 copies property lists. All copies of one file share its memory, which outlives them.
void* same_memory(void* memory_of_file) { return memory_of_file; }
herr_t keep_memory(void*) { return 0; }

Handle in_memory(GrowingMemory& memory) {
  const Message doing = "preparing the file";
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, doing);
  H5FD_file_image_callbacks_t callbacks = {allocate, copy_bytes, grow, release, same_memory, keep_memory, &memory};
  checked(H5Pset_file_image_callbacks(access, &callbacks), doing);
  constexpr std::size_t step = std::size_t{1} << 20;
  checked(H5Pset_fapl_core(access, step, false), doing);
  checked(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18), doing);
  return access;
}

Handle make_file(hid_t access) {
  const Handle made = creation(H5P_FILE_CREATE);
  checked(H5Pset_userblock(made, checksum_header_bytes), "preparing the file");
  // The file is never created on disk, but HDF5 treats two files with the same name as one, and refuses to create it
  // while the other is open.
  static std::uint64_t number = 0;
  const std::string name = "state in memory " + std::to_string(++number);
  return {H5Fcreate(name.c_str(), H5F_ACC_TRUNC, made, access), H5Fclose, "making the file"};
}

// End of the file as stored in its superblock (version 2, as set by the bounds above; HDF5 File Format Specification,
// II.A). Some versions of HDF5's own functions include the block before it, others do not.
std::size_t stored_end(const std::byte* file) {
  const std::byte* const superblock = file + checksum_header_bytes;
  constexpr std::size_t version_at = 8, end_at = 28;
  if (superblock[version_at] != std::byte{2}) throw Error("this version of HDF5 writes an unexpected file format");
  std::uint64_t end = 0;
  std::memcpy(&end, superblock + end_at, sizeof end);
  return end;
}

}  // namespace

struct StateImage::Parts {
  GrowingMemory memory;  // must outlive the file, and HDF5's copies of `access`
  Handle access = in_memory(memory);
  Handle file = make_file(access);
  std::span<std::byte> bytes;
};

StateImage::StateImage(const State& state) { make(state, nullptr); }
StateImage::StateImage(State&& state) { make(state, &state); }

void StateImage::make(const State& state, State* consumed) {
  const Hdf5Lock lock;
  quiet_hdf5();
  parts_ = std::make_unique<Parts>();
  Handle& file = parts_->file;
  try {
    write_state(file, state, consumed);
    // Uses the bytes in HDF5's driver directly: a copy would hold the state three times.
    void** memory = nullptr;
    checked(H5Fget_vfd_handle(file, parts_->access, reinterpret_cast<void**>(&memory)), "finishing the file");
    std::byte* const bytes = static_cast<std::byte*>(*memory);
    parts_->bytes = {bytes, stored_end(bytes)};
  } catch (const Error&) {
    // An incomplete file must not be closed: HDF5 would try to complete it, and crash.
    file.abandon();
    parts_.reset();  // while this thread holds the lock
    throw;
  }
  write_checksum_header(parts_->bytes);
}

StateImage::~StateImage() {
  const Hdf5Lock lock;
  parts_.reset();
}

std::span<const std::byte> StateImage::bytes() const { return parts_->bytes; }

}  // namespace perturb
