"""A wire with a known delay: a TUN device whose far end is this machine itself.

What is sent to the far address comes back with source and destination swapped, so that a server on the near address
answers (checksums stay right: a swap changes no sum). Whatever a server says is held back for the delay in force. The
kernel's own packets are stamped here as they are read and written, with the clock that Node calls performance.now().

Usage: delay-wire.py DEVICE; lines on stdin: a delay in milliseconds, "lost" (a server's packets never arrive) or
"lossy" (the first answer to each connect is lost, all else takes 20 ms).
Tells on stdout, a JSON text a line: {"up": true}; {"delay": text} when a delay is in force; for each TCP talk that its
client ended or its server refused {"port", "client" (its port), "startMs", "openMs", "said": [[ms, "client" | "server", first bytes in hex], …]}; for each echo or
datagram that was answered {"port" (0: ICMP), "rttMs"}.
"""
import collections, errno, fcntl, heapq, json, os, select, socket, struct, sys, time

SYN, FIN, RST, ACK = 2, 1, 4, 16
# ICMP and ICMPv6: is this type of message a request?
ECHOES = {(1, 8): True, (1, 0): False, (58, 128): True, (58, 129): False}


def report(what):
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def now_ms():
    return time.monotonic() * 1000


def swapped(packet):
    """The packet with source and destination swapped, its protocol and its payload; None for what is of no interest."""
    version = packet[0] >> 4
    if version == 4:
        length = (packet[0] & 15) * 4
        return packet[:12] + packet[16:20] + packet[12:16] + packet[20:], packet[9], packet[length:]
    if version == 6:
        return packet[:8] + packet[24:40] + packet[8:24] + packet[40:], packet[6], packet[40:]
    return None


class Capture:
    """When the kernel had each packet on the device, by its direction and bytes."""

    ETH_P_ALL, SO_TIMESTAMPNS, SO_RCVBUFFORCE, PACKET_OUTGOING = 3, 35, 33, 4

    def __init__(self, device):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(self.ETH_P_ALL))
        self.socket.setblocking(False)
        self.socket.setsockopt(socket.SOL_SOCKET, self.SO_TIMESTAMPNS, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, self.SO_RCVBUFFORCE, 4 << 20)
        self.socket.bind((device, self.ETH_P_ALL))
        self.stamps = collections.OrderedDict()

    def drain(self):
        # The wall clock may be set, so each reading uses its present distance from the monotonic clock.
        apart = (time.time_ns() - time.monotonic_ns()) / 1e6
        while True:
            try:
                packet, extra, _, address = self.socket.recvmsg(65536, 64)
            except BlockingIOError:
                return
            except OSError as error:
                # The device was down when the socket was bound to it; the kernel reports that once.
                if error.errno != errno.ENETDOWN:
                    raise
                continue
            for level, kind, data in extra:
                if (level, kind) == (socket.SOL_SOCKET, self.SO_TIMESTAMPNS):
                    seconds, nanoseconds = struct.unpack("ll", data)
                    key = (address[2] == self.PACKET_OUTGOING, packet)
                    self.stamps[key] = seconds * 1000 + nanoseconds / 1e6 - apart
            while len(self.stamps) > 10000:
                self.stamps.popitem(last=False)

    def ms(self, outgoing, packet):
        """The stamp of a packet that this process has just read (it went out) or written; now, if it has none."""
        self.drain()
        return self.stamps.pop((outgoing, packet), None) or now_ms()


class Talk:
    def __init__(self, port, sequence, at):
        self.port, self.sequence, self.start, self.open = port, sequence, at, None
        self.lost, self.said, self.ahead = False, [], {"client": None, "server": None}

    def says(self, side, at, sequence, payload):
        """Keeps what is new; a repeated segment is none."""
        ahead, end = self.ahead[side], (sequence + len(payload)) & 0xFFFFFFFF
        if ahead is not None and not 0 < ((end - ahead) & 0xFFFFFFFF) < 1 << 31:
            return
        self.ahead[side] = end
        self.said.append([at, side, payload[:16].hex()])


