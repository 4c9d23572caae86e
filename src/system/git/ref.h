#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace ralph::git {

/// What HEAD names where the refs are kept in a reftable.
inline constexpr std::string_view kReftableHead = "refs/heads/.invalid";

/// What HEAD or a loose ref holds: one of the two.
struct Ref {
  std::string commit;
  std::string target;  // the name of another ref
};

/// 40 or 64 hex digits.
bool is_commit_id(std::string_view text);

/// Below "refs/", and as a path it leads nowhere else: no "..", no part that begins with a dot, no
/// byte that git forbids, no part or whole too long for a file's name.
bool is_ref_name(std::string_view name);

/// Reads the text of HEAD or of a loose ref; `file` is for the error message. A target is a ref name, or
/// kReftableHead.
Result<Ref> parse_ref(std::string_view text, std::string_view file);

/// Looks for one ref in the text of a packed-refs file. Feed any pieces, then finish(); keeps one
/// line, however long they are.
class PackedSearch {
 public:
  /// `name` is a ref name.
  explicit PackedSearch(std::string_view name) : wanted_(" " + std::string(name)) {}
  void feed(std::string_view piece);
  /// No need to feed more.
  bool found() const { return found_; }
  /// The id beside the name, whatever it looks like; empty: the name is not there.
  std::string finish();

 private:
  void take_line();

  std::string wanted_;  // how its line ends
  std::string line_;
  std::string id_;
  bool found_ = false;
};

}  // namespace ralph::git
