#include "app/edited/edited_kernel.h"

#include <mutex>
#include <set>
#include <utility>

#include "app/edited/kernel_process.h"

namespace perturb {

namespace {

Message first_problem(const std::vector<CompileProblem>& problems) {
  if (problems.empty()) return "The edited kernel does not compile. Correct its text.";
  const CompileProblem& first = problems.front();
  if (first.line == 0) return {"The edited kernel does not compile: {}. Correct its text.", first.text};
  return {"The edited kernel does not compile. Line {}: {}. Correct its text.", first.line, first.text};
}

// The texts that this process may compile.
class AcceptedTexts {
 public:
  static AcceptedTexts& of_process() {
    static AcceptedTexts texts;
    return texts;
  }
  void add(std::string_view text) {
    const std::lock_guard lock(mutex_);
    texts_.emplace(text);
  }
  void add_all() {
    const std::lock_guard lock(mutex_);
    all_ = true;
  }
  bool contains(std::string_view text) {
    const std::lock_guard lock(mutex_);
    return all_ || texts_.contains(text);
  }

 private:
  std::mutex mutex_;
  std::set<std::string, std::less<>> texts_;
  bool all_ = false;
};

}  // namespace

CompileError::CompileError(std::vector<CompileProblem> problems)
    : InputError(first_problem(problems)), problems_(std::move(problems)) {}

UnreadKernelError::UnreadKernelError(std::string text)
    : InputError(
          "This run uses an edited kernel, which is compiled only after you have read it. Open the run in the window, "
          "or accept its text with --edited-kernels."),
      text_(std::move(text)) {}

void accept_edited_text(std::string_view text) { AcceptedTexts::of_process().add(text); }
void accept_all_edited_texts() { AcceptedTexts::of_process().add_all(); }

void require_accepted(const std::string& kernel) {
  if (is_edited_kernel(kernel) && !AcceptedTexts::of_process().contains(edited_text(kernel)))
    throw UnreadKernelError(std::string(edited_text(kernel)));
}

void select_kernel(Simulation& simulation, const std::string& kernel) {
  if (!is_edited_kernel(kernel)) {
    simulation.select_kernel(kernel);
    return;
  }
  auto* editable = simulation.find<EditableCell>();
  if (!editable)
    throw InputError("The kernels of {} cannot be edited here. Open a wave tank or a flow that is not a race.",
                     Message(simulation.info().title));
  require_accepted(kernel);
  if (edited_text(kernel).size() > max_edited_text)
    throw InputError("The text of the kernel has {} bytes; at most {} are allowed. Shorten it.",
                     edited_text(kernel).size(), max_edited_text);
  editable->use_edited_kernel(kernel, start_edited_kernel(editable->kernel_source(), std::string(edited_text(kernel)),
                                                          editable->rows_class(), simulation.backend()));
}

}  // namespace perturb
