// Kernels whose cell function a user edits while the program runs.
//
// Such a kernel is chosen like any other: its id is "edited:" and the text of the function. So the text is part of the
// log, of undo, of scripts and of restarts.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/embedded.h"

namespace perturb {

inline constexpr std::string_view edited_kernel_prefix = "edited:";
inline constexpr std::size_t max_edited_text = std::size_t{1} << 18;  // bytes
inline bool is_edited_kernel(std::string_view id) { return id.starts_with(edited_kernel_prefix); }
inline std::string edited_kernel_id(std::string_view text) { return std::string(edited_kernel_prefix).append(text); }
inline std::string_view edited_text(std::string_view id) { return id.substr(edited_kernel_prefix.size()); }
// The kernel's name in texts: its id, without the text of an edited one.
inline std::string id_in_options(const std::string& id) { return is_edited_kernel(id) ? "edited" : id; }

// Text of a simulation's edited kernel: the program's own files (editable_sources in sources.cmake).
struct KernelSource {
  // The user edits the file model/cell.h among them.
  explicit KernelSource(std::span<const EmbeddedFile> all);

  std::vector<EmbeddedFile> files;  // each after those that it includes
  std::size_t edited = 0;           // index of the one that the user edits

  std::string_view built_in_text() const { return files[edited].text; }
};

// An edited kernel stopped, crashed, or gave numbers that are not finite. The simulation is as before the steps.
class EditedKernelError : public Error {
 public:
  using Error::Error;
};

// A compiled kernel. It runs in another process, so it gets its fields in memory that both see (EditedPass).
class EditedKernel {
 public:
  virtual ~EditedKernel() = default;
  EditedKernel() = default;
  EditedKernel(const EditedKernel&) = delete;
  EditedKernel& operator=(const EditedKernel&) = delete;

  // Memory of the backend for a pass, with at least this many bytes. Throws Error if there is not enough.
  virtual char* memory(std::size_t bytes) = 0;
  // Whether a field of the simulation is in memory that the kernel sees too, at the same distance from memory().
  virtual bool sees(const void* field) const = 0;
  // Calls `Rows(memory, level).row(j)` for all rows of one level after the other; on a device `checked_cell(i, j)` for
  // all cells, and then waits. Throws EditedKernelError; the contents of the memory are then undefined.
  virtual void run(int width, int height, int levels) = 0;
};

// Implemented by simulations whose cell function can be edited.
class EditableCell {
 public:
  virtual ~EditableCell() = default;
  virtual const KernelSource& kernel_source() const = 0;
  // The class that EditedKernel calls: "perturb::wave::EditedRows<float, false>". Throws InputError if an edited kernel
  // cannot step this run.
  virtual std::string rows_class() const = 0;
  // Selects the kernel with this id (edited_kernel_id). Simulation::select_kernel returns to another one.
  virtual void use_edited_kernel(const std::string& id, std::unique_ptr<EditedKernel> kernel) = 0;
};

}  // namespace perturb
