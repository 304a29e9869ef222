// Editing the cell function of the run's kernels: compiles texts, keeps the compiler's messages, and asks before a text
// from a file is compiled.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/session/interface.h"
#include "app/session/playback.h"
#include "app/session/run_client.h"

namespace perturb {

class KernelPreparation;
struct CompileProblem;

class KernelEditor {
 public:
  // All arguments must outlive it.
  KernelEditor(RunClient& client, Interface& interface, Playback& playback);
  ~KernelEditor();

  // Why the last text could not be compiled; empty: it could. `problems`: the compiler's messages with their lines.
  const Message& error() const { return error_; }
  const std::vector<CompileProblem>& problems() const { return problems_; }
  bool is_compiling() const { return is_compiling_; }
  // The text that the editor shows next, and how often one was set: the panel takes a new one over.
  const std::string& text() const { return text_; }
  int texts() const { return texts_; }
  void show_text(const std::string& text) {
    text_ = text;
    ++texts_;
  }
  // A text from a file, while a dialog asks whether to compile it; and the name of the file.
  const std::string& unread() const { return unread_; }
  const std::string& unread_file() const { return unread_file_; }

  // Compiles a text that the user has written. Meanwhile the run goes on with its kernel.
  void compile(const std::string& text);
  // Uses a text that has been compiled from the next step on. Call in every frame.
  void poll();
  // Reads a text from a file, and asks. Throws InputError if it cannot be read, and if kernels are not edited here.
  void open(const std::string& path);
  // Asks about the text of a run that a file contains; `then` opens that file again.
  void ask(const std::string& text, const std::string& file, std::function<void()> then);
  // The user's answer.
  void answer(bool accepted);

 private:
  void require_enabled() const;
  void use_compiled();
  // Calls the function, and keeps its error and the compiler's messages.
  template <class F>
  void keep_error_of(const F& function);

  RunClient& client_;
  Interface& interface_;
  Playback& playback_;
  Message error_;
  std::vector<CompileProblem> problems_;
  bool is_compiling_ = false;
  std::unique_ptr<KernelPreparation> preparation_;  // null: nothing is being compiled in the background
  std::string compiled_;                            // the text that is compiled or in use
  std::uint64_t opening_ = 0;                       // of the run that it is compiled for (RunStatus)
  std::string text_, unread_, unread_file_;
  int texts_ = 0;
  std::function<void()> then_;
};

}  // namespace perturb
