/*
 * What this addon asks of the kernel: sockets, sending, reading, two clocks. Nothing of Node in here.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Packets taken by one system call; also the number of slots in the shared buffer. */
#define BATCH 64
/* Enough of a packet to recognise it: two IP headers with options, a quoted ICMP header and our token. */
#define SLOT_DATA 192

/*
 * raw       ICMP with all rights (CAP_NET_RAW): sees every answer and every error on this machine
 * datagram  ICMP for ordinary users (net.ipv4.ping_group_range): the kernel gives it its own id and only its answers
 * udp, tcp  one packet with a small TTL, for traceroute; errors come back through the socket's error queue
 */
enum kind { KIND_RAW = 0, KIND_DATAGRAM = 1, KIND_UDP = 2, KIND_TCP = 3 };

/* One packet as JavaScript reads it. addon.ts mirrors this layout; a change here needs the same there. */
struct slot {
  double queued_ns;    /* how long it waited in the socket's queue: clock now minus the kernel's stamp; NaN unstamped */
  uint32_t length;     /* real length of the packet, also when it was cut to SLOT_DATA */
  uint32_t from_queue; /* 1: from the error queue; type, code and error_number are set, data is what we had sent */
  int32_t ttl;         /* TTL or hop limit it arrived with, -1 unknown */
  int32_t error_number;
  uint32_t type; /* of the ICMP error, error queue only */
  uint32_t code;
  uint32_t mtu;  /* that the error names (fragmentation needed, packet too big), error queue only; 0 none */
  char from[48]; /* who sent it, as text; empty: this machine itself */
  uint8_t data[SLOT_DATA];
};

/* The shared buffer. The two clocks are read together at each send and each read. */
struct shared {
  double mono_ns;   /* CLOCK_MONOTONIC */
  double offset_ns; /* CLOCK_REALTIME minus CLOCK_MONOTONIC; it changes when somebody sets the clock */
  struct slot slots[BATCH];
};

/* A packet on its way out. */
struct outgoing {
  const void *packet;
  size_t length;
  const void *to; /* struct sockaddr_in or struct sockaddr_in6, by the socket's family */
  int ttl;        /* 0: the system's own */
  int traffic;    /* the TOS byte or traffic class; -1: the system's own */
  const void *source; /* the same kind as `to`, NULL: the system chooses */
  bool dont_fragment; /* never cut it, neither here nor on the way, whatever this machine knows about the path */
};

/* A new non-blocking socket with its options set, or minus errno. */
int kernel_open(enum kind kind, bool v6);

/* Sends, or for TCP starts a connect; 0 or errno. The clocks of just before are in `shared` afterwards. */
int kernel_send(int fd, enum kind kind, bool v6, const struct outgoing *outgoing, struct shared *shared);

/* A new non-blocking TCP socket, not connected, whose packets have this TOS byte or traffic class; or minus errno. */
int kernel_open_tcp(bool v6, int traffic);

/* Fills slots from the socket's queue or its error queue; how many, 0 when there is nothing. */
int kernel_read(int fd, bool error_queue, struct shared *shared);

/* The kernel's figures of a TCP connection (TCP_INFO). */
struct tcp_figures {
  uint32_t rtt_us;     /* smoothed round-trip time; after one sample it is that sample */
  uint32_t rttvar_us;  /* its mean deviation; after one sample it is half of that sample */
  uint32_t sent_again; /* segments sent again since the connect, the SYN included */
};

/* Reads the figures of a connected TCP socket, any socket of this process; 0 or errno. */
int kernel_tcp_figures(int fd, struct tcp_figures *figures);

/* The errno that waits on the socket, 0 none; asking clears it. */
int kernel_socket_error(int fd);
