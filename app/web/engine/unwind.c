// The functions of libunwind for WebAssembly, whose exceptions need no more. They take the place of the library's, which
// keeps the place where a caught exception is told apart for each thread, while the code that clang 14 makes looks for
// one of the whole program: with threads no handler would be found. So exceptions are for the thread of the engine alone,
// which they are: what a worker computes throws none.
#include <stdint.h>

// As libunwind has it; what comes behind these is nobody's here.
struct Exception {
  uint64_t class_of;
  void (*cleanup)(int reason, struct Exception* exception);
};

int __gxx_personality_wasm0(int version, int actions, uint64_t class_of, struct Exception* exception, void* context);

// As clang's code has it.
struct LandingPad {
  uintptr_t index, table, selector;
} __wasm_lpad_context;

enum { foreign_exception_caught = 1, cleanup_phase = 2 };

int _Unwind_CallPersonality(struct Exception* exception) {
  __wasm_lpad_context.selector = 0;
  return __gxx_personality_wasm0(1, cleanup_phase, exception->class_of, exception, &__wasm_lpad_context);
}

int _Unwind_RaiseException(struct Exception* exception) { __builtin_wasm_throw(0, exception); }

void _Unwind_DeleteException(struct Exception* exception) {
  if (exception->cleanup) exception->cleanup(foreign_exception_caught, exception);
}

// The one register that the personality writes is what a handler is found by.
void _Unwind_SetGR(struct LandingPad* context, int index, uintptr_t value) {
  if (index == 1) context->selector = value;
}

// The personality takes one off, and counts from one then.
uintptr_t _Unwind_GetIP(struct LandingPad* context) { return context->index + 2; }

void _Unwind_SetIP(struct LandingPad* context, uintptr_t value) { (void)context, (void)value; }

uintptr_t _Unwind_GetLanguageSpecificData(struct LandingPad* context) { return context->table; }

uintptr_t _Unwind_GetRegionStart(struct LandingPad* context) { return (void)context, 0; }
