/*
 * ICMP for Node on Linux, as a Node-API addon: one file loads in every Node.
 *
 * Why not a socket library: JavaScript sees an answer only when the event loop comes round to it. With 500 pings in
 * flight that alone is milliseconds. Here the kernel stamps every packet as it arrives, and the stamp travels with it.
 *
 * JavaScript opens a socket, sends packets it has built itself, is called when there is something to read, and reads a
 * batch at a time into one shared buffer. All protocol knowledge (ids, sequences, quoted packets) lives there; kernel.c
 * knows sockets and clocks, this file joins it to the event loop.
 */
#define _GNU_SOURCE
#define NAPI_VERSION 8
#include <node_api.h>
#include <uv.h>

#include "kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct socket_state {
  uv_poll_t poll;
  int fd;
  enum kind kind;
  bool v6;
  bool closed;
  int owners; /* the poll handle and the JavaScript handle; the last one frees the memory */
  napi_env env;
  napi_ref on_ready;
  napi_ref buffer;
  struct shared *shared;
  napi_async_context async_context;
  napi_async_cleanup_hook_handle cleanup;
};

static void release(struct socket_state *state) {
  state->owners -= 1;
  if (state->owners == 0) free(state);
}

static napi_value throw_errno(napi_env env, int number) {
  napi_throw_error(env, uv_err_name(-number), strerror(number));
  return NULL;
}

static napi_value int_value(napi_env env, int value) {
  napi_value result;
  napi_create_int32(env, value, &result);
  return result;
}

/* Tells JavaScript that there is something to read. */
static void on_poll(uv_poll_t *poll, int status, int events) {
  struct socket_state *state = poll->data;
  (void)events;
  napi_handle_scope scope;
  napi_open_handle_scope(state->env, &scope);
  napi_value callback, receiver, ignored;
  napi_get_reference_value(state->env, state->on_ready, &callback);
  napi_get_undefined(state->env, &receiver);
  napi_get_global(state->env, &receiver);
  if (napi_make_callback(state->env, state->async_context, receiver, callback, 0, NULL, &ignored) != napi_ok) {
    napi_value exception;
    if (napi_get_and_clear_last_exception(state->env, &exception) == napi_ok)
      napi_fatal_exception(state->env, exception);
  }
  napi_close_handle_scope(state->env, scope);
  /* libuv stops polling when the error queue has something (POLLERR); it is read by now, so go on. */
  if (status < 0 && !state->closed)
    uv_poll_start(poll, state->kind == KIND_TCP ? UV_WRITABLE : UV_READABLE, on_poll);
}

static void on_poll_closed(uv_handle_t *handle) {
  struct socket_state *state = handle->data;
  close(state->fd);
  if (state->cleanup != NULL) napi_remove_async_cleanup_hook(state->cleanup);
  release(state);
}

static void close_socket(struct socket_state *state) {
  if (state->closed) return;
  state->closed = true;
  uv_poll_stop(&state->poll);
  napi_delete_reference(state->env, state->on_ready);
  napi_delete_reference(state->env, state->buffer);
  napi_async_destroy(state->env, state->async_context);
  uv_close((uv_handle_t *)&state->poll, on_poll_closed);
}

/* The environment (a worker thread, the process) ends with the socket still open. */
static void on_environment_end(napi_async_cleanup_hook_handle handle, void *data) {
  (void)handle;
  close_socket(data);
}

static void on_handle_collected(napi_env env, void *data, void *hint) {
  (void)env;
  (void)hint;
  release(data);
}

/* The socket in a call's first argument, or NULL with an exception pending. */
static struct socket_state *socket_of(napi_env env, napi_value value) {
  struct socket_state *state = NULL;
  if (napi_get_value_external(env, value, (void **)&state) != napi_ok || state->closed) {
    napi_throw_error(env, "EBADF", "the ICMP socket is closed");
    return NULL;
  }
  return state;
}

