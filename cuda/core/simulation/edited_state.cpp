#include "cuda/core/simulation/edited_state.h"

#include <cstdint>
#include <vector>

#include "cuda/core/simulation/edited_pass.h"

namespace perturb {

namespace {
constexpr const char* in_use = "edited_kernel_in_use";
}  // namespace

SavedField edited_kernel_in_use_field() { return {in_use, {ElementType::uint8}, {exactly(1)}}; }

void save_kernel(State& state, const std::string& kernel, const std::string& used) {
  const bool is_edited = is_edited_kernel(kernel);
  const std::string text = is_edited ? std::string(edited_text(kernel)) : used;
  if (text.empty()) return;
  save_edited_kernel(state, text);
  state.put<std::uint8_t>(in_use, {1}, "", std::vector<std::uint8_t>{is_edited});
}

std::string kernel_of(const State& state) {
  const std::string text = load_edited_kernel(state);
  if (text.empty() || (state.has(in_use) && state.get<std::uint8_t>(in_use, {1}).front() == 0))
    return state.kernel.empty() || is_edited_kernel(state.kernel) ? "auto" : state.kernel;
  return edited_kernel_id(text);
}

}  // namespace perturb
