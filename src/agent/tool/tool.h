#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "agent/permission/access.h"
#include "agent/permission/decide.h"
#include "agent/tool/workspace.h"
#include "core/json/document.h"

namespace ralph::tool {

/// The result of a call.
struct Outcome {
  std::string content;           // JSON for the model: a text, or an array of blocks
  std::optional<bool> is_error;  // nullopt: success, and the result has no is_error
  std::string detail;            // JSON for the client (`tool_use_result`); a string if it failed
  std::string task = {};         // the background task it started; empty: none
  std::string follow_up = {};    // a text for the model after the results; empty: none
  bool misused = false;          // nothing was done: the call itself is invalid
  /// Nothing was done: why the grant cannot be enforced, or why a link is refused. Empty: not denied.
  std::string denied = {};
};

/// A failed call: the text for the model, "Error: " and the text for the client.
Outcome failure(std::string_view text);
/// The same for an invalid call: the model gets the text as <tool_use_error>.
Outcome misuse(std::string_view text);

using permission::Access;
using permission::Grant;

/// A tool that the model can call. Inputs have passed the schema, unless it checks them itself. Thread-safe.
class Tool {
 public:
  virtual ~Tool() = default;
  virtual std::string_view name() const = 0;
  /// For the model.
  virtual std::string_view description() const = 0;
  /// JSON Schema of the input, an object.
  virtual std::string_view schema() const = 0;
  /// run() gets the input as the model gave it.
  virtual bool checks_input() const { return false; }
  /// Whether a call may run in parallel with others of the same message, because it changes neither files nor the
  /// working directory. The input may not match the schema.
  virtual bool is_parallel(const json::Document& /*input*/) const { return false; }
  /// What a call would access. Default-constructed, it is denied unless a rule or bypassPermissions allows it.
  virtual Access access(const json::Document& input, const Workspace& workspace) const = 0;
  /// Returns soon after a stop request, with the output so far. `access`: the result of access() that was decided on. The
  /// call uses that path, wherever the path of the input leads now.
  virtual Outcome run(const json::Document& input, const Access& access, Workspace& workspace,
                      const std::stop_token& stop) const = 0;
};

/// A call of the tool for permission decisions; borrows its arguments.
permission::ToolCall permission_call(const Tool& tool, const json::Document& input,
                                     const Access& access, const Workspace& workspace);
/// Decides whether a call of the tool is allowed.
permission::Decision decide(const Tool& tool, const json::Document& input, const Access& access,
                            permission::Mode mode, const permission::Rules& rules,
                            const Workspace& workspace);

/// All tools, sorted by name: the order of the API request. `background`: commands can continue after their call.
std::span<const Tool* const> tools(bool background = true);
/// nullptr: unknown.
const Tool* find_tool(std::string_view name);
/// The tool definition for the API: name, description, input_schema.
std::string definition(const Tool& tool);

}  // namespace ralph::tool
