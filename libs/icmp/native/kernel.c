#define _GNU_SOURCE
#include "kernel.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/errqueue.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* The kernel's IPv4 ICMP filter; linux/icmp.h, which names them, clashes with the C library's headers. */
#define RAW_ICMP_FILTER 1
#define ICMP4_ECHO_REPLY 0
#define ICMP4_UNREACHABLE 3
#define ICMP4_TIME_EXCEEDED 11
#define ICMP4_PARAMETER_PROBLEM 12

static void set_option(int fd, int level, int option, int value) {
  /* Every option set this way only adds a figure (a TTL, a stamp); without it the figure is missing, not wrong. */
  (void)setsockopt(fd, level, option, &value, sizeof value);
}

/* Reads both clocks as close together as can be, and returns the wall clock in nanoseconds. */
static int64_t read_clocks(struct shared *shared) {
  struct timespec mono, real;
  clock_gettime(CLOCK_MONOTONIC, &mono);
  clock_gettime(CLOCK_REALTIME, &real);
  int64_t mono_ns = (int64_t)mono.tv_sec * 1000000000 + mono.tv_nsec;
  int64_t real_ns = (int64_t)real.tv_sec * 1000000000 + real.tv_nsec;
  shared->mono_ns = (double)mono_ns;
  shared->offset_ns = (double)(real_ns - mono_ns);
  return real_ns;
}

/* Raw sockets get a copy of all ICMP that reaches this machine; let only answers and errors wake us. */
static void filter_raw(int fd, bool v6) {
  if (v6) {
    struct icmp6_filter filter;
    ICMP6_FILTER_SETBLOCKALL(&filter);
    ICMP6_FILTER_SETPASS(ICMP6_ECHO_REPLY, &filter);
    ICMP6_FILTER_SETPASS(ICMP6_DST_UNREACH, &filter);
    ICMP6_FILTER_SETPASS(ICMP6_PACKET_TOO_BIG, &filter);
    ICMP6_FILTER_SETPASS(ICMP6_TIME_EXCEEDED, &filter);
    ICMP6_FILTER_SETPASS(ICMP6_PARAM_PROB, &filter);
    (void)setsockopt(fd, IPPROTO_ICMPV6, ICMP6_FILTER, &filter, sizeof filter);
    return;
  }
  uint32_t blocked = ~((1u << ICMP4_ECHO_REPLY) | (1u << ICMP4_UNREACHABLE) | (1u << ICMP4_TIME_EXCEEDED) |
                       (1u << ICMP4_PARAMETER_PROBLEM));
  (void)setsockopt(fd, SOL_RAW, RAW_ICMP_FILTER, &blocked, sizeof blocked);
}

/* Asks for 4 MiB: by force, which needs CAP_NET_ADMIN, else as far as the system's limit goes. */
static void raise_buffer(int fd, int by_force, int in_limits) {
  int bytes = 4 << 20;
  if (setsockopt(fd, SOL_SOCKET, by_force, &bytes, sizeof bytes) != 0) set_option(fd, SOL_SOCKET, in_limits, bytes);
}

