#pragma once
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ralph::http {

struct Header {
  std::string name;
  std::string value;

  bool operator==(const Header&) const = default;
};

/// Headers in the order they came. Names are compared without regard to case.
class Headers {
 public:
  Headers() = default;
  Headers(std::initializer_list<Header> list) : list_(list) {}

  void add(std::string name, std::string value);
  /// Adds it in place of all others of that name.
  void set(std::string name, std::string value);
  /// The first value of that name; nullopt: there is none.
  std::optional<std::string_view> find(std::string_view name) const;
  /// Whether a comma-separated list under that name holds the word ("connection", "close").
  bool has_word(std::string_view name, std::string_view word) const;

  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }

  bool operator==(const Headers&) const = default;

 private:
  std::vector<Header> list_;
};

/// The same word, "Close" and "close" alike.
bool equal_ignoring_case(std::string_view a, std::string_view b);

/// A method or the name of a header: letters, digits and "!#$%&'*+-.^_`|~", at least one.
bool is_token(std::string_view text);

enum class Version { http_1_0, http_1_1 };

/// One request as it came: nothing is decoded but the body's chunks.
struct Request {
  std::string method;
  std::string target;  // as it was written: "/v1/messages?beta=true"
  std::string path;    // "/v1/messages"
  std::string query;   // "beta=true"
  Version version = Version::http_1_1;
  Headers headers;
  std::string body;

  bool operator==(const Request&) const = default;
};

/// One complete response. Content-Length is added when it is sent.
struct Response {
  int status = 200;
  Headers headers;
  std::string body;
};

/// "Not Found"; "Unknown" if the status has no usual phrase.
std::string_view reason_phrase(int status);

/// "HTTP/1.1 200 OK", the headers, and the empty line.
std::string head_bytes(int status, const Headers& headers);

}  // namespace ralph::http
