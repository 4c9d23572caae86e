#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "core/base/result.h"
#include "core/base/unique_fd.h"
#include "harness/store/location.h"
#include "harness/stream/line_splitter.h"

namespace ralph::store {

/// Reads a file of lines that another process appends to. Each read() gives what has become whole since the last one. A
/// file that was replaced (rotated) is read to its end, then the new one from its beginning; one that was made shorter
/// is read again from its beginning. A file that is missing has no lines yet.
class LineFollower {
 public:
  static constexpr std::size_t kLongestLine = std::size_t{1} << 20;

  explicit LineFollower(Location file, std::size_t max_line = kLongestLine);

  /// A view is valid during its call. Stops after about `most` bytes; call again for the rest. An error: the file is
  /// there and cannot be read.
  Result<> read(const std::function<void(std::string_view)>& on_line, std::size_t most = SIZE_MAX);

  /// Lines over max_line, which are skipped.
  std::int64_t overlong() const { return overlong_ + lines_.overlong(); }

 private:
  Result<bool> open();
  Result<> read_open(const std::function<void(std::string_view)>& on_line, std::size_t& most);
  void restart();
  bool was_replaced() const;

  Location file_;
  std::size_t max_line_;
  UniqueFd fd_;
  std::int64_t offset_ = 0;
  stream::LineSplitter lines_;
  std::int64_t overlong_ = 0;  // of files before this one
};

}  // namespace ralph::store
