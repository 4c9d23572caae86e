#pragma once
#include <string>
#include <string_view>

#include "ui/console/output.h"

namespace ralph::console {

/// An output that keeps what it gets.
struct FakeOutput final : Output {
  void out(std::string_view text) override { stdout_text += text; }
  void err(std::string_view text) override { stderr_text += text; }
  std::string stdout_text, stderr_text;
};

}  // namespace ralph::console
