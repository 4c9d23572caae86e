#pragma once
#include <cstddef>
#include <optional>

#include "core/base/mask.h"
#include "core/base/result.h"
#include "harness/store/location.h"
#include "harness/store/loop_event.h"

namespace ralph::store {

/// `runs/<loop id>/loop.ndjson`: the steps of a loop, one per line, masked, 0600. Nothing is held open: a file that was
/// removed is made again. One that grew over `largest` becomes `loop.1.ndjson`, in place of the one before.
class LoopEventLog {
 public:
  static constexpr const char* kName = "loop.ndjson";
  static constexpr const char* kRotated = "loop.1.ndjson";
  /// Bytes of one member of a line.
  static constexpr std::size_t kLongestText = std::size_t{16} << 10;
  static constexpr std::size_t kLargest = std::size_t{8} << 20;

  /// `folder` is that of the loop, made by the first step. `masker` outlives the log.
  LoopEventLog(Location folder, const Masker& masker, std::size_t largest = kLargest)
      : folder_(std::move(folder)), masker_(masker), largest_(largest) {}

  /// In the file when this returns; a power failure may take the last lines away.
  Result<> append(const LoopEvent& event) const;

 private:
  Location folder_;
  const Masker& masker_;
  std::size_t largest_;
};

/// The newest step of a loop in its directory, notes left out; nullopt: none, or none that can be read.
std::optional<LoopEvent> last_loop_step(const Location& folder);

}  // namespace ralph::store
