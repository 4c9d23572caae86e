#pragma once
#include <curl/curl.h>

#include "core/base/result.h"

namespace ralph::http {

/// The functions of libcurl that ralph uses, found when it is loaded. Nothing links to it.
struct CurlLibrary {
  decltype(&curl_global_init) global_init;
  decltype(&curl_version_info) version_info;
  decltype(&curl_free) free;
  decltype(&curl_easy_init) easy_init;
  decltype(&curl_easy_reset) easy_reset;
  decltype(&curl_easy_setopt) easy_setopt;
  decltype(&curl_easy_getinfo) easy_getinfo;
  decltype(&curl_easy_strerror) easy_strerror;
  decltype(&curl_easy_cleanup) easy_cleanup;
  decltype(&curl_multi_init) multi_init;
  decltype(&curl_multi_add_handle) multi_add_handle;
  decltype(&curl_multi_remove_handle) multi_remove_handle;
  decltype(&curl_multi_perform) multi_perform;
  decltype(&curl_multi_poll) multi_poll;
  decltype(&curl_multi_wakeup) multi_wakeup;
  decltype(&curl_multi_info_read) multi_info_read;
  decltype(&curl_multi_cleanup) multi_cleanup;
  decltype(&curl_slist_append) slist_append;
  decltype(&curl_slist_free_all) slist_free_all;
  decltype(&curl_url) url;
  decltype(&curl_url_set) url_set;
  decltype(&curl_url_get) url_get;
  decltype(&curl_url_strerror) url_strerror;
  decltype(&curl_url_cleanup) url_cleanup;
};

/// Loads and prepares the library; it stays loaded. Call once per name.
Result<CurlLibrary> load_curl(const char* file_name);

/// This machine's libcurl, loaded at the first call of any thread.
Result<const CurlLibrary*> curl_library();

}  // namespace ralph::http