class Wire:
    def __init__(self, tun, capture):
        self.tun, self.capture, self.delay, self.lost, self.lossy = tun, capture, 0.0, False, False
        # Datagrams nobody answers would pile up: the oldest are forgotten.
        self.talks, self.asked, self.queue, self.count = {}, collections.OrderedDict(), [], 0

    def take(self, packet):
        found = swapped(packet)
        if found is None:
            return
        at = self.capture.ms(True, packet)
        back, protocol, body = found
        if protocol == 6:
            self.take_tcp(packet[0] >> 4, back, body, at)
        elif protocol == 17:
            a, b = struct.unpack("!HH", body[:4])
            self.take_datagram((17, packet[0] >> 4, b, a), (17, packet[0] >> 4, a, b), b, back, at)
        elif (protocol, body[0]) in ECHOES:
            key = (protocol, body[4:8])
            self.take_datagram(None if ECHOES[protocol, body[0]] else key, key, 0, back, at)

    def take_tcp(self, version, back, body, at):
        a, b, sequence = struct.unpack("!HHI", body[:8])
        flags, payload = body[13], body[(body[12] >> 4) * 4 :]
        talk = self.talks.get((version, a, b))
        if flags & SYN and not flags & ACK:
            if talk is None or talk.sequence != sequence:
                self.talks[version, a, b] = Talk(b, sequence, at)
            os.write(self.tun, back)
        elif (version, a, b) in self.talks:
            if payload:
                talk.says("client", at, sequence, payload)
            os.write(self.tun, back)
            if flags & (FIN | RST):
                del self.talks[version, a, b]
                report({"port": talk.port, "client": a, "startMs": talk.start, "openMs": talk.open, "said": talk.said})
        else:
            self.hold(back, (version, b, a), (flags, sequence, payload))

    def take_datagram(self, answers, key, port, back, at):
        if answers in self.asked:
            self.hold(back, None, (answers, self.asked.pop(answers)))
            return
        self.asked[key] = (at, port)
        if len(self.asked) > 1000:
            self.asked.popitem(last=False)
        os.write(self.tun, back)

    def hold(self, packet, key, what):
        if self.lost or (self.lossy and self.loses(key, what[0])):
            return
        self.count += 1
        heapq.heappush(self.queue, (time.monotonic() + self.delay, self.count, packet, key, what))

    def loses(self, key, flags):
        talk = self.talks.get(key)
        lost = talk is not None and bool(flags & SYN) and not talk.lost
        if lost:
            talk.lost = True
        return lost

    def release(self):
        _, _, packet, key, what = heapq.heappop(self.queue)
        os.write(self.tun, packet)
        at = self.capture.ms(False, packet)
        if key is None:
            asked, port = what[1]
            report({"port": port, "rttMs": at - asked})
            return
        flags, sequence, payload = what
        talk = self.talks.get(key)
        if talk is None:
            return
        if flags & RST and talk.open is None:
            del self.talks[key]
            report({"port": talk.port, "client": key[1], "startMs": talk.start, "openMs": at, "said": []})
        if flags & SYN and talk.open is None:
            talk.open = at
        if payload:
            talk.says("server", at, sequence, payload)

    def run(self):
        while True:
            wait = max(0.0, self.queue[0][0] - time.monotonic()) if self.queue else None
            ready, _, _ = select.select([self.tun, 0], [], [], wait)
            if self.tun in ready:
                self.take(os.read(self.tun, 65536))
            while self.queue and self.queue[0][0] <= time.monotonic():
                self.release()
            if 0 in ready:
                lines = os.read(0, 4096).decode()
                if lines == "":
                    return
                for line in lines.split():
                    self.lost, self.lossy = line == "lost", line == "lossy"
                    self.delay = 0.0 if self.lost else 0.02 if self.lossy else float(line) / 1000
                    report({"delay": line})


def main():
    tun = os.open("/dev/net/tun", os.O_RDWR)
    # TUNSETIFF with IFF_TUN | IFF_NO_PI: bare IP packets.
    fcntl.ioctl(tun, 0x400454CA, struct.pack("16sH", sys.argv[1].encode(), 0x1001))
    try:
        # A stamp must show when a packet came, not when it was this process's turn.
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    except OSError:
        os.nice(-10)
    report({"up": True})
    Wire(tun, Capture(sys.argv[1])).run()


main()