/* open(kind, v6, onReady) -> { handle, buffer }; throws with the errno's name as code. */
static napi_value open_method(napi_env env, napi_callback_info info) {
  size_t count = 3;
  napi_value arguments[3];
  int32_t kind = 0;
  bool v6 = false;
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  napi_get_value_int32(env, arguments[0], &kind);
  napi_get_value_bool(env, arguments[1], &v6);

  int fd = kernel_open((enum kind)kind, v6);
  if (fd < 0) return throw_errno(env, -fd);
  struct socket_state *state = calloc(1, sizeof *state);
  if (state == NULL) {
    close(fd);
    return throw_errno(env, ENOMEM);
  }
  state->fd = fd;
  state->kind = (enum kind)kind;
  state->v6 = v6;
  state->env = env;
  state->poll.data = state;

  uv_loop_t *loop;
  napi_get_uv_event_loop(env, &loop);
  int failure = uv_poll_init_socket(loop, &state->poll, fd);
  if (failure != 0) {
    close(fd);
    free(state);
    return throw_errno(env, -failure);
  }
  state->owners = 2;

  napi_value name, buffer, handle, result;
  napi_create_arraybuffer(env, sizeof(struct shared), (void **)&state->shared, &buffer);
  napi_create_reference(env, buffer, 1, &state->buffer);
  napi_create_reference(env, arguments[2], 1, &state->on_ready);
  napi_create_string_utf8(env, "vantage:icmp", NAPI_AUTO_LENGTH, &name);
  napi_async_init(env, NULL, name, &state->async_context);
  napi_add_async_cleanup_hook(env, on_environment_end, state, &state->cleanup);
  /* A TCP socket has nothing to say before it connects (an unconnected one counts as hung up). */
  if (state->kind != KIND_TCP) uv_poll_start(&state->poll, UV_READABLE, on_poll);

  napi_create_external(env, state, on_handle_collected, NULL, &handle);
  napi_create_object(env, &result);
  napi_set_named_property(env, result, "handle", handle);
  napi_set_named_property(env, result, "buffer", buffer);
  return result;
}

struct endpoint {
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
};

/* Reads an address as text; NULL: it is none of this family. */
static const void *read_endpoint(struct endpoint *endpoint, bool v6, const char *address, int port) {
  if (v6) return uv_ip6_addr(address, port, &endpoint->v6) == 0 ? (void *)&endpoint->v6 : NULL;
  return uv_ip4_addr(address, port, &endpoint->v4) == 0 ? (void *)&endpoint->v4 : NULL;
}

/* send(handle, packet, address, port, ttl, traffic?, source?, dontFragment?) -> 0 or an errno; TTL 0 and traffic -1 are
 * the system's own, a source '' too. The clocks of just before the sending are then in the shared buffer. For TCP it
 * starts a connect and the packet is ignored. */
static napi_value send_method(napi_env env, napi_callback_info info) {
  size_t count = 8, length = 0;
  napi_value arguments[8];
  void *packet = NULL;
  char address[80], source[80] = "";
  int32_t port = 0, ttl = 0, traffic = -1;
  bool dont_fragment = false;
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  struct socket_state *state = socket_of(env, arguments[0]);
  if (state == NULL) return NULL;
  napi_get_buffer_info(env, arguments[1], &packet, &length);
  napi_get_value_string_utf8(env, arguments[2], address, sizeof address, NULL);
  napi_get_value_int32(env, arguments[3], &port);
  napi_get_value_int32(env, arguments[4], &ttl);
  if (count > 5) {
    napi_get_value_int32(env, arguments[5], &traffic);
    napi_get_value_string_utf8(env, arguments[6], source, sizeof source, NULL);
    napi_get_value_bool(env, arguments[7], &dont_fragment);
  }

  struct endpoint to, from;
  struct outgoing outgoing = {.packet = packet,
                              .length = length,
                              .to = read_endpoint(&to, state->v6, address, port),
                              .ttl = ttl,
                              .traffic = traffic,
                              .source = source[0] == '\0' ? NULL : read_endpoint(&from, state->v6, source, 0),
                              .dont_fragment = dont_fragment};
  if (outgoing.to == NULL || (source[0] != '\0' && outgoing.source == NULL)) return int_value(env, EINVAL);
  int failure = kernel_send(state->fd, state->kind, state->v6, &outgoing, state->shared);
  if (failure == 0 && state->kind == KIND_TCP) uv_poll_start(&state->poll, UV_WRITABLE, on_poll);
  return int_value(env, failure);
}

