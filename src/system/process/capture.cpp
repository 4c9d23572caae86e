#include "system/process/capture.h"

#include "core/base/text_tail.h"
#include "system/process/child.h"

namespace ralph::process {
namespace {

/// Keeps the beginning or the end of a text.
class Kept {
 public:
  explicit Kept(const CaptureLimits& limits) : limits_(limits), end_(limits.bytes) {}

  void add(std::string_view bytes) {
    if (limits_.keep_end) return end_.add(bytes);
    const auto room = limits_.bytes - beginning_.size();
    cut_ = cut_ || bytes.size() > room;
    beginning_ += bytes.substr(0, room);
  }
  bool cut() const { return cut_ || end_.cut(); }
  std::string take() { return limits_.keep_end ? std::string(end_.text()) : std::move(beginning_); }

 private:
  const CaptureLimits& limits_;
  std::string beginning_;
  TextTail end_;
  bool cut_ = false;
};

}  // namespace

Result<Captured> capture(const Command& command, const CaptureLimits& limits,
                         const std::stop_token& stop,
                         const std::function<void(std::string_view)>& on_output) {
  TRY_ASSIGN(auto child, start(command));
  Captured captured;
  Kept out(limits), err(limits);
  const auto into = [&](Kept& kept) {
    return [&](std::string_view bytes) -> Result<> {
      kept.add(bytes);
      if (on_output) on_output(bytes);
      return {};
    };
  };
  RunHandle handle;
  if (limits.wall > Millis::zero()) handle.arm(Limit::wall, limits.wall);
  captured.exit =
      supervise(std::move(child), {into(out), into(err), {}, {}}, handle, stop, limits.end);
  captured.cut = out.cut() || err.cut();
  captured.out = out.take();
  captured.err = err.take();
  return captured;
}

}  // namespace ralph::process
