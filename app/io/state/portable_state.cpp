#include "app/io/state/portable_state.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/io/state/checksum.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/state.h"

namespace perturb {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view portable_prefix = "perturb-portable ";
constexpr int portable_version = 2;
constexpr std::size_t max_first_line = 200;

std::string first_line(int version, std::uint64_t checksum, std::uint64_t header, std::uint64_t bytes) {
  char line[120];
  std::snprintf(line, sizeof line, "xxh64=%016llx header=%llu bytes=%llu\n", static_cast<unsigned long long>(checksum),
                static_cast<unsigned long long>(header), static_cast<unsigned long long>(bytes));
  return std::string(portable_prefix) + (version > 1 ? std::to_string(version) + " " : "") + line;
}

std::uint64_t checksum_of(std::span<const std::byte> bytes, std::uint64_t seed = 0) {
  XxHash64 checksum(seed);
  checksum.add(bytes);
  return checksum.value();
}

InputError damaged(const char* what) { return InputError("it is damaged ({}). Use another copy", what); }
InputError newer_version() { return InputError("a newer version of Perturb saved it. Open it with that version"); }
InputError truncated() { return InputError("it is truncated: its end is missing. Use another copy"); }
InputError wrong_checksum() {
  return InputError("its checksum is wrong: it is damaged, or another program changed it. Use another copy");
}

// ---- bands

std::size_t rows_of_band(const Dataset& dataset) {
  constexpr std::size_t rows = 64, bytes = 4096;
  return std::max(rows, bytes / std::max<std::size_t>(1, dataset.row_bytes()));
}

// Calls `body(first, bytes)` for each band of a field: its first row, and its size without the checksum.
template <class F>
void for_each_band(const Dataset& dataset, const F& body) {
  const std::size_t rows = dataset.rows(), most = rows_of_band(dataset);
  for (std::size_t first = 0; first < rows; first += most)
    body(first, std::min(most, rows - first) * dataset.row_bytes());
}

constexpr std::size_t checksum_bytes = sizeof(std::uint64_t);

// Size of a field in a file of this version; no value if it would not fit into any file.
std::optional<std::uint64_t> stored_size_of(const Dataset& dataset, int version) {
  std::uint64_t bytes = size_of(dataset.type);
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max() / 4;  // leaves room for checksums
  for (const std::size_t extent : dataset.shape) {
    if (extent != 0 && bytes > most / extent) return std::nullopt;
    bytes *= extent;
  }
  if (version == 1 || bytes == 0) return bytes;
  const std::size_t rows = dataset.rows(), most_rows = rows_of_band(dataset);
  return bytes + (rows + most_rows - 1) / most_rows * checksum_bytes;
}

// ---- the header

Json header_of(const State& state) {
  Json header = {{"format", "perturb-portable"},
                 {"format_version", portable_version},
                 {"program_version", PERTURB_VERSION},
                 {"simulation", state.simulation},
                 {"preset", state.preset},
                 {"steps", state.steps},
                 {"time", state.time},
                 {"seed", state.seed},
                 {"width", state.width},
                 {"height", state.height},
                 {"parameters", Json::object()},
                 {"datasets", Json::array()}};
  if (!state.kernel.empty()) header["kernel"] = state.kernel;
  for (const auto& [id, text] : state.parameters) header["parameters"][id] = text;
  for (const auto& [name, dataset] : state.datasets)
    header["datasets"].push_back(
        {{"name", name}, {"type", name_of(dataset.type)}, {"shape", dataset.shape}, {"unit", dataset.unit}});
  return header;
}

ElementType type_called(const std::string& name) {
  for (const auto type :
       {ElementType::float32, ElementType::float64, ElementType::uint8, ElementType::uint32, ElementType::int64})
    if (name == name_of(type)) return type;
  throw InputError("it is damaged: a field has an unknown type. Use another copy");
}

// A text of the header, which messages may quote. Rejects NUL, which would truncate them.
std::string header_text(const Json& json) {
  std::string text = json.get<std::string>();
  if (text.find('\0') != std::string::npos)
    throw InputError("it is damaged: a text contains a NUL character. Use another copy");
  return text;
}

// An integer of the header. A value out of range means damage; the library would truncate it.
template <class Whole>
Whole header_whole(const Json& json) {
  if (!json.is_number_integer()) throw InputError("it is damaged: an integer is missing. Use another copy");
  const bool fits = json.is_number_unsigned() ? std::in_range<Whole>(json.get<std::uint64_t>())
                                              : std::in_range<Whole>(json.get<std::int64_t>());
  if (!fits) throw InputError("it is damaged: an integer is out of range. Use another copy");
  return json.get<Whole>();
}

// The state without the datasets' bytes; checks their shapes against the simulation's fields. Throws nlohmann's errors
// too.
State state_of_header(const Json& header, const SavedFieldsOf& fields_of) {
  State state;
  state.simulation = header_text(header.at("simulation"));
  state.preset = header_text(header.at("preset"));
  state.steps = header_whole<std::int64_t>(header.at("steps"));
  state.time = header.at("time").get<double>();
  state.seed = header_whole<std::uint32_t>(header.at("seed"));
  state.width = header_whole<int>(header.at("width"));
  state.height = header_whole<int>(header.at("height"));
  if (const auto kernel = header.find("kernel"); kernel != header.end()) state.kernel = header_text(*kernel);
  if (state.width < 0 || state.height < 0) throw InputError("its width or height is negative");
  for (const auto& [id, text] : header.at("parameters").items()) {
    header_text(id);
    state.parameters[id] = header_text(text);
  }
  const std::vector<SavedField> fields = fields_of(state);
  for (const Json& one : header.at("datasets")) {
    const std::string name = header_text(one.at("name"));
    Dataset dataset;
    dataset.type = type_called(header_text(one.at("type")));
    for (const Json& extent : one.at("shape")) dataset.shape.push_back(header_whole<std::size_t>(extent));
    dataset.unit = header_text(one.at("unit"));
    require_expected(fields, state, name, dataset.type, dataset.shape);
    if (!state.datasets.try_emplace(name, std::move(dataset)).second) throw damaged("its header cannot be read");
  }
  return state;
}

}  // namespace

