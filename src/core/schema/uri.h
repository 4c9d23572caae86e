#pragma once
#include <string>
#include <string_view>

namespace ralph::schema {

/// "http://a/b?c#d" becomes "http://a/b?c" and "d".
struct SplitUri {
  std::string_view address;
  std::string_view fragment;
};
SplitUri split_uri(std::string_view uri);

/// A reference seen from a base address (RFC 3986, 5.2). The base must have a scheme.
std::string resolve_uri(std::string_view base, std::string_view reference);

/// "%25" becomes "%"; what is no escape stays.
std::string percent_decoded(std::string_view text);

}  // namespace ralph::schema
