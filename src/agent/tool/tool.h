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

/// What came of a call.
struct Outcome {
  std::string content;           // JSON for the model: a text, or an array of blocks
  std::optional<bool> is_error;  // nullopt: it went well, and the result does not say so
  std::string detail;            // JSON for the client (`tool_use_result`); a text where it failed
  std::string task = {};         // the background task the call left running; empty: none
  std::string follow_up = {};    // a text for the model behind the results; empty: none
  bool misused = false;          // nothing was done: the call itself is wrong
  std::string denied =
      {};  // nothing was done: why the grant cannot be enforced, or the path is a link; empty: it was
};

/// A call that went wrong: the text for the model, and "Error: …" of it for the client.
Outcome failure(std::string_view text);
/// The same for a call the tool refuses as it is: the model gets it as <tool_use_error>.
Outcome misuse(std::string_view text);

using permission::Access;
using permission::Grant;

/// One thing the model can ask for. The input has passed the schema. Called from many threads.
class Tool {
 public:
  virtual ~Tool() = default;
  virtual std::string_view name() const = 0;
  /// For the model.
  virtual std::string_view description() const = 0;
  /// JSON Schema of the input, an object.
  virtual std::string_view schema() const = 0;
  /// Changes files: never runs beside another call.
  virtual bool changes_files() const { return false; }
  virtual Access access(const json::Document& input, const Workspace& workspace) const = 0;
  /// Ends soon after a stop request, with whatever there is to say. `access` is what access() said of this input and
  /// what was decided on: the call touches that path, wherever the input's would lead by now.
  virtual Outcome run(const json::Document& input, const Access& access, Workspace& workspace,
                      const std::stop_token& stop) const = 0;
};

/// A call of the tool, as decisions see it; borrows all of it.
permission::ToolCall permission_call(const Tool& tool, const json::Document& input,
                                     const Access& access, const Workspace& workspace);
/// Whether a call of the tool may be made.
permission::Decision decide(const Tool& tool, const json::Document& input, const Access& access,
                            permission::Mode mode, const permission::Rules& rules,
                            const Workspace& workspace);

/// Every tool there is, in the order the model gets them: sorted by name.
std::span<const Tool* const> tools();
/// nullptr: there is no such tool.
const Tool* find_tool(std::string_view name);
/// The tool as the API gets it: name, description, input_schema.
std::string definition(const Tool& tool);

}  // namespace ralph::tool
