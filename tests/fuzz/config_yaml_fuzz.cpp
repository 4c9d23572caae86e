// Whatever text comes: parse() returns a tree within its limits or an error with a place, and settings
// made of it are whole or a list of mistakes.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/base/utf8.h"
#include "core/config/layers.h"
#include "core/config/yaml.h"

namespace {

void require(bool promise) {
  if (!promise) std::abort();
}

std::size_t nodes_of(const ralph::config::Node& node) {
  using Kind = ralph::config::Node::Kind;
  require(node.kind == Kind::map ? node.keys.size() == node.items.size() : node.keys.empty());
  require(node.kind != Kind::scalar || node.items.empty());
  std::size_t count = 1;
  for (const auto& item : node.items) count += nodes_of(item);
  return count;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ralph;
  const std::string_view text(reinterpret_cast<const char*>(data), size);

  if (const auto node = config::parse(text, "f.yml")) {
    require(nodes_of(*node) <= config::kMaxNodes + 1);
  } else {
    require(node.error().message.starts_with("f.yml:") && utf8::valid(node.error().message));
  }

  config::Layers layers(".", "/home/me");
  layers.add_file(text, "sub/f.yml");
  const auto loaded = std::move(layers).finish();
  if (!loaded) {
    require(utf8::valid(loaded.error().message));
    return 0;
  }
  for (const auto& setting : config::settings_table()) {
    require(utf8::valid(config::to_text(loaded->settings.value(setting.id), setting.kind)));
    require(!config::describe(loaded->settings.origin(setting.id)).empty());
  }
  return 0;
}
