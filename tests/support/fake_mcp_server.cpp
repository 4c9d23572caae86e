// A scripted, hostile MCP server for the tests: JSON-RPC lines on stdin and stdout. Needs nothing of ralph, and knows only
// the form in which ralph writes requests.
//
// Arguments, any number:
//   pid=FILE       writes its process id into FILE         log=FILE       appends every line it gets to FILE
//   many=N         offers N tools more: tool_000 …         pages          lists one tool per page
//   long-name      offers a tool with a name of 100 bytes
//   endless-pages  every page names another one            no-tools       has no capability for tools
//   no-start       prints a reason to stderr, exits        silent         answers nothing
//   garbage-start  prints text instead of answers          ignore-end     survives the end of stdin, and SIGTERM
//   approver       offers the tools approve and refuse, which answer questions for permission
//   changed        announces other tools after every line it gets, and the list is another every time
//   wide=N         one tool of these has a schema of N bytes
//   dense          answers every call with five million JSON values
//
// Tools: echo {text}, env {text}: the variable, fail, struct, image, big (a megabyte), crash, hang, flood-line,
//   flood-notes, garbage, wrong-id, other-id-first, twice, progress (three seconds), grow (a tool `extra` appears), ask
//   (pings and asks the client, returns its answers), ping-flood (asks without reading).
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <signal.h>
#include <time.h>
#include <unistd.h>

