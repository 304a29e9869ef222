#include "app/io/files/unicode.h"

#include <cwctype>

#include <locale.h>

namespace perturb {

Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t k) { return static_cast<char32_t>(static_cast<unsigned char>(text[k])); };
  const char32_t first = byte(at);
  if (first < 0x80) return {1, first};
  const std::size_t bytes = first >= 0xf0 && first < 0xf8 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first >= 0xf8 || at + bytes > text.size()) return {};
  char32_t code = first & (0x7fu >> bytes);
  for (std::size_t k = 1; k < bytes; ++k) {
    if ((byte(at + k) & 0xc0u) != 0x80u) return {};
    code = code << 6 | (byte(at + k) & 0x3fu);
  }
  constexpr char32_t min_code[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < min_code[bytes] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {};
  return {bytes, code};
}

namespace {

// Letters and what they become with a combining mark: the pairs of Unicode's canonical compositions up to U+1EFF.
struct Compositions {
  char32_t mark;
  std::u32string_view letters, composed;
};
constexpr Compositions compositions[] = {
    {0x0300, U"AEIOUaeiouÜüNnЕИеиĒēŌōWwÂâĂăÊêÔôƠơƯưYy", U"ÀÈÌÒÙàèìòùǛǜǸǹЀЍѐѝḔḕṐṑẀẁẦầẰằỀềỒồỜờỪừỲỳ"},
    {0x0301, U"AEIOUYaeiouyCcLlNnRrSsZzÜüGgÅåÆæØø¨ΑΕΗΙΟΥΩϊαεη", U"ÁÉÍÓÚÝáéíóúýĆćĹĺŃńŔŕŚśŹźǗǘǴǵǺǻǼǽǾǿ΅ΆΈΉΊΌΎΏΐάέή"},
    {0x0301, U"ιϋουωϒГКгкÇçĒēÏïKkMmÕõŌōPpŨũWwÂâĂăÊêÔôƠơƯư", U"ίΰόύώϓЃЌѓќḈḉḖḗḮḯḰḱḾḿṌṍṒṓṔṕṸṹẂẃẤấẮắẾếỐốỚớỨứ"},
    {0x0302, U"AEIOUaeiouCcGgHhJjSsWwYyZzẠạẸẹỌọ", U"ÂÊÎÔÛâêîôûĈĉĜĝĤĥĴĵŜŝŴŵŶŷẐẑẬậỆệỘộ"},
    {0x0303, U"ANOanoIiUuVvÂâĂăEeÊêÔôƠơƯưYy", U"ÃÑÕãñõĨĩŨũṼṽẪẫẴẵẼẽỄễỖỗỠỡỮữỸỹ"},
    {0x0304, U"AaEeIiOoUuÜüÄäȦȧÆæǪǫÖöÕõȮȯYyИиУуGgḶḷṚṛ", U"ĀāĒēĪīŌōŪūǕǖǞǟǠǡǢǣǬǭȪȫȬȭȰȱȲȳӢӣӮӯḠḡḸḹṜṝ"},
    {0x0306, U"AaEeGgIiOoUuУИиуЖжАаЕеȨȩẠạ", U"ĂăĔĕĞğĬĭŎŏŬŭЎЙйўӁӂӐӑӖӗḜḝẶặ"},
    {0x0307, U"CcEeGgIZzAaOoBbDdFfHhMmNnPpRrSsŚśŠšṢṣTtWwXxYyſ", U"ĊċĖėĠġİŻżȦȧȮȯḂḃḊḋḞḟḢḣṀṁṄṅṖṗṘṙṠṡṤṥṦṧṨṩṪṫẆẇẊẋẎẏẛ"},
    {0x0308, U"AEIOUaeiouyYΙΥιυϒЕІеіАаӘәЖжЗзИиОоӨөЭэУуЧчЫыHhÕ", U"ÄËÏÖÜäëïöüÿŸΪΫϊϋϔЁЇёїӒӓӚӛӜӝӞӟӤӥӦӧӪӫӬӭӰӱӴӵӸӹḦḧṎ"},
    {0x0308, U"õŪūWwXxt", U"ṏṺṻẄẅẌẍẗ"},
    {0x0309, U"AaÂâĂăEeÊêIiOoÔôƠơUuƯưYy", U"ẢảẨẩẲẳẺẻỂểỈỉỎỏỔổỞởỦủỬửỶỷ"},
    {0x030A, U"AaUuwy", U"ÅåŮůẘẙ"},
    {0x030B, U"OoUuУу", U"ŐőŰűӲӳ"},
    {0x030C, U"CcDdEeLlNnRrSsTtZzAaIiOoUuÜüGgKkƷʒjHh", U"ČčĎďĚěĽľŇňŘřŠšŤťŽžǍǎǏǐǑǒǓǔǙǚǦǧǨǩǮǯǰȞȟ"},
    {0x030F, U"AaEeIiOoRrUuѴѵ", U"ȀȁȄȅȈȉȌȍȐȑȔȕѶѷ"},
    {0x0311, U"AaEeIiOoRrUu", U"ȂȃȆȇȊȋȎȏȒȓȖȗ"},
    {0x031B, U"OoUu", U"ƠơƯư"},
    {0x0323, U"BbDdHhKkLlMmNnRrSsTtVvWwZzAaEeIiOoƠơUuƯưYy", U"ḄḅḌḍḤḥḲḳḶḷṂṃṆṇṚṛṢṣṬṭṾṿẈẉẒẓẠạẸẹỊịỌọỢợỤụỰựỴỵ"},
    {0x0324, U"Uu", U"Ṳṳ"},
    {0x0325, U"Aa", U"Ḁḁ"},
    {0x0326, U"SsTt", U"ȘșȚț"},
    {0x0327, U"CcGgKkLlNnRrSsTtEeDdHh", U"ÇçĢģĶķĻļŅņŖŗŞşŢţȨȩḐḑḨḩ"},
    {0x0328, U"AaEeIiUuOo", U"ĄąĘęĮįŲųǪǫ"},
    {0x032D, U"DdEeLlNnTtUu", U"ḒḓḘḙḼḽṊṋṰṱṶṷ"},
    {0x032E, U"Hh", U"Ḫḫ"},
    {0x0330, U"EeIiUu", U"ḚḛḬḭṴṵ"},
    {0x0331, U"BbDdKkLlNnRrTtZzh", U"ḆḇḎḏḴḵḺḻṈṉṞṟṮṯẔẕẖ"},
};

// 0: there is no such character.
char32_t composed(char32_t letter, char32_t mark) {
  for (const Compositions& one : compositions)
    if (one.mark == mark)
      if (const std::size_t k = one.letters.find(letter); k != std::u32string_view::npos) return one.composed[k];
  return 0;
}

void append_utf8(std::string& text, char32_t code) {
  const auto add = [&](char32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xc0u | code >> 6);
  } else {
    if (code < 0x10000) {
      add(0xe0u | code >> 12);
    } else {
      add(0xf0u | code >> 18);
      add(0x80u | (code >> 12 & 0x3fu));
    }
    add(0x80u | (code >> 6 & 0x3fu));
  }
  add(0x80u | (code & 0x3fu));
}

