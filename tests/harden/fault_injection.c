/* Preloaded library that makes one call of the system or of the allocator fail.
   
     PERTURB_FAULT=KIND:N    the N-th call of this kind fails, counted from 1
     PERTURB_FAULT=KIND:N+   and every later one
     PERTURB_FAULT_COUNTS=F  at exit appends "KIND COUNT" lines to the file F
     PERTURB_FAULT_TRACE=F   a process that is ended by a signal first appends to the file F the libraries on its
     stack,
                             and the addresses in the program (for addr2line); one that is ended by a library's call
                             of
                             exit() the name of that library
   
   KIND: alloc (malloc and similar functions), own-alloc (the same, called by the program's own code), open, write,
   fsync, rename, thread. It acts only in processes of the program named in PERTURB_FAULT_PROGRAM, not in those that
   the program starts. Calls within glibc bypass the dynamic linker: fopen is intercepted, the writes of fwrite are
   not. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { ALLOC, OWN_ALLOC, OPEN, WRITE, FSYNC, RENAME, THREAD, KINDS };
static const char* const names[KINDS] = {"alloc", "own-alloc", "open", "write", "fsync", "rename", "thread"};

static atomic_long counts[KINDS];
static long at;             /* number of the call that fails; 0: none */
static int wanted = -1;     /* its kind */
static int persistent;      /* later calls fail as well */
static int takes_part;      /* active in this process */
static uintptr_t own_begin, own_end; /* address range of the program's own code */
static char counts_path[512], trace_path[512];
static _Thread_local int inside_new; /* operator new of the program's own code calls malloc */

static int fails(enum kind kind) {
  if (!takes_part) return 0;
  const long now = atomic_fetch_add(&counts[kind], 1) + 1;
  return (int)kind == wanted && (now == at || (persistent && now > at));
}

static int is_own(const void* caller) { return (uintptr_t)caller >= own_begin && (uintptr_t)caller < own_end; }

#define REAL(name) ((__typeof__(&name))real(#name))
static void* real(const char* name) { return dlsym(RTLD_NEXT, name); }

/* ---- memory: glibc's own names, because dlsym allocates itself */

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

static int allocation_fails(const void* caller) {
  if (!takes_part) return 0;
  const int any = fails(ALLOC);
  const int own = (inside_new || is_own(caller)) && fails(OWN_ALLOC);
  return any || own;
}
static void* no_memory(void) {
  errno = ENOMEM;
  return NULL;
}

void* malloc(size_t size) {
  return allocation_fails(__builtin_return_address(0)) ? no_memory() : __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  return allocation_fails(__builtin_return_address(0)) ? no_memory() : __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) {
  return allocation_fails(__builtin_return_address(0)) ? no_memory() : __libc_realloc(old, size);
}
void* memalign(size_t alignment, size_t size) {
  return allocation_fails(__builtin_return_address(0)) ? no_memory() : __libc_memalign(alignment, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  return allocation_fails(__builtin_return_address(0)) ? no_memory() : __libc_memalign(alignment, size);
}
int posix_memalign(void** result, size_t alignment, size_t size) {
  if (allocation_fails(__builtin_return_address(0))) return ENOMEM;
  void* const memory = __libc_memalign(alignment, size);
  if (!memory) return ENOMEM;
  *result = memory;
  return 0;
}

/* operator new of C++: only here is its caller still on the stack. It throws bad_alloc itself. */
static void* real_new;
static void* real_new_array;
static void* new_for(void* operator_new, size_t size, const void* caller) {
  void* (*const call)(size_t) = (void* (*)(size_t))operator_new;
  const int before = inside_new;
  inside_new = takes_part && is_own(caller);
  void* const memory = call(size);
  inside_new = before;
  return memory;
}
void* _Znwm(size_t size) {
  if (!real_new) real_new = real("_Znwm");
  return new_for(real_new, size, __builtin_return_address(0));
}
void* _Znam(size_t size) {
  if (!real_new_array) real_new_array = real("_Znam");
  return new_for(real_new_array, size, __builtin_return_address(0));
}

/* ---- files */

static mode_t mode_of(int flags, va_list more) {
  return (flags & (O_CREAT | O_TMPFILE)) ? va_arg(more, mode_t) : 0;
}
static int open_fails(void) {
  if (!fails(OPEN)) return 0;
  errno = EMFILE;
  return 1;
}
int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  return open_fails() ? -1 : REAL(openat)(AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  return open_fails() ? -1 : REAL(openat)(AT_FDCWD, path, flags | O_LARGEFILE, mode);
}
int openat(int folder, const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  return open_fails() ? -1 : REAL(openat)(folder, path, flags, mode);
}
int openat64(int folder, const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  return open_fails() ? -1 : REAL(openat)(folder, path, flags | O_LARGEFILE, mode);
}
FILE* fopen(const char* path, const char* mode) { return open_fails() ? NULL : REAL(fopen)(path, mode); }
FILE* fopen64(const char* path, const char* mode) { return open_fails() ? NULL : REAL(fopen64)(path, mode); }

static int write_fails(void) {
  if (!fails(WRITE)) return 0;
  errno = ENOSPC;
  return 1;
}
ssize_t write(int file, const void* bytes, size_t size) {
  return write_fails() ? -1 : REAL(write)(file, bytes, size);
}
ssize_t pwrite(int file, const void* bytes, size_t size, off_t offset) {
  return write_fails() ? -1 : REAL(pwrite)(file, bytes, size, offset);
}
ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t offset) {
  return write_fails() ? -1 : REAL(pwrite64)(file, bytes, size, offset);
}
ssize_t writev(int file, const struct iovec* parts, int count) {
  return write_fails() ? -1 : REAL(writev)(file, parts, count);
}

