// Steps of a flow whose collision a user edits: this file is compiled while the program runs, with the user's text in
// place of model/cell.h. It therefore includes only small headers, and gets the flow as one piece of memory.
#pragma once

#include "cuda/core/simulation/edited_cells.h"
#include "cuda/lbm/model/step_params.h"

namespace perturb::lbm {

struct EditedFlow : EditedHeader {
  StepParams params;    // without the address of `links`
  int features;         // a Feature sum
  int stride, apart;    // of Populations
  long long from;       // never written, because the steps may have to be discarded
  long long fields[2];  // the levels write them in turn (EditedHeader::target)
  long long links;      // 0: none
};

// With the built-in text, all cells are bit-identical to cell_step.
class EditedRows {
 public:
  PERTURB_HD EditedRows(char* memory, int level)
      : memory_(memory),
        level_(level),
        params_(flow().params),
        from_(populations(level == 0 ? flow().from : flow().fields[flow().target(level - 1)])),
        to_(populations(flow().fields[flow().target(level)])) {
    if (flow().links != 0) params_.links.data = edited_field<const std::uint8_t>(memory, flow().links);
  }

  // Updates one row.
  void row(int j) const {
    const int last = params_.width - 1;
    const bool is_marked = !params_.links.empty() && next_marked_cell(params_.links.row(j), 1, last) < last;
    const bool at_bottom = j == 0 && reads_cell(params_.bottom.kind);
    const bool at_top = j == params_.height - 1 && reads_cell(params_.top.kind);
    if (at_bottom || at_top) {
      for (int i = 0; i <= last; ++i) cell(i, j);
    } else {
      cell(0, j);
      if (last > 0) cell(last, j);
      inner(j, last, is_marked);
    }
    // The limiter replaces what is not a number, so the first level may show it and the last not.
    if (level_ == 0 || flow().is_last(level_)) note_bad_populations(j);
  }

  // Updates one cell, and notes a population that is not finite.
  PERTURB_HD void checked_cell(int i, int j) const {
    step(i, j);
    float g[lbm_links];
    to_.load(i, j, g);
    if (const float sum = sum_of(g); !(sum - sum == 0.f)) note_bad_cell(memory_, i, j);
  }

 private:
  PERTURB_HD const EditedFlow& flow() const { return *reinterpret_cast<const EditedFlow*>(memory_); }
  PERTURB_HD Populations<float> populations(long long place) const {
    return {edited_field<float>(memory_, place), flow().width, flow().height, flow().stride, flow().apart};
  }

  PERTURB_HD void step(int i, int j) const {
    with_features(flow().features,
                  [&](auto constant) { cell_step<float, decltype(constant)::value>(params_, from_, to_, i, j); });
  }
  // Inlined nowhere: the text would take a second longer to compile.
  [[gnu::noinline]] void cell(int i, int j) const { step(i, j); }

  // Pointers for the links of a row: to the rows below, at and above, from which each pulls; to the row itself.
  struct Row {
    const float *in[lbm_links], *own[lbm_links];
    float* out[lbm_links];
  };

