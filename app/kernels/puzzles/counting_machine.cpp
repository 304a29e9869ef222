#include "app/kernels/puzzles/counting_machine.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

namespace perturb {

namespace {

using puzzle::Dim;
using puzzle::Indices;
using puzzle::TextPosition;

constexpr int banks = 32;
constexpr std::uint64_t max_warps = 64;  // of a block
// Of a block; they are stored until it ends.
constexpr std::int64_t max_accesses = 4'000'000;
constexpr std::size_t stack_bytes = std::size_t{64} << 10, guard_bytes = std::size_t{4} << 10;

// The accesses to an element since the last barrier; to one in global memory also those of other blocks.
struct ElementUse {
  std::int64_t interval = -1;        // to which the next four belong
  int writer = -1, writer_line = 0;  // thread of the block; -1: none
  int reader = -1, reader_line = 0;
  int second_reader = -1, second_reader_line = 0;
  int writing_block = -1, reading_block = -1, second_reading_block = -1;
  int cell_block = -1, cell_thread = -1;  // that used it last as its cell
  bool written = false;                   // by this block
};

struct ArrayInUse {
  std::string name;  // of a shared one
  int dimensions = 1;
  Indices sizes;
  std::size_t element_bytes = sizeof(float);
  bool is_own = false;
  char* elements = nullptr;
  std::vector<char> own;  // of a shared one
  std::size_t offset = 0;
  std::vector<ElementUse> uses;
  bool is_shared() const { return !name.empty(); }
};

// The accesses of one warp by one expression of the text, each thread's n-th one.
struct WarpAccess {
  bool is_shared = false;
  std::vector<std::size_t> addresses;
};

class CountingMachine final : public puzzle::Machine {
 public:
  CountingMachine(void (*kernel)(), Dim threads_of_block, Dim blocks_of_grid, const std::vector<GlobalArray>& arrays,
                  PuzzleReport& report, BlockAccesses& record)
      : kernel_(kernel),
        report_(report),
        record_(record),
        threads_(static_cast<int>(threads_of_block.x * threads_of_block.y)) {
    block_size = threads_of_block;
    grid_size = blocks_of_grid;
    for (const GlobalArray& array : arrays) {
      ArrayInUse& one = arrays_.emplace_back();
      one.sizes = {{array.size, 0, 0}};
      one.elements = reinterpret_cast<char*>(array.elements);
      one.is_own = array.is_own;
      // Aligned as cudaMalloc does.
      constexpr std::size_t alignment = 256;
      one.offset = next_offset_;
      next_offset_ += (static_cast<std::size_t>(array.size) * sizeof(float) + alignment - 1) / alignment * alignment;
      one.uses.resize(static_cast<std::size_t>(array.size));
    }
    stacks_ = static_cast<char*>(mmap(nullptr, static_cast<std::size_t>(threads_) * stack_bytes, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (stacks_ == MAP_FAILED) _exit(1);
    // A recursion without end crashes instead of writing to the stack of another thread.
    for (int t = 0; t < threads_; ++t)
      if (mprotect(stacks_ + static_cast<std::size_t>(t) * stack_bytes, guard_bytes, PROT_NONE) != 0) _exit(1);
    contexts_.resize(static_cast<std::size_t>(threads_));
  }

  void run_blocks() {
    for (block.y = 0; block.y < grid_size.y; ++block.y)
      for (block.x = 0; block.x < grid_size.x; ++block.x) {
        begin_record();
        run_block();
        if (!kept_ || record_.watched_thread >= 0) kept_ = std::make_unique<BlockAccesses>(record_);
      }
    if (kept_) record_ = *kept_;
  }

  int declare_shared(const char* name, int dimensions, const Indices& sizes, std::size_t element_bytes) override {
    ArrayInUse one;
    one.name = name;
    one.dimensions = dimensions;
    one.sizes = sizes;
    one.element_bytes = element_bytes;
    std::size_t elements = 1;
    for (int d = 0; d < dimensions; ++d) elements *= static_cast<std::size_t>(sizes.at[d]);
    shared_bytes_ += elements * element_bytes;
    if (static_cast<std::int64_t>(shared_bytes_) > max_shared_bytes) {
      report_.size[0] = static_cast<std::int64_t>(shared_bytes_);
      fail(PuzzleFault::too_much_shared_memory, 0);
    }
    if (record_.shared_arrays < BlockAccesses::max_shared_arrays) {
      SharedArray& shared = record_.shared[record_.shared_arrays++];
      std::strncpy(shared.name, name, sizeof shared.name - 1);
      shared.dimensions = dimensions;
      shared.element_bytes = static_cast<std::int64_t>(element_bytes);
      std::copy(std::begin(sizes.at), std::end(sizes.at), shared.size);
    }
    one.own.resize(elements * element_bytes);
    one.uses.resize(elements);
    arrays_.push_back(std::move(one));
    arrays_.back().elements = arrays_.back().own.data();
    return static_cast<int>(arrays_.size()) - 1;
  }

  void* access(int number, const Indices& indices, bool writes, TextPosition position) override {
    ArrayInUse& array = arrays_[static_cast<std::size_t>(number)];
    std::int64_t element = 0;
    for (int d = 0; d < array.dimensions; ++d) {
      if (indices.at[d] < 0 || indices.at[d] >= array.sizes.at[d])
        fail_at(PuzzleFault::index, number, indices, writes, position.line);
      element = element * array.sizes.at[d] + indices.at[d];
    }
    ElementUse& use = array.uses[static_cast<std::size_t>(element)];
    const bool has_value =
        array.is_shared() ? use.written : !is_unwritten(reinterpret_cast<const float*>(array.elements)[element]);
    if (!writes && !has_value) fail_at(PuzzleFault::unwritten, number, indices, writes, position.line);
    if (++accesses_of_block_ > max_accesses) fail_at(PuzzleFault::endless, number, indices, writes, position.line);
    check_race(array, number, use, indices, writes, position.line);
    if (array.is_own || (writes && !array.is_shared())) note_cell(number, use);
    note(use, writes, position.line);
    count(array, number, element, writes, position);
    return array.elements + static_cast<std::size_t>(element) * array.element_bytes;
  }

  void wait_at_barrier(int line) override {
    barrier_lines_[static_cast<std::size_t>(running_)] = line;
    swapcontext(&contexts_[static_cast<std::size_t>(running_)], &scheduler_);
  }

 private:
  static CountingMachine*& running_machine() {
    static CountingMachine* machine = nullptr;
    return machine;
  }
  static void begin_thread() {
    CountingMachine& machine = *running_machine();
    machine.kernel_();
    machine.finished_[static_cast<std::size_t>(machine.running_)] = true;
    // Back to the scheduler, by uc_link.
  }

  Dim thread_at(int number) const {
    const auto n = static_cast<unsigned>(number);
    return {n % block_size.x, n / block_size.x, 0};
  }
  Dim block_at(int number) const {
    const auto n = static_cast<unsigned>(number);
    return {n % grid_size.x, n / grid_size.x, 0};
  }
  int block_number() const { return static_cast<int>(block.y * grid_size.x + block.x); }

  void run_block() {
    block.z = 0;
    running_machine() = this;
    accesses_of_block_ = 0;
    const auto count = static_cast<std::size_t>(threads_);
    finished_.assign(count, false);
    barrier_lines_.assign(count, 0);
    occurrences_.assign(count, {});
    accesses_of_thread_.assign(count, 0);
    cells_of_thread_.assign(count, {});
    passes_of_warp_.assign((count + threads_of_warp - 1) / threads_of_warp, 0);
    for (ArrayInUse& array : arrays_)
      if (array.is_shared()) std::fill(array.uses.begin(), array.uses.end(), ElementUse{});
    for (std::size_t t = 0; t < count; ++t) {
      getcontext(&contexts_[t]);
      contexts_[t].uc_stack.ss_sp = stacks_ + t * stack_bytes + guard_bytes;
      contexts_[t].uc_stack.ss_size = stack_bytes - guard_bytes;
      contexts_[t].uc_link = &scheduler_;
      makecontext(&contexts_[t], &CountingMachine::begin_thread, 0);
    }
    for (bool waits = true; waits;) {
      ++interval_;
      for (std::vector<int>& occurrences : occurrences_) occurrences.clear();
      for (running_ = 0; running_ < threads_; ++running_) {
        thread = thread_at(running_);
        thread.z = 0;
        report_.block = block;
        report_.thread = thread;
        swapcontext(&scheduler_, &contexts_[static_cast<std::size_t>(running_)]);
      }
      waits = compare_threads();
      count_accesses();
    }
    report_.passes_of_warp =
        std::max(report_.passes_of_warp, *std::max_element(passes_of_warp_.begin(), passes_of_warp_.end()));
    report_.threads += threads_;
  }

  // After all threads have come to a barrier or to their end. Returns whether they wait.
  bool compare_threads() {
    const int waiting = find([&](std::size_t t) { return !finished_[t]; });
    if (waiting < 0) return false;
    const int line = barrier_lines_[static_cast<std::size_t>(waiting)];
    const int ended = find([&](std::size_t t) { return finished_[t]; });
    const int elsewhere = find([&](std::size_t t) { return barrier_lines_[t] != line; });
    const int other = ended >= 0 ? ended : elsewhere;
    if (other < 0) return true;
    report_.thread = thread_at(waiting);
    report_.other_thread = thread_at(other);
    report_.other_line = barrier_lines_[static_cast<std::size_t>(other)];
    fail(ended >= 0 ? PuzzleFault::barrier : PuzzleFault::two_barriers, line);
  }
  template <class F>
  int find(const F& f) const {
    for (int t = 0; t < threads_; ++t)
      if (f(static_cast<std::size_t>(t))) return t;
    return -1;
  }

  void check_race(const ArrayInUse& array, int number, ElementUse& use, const Indices& indices, bool writes, int line) {
    const auto race = [&](int other_block, int other_thread, int other_line, bool other_writes) {
      report_.other_block = block_at(other_block);
      report_.other_thread = other_thread < 0 ? Dim{} : thread_at(other_thread);
      report_.other_line = other_line;
      report_.other_writes = other_writes;
      fail_at(PuzzleFault::race, number, indices, writes, line);
    };
    const int own_block = block_number();
    if (use.interval == interval_) {
      if (use.writer >= 0 && use.writer != running_) race(own_block, use.writer, use.writer_line, true);
      if (writes && use.reader >= 0 && use.reader != running_) race(own_block, use.reader, use.reader_line, false);
      if (writes && use.second_reader >= 0 && use.second_reader != running_)
        race(own_block, use.second_reader, use.second_reader_line, false);
    }
    if (array.is_shared()) return;
    // No barrier orders the blocks of a launch.
    if (use.writing_block >= 0 && use.writing_block != own_block) race(use.writing_block, -1, use.writer_line, true);
    if (!writes) return;
    if (use.reading_block >= 0 && use.reading_block != own_block) race(use.reading_block, -1, use.reader_line, false);
    if (use.second_reading_block >= 0 && use.second_reading_block != own_block)
      race(use.second_reading_block, -1, use.second_reader_line, false);
  }

  // Counts an element that this thread has not used yet.
  void note_cell(int number, ElementUse& use) {
    if (use.cell_block == block_number() && use.cell_thread == running_) return;
    use.cell_block = block_number();
    use.cell_thread = running_;
    std::vector<std::int64_t>& cells = cells_of_thread_[static_cast<std::size_t>(running_)];
    cells.resize(arrays_.size());
    const std::int64_t count = ++cells[static_cast<std::size_t>(number)];
    const std::int64_t size = arrays_[static_cast<std::size_t>(number)].sizes.at[0];
    if (count * report_.size_of_cells > report_.cells_of_thread * size) {
      report_.cells_of_thread = count;
      report_.size_of_cells = size;
    }
  }

  void note(ElementUse& use, bool writes, int line) const {
    if (use.interval != interval_) {
      use.interval = interval_;
      use.writer = use.reader = use.second_reader = -1;
    }
    const int own_block = block_number();
    if (writes) {
      use.writer = running_;
      use.writer_line = line;
      use.written = true;
      use.writing_block = own_block;
      return;
    }
    if (use.reader < 0) {
      use.reader = running_;
      use.reader_line = line;
    } else if (use.reader != running_) {
      use.second_reader = running_;
      use.second_reader_line = line;
    }
    if (use.reading_block < 0) {
      use.reading_block = own_block;
    } else if (use.reading_block != own_block) {
      use.second_reading_block = own_block;
    }
  }

  void count(const ArrayInUse& array, int number, std::int64_t element, bool writes, TextPosition position) {
    ++(array.is_shared() ? writes ? report_.shared_writes : report_.shared_reads
       : writes          ? report_.global_writes
                         : report_.global_reads);
    report_.accesses_of_thread =
        std::max(report_.accesses_of_thread, ++accesses_of_thread_[static_cast<std::size_t>(running_)]);
    // Each thread's n-th access by the same expression is one instruction of its warp, unless a barrier is between.
    const std::tuple site(position.line, position.column, number, writes);
    const int place = sites_.try_emplace(site, static_cast<int>(sites_.size())).first->second;
    std::vector<int>& occurrences = occurrences_[static_cast<std::size_t>(running_)];
    if (occurrences.size() <= static_cast<std::size_t>(place)) occurrences.resize(static_cast<std::size_t>(place) + 1);
    const int occurrence = occurrences[static_cast<std::size_t>(place)]++;
    record(number, element, writes, (interval_ << 40) | (static_cast<std::int64_t>(occurrence) << 18) | place);
    const std::uint64_t key = (static_cast<std::uint64_t>(occurrence) << 24) |
                              (static_cast<std::uint64_t>(place) * max_warps) |
                              static_cast<std::uint64_t>(running_ / threads_of_warp);
    WarpAccess& access = accesses_[key];
    access.is_shared = array.is_shared();
    access.addresses.push_back(array.offset + static_cast<std::size_t>(element) * array.element_bytes);
  }

  // Those since the last barrier.
  void count_accesses() {
    constexpr std::int64_t sectors_of_pass = 4;  // 32 numbers in a row
    for (auto& [key, access] : accesses_) {
      const std::int64_t threads = std::ssize(access.addresses);
      const std::int64_t units = count_warp_units(access.is_shared, access.addresses);
      (access.is_shared ? report_.shared_passes_of_threads : report_.sectors_of_threads) += units * threads;
      if (!access.is_shared) report_.sectors += units;
      passes_of_warp_[key % max_warps] += access.is_shared ? units : (units + sectors_of_pass - 1) / sectors_of_pass;
    }
    accesses_.clear();
  }

  void begin_record() {
    record_.block = block;
    record_.count = 0;
    record_.complete = true;
    record_.watched_thread = -1;
    recorded_of_thread_.assign(static_cast<std::size_t>(threads_), 0);
  }

  void record(int array, std::int64_t element, bool writes, std::int64_t instruction) {
    if (writes && array == record_.watched_array && element == record_.watched_element)
      record_.watched_thread = running_;
    int& recorded = recorded_of_thread_[static_cast<std::size_t>(running_)];
    // As many of each thread, so that an endless loop of one does not hide the others.
    if (recorded >= BlockAccesses::max_accesses / threads_) {
      record_.complete = false;
      return;
    }
    ++recorded;
    record_.accesses[record_.count++] = {instruction, static_cast<std::int32_t>(element),
                                         static_cast<std::int16_t>(running_), static_cast<std::int16_t>(array), writes};
  }

  [[noreturn]] void fail(PuzzleFault fault, int line) {
    report_.fault = fault;
    report_.line = line;
    _exit(0);
  }
  [[noreturn]] void fail_at(PuzzleFault fault, int number, const Indices& indices, bool writes, int line) {
    const ArrayInUse& array = arrays_[static_cast<std::size_t>(number)];
    report_.array = array.is_shared() ? -1 : number;
    std::strncpy(report_.shared_name, array.name.c_str(), sizeof report_.shared_name - 1);
    report_.dimensions = array.dimensions;
    for (int d = 0; d < puzzle::max_dimensions; ++d) {
      report_.index[d] = indices.at[d];
      report_.size[d] = array.sizes.at[d];
    }
    report_.writes = writes;
    fail(fault, line);
  }

  void (*kernel_)();
  PuzzleReport& report_;
  BlockAccesses& record_;
  std::unique_ptr<BlockAccesses> kept_;  // for the end of the run
  std::vector<int> recorded_of_thread_;
  std::vector<std::int64_t> accesses_of_thread_;
  std::vector<std::vector<std::int64_t>> cells_of_thread_;  // by array
  std::vector<std::int64_t> passes_of_warp_;
  int threads_;  // of a block
  std::vector<ArrayInUse> arrays_;
  std::size_t next_offset_ = 0, shared_bytes_ = 0;
  char* stacks_ = nullptr;
  std::vector<ucontext_t> contexts_;
  ucontext_t scheduler_{};
  int running_ = 0;  // number of a thread of the block
  std::int64_t accesses_of_block_ = 0;
  std::int64_t interval_ = 0;  // between two barriers, over all blocks
  std::vector<bool> finished_;
  std::vector<int> barrier_lines_;
  std::map<std::tuple<int, int, int, bool>, int> sites_;  // line, column, array, written
  std::vector<std::vector<int>> occurrences_;             // by thread and site
  std::unordered_map<std::uint64_t, WarpAccess> accesses_;
};

}  // namespace

std::int64_t count_warp_units(bool is_shared, std::vector<std::size_t>& addresses) {
  const std::size_t unit = is_shared ? sizeof(float) : sector_bytes;
  for (std::size_t& address : addresses) address /= unit;
  std::sort(addresses.begin(), addresses.end());
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
  if (!is_shared) return std::ssize(addresses);
  std::array<int, banks> words{};
  for (const std::size_t word : addresses) ++words[word % banks];
  return *std::max_element(words.begin(), words.end());
}

void run_counted(void (*kernel)(), puzzle::Machine*& machine_of_kernel, Dim block, Dim grid,
                 const std::vector<GlobalArray>& arrays, PuzzleReport& report, BlockAccesses& record) {
  CountingMachine machine(kernel, block, grid, arrays, report, record);
  machine_of_kernel = &machine;
  report.started = true;
  machine.run_blocks();
  report.finished = true;
}

}  // namespace perturb
