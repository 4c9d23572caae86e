#pragma once
#include <string>
#include <string_view>

namespace ralph::web {

/// The readable content of an HTML page as Markdown: headings, links, lists, tables, code. Scripts, styles and comments are
/// left out. Takes anything; linear in its length.
std::string html_text(std::string_view html);

/// Replaces character references (&amp;, &#233;) by their characters.
std::string decode_references(std::string_view text);

}  // namespace ralph::web
