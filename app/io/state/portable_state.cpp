#include "app/io/state/portable_state.h"

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
constexpr int portable_version = 1;

std::string first_line(std::uint64_t checksum, std::size_t header, std::size_t bytes) {
  char line[120];
  std::snprintf(line, sizeof line, "xxh64=%016llx header=%llu bytes=%llu\n", static_cast<unsigned long long>(checksum),
                static_cast<unsigned long long>(header), static_cast<unsigned long long>(bytes));
  return std::string(portable_prefix) + line;
}

std::uint64_t checksum_of_bytes(std::span<const std::byte> bytes) {
  XxHash64 checksum;
  checksum.add(bytes);
  return checksum.value();
}

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
State state_of_header(const Json& header) {
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
  const std::vector<SavedField>* fields = find_saved_fields(state.simulation);
  if (!fields)
    throw InputError("its simulation \"{}\" is unknown. Open it with the version of Perturb that saved it",
                     state.simulation);
  for (const Json& one : header.at("datasets")) {
    const std::string name = header_text(one.at("name"));
    Dataset dataset;
    dataset.type = type_called(header_text(one.at("type")));
    for (const Json& extent : one.at("shape")) dataset.shape.push_back(header_whole<std::size_t>(extent));
    dataset.unit = header_text(one.at("unit"));
    require_expected(*fields, state, name, dataset.type, dataset.shape);
    state.datasets[name] = std::move(dataset);
  }
  return state;
}

// Size of a dataset in bytes; no value if it would not fit into any memory.
std::optional<std::size_t> portable_size_of(const Dataset& dataset) {
  std::size_t bytes = size_of(dataset.type);
  for (const std::size_t extent : dataset.shape) {
    if (extent != 0 && bytes > std::numeric_limits<std::size_t>::max() / extent) return std::nullopt;
    bytes *= extent;
  }
  return bytes;
}

}  // namespace

bool begins_portable_state(std::span<const std::byte> bytes) {
  return bytes.size() >= portable_prefix.size() &&
         std::memcmp(bytes.data(), portable_prefix.data(), portable_prefix.size()) == 0;
}

namespace {

// `consumed`: the same state, whose fields may be released once they are copied to the result; or null.
std::vector<std::byte> bytes_with(const State& state, State* consumed) {
  // Names come from files, and file names need not be UTF-8.
  const std::string header = header_of(state).dump(-1, ' ', false, Json::error_handler_t::replace);
  XxHash64 checksum;
  checksum.add(std::as_bytes(std::span(header)));
  std::size_t data = 0;
  for (const auto& [name, dataset] : state.datasets) {
    checksum.add(dataset.bytes);
    data += dataset.bytes.size();
  }
  const std::string line = first_line(checksum.value(), header.size(), data);
  std::vector<std::byte> all;
  all.reserve(line.size() + header.size() + data);
  const auto append = [&](std::span<const std::byte> part) {
    all.insert(all.end(), part.data(), part.data() + part.size());
  };
  append(std::as_bytes(std::span(line)));
  append(std::as_bytes(std::span(header)));
  for (const auto& [name, dataset] : state.datasets) {
    append(dataset.bytes);
    if (consumed) std::vector<std::byte>().swap(consumed->datasets[name].bytes);
  }
  return all;
}

}  // namespace

std::vector<std::byte> portable_bytes_of(const State& state) { return bytes_with(state, nullptr); }
std::vector<std::byte> portable_bytes_of(State&& state) { return bytes_with(state, &state); }

State read_portable_state(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::size_t end = text.substr(0, 200).find('\n');
  if (!begins_portable_state(bytes) || end == std::string_view::npos)
    throw InputError("it is not a state saved by Perturb. Choose a .perturb file");
  const std::string line(text.substr(0, end + 1));
  unsigned long long checksum = 0, header_size = 0, data_size = 0;
  if (std::sscanf(line.c_str(), "perturb-portable xxh64=%llx header=%llu bytes=%llu", &checksum, &header_size,
                  &data_size) != 3)
    throw InputError("it is damaged: its first line is invalid. Use another copy");
  const std::span<const std::byte> rest = bytes.subspan(end + 1);
  const bool is_cut = header_size > rest.size() || data_size > rest.size() - header_size;
  if (is_cut) throw InputError("it is truncated: its end is missing. Use another copy");
  if (rest.size() != header_size + data_size || checksum_of_bytes(rest) != checksum)
    throw InputError("its checksum is wrong: it is damaged, or another program changed it. Use another copy");
  const auto damaged = [](const char* words) { return InputError("it is damaged ({}). Use another copy", words); };
  try {
    const Json header = Json::parse(text.substr(end + 1, header_size));
    if (header_whole<std::int64_t>(header.at("format_version")) > portable_version)
      throw InputError("a newer version of Perturb saved it. Open it with that version");
    State state = state_of_header(header);
    std::size_t at = header_size;
    for (const Json& one : header.at("datasets")) {
      Dataset& dataset = state.datasets.at(one.at("name").get<std::string>());
      const auto size = portable_size_of(dataset);
      if (!size || *size > rest.size() - at) throw damaged("a field is longer than the file");
      dataset.bytes.assign(rest.data() + at, rest.data() + at + *size);
      at += *size;
    }
    if (at != rest.size()) throw damaged("bytes are left over");
    return state;
  } catch (const nlohmann::json::exception&) {
    // The library's own messages name its functions and do not help the user.
    throw damaged("its header cannot be read");
  }
}

}  // namespace perturb