static int sync_fails(void) {
  if (!fails(FSYNC)) return 0;
  errno = EIO;
  return 1;
}
int fsync(int file) { return sync_fails() ? -1 : REAL(fsync)(file); }
int fdatasync(int file) { return sync_fails() ? -1 : REAL(fdatasync)(file); }

static int rename_fails(void) {
  if (!fails(RENAME)) return 0;
  errno = EACCES;
  return 1;
}
int rename(const char* from, const char* to) { return rename_fails() ? -1 : REAL(rename)(from, to); }
int renameat(int from_folder, const char* from, int to_folder, const char* to) {
  return rename_fails() ? -1 : REAL(renameat)(from_folder, from, to_folder, to);
}

/* ---- threads */

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) {
  return fails(THREAD) ? EAGAIN : REAL(pthread_create)(thread, attributes, start, argument);
}

/* ---- start and exit */

static void append(const char* path, const char* text) {
  const int file = REAL(openat)(AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return;
  (void)!REAL(write)(file, text, strlen(text));
  close(file);
}

static void on_deadly_signal(int signal) {
  void* frames[64];
  takes_part = 0;
  const int count = backtrace(frames, 64);
  char text[4096] = "";
  size_t used = (size_t)snprintf(text, sizeof text, "signal %d:", signal);
  const char* last = "";
  for (int k = 0; k < count && used + 80 < sizeof text; ++k) {
    Dl_info info;
    if (!dladdr(frames[k], &info) || !info.dli_fname) continue;
    const char* slash = strrchr(info.dli_fname, '/');
    const char* name = slash ? slash + 1 : info.dli_fname;
    if (is_own(frames[k])) /* for addr2line */
      used += (size_t)snprintf(text + used, sizeof text - used, " %.60s+0x%lx", name,
                               (unsigned long)((uintptr_t)frames[k] - (uintptr_t)info.dli_fbase));
    else if (strcmp(name, last) != 0)
      used += (size_t)snprintf(text + used, sizeof text - used, " %.60s", name);
    last = name;
  }
  strcat(text, "\n");
  append(trace_path, text);
  struct sigaction ordinary = {.sa_handler = SIG_DFL};
  sigaction(signal, &ordinary, NULL);
  raise(signal);
}

void exit(int code) {
  Dl_info info;
  const void* const caller = __builtin_return_address(0);
  if (takes_part && *trace_path && !is_own(caller) && dladdr(caller, &info) && info.dli_fname) {
    const char* slash = strrchr(info.dli_fname, '/');
    char text[128];
    snprintf(text, sizeof text, "exit %d: %.60s\n", code, slash ? slash + 1 : info.dli_fname);
    append(trace_path, text);
  }
  REAL(exit)(code);
  abort(); /* not reached */
}

static int find_own_code(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size, (void)data;
  for (int k = 0; k < info->dlpi_phnum; ++k) {
    if (info->dlpi_phdr[k].p_type != PT_LOAD) continue;
    const uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[k].p_vaddr, end = begin + info->dlpi_phdr[k].p_memsz;
    if (own_begin == 0 || begin < own_begin) own_begin = begin;
    if (end > own_end) own_end = end;
  }
  return 1; /* the first is the program itself */
}

__attribute__((constructor)) static void begin(void) {
  const char* program = getenv("PERTURB_FAULT_PROGRAM");
  char own[512] = "";
  const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
  if (!program || length <= 0 || strcmp(own, program) != 0) return;
  dl_iterate_phdr(find_own_code, NULL);
  const char* path = getenv("PERTURB_FAULT_COUNTS");
  if (path) snprintf(counts_path, sizeof counts_path, "%s", path);
  if ((path = getenv("PERTURB_FAULT_TRACE"))) {
    snprintf(trace_path, sizeof trace_path, "%s", path);
    void* frames[1];
    backtrace(frames, 1); /* loads its libraries now */
    static char stack[1 << 16];
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&other, NULL);
    struct sigaction action = {.sa_handler = on_deadly_signal, .sa_flags = SA_ONSTACK};
    const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
    for (size_t k = 0; k < sizeof signals / sizeof *signals; ++k) sigaction(signals[k], &action, NULL);
  }
  const char* fault = getenv("PERTURB_FAULT");
  const char* colon = fault ? strchr(fault, ':') : NULL;
  if (colon) {
    for (int k = 0; k < KINDS; ++k)
      if (strlen(names[k]) == (size_t)(colon - fault) && strncmp(names[k], fault, (size_t)(colon - fault)) == 0)
        wanted = k;
    char* end = NULL;
    at = strtol(colon + 1, &end, 10);
    persistent = *end == '+';
  }
  takes_part = 1;
}

__attribute__((destructor)) static void finish(void) {
  if (!takes_part || !*counts_path) return;
  takes_part = 0;
  char text[512];
  size_t used = 0;
  for (int k = 0; k < KINDS; ++k)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s %ld\n", names[k], atomic_load(&counts[k]));
  append(counts_path, text);
}
