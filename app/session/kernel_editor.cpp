#include "app/session/kernel_editor.h"

#include <utility>

#include "app/edited/edited_kernel.h"
#include "app/edited/kernel_process.h"
#include "app/io/files/text_file.h"
#include "cuda/core/backend/check.h"

namespace perturb {

KernelEditor::KernelEditor(RunClient& client, Interface& interface, Playback& playback)
    : client_(client), interface_(interface), playback_(playback) {}
KernelEditor::~KernelEditor() = default;

void KernelEditor::require_enabled() const {
  if (!interface_.state().preferences.edit_kernels)
    throw InputError(
        "A file with an edited kernel is a program: it can do anything that you can do. To use it, switch on \"Edit "
        "kernels\" in the tab View.");
}

template <class F>
void KernelEditor::keep_error_of(const F& function) {
  error_ = {};
  problems_.clear();
  try {
    function();
  } catch (const CompileError& error) {
    error_ = error.message();
    problems_ = error.problems();
  } catch (const Error& error) {
    error_ = error.message();
  }
}

void KernelEditor::compile(const std::string& text) {
  if (is_compiling_) return;
  require_enabled();
  accept_edited_text(text);
  text_ = compiled_ = text;
  const RunStatus& run = client_.run();
  opening_ = run.opening;
  // The run's thread says why this is not possible.
  if (!run.kernel_source || run.rows_class.empty() || text.size() > max_edited_text) return use_compiled();
  is_compiling_ = true;
  preparation_ = std::make_unique<KernelPreparation>(*run.kernel_source, text, run.rows_class, *run.backend);
}

void KernelEditor::poll() {
  if (!preparation_ || !preparation_->is_done()) return;
  keep_error_of([this] { preparation_->check(); });
  preparation_.reset();
  is_compiling_ = false;
  if (error_.empty() && client_.run().opening == opening_) use_compiled();
}

void KernelEditor::use_compiled() {
  is_compiling_ = true;
  client_.post(ChooseKernel{edited_kernel_id(compiled_)}, [this](JobResult& result) {
    is_compiling_ = false;
    keep_error_of([&] {
      result.check();
      playback_.pace().forget();
      client_.show_message("The edited kernel is in use.");
    });
  });
}

void KernelEditor::open(const std::string& path) {
  require_enabled();
  if (!client_.run().kernel_source)
    throw InputError("The kernels of {} cannot be edited here. Open a wave tank or a flow that is not a race.",
                     Message(client_.info().title));
  const std::string text = read_text_file(path, "kernel");
  ask(text, path, [this, text] { compile(text); });
}

void KernelEditor::ask(const std::string& text, const std::string& file, std::function<void()> then) {
  require_enabled();
  unread_ = text;
  unread_file_ = file;
  then_ = std::move(then);
  interface_.open(Overlay::unread_kernel);
}

void KernelEditor::answer(bool accepted) {
  interface_.close(Overlay::unread_kernel);
  const std::string text = std::exchange(unread_, {});
  const std::function<void()> then = std::exchange(then_, {});
  unread_file_.clear();
  if (!accepted || text.empty()) return;
  accept_edited_text(text);
  show_text(text);
  if (then) then();
}

}  // namespace perturb
