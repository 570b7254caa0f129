#pragma once
// libcurl's setopt and getinfo are variadic, which Swift cannot call: one typed line for each kind of argument.
#include <curl/curl.h>
#include <openssl/ssl.h>

typedef int (*ccurl_socket_setup)(void *context, curl_socket_t socket, curlsocktype purpose);
typedef int (*ccurl_close_socket)(void *context, curl_socket_t socket);
typedef int (*ccurl_before_request)(void *context, char *remote, char *local, int remote_port, int local_port);
typedef size_t (*ccurl_sink)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode ccurl_set_long(CURL *h, CURLoption o, long v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode ccurl_set_offset(CURL *h, CURLoption o, curl_off_t v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode ccurl_set_string(CURL *h, CURLoption o, const char *v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode ccurl_set_pointer(CURL *h, CURLoption o, void *v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode ccurl_set_sink(CURL *h, CURLoption o, ccurl_sink v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode ccurl_set_socket_setup(CURL *h, ccurl_socket_setup v) { return curl_easy_setopt(h, CURLOPT_SOCKOPTFUNCTION, v); }
static inline CURLcode ccurl_set_close_socket(CURL *h, ccurl_close_socket v) { return curl_easy_setopt(h, CURLOPT_CLOSESOCKETFUNCTION, v); }
static inline CURLcode ccurl_set_before_request(CURL *h, ccurl_before_request v) { return curl_easy_setopt(h, CURLOPT_PREREQFUNCTION, v); }
static inline CURLcode ccurl_set_list(CURL *h, CURLoption o, struct curl_slist *v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode ccurl_get_long(CURL *h, CURLINFO i, long *v) { return curl_easy_getinfo(h, i, v); }
static inline CURLcode ccurl_get_offset(CURL *h, CURLINFO i, curl_off_t *v) { return curl_easy_getinfo(h, i, v); }
static inline CURLcode ccurl_get_string(CURL *h, CURLINFO i, char **v) { return curl_easy_getinfo(h, i, v); }
static inline CURLcode ccurl_get_pointer(CURL *h, CURLINFO i, void **v) { return curl_easy_getinfo(h, i, v); }
static inline CURLcode ccurl_get_socket(CURL *h, CURLINFO i, curl_socket_t *v) { return curl_easy_getinfo(h, i, v); }
static inline CURLMcode ccurl_multi_set_long(CURLM *m, CURLMoption o, long v) { return curl_multi_setopt(m, o, v); }
static inline CURLMcode ccurl_multi_set_socket_hook(CURLM *m, curl_socket_callback f, void *context) {
  curl_multi_setopt(m, CURLMOPT_SOCKETDATA, context);
  return curl_multi_setopt(m, CURLMOPT_SOCKETFUNCTION, f);
}
static inline CURLMcode ccurl_multi_set_timer_hook(CURLM *m, curl_multi_timer_callback f, void *context) {
  curl_multi_setopt(m, CURLMOPT_TIMERDATA, context);
  return curl_multi_setopt(m, CURLMOPT_TIMERFUNCTION, f);
}
// All of them, whatever their sockets say. Deprecated for what it costs, so not to be called often.
static inline void ccurl_multi_act_on_all(CURLM *m) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  int running;
  curl_multi_socket_all(m, &running);
#pragma GCC diagnostic pop
}
static inline CURLSHcode ccurl_share_set_long(CURLSH *s, CURLSHoption o, long v) { return curl_share_setopt(s, o, v); }
static inline CURLcode ccurl_message_result(CURLMsg *m) { return m->data.result; }
static inline CURLcode ccurl_global_init(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

// Macros with casts, which Swift does not see.
static const long ccurl_netrc_optional = CURL_NETRC_OPTIONAL;
static const long ccurl_basic_or_digest = CURLAUTH_BASIC | CURLAUTH_DIGEST;

// Whether a TLS peer has sent its close alert, which libcurl (7.88) does not tell.
typedef CURLcode (*ccurl_context_hook)(CURL *h, void *context, void *user);
typedef void (*ccurl_alert_hook)(const SSL *session, int where, int value);
static inline CURLcode ccurl_set_context_hook(CURL *h, ccurl_context_hook f) { return curl_easy_setopt(h, CURLOPT_SSL_CTX_FUNCTION, f); }
static inline void ccurl_watch_alerts(void *context, ccurl_alert_hook f) { SSL_CTX_set_info_callback(context, f); }
static inline int ccurl_is_close_alert(int where, int value) { return where == SSL_CB_READ_ALERT && (value & 0xff) == SSL_AD_CLOSE_NOTIFY; }
static inline const void *ccurl_tls_session(CURL *h) {
  struct curl_tlssessioninfo *info = NULL;
  if (curl_easy_getinfo(h, CURLINFO_TLS_SSL_PTR, &info) != CURLE_OK || !info) return NULL;
  return info->backend == CURLSSLBACKEND_OPENSSL ? info->internals : NULL;
}
