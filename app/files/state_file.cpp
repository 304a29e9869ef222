#include "app/files/state_file.h"

#include <charconv>
#include <filesystem>
#include <limits>
#include <utility>

#include <hdf5.h>

#include "app/files/output.h"
#include "cuda/core/catalog.h"

namespace perturb {

namespace {

constexpr const char* format_name = "perturb-state";

// HDF5's own words for what went wrong last: the innermost entry of its error stack.
std::string hdf5_words() {
  std::string words;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned n, const H5E_error2_t* entry, void* text) -> herr_t {
        if (n == 0 && entry->desc) *static_cast<std::string*>(text) = entry->desc;
        return 0;
      },
      &words);
  H5Eclear2(H5E_DEFAULT);
  return words.empty() ? "no reason was given" : words;
}

// A call into HDF5 that did not succeed; the callers below turn it into a sentence with the file's name.
class Hdf5Error : public Error {
 public:
  explicit Hdf5Error(const std::string& doing) : Error(doing + ": " + hdf5_words()) {}
};

template <class Code>
Code checked(Code code, const std::string& doing) {
  if (code < 0) throw Hdf5Error(doing);
  return code;
}

// Owns any HDF5 object, and closes it.
class Handle {
 public:
  Handle(hid_t id, herr_t (*closer)(hid_t), const std::string& doing) : id_(checked(id, doing)), close_(closer) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  // Closes now, where a failure can still be told: a file's last bytes are written when it is closed.
  void close(const std::string& doing) { checked(close_(std::exchange(id_, -1)), doing); }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

// HDF5 prints every failure to stderr unless told otherwise; here they become sentences.
void silence() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

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

// ---- writing

void write_attribute(hid_t object, const std::string& name, hid_t type, const void* value) {
  const std::string doing = "writing the attribute " + name;
  const Handle scalar(H5Screate(H5S_SCALAR), H5Sclose, doing);
  const Handle attribute(H5Acreate2(object, name.c_str(), type, scalar, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, doing);
  checked(H5Awrite(attribute, type, value), doing);
}

void write_text(hid_t object, const std::string& name, const std::string& text) {
  // Variable length and UTF-8, which h5py shows as an ordinary str.
  const std::string doing = "writing the attribute " + name;
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose, doing);
  checked(H5Tset_size(type, H5T_VARIABLE), doing);
  checked(H5Tset_cset(type, H5T_CSET_UTF8), doing);
  const char* characters = text.c_str();
  write_attribute(object, name, type, &characters);
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

// What kind of number a parameter is, as its record tells; real where there is no such record.
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

void write_dataset(hid_t file, const std::string& name, const Dataset& dataset) {
  const std::string doing = "writing the field " + name;
  const std::vector<hsize_t> extents(dataset.shape.begin(), dataset.shape.end());
  const Handle space(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), H5Sclose, doing);
  const hid_t type = native_type(dataset.type);
  const Handle data(H5Dcreate2(file, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose,
                    doing);
  if (dataset.count() > 0) checked(H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, dataset.bytes.data()), doing);
  write_text(data, "unit", dataset.unit);
}

void write_file(const State& state, const std::string& path) {
  Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose, "making the file");
  write_text(file, "format", format_name);
  write_integer(file, "format_version", state_format_version);
  write_text(file, "program_version", PERTURB_VERSION);
  write_text(file, "simulation", state.simulation);
  write_text(file, "preset", state.preset);
  write_integer(file, "steps", state.steps);
  write_real(file, "time", state.time);
  write_integer(file, "seed", state.seed);
  write_integer(file, "width", state.width);
  write_integer(file, "height", state.height);
  {
    const Handle group(H5Gcreate2(file, "parameters", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose,
                       "writing the parameters");
    for (const auto& [id, text] : state.parameters) write_parameter(group, id, text, kind_of(state, id));
  }
  for (const auto& [name, dataset] : state.datasets) write_dataset(file, name, dataset);
  file.close("writing the last bytes");
}

// ---- reading

std::string read_text_value(hid_t attribute, hid_t type, const std::string& doing) {
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
  // Fixed length, as MATLAB writes it.
  std::string text(H5Tget_size(type), '\0');
  checked(H5Aread(attribute, type, text.data()), doing);
  return text.substr(0, text.find('\0'));
}

// An attribute as text: numbers in the shortest form that reads back to the same bits.
std::string read_attribute(hid_t object, const std::string& name) {
  const std::string doing = "reading the attribute " + name;
  const Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose, doing);
  const Handle space(H5Aget_space(attribute), H5Sclose, doing);
  if (H5Sget_simple_extent_npoints(space) != 1) throw InputError("the attribute " + name + " is not a single value");
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
      throw InputError("the attribute " + name + " is neither a number nor a text");
  }
}

template <class Number>
Number read_number_attribute(hid_t object, const std::string& name) {
  const std::string text = read_attribute(object, name);
  Number value = 0;
  if (!read_number(text, value))
    throw InputError("the attribute " + name + " is \"" + text + "\", which is no such number");
  return value;
}