bool is_blank(char32_t code) {
  return code == ' ' || (code >= '\t' && code <= '\r') || code == 0xa0 || code == 0xfeff ||
         (code >= 0x2000 && code <= 0x200b) || code == 0x202f || code == 0x3000;
}

// Does not depend on the user's language.
char32_t lower_case(char32_t code) {
  static const locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", locale_t{});
  if (code == U'ς') return U'σ';  // the form at the end of a word
  if (code < 0x80 || locale == locale_t{}) return code >= 'A' && code <= 'Z' ? code + ('a' - 'A') : code;
  return static_cast<char32_t>(towlower_l(static_cast<wint_t>(code), locale));
}

std::string in_one_form(std::string_view text, bool in_lower_case) {
  std::string form;
  std::size_t last = 0;  // where the last character of `form` begins, as long as it may take a mark
  char32_t letter = 0;
  bool blank_before = false;
  for (std::size_t at = 0; at < text.size();) {
    const Character c = character_at(text, at);
    if (c.bytes > 0 && is_blank(c.code)) {
      blank_before = true;
      letter = 0;
    } else {
      if (blank_before && !form.empty()) form += ' ';
      blank_before = false;
      const char32_t whole = c.bytes > 0 && letter != 0 ? composed(letter, c.code) : 0;
      if (whole != 0) {
        form.resize(last);
        letter = whole;
      } else {
        last = form.size();
        letter = c.bytes > 0 ? c.code : 0;
      }
      if (letter != 0)
        append_utf8(form, in_lower_case ? lower_case(letter) : letter);
      else
        form += text[at];  // not UTF-8: kept
    }
    at += c.bytes > 0 ? c.bytes : 1;
  }
  return form;
}

}  // namespace

std::string tidy_text(std::string_view text) { return in_one_form(text, false); }

std::string folded_text(std::string_view text) { return in_one_form(text, true); }

}  // namespace perturb