/* read(handle, errorQueue) -> number of slots filled, 0 when there is nothing. */
static napi_value read_method(napi_env env, napi_callback_info info) {
  size_t count = 2;
  napi_value arguments[2];
  bool error_queue = false;
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  struct socket_state *state = socket_of(env, arguments[0]);
  if (state == NULL) return NULL;
  napi_get_value_bool(env, arguments[1], &error_queue);
  return int_value(env, kernel_read(state->fd, error_queue, state->shared));
}

/* socketError(handle) -> the errno that waits on the socket, 0 none (a TCP socket that is ready is connected). */
static napi_value socket_error_method(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value argument;
  napi_get_cb_info(env, info, &count, &argument, NULL, NULL);
  struct socket_state *state = socket_of(env, argument);
  if (state == NULL) return NULL;
  return int_value(env, kernel_socket_error(state->fd));
}

/* tcpFigures(fd) -> [rttUs, rttvarUs, sentAgain] of a TCP socket that Node opened; undefined where the kernel has none. */
static napi_value tcp_figures_method(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value argument, result;
  int32_t fd = -1;
  struct tcp_figures figures;
  napi_get_cb_info(env, info, &count, &argument, NULL, NULL);
  napi_get_value_int32(env, argument, &fd);
  if (kernel_tcp_figures(fd, &figures) != 0) return NULL;
  const uint32_t values[] = {figures.rtt_us, figures.rttvar_us, figures.sent_again};
  napi_create_array_with_length(env, 3, &result);
  for (uint32_t i = 0; i < 3; i++) {
    napi_value value;
    napi_create_uint32(env, values[i], &value);
    napi_set_element(env, result, i, value);
  }
  return result;
}

/* openTcp(v6, traffic) -> the descriptor of a TCP socket, not connected, for Node to own; throws with the errno's name. */
static napi_value open_tcp_method(napi_env env, napi_callback_info info) {
  size_t count = 2;
  napi_value arguments[2];
  bool v6 = false;
  int32_t traffic = 0;
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  napi_get_value_bool(env, arguments[0], &v6);
  napi_get_value_int32(env, arguments[1], &traffic);
  int fd = kernel_open_tcp(v6, traffic);
  return fd < 0 ? throw_errno(env, -fd) : int_value(env, fd);
}

/* holdOpen(handle, yes): whether this socket keeps the process alive. */
static napi_value hold_open_method(napi_env env, napi_callback_info info) {
  size_t count = 2;
  napi_value arguments[2];
  bool yes = false;
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  struct socket_state *state = socket_of(env, arguments[0]);
  if (state == NULL) return NULL;
  napi_get_value_bool(env, arguments[1], &yes);
  if (yes) uv_ref((uv_handle_t *)&state->poll);
  else uv_unref((uv_handle_t *)&state->poll);
  return NULL;
}

/* close(handle): may be called again, does nothing then. */
static napi_value close_method(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value argument;
  struct socket_state *state = NULL;
  napi_get_cb_info(env, info, &count, &argument, NULL, NULL);
  if (napi_get_value_external(env, argument, (void **)&state) == napi_ok) close_socket(state);
  return NULL;
}

/* Given by the build: the hash of this source and the compiler's flags, so that a test can see a stale file. */
#ifndef SOURCE_HASH
#define SOURCE_HASH "unknown"
#endif
static const char source_hash[] = "vantage-icmp-source:" SOURCE_HASH;

NAPI_MODULE_INIT() {
  static const struct {
    const char *name;
    napi_callback method;
  } methods[] = {
      {"open", open_method},
      {"send", send_method},
      {"read", read_method},
      {"socketError", socket_error_method},
      {"tcpFigures", tcp_figures_method},
      {"openTcp", open_tcp_method},
      {"holdOpen", hold_open_method},
      {"close", close_method},
  };
  for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
    napi_value method;
    napi_create_function(env, methods[i].name, NAPI_AUTO_LENGTH, methods[i].method, NULL, &method);
    napi_set_named_property(env, exports, methods[i].name, method);
  }
  napi_value hash;
  napi_create_string_utf8(env, source_hash, NAPI_AUTO_LENGTH, &hash);
  napi_set_named_property(env, exports, "source", hash);
  return exports;
}
