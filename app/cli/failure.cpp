#include "app/cli/failure.h"

#include <new>

#include "app/edited/compiler.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/stop.h"

namespace perturb {

Failure failure_of(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const InputError& error) {
    return {2, error.what()};
  } catch (const Stopped&) {
    return {1, "Interrupted."};
  } catch (const std::bad_alloc&) {
    return {1, no_memory_text};
  } catch (const CompilerError& error) {
    return {3, error.what()};
  } catch (const Error& error) {
    return {1, error.what()};
  } catch (const std::exception& error) {
    // A bug report needs the library's own message.
    return {1, "The program cannot continue (" + std::string(error.what()) +
                   "). Try again, and report the error together with the command."};
  }
}

}  // namespace perturb