std::vector<SavedField> catalog_fields(const State& header) {
  if (const std::vector<SavedField>* fields = find_saved_fields(header.simulation)) return *fields;
  throw InputError("its simulation \"{}\" is unknown. Open it with the version of Perturb that saved it",
                   header.simulation);
}

// ---- writing

void write_portable_state(const State& state, const ReadRows& read, const WriteBytes& write) {
  // Names come from files, and file names need not be UTF-8.
  const std::string header = header_of(state).dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::uint64_t checksum = checksum_of(std::as_bytes(std::span(header)));
  std::uint64_t size = 0;
  for (const auto& [name, dataset] : state.datasets) size += stored_size_of(dataset, portable_version).value();
  const std::string line = first_line(portable_version, checksum, header.size(), size);
  write(std::as_bytes(std::span(line)));
  write(std::as_bytes(std::span(header)));
  std::vector<std::byte> band;
  std::uint64_t seed = checksum;
  for (const auto& one : state.datasets) {
    const std::string& name = one.first;
    for_each_band(one.second, [&](std::size_t first, std::size_t bytes) {
      band.resize(bytes + checksum_bytes);
      const std::span<std::byte> rows = std::span(band).first(bytes);
      read(name, first, rows);
      const std::uint64_t sum = checksum_of(rows, seed++);
      std::memcpy(band.data() + bytes, &sum, checksum_bytes);
      write(band);
    });
  }
}

std::vector<std::byte> portable_bytes_of(const State& state) {
  std::vector<std::byte> all;
  std::size_t size = 0;
  const auto measure = [&size](std::span<const std::byte> bytes) { size += bytes.size(); };
  const auto append = [&all](std::span<const std::byte> bytes) { all.insert(all.end(), bytes.begin(), bytes.end()); };
  write_portable_state(state, state.row_reader(), measure);
  all.reserve(size);
  write_portable_state(state, state.row_reader(), append);
  return all;
}

std::string state_checksum(const State& state) {
  XxHash64 sum;
  write_portable_state(state, state.row_reader(), [&](std::span<const std::byte> bytes) { sum.add(bytes); });
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(sum.value()));
  return text;
}

// ---- reading

namespace {

// Earlier versions saved HDF5, with 512 bytes of their own before it.
void require_not_hdf5(const PortableStateReader::ReadBytes& read) {
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  for (const std::uint64_t position : {0, 512}) {
    char start[signature.size()] = {};
    if (read(position, std::as_writable_bytes(std::span(start))) == sizeof start &&
        std::string_view(start, sizeof start) == signature)
      throw InputError(
          "it is an HDF5 file. Convert a state of an earlier version with the script scripts/h5_to_perturb.py of "
          "Perturb");
  }
}

}  // namespace