int kernel_open(enum kind kind, bool v6) {
  int type = kind == KIND_RAW ? SOCK_RAW : kind == KIND_TCP ? SOCK_STREAM : SOCK_DGRAM;
  int protocol = kind == KIND_UDP   ? IPPROTO_UDP
                 : kind == KIND_TCP ? IPPROTO_TCP
                 : v6               ? (int)IPPROTO_ICMPV6
                                    : (int)IPPROTO_ICMP;
  int fd = socket(v6 ? AF_INET6 : AF_INET, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
  if (fd < 0) return -errno;

  set_option(fd, SOL_SOCKET, SO_TIMESTAMPNS, 1);
  set_option(fd, v6 ? IPPROTO_IPV6 : IPPROTO_IP, v6 ? IPV6_RECVHOPLIMIT : IP_RECVTTL, 1);
  if (kind == KIND_RAW) filter_raw(fd, v6);
  /* A raw socket sees the errors themselves; the others learn of them through their error queue. */
  else set_option(fd, v6 ? IPPROTO_IPV6 : IPPROTO_IP, v6 ? IPV6_RECVERR : IP_RECVERR, 1);

  if (kind == KIND_RAW || kind == KIND_DATAGRAM) {
    /* Thousands of packets may wait, theirs for the event loop and ours for the wire. */
    raise_buffer(fd, SO_RCVBUFFORCE, SO_RCVBUF);
    raise_buffer(fd, SO_SNDBUFFORCE, SO_SNDBUF);
  }
  return fd;
}

int kernel_open_tcp(bool v6, int traffic) {
  int fd = socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
  if (fd < 0) return -errno;
  int level = v6 ? IPPROTO_IPV6 : IPPROTO_IP;
  if (setsockopt(fd, level, v6 ? IPV6_TCLASS : IP_TOS, &traffic, sizeof traffic) == 0) return fd;
  int number = errno;
  close(fd);
  return -number;
}

int kernel_socket_error(int fd) {
  int number = 0;
  socklen_t size = sizeof number;
  return getsockopt(fd, SOL_SOCKET, SO_ERROR, &number, &size) == 0 ? number : errno;
}

int kernel_tcp_figures(int fd, struct tcp_figures *figures) {
  struct tcp_info info;
  socklen_t size = sizeof info;
  memset(&info, 0, sizeof info);
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return errno;
  if (size < offsetof(struct tcp_info, tcpi_total_retrans) + sizeof info.tcpi_total_retrans) return ENOPROTOOPT;
  *figures = (struct tcp_figures){
      .rtt_us = info.tcpi_rtt, .rttvar_us = info.tcpi_rttvar, .sent_again = info.tcpi_total_retrans};
  return 0;
}

static void add_control(struct msghdr *message, int level, int type, const void *data, size_t size) {
  struct cmsghdr *header = (struct cmsghdr *)((char *)message->msg_control + message->msg_controllen);
  header->cmsg_level = level;
  header->cmsg_type = type;
  header->cmsg_len = CMSG_LEN(size);
  memcpy(CMSG_DATA(header), data, size);
  message->msg_controllen += CMSG_SPACE(size);
}

/* What a packet asks for beyond its address, as control messages: they hold for this packet only. */
static void add_wishes(struct msghdr *message, bool v6, const struct outgoing *outgoing) {
  int level = v6 ? IPPROTO_IPV6 : IPPROTO_IP;
  int yes = 1;
  if (outgoing->ttl > 0)
    add_control(message, level, v6 ? IPV6_HOPLIMIT : IP_TTL, &outgoing->ttl, sizeof outgoing->ttl);
  if (outgoing->traffic >= 0)
    add_control(message, level, v6 ? IPV6_TCLASS : IP_TOS, &outgoing->traffic, sizeof outgoing->traffic);
  if (outgoing->dont_fragment && v6) add_control(message, level, IPV6_DONTFRAG, &yes, sizeof yes);
  if (outgoing->source == NULL) return;
  if (v6) {
    const struct sockaddr_in6 *source = outgoing->source;
    struct in6_pktinfo info = {.ipi6_addr = source->sin6_addr, .ipi6_ifindex = source->sin6_scope_id};
    add_control(message, level, IPV6_PKTINFO, &info, sizeof info);
  } else {
    const struct sockaddr_in *source = outgoing->source;
    struct in_pktinfo info = {.ipi_spec_dst = source->sin_addr};
    add_control(message, level, IP_PKTINFO, &info, sizeof info);
  }
}

int kernel_send(int fd, enum kind kind, bool v6, const struct outgoing *outgoing, struct shared *shared) {
  socklen_t to_length = v6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
  int level = v6 ? IPPROTO_IPV6 : IPPROTO_IP;

  if (kind == KIND_TCP) {
    if (outgoing->ttl > 0) set_option(fd, level, v6 ? IPV6_UNICAST_HOPS : IP_TTL, outgoing->ttl);
    read_clocks(shared);
    if (connect(fd, outgoing->to, to_length) == 0 || errno == EINPROGRESS) return 0;
    return errno;
  }

  /* An error of an earlier packet may wait on the socket and would be taken for this one's. */
  if (kind != KIND_RAW) (void)kernel_socket_error(fd);

  union {
    char bytes[3 * CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(struct in6_pktinfo))];
    struct cmsghdr align;
  } control;
  struct iovec part = {.iov_base = (void *)outgoing->packet, .iov_len = outgoing->length};
  struct msghdr message = {
      .msg_name = (void *)outgoing->to, .msg_namelen = to_length, .msg_iov = &part, .msg_iovlen = 1};
  if (outgoing->ttl > 0 || outgoing->traffic >= 0 || outgoing->source != NULL || outgoing->dont_fragment) {
    memset(&control, 0, sizeof control);
    message.msg_control = control.bytes;
    add_wishes(&message, v6, outgoing);
  }
  int option = v6 ? IPV6_MTU_DISCOVER : IP_MTU_DISCOVER;
  int before = v6 ? IPV6_PMTUDISC_WANT : IP_PMTUDISC_WANT;
  if (outgoing->dont_fragment) {
    /* This socket also sends for others, so the option holds for this packet only. */
    socklen_t size = sizeof before;
    (void)getsockopt(fd, level, option, &before, &size);
    int probe = v6 ? IPV6_PMTUDISC_PROBE : IP_PMTUDISC_PROBE;
    if (setsockopt(fd, level, option, &probe, sizeof probe) != 0) return errno;
  }
  read_clocks(shared);
  int failure = sendmsg(fd, &message, 0) < 0 ? errno : 0;
  if (outgoing->dont_fragment) set_option(fd, level, option, before);
  return failure;
}

