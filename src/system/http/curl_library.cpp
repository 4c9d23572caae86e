#include <dlfcn.h>
#include <fmt/core.h>

#include "system/http/curl_library_impl.h"

namespace ralph::http {
namespace {

constexpr const char* kFileName = "libcurl.so.4";
constexpr const char* kHint = "install the package libcurl4 (7.85 or newer)";
constexpr unsigned kOldest = 0x075500;  // 7.85: CURLOPT_PROTOCOLS_STR

/// Finds functions in a loaded library and remembers the first that is not there.
class Finder {
 public:
  explicit Finder(void* library) : library_(library) {}

  template <typename Function>
  void find(const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library_, name));
    if (function == nullptr && missing_ == nullptr) missing_ = name;
  }
  const char* missing() const { return missing_; }

 private:
  void* library_;
  const char* missing_ = nullptr;
};

void find_all(Finder& in, CurlLibrary& curl) {
  in.find("curl_global_init", curl.global_init);
  in.find("curl_version_info", curl.version_info);
  in.find("curl_free", curl.free);
  in.find("curl_easy_init", curl.easy_init);
  in.find("curl_easy_reset", curl.easy_reset);
  in.find("curl_easy_setopt", curl.easy_setopt);
  in.find("curl_easy_getinfo", curl.easy_getinfo);
  in.find("curl_easy_strerror", curl.easy_strerror);
  in.find("curl_easy_cleanup", curl.easy_cleanup);
  in.find("curl_multi_init", curl.multi_init);
  in.find("curl_multi_add_handle", curl.multi_add_handle);
  in.find("curl_multi_remove_handle", curl.multi_remove_handle);
  in.find("curl_multi_perform", curl.multi_perform);
  in.find("curl_multi_poll", curl.multi_poll);
  in.find("curl_multi_wakeup", curl.multi_wakeup);
  in.find("curl_multi_info_read", curl.multi_info_read);
  in.find("curl_multi_cleanup", curl.multi_cleanup);
  in.find("curl_slist_append", curl.slist_append);
  in.find("curl_slist_free_all", curl.slist_free_all);
  in.find("curl_url", curl.url);
  in.find("curl_url_set", curl.url_set);
  in.find("curl_url_get", curl.url_get);
  in.find("curl_url_strerror", curl.url_strerror);
  in.find("curl_url_cleanup", curl.url_cleanup);
}

}  // namespace

Result<CurlLibrary> load_curl(const char* file_name) {
  void* const library = ::dlopen(file_name, RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const why = ::dlerror();
    return fail(Code::unavailable,
                fmt::format("cannot load libcurl: {}", why == nullptr ? file_name : why), kHint);
  }
  CurlLibrary curl{};
  Finder finder(library);
  find_all(finder, curl);
  if (finder.missing() != nullptr) {
    return fail(Code::unavailable, fmt::format("{} has no {}", file_name, finder.missing()), kHint);
  }
  if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    return fail(Code::unavailable, fmt::format("{} does not start", file_name), kHint);
  }
  const auto* const version = curl.version_info(CURLVERSION_NOW);
  if (version->version_num < kOldest) {
    return fail(Code::unavailable, fmt::format("libcurl {} is too old", version->version), kHint);
  }
  return curl;
}

Result<const CurlLibrary*> curl_library() {
  static const auto loaded = load_curl(kFileName);
  if (!loaded) return std::unexpected(loaded.error());
  return &*loaded;
}

}  // namespace ralph::http