  // The populations that arrive at cells of a row with boundary links.
  void gather(const Row& row, float (&arrived)[lbm_links][lbm_piece], int j, int begin, int end) const {
    const std::uint8_t* links = params_.links.row(j);
    for (int q = 0; q < lbm_links; ++q) {
      // At a column that touches no other side.
      const Crossing crossing = lbm_crossing(params_, q, 1, j);
      const float push = q > 0 && crossing.any ? side_momentum_term(params_, crossing, q, 1, j) : 0.f;
      const float *in = row.in[q] - lbm_ex(q), *own = row.own[lbm_opposite(q)];
      const int bit = q > 0 ? 1 << (q - 1) : 0;
      for (int i = begin; i < end; ++i) {
        const float bounced_back = own[i] + push, pulled = in[i];
        arrived[q][i - begin] = (links[i] & bit) != 0 ? bounced_back : pulled;
      }
    }
  }
  // Cells begin .. end-1, not at the ends of the row, in vector instructions. `in`: row.in, or what has arrived.
  template <int Features>
  PERTURB_FLAT void inner_cells(const float* const (&in)[lbm_links], float* const (&out)[lbm_links], float* loads,
                                int begin, int end) const {
    const Rates rates = params_.rates;
    const float *in0 = in[0], *in1 = in[1], *in2 = in[2], *in3 = in[3], *in4 = in[4], *in5 = in[5], *in6 = in[6],
                *in7 = in[7], *in8 = in[8];
    float *out0 = out[0], *out1 = out[1], *out2 = out[2], *out3 = out[3], *out4 = out[4], *out5 = out[5],
          *out6 = out[6], *out7 = out[7], *out8 = out[8];
    PERTURB_INDEPENDENT_ITERATIONS
    for (int i = begin; i < end; ++i) {
      float g[lbm_links] = {in0[i],     in1[i - 1], in2[i],     in3[i + 1], in4[i],
                            in5[i - 1], in6[i + 1], in7[i + 1], in8[i - 1]};
      loads[i - begin] = lbm_collide_freely<Features>(g, rates);
      out0[i] = g[0];
      out1[i] = g[1];
      out2[i] = g[2];
      out3[i] = g[3];
      out4[i] = g[4];
      out5[i] = g[5];
      out6[i] = g[6];
      out7[i] = g[7];
      out8[i] = g[8];
    }
  }
  void inner(int j, int last, bool is_marked) const {
    // Beyond a side that is not periodic there are no neighbours, and boundary links replace what is read.
    const bool wraps = params_.bottom.kind == Boundary::periodic;
    const int top = params_.height - 1;
    const int below = j > 0 ? j - 1 : wraps ? top : j, above = j < top ? j + 1 : wraps ? 0 : j;
    Row row;
    for (int q = 0; q < lbm_links; ++q) {
      row.in[q] = from_.row(q, lbm_ey(q) > 0 ? below : lbm_ey(q) < 0 ? above : j);
      row.own[q] = from_.row(q, j);
      row.out[q] = to_.row(q, j);
    }
    // Rows start on a cache line: from the second piece on, no vector straddles two.
    for (int begin = 1, end; begin < last; begin = end) {
      end = begin / lbm_piece * lbm_piece + lbm_piece;
      if (end > last) end = last;
      float loads[lbm_piece], arrived[lbm_links][lbm_piece];
      const float* in[lbm_links];
      if (is_marked) gather(row, arrived, j, begin, end);
      for (int q = 0; q < lbm_links; ++q) in[q] = is_marked ? arrived[q] - begin + lbm_ex(q) : row.in[q];
      with_features(flow().features,
                    [&](auto constant) { inner_cells<decltype(constant)::value>(in, row.out, loads, begin, end); });
      int exceeds = 0;
      for (int i = 0; i < end - begin; ++i) exceeds |= lbm_exceeds(loads[i]) ? 1 : 0;
      for (int i = begin; exceeds && i < end; ++i)
        if (lbm_exceeds(loads[i - begin])) cell(i, j);
      if (is_marked) empty_walls(row, j, begin, end);
    }
  }
  void empty_walls(const Row& row, int j, int begin, int end) const {
    const std::uint8_t* links = params_.links.row(j);
    for (int q = 0; q < lbm_links; ++q) {
      float* out = row.out[q];
      for (int i = begin; i < end; ++i) out[i] = links[i] == all_links ? 0.f : out[i];
    }
  }
  void note_bad_populations(int j) const {
    const float* rows[lbm_links];
    for (int q = 0; q < lbm_links; ++q) rows[q] = to_.row(q, j);
    note_bad_row(memory_, j, [&](int i) {
      const float g[lbm_links] = {rows[0][i], rows[1][i], rows[2][i], rows[3][i], rows[4][i],
                                  rows[5][i], rows[6][i], rows[7][i], rows[8][i]};
      return sum_of(g);
    });
  }
  // Not finite if one of them is not.
  PERTURB_HD static float sum_of(const float (&g)[lbm_links]) {
    return (((g[0] + g[1]) + (g[2] + g[3])) + ((g[4] + g[5]) + (g[6] + g[7]))) + g[8];
  }

  char* memory_;
  int level_;
  StepParams params_;
  Populations<float> from_, to_;
};

}  // namespace perturb::lbm