Dataset read_dataset(hid_t file, const std::string& name) {
  const std::string doing = "reading the field " + name;
  const Handle data(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose, doing);
  const Handle type(H5Dget_type(data), H5Tclose, doing);
  const Handle space(H5Dget_space(data), H5Sclose, doing);
  const Handle layout(H5Dget_create_plist(data), H5Pclose, doing);
  Dataset dataset;

  const std::size_t size = H5Tget_size(type);
  const bool is_real = H5Tget_class(type) == H5T_FLOAT, is_integer = H5Tget_class(type) == H5T_INTEGER;
  const bool is_signed = is_integer && H5Tget_sign(type) == H5T_SGN_2;
  if (is_real && size == 4)
    dataset.type = ElementType::float32;
  else if (is_real && size == 8)
    dataset.type = ElementType::float64;
  else if (is_integer && !is_signed && size == 1)
    dataset.type = ElementType::uint8;
  else if (is_integer && !is_signed && size == 4)
    dataset.type = ElementType::uint32;
  else if (is_integer && is_signed && size == 8)
    dataset.type = ElementType::int64;
  else
    throw InputError("the field " + name + " holds elements of a type that no Perturb writes");

  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank < 0) throw InputError("the field " + name + " has no shape");
  std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
  if (rank > 0) checked(H5Sget_simple_extent_dims(space, extents.data(), nullptr), doing);
  std::size_t bytes = size_of(dataset.type);
  for (const hsize_t extent : extents) {
    if (extent != 0 && bytes > std::numeric_limits<std::size_t>::max() / 2 / extent)
      throw InputError("the field " + name + " has an impossible shape");
    bytes *= extent;
    dataset.shape.push_back(extent);
  }
  // A damaged header may promise more than the file can hold: believe what is stored, before taking memory for it.
  if (H5Pget_layout(layout) == H5D_CONTIGUOUS && H5Dget_storage_size(data) < bytes)
    throw InputError("the field " + name + " is not complete");
  dataset.bytes.resize(bytes);
  if (bytes > 0)
    checked(H5Dread(data, native_type(dataset.type), H5S_ALL, H5S_ALL, H5P_DEFAULT, dataset.bytes.data()), doing);
  if (H5Aexists(data, "unit") > 0) dataset.unit = read_attribute(data, "unit");
  return dataset;
}

// Calls `body(name)` for each attribute of `object`.
template <class F>
void for_each_attribute(hid_t object, const F& body) {
  std::vector<std::string> names;
  hsize_t position = 0;
  checked(H5Aiterate2(
              object, H5_INDEX_NAME, H5_ITER_INC, &position,
              [](hid_t, const char* name, const H5A_info_t*, void* list) -> herr_t {
                static_cast<std::vector<std::string>*>(list)->push_back(name);
                return 0;
              },
              &names),
          "reading the parameters");
  for (const std::string& name : names) body(name);
}

std::vector<std::string> dataset_names(hid_t file) {
  std::vector<std::string> names;
  hsize_t position = 0;
  checked(H5Literate(
              file, H5_INDEX_NAME, H5_ITER_INC, &position,
              [](hid_t, const char* name, const H5L_info_t*, void* list) -> herr_t {
                static_cast<std::vector<std::string>*>(list)->push_back(name);
                return 0;
              },
              &names),
          "reading the list of fields");
  std::erase_if(names, [&](const std::string& name) {
    const Handle object(H5Oopen(file, name.c_str(), H5P_DEFAULT), H5Oclose, "opening " + name);
    return H5Iget_type(object) != H5I_DATASET;
  });
  return names;
}

State read_file(const std::string& path) {
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, "opening it");
  if (H5Aexists(file, "format") <= 0 || read_attribute(file, "format") != format_name)
    throw InputError(
        "it is an HDF5 file, but not one that Perturb saved (it has no attribute format = \"perturb-state\")");
  const auto version = read_number_attribute<std::int64_t>(file, "format_version");
  if (version > state_format_version)
    throw InputError("it was written by a newer Perturb (format " + std::to_string(version) +
                     "); this one reads up to " + std::to_string(state_format_version) + ": update");

  State state;
  state.simulation = read_attribute(file, "simulation");
  state.preset = read_attribute(file, "preset");
  state.steps = read_number_attribute<std::int64_t>(file, "steps");
  state.time = read_number_attribute<double>(file, "time");
  state.seed = read_number_attribute<std::uint32_t>(file, "seed");
  state.width = read_number_attribute<int>(file, "width");
  state.height = read_number_attribute<int>(file, "height");
  const Handle group(H5Gopen2(file, "parameters", H5P_DEFAULT), H5Gclose, "opening the group of parameters");
  for_each_attribute(group, [&](const std::string& id) { state.parameters[id] = read_attribute(group, id); });
  for (const std::string& name : dataset_names(file)) state.datasets[name] = read_dataset(file, name);
  return state;
}

}  // namespace

void save_state(const State& state, const std::string& path) {
  silence();
  replace_file(path, [&](const std::string& temporary) {
    try {
      write_file(state, temporary);
    } catch (const Hdf5Error& error) {
      throw Error("Could not save the state to \"" + path + "\" (" + error.what() +
                  "). Check that the disk is not full, or name another file.");
    }
  });
}

State load_state(const std::string& path) {
  silence();
  const std::string opening = "Could not load \"" + path + "\": ";
  std::error_code failure;
  if (!std::filesystem::exists(path, failure)) throw InputError(opening + "there is no such file.");
  if (std::filesystem::is_directory(path, failure))
    throw InputError(opening + "it is a folder. Name a saved state (.h5).");
  const htri_t is_hdf5 = H5Fis_hdf5(path.c_str());
  if (is_hdf5 < 0) throw InputError(opening + "it cannot be read (" + hdf5_words() + "). Check its permissions.");
  if (is_hdf5 == 0)
    throw InputError(opening + "it is not an HDF5 file, or its beginning is damaged. Name a state that Perturb saved.");
  try {
    return read_file(path);
  } catch (const Hdf5Error& error) {
    throw InputError(opening + "it is truncated or damaged (" + error.what() + "). Use another copy of it.");
  } catch (const InputError& error) {
    throw InputError(opening + error.what() + ".");
  }
}

}  // namespace perturb