PortableStateReader::PortableStateReader(ReadBytes read_bytes, std::uint64_t size, const SavedFieldsOf& fields_of)
    : read_(std::move(read_bytes)) {
  require_not_hdf5(read_);
  std::string text(max_first_line, '\0');
  text.resize(read_(0, std::as_writable_bytes(std::span(text))));
  const std::size_t end = text.find('\n');
  if (!text.starts_with(portable_prefix) || end == std::string::npos)
    throw InputError("it is not a state saved by Perturb. Choose a .perturb file");
  const std::string line = text.substr(0, end + 1);
  version_ = 1;
  std::from_chars(line.data() + portable_prefix.size(), line.data() + line.size(), version_);
  if (version_ > portable_version) throw newer_version();
  unsigned long long checksum = 0, header_size = 0, fields_size = 0;
  const std::size_t numbers = std::min(line.find("xxh64="), line.size());
  if (std::sscanf(line.c_str() + numbers, "xxh64=%llx header=%llu bytes=%llu", &checksum, &header_size, &fields_size) !=
          3 ||
      line != first_line(version_, checksum, header_size, fields_size))
    throw InputError("it is damaged: its first line is invalid. Use another copy");
  const std::uint64_t left = size - std::min<std::uint64_t>(size, line.size());
  if (header_size > left || fields_size > left - header_size) throw truncated();
  if (left != header_size + fields_size) throw wrong_checksum();
  checksum_ = checksum;
  fields_at_ = line.size() + header_size;
  text.assign(header_size, '\0');
  read(line.size(), std::as_writable_bytes(std::span(text)));
  XxHash64 sum;
  sum.add(std::as_bytes(std::span(text)));
  if (version_ == 1) {
    std::vector<std::byte> piece(std::min<std::uint64_t>(fields_size, std::uint64_t{1} << 20));
    for (std::uint64_t done = 0; done < fields_size; done += piece.size()) {
      piece.resize(std::min<std::uint64_t>(piece.size(), fields_size - done));
      read(fields_at_ + done, piece);
      sum.add(piece);
    }
  }
  if (sum.value() != checksum_) throw wrong_checksum();
  try {
    const Json header = Json::parse(text);
    if (header_whole<std::int64_t>(header.at("format_version")) > version_) throw newer_version();
    header_ = state_of_header(header, fields_of);
    for (const Json& one : header.at("datasets")) order_.push_back(one.at("name").get<std::string>());
  } catch (const nlohmann::json::exception&) {
    // The library's own messages name its functions and do not help the user.
    throw damaged("its header cannot be read");
  }
  for (const std::string& name : order_) {
    const auto stored = stored_size_of(header_.datasets.at(name), version_);
    if (!stored || *stored > fields_size) throw damaged("a field is longer than the file");
    fields_size -= *stored;
  }
  if (fields_size != 0) throw damaged("bytes are left over");
}

void PortableStateReader::read(std::uint64_t position, std::span<std::byte> bytes) const {
  if (read_(position, bytes) != bytes.size()) throw truncated();
}

void PortableStateReader::read_fields(const WriteRows& write) const {
  std::vector<std::byte> band;
  std::uint64_t position = fields_at_, seed = checksum_;
  const std::size_t extra = version_ == 1 ? 0 : checksum_bytes;
  for (const std::string& name : order_)
    for_each_band(header_.datasets.at(name), [&](std::size_t first, std::size_t bytes) {
      band.resize(bytes + extra);
      read(position, band);
      position += band.size();
      const std::span<const std::byte> rows = std::span<const std::byte>(band).first(bytes);
      std::uint64_t sum = 0;
      std::memcpy(&sum, band.data() + bytes, extra);
      if (extra > 0 && sum != checksum_of(rows, seed++)) throw wrong_checksum();
      write(name, first, rows);
    });
}

State read_portable_state(std::span<const std::byte> bytes) {
  const PortableStateReader reader(
      [bytes](std::uint64_t position, std::span<std::byte> into) {
        const std::size_t left = bytes.size() - std::min<std::uint64_t>(bytes.size(), position);
        const std::size_t count = std::min(into.size(), left);
        if (count > 0) std::memcpy(into.data(), bytes.data() + position, count);
        return count;
      },
      bytes.size());
  State state = reader.header();
  reader.read_fields(state.row_writer());
  return state;
}

}  // namespace perturb
