#include "system/process/capture.h"

#include "system/process/child.h"

namespace ralph::process {
namespace {

/// Keeps the beginning or the end of a text.
class Kept {
 public:
  Kept(const CaptureLimits& limits, bool& cut) : limits_(limits), cut_(cut) {}

  void add(std::string_view bytes) {
    if (limits_.keep_end) {
      text_ += bytes;
      if (text_.size() > 2 * limits_.bytes) trim();
      return;
    }
    const auto room = limits_.bytes - text_.size();
    cut_ = cut_ || bytes.size() > room;
    text_ += bytes.substr(0, room);
  }
  std::string take() {
    trim();
    return std::move(text_);
  }

 private:
  void trim() {
    if (text_.size() <= limits_.bytes) return;
    cut_ = true;
    text_.erase(0, text_.size() - limits_.bytes);
  }

  const CaptureLimits& limits_;
  bool& cut_;
  std::string text_;
};

}  // namespace

Result<Captured> capture(const Command& command, const CaptureLimits& limits,
                         const std::stop_token& stop,
                         const std::function<void(std::string_view)>& on_output) {
  TRY_ASSIGN(auto child, start(command));
  Captured captured;
  Kept out(limits, captured.cut);
  Kept err(limits, captured.cut);
  const auto into = [&](Kept& kept) {
    return [&](std::string_view bytes) -> Result<> {
      kept.add(bytes);
      if (on_output) on_output(bytes);
      return {};
    };
  };
  RunHandle watch;
  if (limits.wall > Millis::zero()) watch.arm(Limit::wall, limits.wall);
  captured.exit = supervise(std::move(child), {into(out), into(err), {}, {}}, watch, stop);
  captured.out = out.take();
  captured.err = err.take();
  return captured;
}

}  // namespace ralph::process
