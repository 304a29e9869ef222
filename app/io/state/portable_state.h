// Saved states, with the ending ".perturb". The window, the command line and the page write and read them:
//
//   perturb-portable 2 xxh64=0123456789abcdef header=512 bytes=4096\n
//   {"format": "perturb-portable", "format_version": 2, "simulation": "wave", ...}
//   the fields, in the order of the header's list
//
// `header` and `bytes` are the lengths of the two parts, and the checksum is the header's. A field is stored in bands
// of 64 rows (more of rows so short that a band would not fill 4096 bytes), each followed by its checksum. A row holds
// the values of the last index, as in memory (little-endian). The checksum is XXH64 of the rows, and its seed is the
// header's checksum plus the number of the band in the file, so that a band in another position is an error too.
//
// So a field is written and read in pieces, and the same state gives the same bytes, however it was divided. In files
// of version 1 ("perturb-portable xxh64=...") the fields have no bands, and the checksum covers header and fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "app/io/files/output.h"
#include "cuda/core/simulation/state.h"

namespace perturb {

inline constexpr const char* portable_state_ending = ".perturb";

// The fields that a state with this header may contain.
using SavedFieldsOf = std::function<std::vector<SavedField>(const State& header)>;
// Those of its simulation. Throws InputError if the simulation is unknown.
std::vector<SavedField> catalog_fields(const State& header);

// Writes a state whose fields come from `read`.
void write_portable_state(const State& header, const ReadRows& read, const WriteBytes& write);
std::vector<std::byte> portable_bytes_of(const State& state);
// XXH64 of what write_portable_state writes, as 16 hexadecimal digits: equal for states that are equal to the bit.
std::string state_checksum(const State& state);

// The functions below throw InputError if a state is damaged, truncated, of a newer version, or contains anything but
// the fields of its simulation. The message continues "Cannot load FILE: " and has no full stop.

// Reads a state in pieces.
class PortableStateReader {
 public:
  // Copies bytes of the file from `position` on; fewer than requested only at its end.
  using ReadBytes = std::function<std::size_t(std::uint64_t position, std::span<std::byte> bytes)>;

  // `size`: of the file.
  PortableStateReader(ReadBytes read, std::uint64_t size, const SavedFieldsOf& fields_of = catalog_fields);

  // Everything except the bytes of the fields.
  const State& header() const { return header_; }
  // Passes the rows of all fields to `write`, each after its checksum has been verified.
  void read_fields(const WriteRows& write) const;

 private:
  void read(std::uint64_t position, std::span<std::byte> bytes) const;

  ReadBytes read_;
  State header_;
  std::vector<std::string> order_;  // of the fields in the file
  int version_ = 0;
  std::uint64_t checksum_ = 0, fields_at_ = 0;
};

State read_portable_state(std::span<const std::byte> bytes);

}  // namespace perturb
