#pragma once
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>

#include "agent/tool/input.h"
#include "agent/tool/safe_file.h"
#include "agent/tool/workspace.h"

/// One function per kind of file that Read shows. `head`: the first piece of the open file.
namespace ralph::tool {

inline constexpr std::size_t kUsualReadBytes = std::size_t{256} << 10;

/// The message for the model when Workspace::reserve_media_room() fails. `what`: "The picture".
std::string no_media_room(std::string_view what);

struct ReadRequest {
  std::string shown_path;
  std::filesystem::path path;
  std::uint64_t first = 1;  // line
  std::uint64_t count = std::numeric_limits<std::uint64_t>::max();
  bool range = false;  // offset or limit was given
  bool large = false;
  std::string pages;
};

/// CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS, or 25,000.
std::int64_t read_token_cap(const Workspace& workspace);
/// "12.3KB"
std::string in_kilobytes(std::uintmax_t bytes);

/// Numbered lines, as many as the token cap allows.
Outcome read_text(const ReadRequest& request, const OpenFile& file, std::string_view head,
                  Workspace& workspace, const std::stop_token& stop);

/// As an image block of the API; scaled down if it is larger than models use.
Outcome read_picture(const ReadRequest& request, const OpenFile& file, Workspace& workspace,
                     const std::stop_token& stop);

/// The whole document as a block of the API. Documents that the API is known to refuse fail here, because its refusal
/// would end the conversation.
Outcome read_pdf(const ReadRequest& request, const OpenFile& file, Workspace& workspace);

/// The cells of a Jupyter notebook with their outputs.
Outcome read_notebook(const ReadRequest& request, const OpenFile& file, Workspace& workspace);

}  // namespace ralph::tool
