// The functions of libunwind that exceptions need on WebAssembly, only for clang 14 (Emscripten of Debian 12). They
// replace the library's own. The library stores the thread's current landing pad in thread-local storage, while the
// code that clang 14 generates reads one global variable: with threads no handler would be found. Therefore only the
// engine's thread may throw. Code that runs on the worker threads throws nothing.
//
// Since clang 15 generated code uses thread-local storage too: linked with this file, it would find no landing pad.
#include <stdint.h>

// Layout of libunwind's exception header; the members after these are not used here.
struct Exception {
  uint64_t class_of;
  void (*cleanup)(int reason, struct Exception* exception);
};

int __gxx_personality_wasm0(int version, int actions, uint64_t class_of, struct Exception* exception, void* context);

// Layout that clang's generated code uses.
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

// The only register that the personality function writes is the one that selects the handler.
void _Unwind_SetGR(struct LandingPad* context, int index, uintptr_t value) {
  if (index == 1) context->selector = value;
}

// The personality function subtracts one and then counts from one.
uintptr_t _Unwind_GetIP(struct LandingPad* context) { return context->index + 2; }

void _Unwind_SetIP(struct LandingPad* context, uintptr_t value) { (void)context, (void)value; }

uintptr_t _Unwind_GetLanguageSpecificData(struct LandingPad* context) { return context->table; }

uintptr_t _Unwind_GetRegionStart(struct LandingPad* context) { return (void)context, 0; }
