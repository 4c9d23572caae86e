#include "harness/backend/backend.h"

#include <algorithm>
#include <array>

#include "harness/backend/entries_impl.h"

namespace ralph::backend {
namespace {

constexpr std::array<const Backend*, 3> kBackends{&kClaude, &kOwnAgent, &kCustom};

constexpr auto kCandidates = std::to_array<Candidate>({
    {"claude", "claude", &kClaude},
    {"codex", "codex", nullptr},
    {"gemini", "gemini", nullptr},
    {"copilot", "copilot", nullptr},
    {"opencode", "opencode", nullptr},
    {"qwen", "qwen", nullptr},
    {"pi", "pi", nullptr},
    {"amp", "amp", nullptr},
    {"cursor", "cursor-agent", nullptr},
    {"kiro", "kiro-cli", nullptr},
    {"builtin", kOwnProgram, &kOwnAgent},
});

bool begins_with_any(std::string_view name, std::span<const std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [&](auto prefix) { return name.starts_with(prefix); });
}

}  // namespace

std::string_view to_string(Delivery delivery) {
  switch (delivery) {
    case Delivery::argument: return "argument";
    case Delivery::standard_in: return "standard_in";
    case Delivery::stream_json: return "stream_json";
    case Delivery::file: return "file";
  }
  return "unknown";
}

std::string_view to_string(Output output) {
  return output == Output::text ? "text" : "stream-json";
}

std::optional<Output> output_named(std::string_view name) {
  for (const Output output : {Output::stream_json, Output::text}) {
    if (name == to_string(output)) return output;
  }
  return std::nullopt;
}

std::span<const Backend* const> backends() { return kBackends; }

const Backend* find_backend(std::string_view name) {
  const auto found = std::ranges::find(kBackends, name, &Backend::name);
  return found == kBackends.end() ? nullptr : *found;
}

const Backend& default_backend() { return kClaude; }

std::span<const Candidate> candidates() { return kCandidates; }

bool is_credential(std::string_view variable) {
  return std::ranges::any_of(kBackends, [&](const Backend* backend) {
    const auto secrets = backend->access.secret_variables;
    return std::ranges::find(secrets, variable) != secrets.end();
  });
}

bool configures_agent(std::string_view variable) {
  return std::ranges::any_of(kBackends, [&](const Backend* backend) {
    return begins_with_any(variable, backend->variable_prefixes);
  });
}

}  // namespace ralph::backend
