#pragma once
#include <string>
#include <vector>

#include "core/base/result.h"
#include "harness/store/loop_record.h"

namespace ralph::loop {

/// Decides whether a DONE is true.
class DoneVerifier {
 public:
  virtual ~DoneVerifier() = default;
  /// The commands, as people know them; empty: nothing is verified.
  virtual std::vector<std::string> commands() const = 0;
  /// `content`: Repository::content() of what is verified. An error: verification itself was tampered with.
  virtual Result<store::Verification> verify(const std::string& content) = 0;
};

}  // namespace ralph::loop