static void write_address(char *text, size_t size, const struct sockaddr *address) {
  text[0] = '\0';
  if (address->sa_family == AF_INET)
    inet_ntop(AF_INET, &((const struct sockaddr_in *)address)->sin_addr, text, size);
  else if (address->sa_family == AF_INET6)
    inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)address)->sin6_addr, text, size);
}

/* Takes the stamp, the TTL and, from the error queue, the error out of a packet's control messages. */
static void read_control(struct slot *slot, struct msghdr *message, int64_t now_ns) {
  for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header != NULL; header = CMSG_NXTHDR(message, header)) {
    if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SO_TIMESTAMPNS) {
      struct timespec stamp;
      memcpy(&stamp, CMSG_DATA(header), sizeof stamp);
      slot->queued_ns = (double)(now_ns - ((int64_t)stamp.tv_sec * 1000000000 + stamp.tv_nsec));
    } else if ((header->cmsg_level == IPPROTO_IP && header->cmsg_type == IP_TTL) ||
               (header->cmsg_level == IPPROTO_IPV6 && header->cmsg_type == IPV6_HOPLIMIT)) {
      memcpy(&slot->ttl, CMSG_DATA(header), sizeof slot->ttl);
    } else if ((header->cmsg_level == IPPROTO_IP && header->cmsg_type == IP_RECVERR) ||
               (header->cmsg_level == IPPROTO_IPV6 && header->cmsg_type == IPV6_RECVERR)) {
      struct sock_extended_err *error = (struct sock_extended_err *)CMSG_DATA(header);
      slot->error_number = (int32_t)error->ee_errno;
      slot->type = error->ee_type;
      slot->code = error->ee_code;
      slot->mtu = error->ee_info;
      /* Made by this machine itself (no route, packet too big): there is no offender. */
      if (error->ee_origin == SO_EE_ORIGIN_ICMP || error->ee_origin == SO_EE_ORIGIN_ICMP6)
        write_address(slot->from, sizeof slot->from, SO_EE_OFFENDER(error));
      else slot->from[0] = '\0';
    }
  }
}

int kernel_read(int fd, bool error_queue, struct shared *shared) {
  struct mmsghdr messages[BATCH];
  struct iovec parts[BATCH];
  struct sockaddr_in6 senders[BATCH];
  union {
    char bytes[512];
    struct cmsghdr align;
  } controls[BATCH];
  memset(messages, 0, sizeof messages);
  memset(senders, 0, sizeof senders);
  for (int i = 0; i < BATCH; i++) {
    parts[i] = (struct iovec){.iov_base = shared->slots[i].data, .iov_len = SLOT_DATA};
    messages[i].msg_hdr = (struct msghdr){.msg_name = &senders[i],
                                          .msg_namelen = sizeof senders[i],
                                          .msg_iov = &parts[i],
                                          .msg_iovlen = 1,
                                          .msg_control = controls[i].bytes,
                                          .msg_controllen = sizeof controls[i].bytes};
  }
  /* MSG_TRUNC: the real length, also of a packet longer than a slot. */
  int flags = MSG_DONTWAIT | MSG_TRUNC | (error_queue ? MSG_ERRQUEUE : 0);
  int taken = recvmmsg(fd, messages, BATCH, flags, NULL);
  /* An error of an earlier packet is told here once before the packets behind it can be read. */
  if (taken < 0 && errno != EAGAIN) taken = recvmmsg(fd, messages, BATCH, flags, NULL);
  int64_t now_ns = read_clocks(shared);

  for (int i = 0; i < taken; i++) {
    struct slot *slot = &shared->slots[i];
    slot->queued_ns = __builtin_nan("");
    slot->length = messages[i].msg_len;
    slot->from_queue = error_queue ? 1 : 0;
    slot->ttl = -1;
    slot->error_number = 0;
    slot->type = 0;
    slot->code = 0;
    slot->mtu = 0;
    write_address(slot->from, sizeof slot->from, (struct sockaddr *)&senders[i]);
    read_control(slot, &messages[i].msg_hdr, now_ns);
  }
  return taken < 0 ? 0 : taken;
}
