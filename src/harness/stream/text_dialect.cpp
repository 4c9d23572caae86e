#include <utility>

#include "core/base/text.h"
#include "core/base/text_tail.h"
#include "core/base/utf8.h"
#include "harness/stream/dialect.h"

namespace ralph::stream {
namespace {

class TextDialect final : public Dialect {
 public:
  TextDialect(std::string agent, std::string display_name)
      : agent_(std::move(agent)), display_name_(std::move(display_name)) {}

  std::string_view agent() const override { return agent_; }
  std::string_view display_name() const override { return display_name_; }

  LineStatus decode(std::string_view line, PayloadSink& sink) override {
    if (!utf8::valid(line)) line = repaired_ = utf8::repaired(line);
    said_.add(line);
    said_.add("\n");
    if (is_blank(line, " \t\r\v\f")) return LineStatus::blank;
    Text said;
    said.text = line;
    sink.emit({}, said);
    return LineStatus::decoded;
  }

  void finish(std::optional<int> exit_code, PayloadSink& sink) override {
    if (exit_code != 0) return;
    auto text = said_.text();
    if (!text.empty()) text.remove_suffix(1);  // the newline of the last line
    TurnEnded ended;
    ended.text = text;
    ended.turns = 1;
    sink.emit({}, ended);
  }

 private:
  std::string agent_, display_name_;
  TextTail said_{kKeptText + 1};  // every line with a newline
  std::string repaired_;
};

}  // namespace

std::unique_ptr<Dialect> make_text_dialect(std::string agent, std::string display_name) {
  return std::make_unique<TextDialect>(std::move(agent), std::move(display_name));
}

}  // namespace ralph::stream
