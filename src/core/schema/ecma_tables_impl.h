#pragma once
#include <array>
#include <string_view>

/// What the escapes and properties of ECMAScript patterns are in PCRE2.
namespace ralph::schema {

inline constexpr std::string_view kSpaces =
    R"(\x{9}-\x{d} \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff})";
inline constexpr std::string_view kNoSpaces =
    R"(\x{0}-\x{8}\x{e}-\x{1f}!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027})"
    R"(\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff})";
inline constexpr std::string_view kAnything = R"([\x{0}-\x{10ffff}])";
inline constexpr std::string_view kNothing = R"([^\x{0}-\x{10ffff}])";
inline constexpr std::string_view kAnyButLineEnd = R"([^\n\r\x{2028}\x{2029}])";

/// A class escape and what stands for it between brackets.
struct ClassEscape {
  char letter;
  std::string_view members;
};
inline constexpr std::array<ClassEscape, 6> kClassEscapes{{
    {'d', "0-9"},
    {'D', R"(\x{0}-\/:-\x{10ffff})"},
    {'w', "0-9A-Za-z_"},
    {'W', R"(\x{0}-\/:-@\[-\^`{-\x{10ffff})"},
    {'s', kSpaces},
    {'S', kNoSpaces},
}};

struct ControlEscape {
  char letter;
  char32_t point;
};
inline constexpr std::array<ControlEscape, 5> kControlEscapes{
    {{'t', '\t'}, {'n', '\n'}, {'v', '\v'}, {'f', '\f'}, {'r', '\r'}}};

/// Long names of general categories; PCRE2 knows the short ones, the scripts and the rest.
struct Category {
  std::string_view name, brief;
};
inline constexpr auto kCategories = std::to_array<Category>({
    {"Cased_Letter", "L&"},
    {"LC", "L&"},
    {"Close_Punctuation", "Pe"},
    {"Connector_Punctuation", "Pc"},
    {"Control", "Cc"},
    {"cntrl", "Cc"},
    {"Currency_Symbol", "Sc"},
    {"Dash_Punctuation", "Pd"},
    {"Decimal_Number", "Nd"},
    {"digit", "Nd"},
    {"Enclosing_Mark", "Me"},
    {"Final_Punctuation", "Pf"},
    {"Format", "Cf"},
    {"Initial_Punctuation", "Pi"},
    {"Letter", "L"},
    {"Letter_Number", "Nl"},
    {"Line_Separator", "Zl"},
    {"Lowercase_Letter", "Ll"},
    {"Mark", "M"},
    {"Combining_Mark", "M"},
    {"Math_Symbol", "Sm"},
    {"Modifier_Letter", "Lm"},
    {"Modifier_Symbol", "Sk"},
    {"Nonspacing_Mark", "Mn"},
    {"Number", "N"},
    {"Open_Punctuation", "Ps"},
    {"Other", "C"},
    {"Other_Letter", "Lo"},
    {"Other_Number", "No"},
    {"Other_Punctuation", "Po"},
    {"Other_Symbol", "So"},
    {"Paragraph_Separator", "Zp"},
    {"Private_Use", "Co"},
    {"Punctuation", "P"},
    {"punct", "P"},
    {"Separator", "Z"},
    {"Space_Separator", "Zs"},
    {"Spacing_Mark", "Mc"},
    {"Surrogate", "Cs"},
    {"Symbol", "S"},
    {"Titlecase_Letter", "Lt"},
    {"Unassigned", "Cn"},
    {"Uppercase_Letter", "Lu"},
});

}  // namespace ralph::schema