namespace {

void put(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) ::_exit(1);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

void out(const std::string& text) { put(1, text); }

void wait_ms(long ms) {
  timespec left{ms / 1000, (ms % 1000) * 1'000'000};
  while (::nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

[[noreturn]] void sleep_for_ever() {
  for (;;) ::pause();
}

std::size_t number(const std::string& text) { return std::strtoull(text.c_str(), nullptr, 10); }

std::vector<std::string> options;
bool grown = false;
int changes = 0;

bool has(std::string_view name) {
  for (const auto& option : options) {
    if (option == name) return true;
  }
  return false;
}

std::string value_of(std::string_view name) {
  const auto start = std::string(name) + "=";
  for (const auto& option : options) {
    if (option.starts_with(start)) return option.substr(start.size());
  }
  return {};
}

/// What follows `"key":` in the first place it is found, up to a comma, quote or brace.
std::string member(const std::string& line, const std::string& key) {
  const auto at = line.find("\"" + key + "\":");
  if (at == line.npos) return {};
  auto from = at + key.size() + 3;
  if (line[from] != '"') return line.substr(from, line.find_first_of(",}", from) - from);
  ++from;
  return line.substr(from, line.find('"', from) - from);
}

void send(const std::string& line) { out(line + "\n"); }

void answer(const std::string& id, const std::string& result) {
  send(R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":)" + result + "}");
}

std::string text_result(const std::string& text) {
  return R"({"content":[{"type":"text","text":")" + text + R"("}]})";
}

std::string tool(const std::string& name) {
  const std::string wide(name.starts_with("version") ? number(value_of("wide")) : 0, 'w');
  const std::string hint = name == "echo" ? R"(,"annotations":{"readOnlyHint":true})" : "";
  return R"({"name":")" + name + R"(","description":"The tool )" + name + R"( of the tests.")" +
         R"(,"inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"title":")" +
         wide + "\"}" + hint + "}";
}

std::vector<std::string> tool_names() {
  std::vector<std::string> names{
      "echo",     "env",     "fail",       "struct",    "image",       "big",      "crash",
      "hang",     "garbage", "flood-line", "twice",     "flood-notes", "wrong-id", "other-id-first",
      "progress", "grow",    "ask",        "ping-flood"};
  if (grown) names.emplace_back("extra");
  if (has("long-name")) names.emplace_back(100, 'n');
  if (has("approver")) names.insert(names.end(), {"approve", "refuse"});
  if (has("changed")) names.push_back("version" + std::to_string(++changes));
  for (std::size_t i = 0; i < number(value_of("many")); ++i) {
    char name[32];
    std::snprintf(name, sizeof name, "tool_%03zu", i);
    names.emplace_back(name);
  }
  return names;
}

void list_tools(const std::string& id, const std::string& cursor) {
  const auto names = tool_names();
  if (has("endless-pages")) {
    return answer(id, R"({"tools":[],"nextCursor":"c)" + id + R"("})");
  }
  std::string list, next;
  if (has("pages")) {
    const auto at = number(cursor);
    list = tool(names[at]);
    if (at + 1 < names.size()) next = R"(,"nextCursor":")" + std::to_string(at + 1) + "\"";
  } else {
    for (const auto& name : names) list += (list.empty() ? "" : ",") + tool(name);
  }
  answer(id, R"({"tools":[)" + list + "]" + next + "}");
}

[[noreturn]] void flood(const std::string& block) {
  for (;;) put(1, block);
}

std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

void send_progress(const std::string& token) {
  for (int i = 0; i < 15; ++i) {
    wait_ms(200);
    send(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" +
         token + R"(,"progress":)" + std::to_string(i) + "}}");
  }
}

/// Asks the client three things and returns its answers, without quotes.
void ask_client(const std::string& id) {
  std::string heard;
  for (const char* method : {"ping", "roots/list", "sampling/createMessage"}) {
    send(R"({"jsonrpc":"2.0","id":"s1","method":")" + std::string(method) + "\"}");
    std::string line;
    std::getline(std::cin, line);
    for (const char c : line) {
      if (c != '"' && c != '\\') heard += c;
    }
    heard += ' ';
  }
  answer(id, text_result(heard));
}

// A PNG of one pixel.
constexpr const char* kPixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";

void answer_densely(const std::string& id) {
  out(R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{"content":[],"structuredContent":{"a":[)");
  const auto block = repeated("[],", 50'000);
  for (int i = 0; i < 100; ++i) out(block);
  send("0]}}}");
}

void call(const std::string& id, const std::string& name, const std::string& line) {
  if (has("dense")) return answer_densely(id);
  const auto text = member(line, "text");
  if (name == "echo") return answer(id, text_result("echo: " + text));
  if (name == "env") {
    const char* value = std::getenv(text.c_str());
    return answer(id, text_result(value == nullptr ? "not set" : value));
  }
  if (name == "fail")
    return answer(id, R"({"isError":true,"content":[{"type":"text","text":"it failed"}]})");
  if (name == "struct") {
    return answer(id, R"({"content":[{"type":"text","text":"{}"}],"structuredContent":{"a":1}})");
  }
  if (name == "image") {
    return answer(id, R"({"content":[{"type":"text","text":"a pixel"},{"type":"image","mimeType":)"
                      R"("image/png","data":")" +
                          std::string(kPixel) + "\"}]}");
  }
  if (name == "big") return answer(id, text_result(repeated("many words ", 100'000)));
  if (name == "crash") {
    put(2, "fatal: out of cheese\n");
    ::_exit(3);
  }
  if (name == "hang") sleep_for_ever();
  if (name == "flood-line") flood(std::string(65536, 'x'));
  if (name == "flood-notes") {
    flood(repeated("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n",
                   500));
  }
  if (name == "garbage") {
    out("hello\n[1,2]\n{\"id\":true}\n\xff\xfe\n{{{{\n\n");
    return answer(id, text_result("after garbage"));
  }
  if (name == "wrong-id") return answer("4711", text_result("not yours"));
  if (name == "other-id-first") {
    answer("4711", text_result("not yours"));
    answer("\"" + id + "\"", text_result("not yours"));
    return answer(id, text_result("yours"));
  }
  if (name == "twice") {
    answer(id, text_result("first"));
    return answer(id, text_result("second"));
  }
  if (name == "progress") {
    send_progress(member(line, "progressToken"));
    return answer(id, text_result("at last"));
  }
  if (name == "grow") {
    grown = true;
    send(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
    return answer(id, text_result("grown"));
  }
  if (name == "ask") return ask_client(id);
  if (name == "ping-flood") {
    for (int i = 0; i < 200'000; ++i) send(R"({"jsonrpc":"2.0","id":"p","method":"ping"})");
    return answer(id, text_result("asked a lot"));
  }
  if (name == "extra") return answer(id, text_result("extra"));
  if (name == "approve") return answer(id, text_result(R"({\"behavior\":\"allow\"})"));
  if (name == "refuse") return answer(id, text_result(R"({\"behavior\":\"deny\"})"));
  answer(id, text_result("called " + name));
}

void serve(const std::string& line) {
  const auto id = member(line, "id"), method = member(line, "method");
  if (has("garbage-start")) return send("Server is running!");
  if (has("silent")) return;
  if (method == "initialize") {
    const std::string tools = has("no-tools") ? "{}" : R"({"tools":{"listChanged":true}})";
    return answer(id, R"({"protocolVersion":"2025-11-25","capabilities":)" + tools +
                          R"(,"serverInfo":{"name":"fake","version":"1.0"}})");
  }
  if (method == "tools/list") return list_tools(id, member(line, "cursor"));
  if (method == "tools/call") call(id, member(line, "name"), line);
  if (has("changed")) send(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
}

}  // namespace

int main(int count, char** words) {
  options.assign(words + 1, words + count);
  if (const auto file = value_of("pid"); !file.empty()) {
    std::ofstream(file + ".new") << ::getpid();
    std::rename((file + ".new").c_str(), file.c_str());
  }
  if (has("no-start")) {
    put(2, "cannot open the database\n");
    return 1;
  }
  if (has("ignore-end")) ::signal(SIGTERM, SIG_IGN);
  const auto log = value_of("log");
  std::string line;
  while (std::getline(std::cin, line)) {
    if (!log.empty()) std::ofstream(log, std::ios::app) << line << '\n';
    serve(line);
  }
  if (has("ignore-end")) sleep_for_ever();
}
