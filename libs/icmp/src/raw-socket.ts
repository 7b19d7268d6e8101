import type { Clock } from '@vantage/kernel';
import { messageOf } from '@vantage/kernel';
import type { Clocks } from './addon-buffer.ts';
import { hasMarks, type OpenTransport } from './icmp-socket.ts';
import { decode, type Family } from './packet.ts';

/** The part of the package `raw-socket` that is used here. */
export interface RawSocketModule {
  createSocket(options: { protocol: number; addressFamily: number; bufferSize: number }): RawSocket;
  readonly AddressFamily: { readonly IPv4: number; readonly IPv6: number };
  readonly Protocol: { readonly ICMP: number; readonly ICMPv6: number };
  readonly SocketLevel: { readonly IPPROTO_IP: number; readonly IPPROTO_IPV6: number };
  readonly SocketOption: { readonly IP_TTL: number; readonly IPV6_UNICAST_HOPS: number };
}

interface RawSocket {
  on(event: 'message', listener: (bytes: Buffer, source: string) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  send(
    packet: Buffer,
    offset: number,
    length: number,
    address: string,
    before: () => void,
    after: (error: Error | null) => void,
  ): unknown;
  setOption(level: number, option: number, value: number): void;
  pauseRecv(): unknown;
  resumeRecv(): unknown;
  close(): unknown;
}

const defaultTtl = 64;
const bufferBytes = 65_536;

/**
 * The package `raw-socket` as a transport, for systems without our addon. It has no kernel timestamps: the time of an
 * answer is when JavaScript receives it, so the figure includes the delay of the event loop.
 */
export function rawSocketTransport(load: () => RawSocketModule, family: Family, clock: Clock): OpenTransport {
  return (onArrival) => {
    const opened = openSocket(load, family);
    if (!opened.ok) return opened;
    const { module, socket } = opened;
    const now = (): Clocks => ({ monoNs: clock.monoMs() * 1e6, offsetNs: 0 });

    socket.on('message', (bytes, source) => {
      const incoming = decode(family, bytes, family === 4);
      if (!incoming) return;
      onArrival({
        incoming,
        from: source,
        ttl: family === 4 ? bytes.readUInt8(8) : undefined,
        length: bytes.length,
        read: now(),
        queuedNs: Number.NaN,
      });
    });
    // A failed receive concerns no ping in particular. Waiting pings time out.
    socket.on('error', () => undefined);
    return {
      send: (packet, address, options, onFailure) => {
        // The package sets options by socket, not by packet, and knows few of them.
        if (hasMarks(options)) return { ok: false, code: 'ENOTSUP' };
        let sentAt = now();
        // The socket sends later, when it is writable: the option and the time belong to that time.
        const before = () => {
          setTtl(module, socket, family, options.ttl ?? defaultTtl);
          sentAt = now();
        };
        const after = (error: Error | null) => {
          if (error) onFailure(codeOf(error));
        };
        socket.send(packet, 0, packet.length, address, before, after);
        return { ok: true, sentAt: () => sentAt };
      },
      drain: () => false,
      // The package cannot unref its handle, but a handle that does not receive keeps nothing alive.
      keepAlive: (yes) => void (yes ? socket.resumeRecv() : socket.pauseRecv()),
      close: () => void socket.close(),
    };
  };
}

function openSocket(load: () => RawSocketModule, family: Family) {
  try {
    const module = load();
    const socket = module.createSocket({
      protocol: family === 4 ? module.Protocol.ICMP : module.Protocol.ICMPv6,
      addressFamily: family === 4 ? module.AddressFamily.IPv4 : module.AddressFamily.IPv6,
      bufferSize: bufferBytes,
    });
    return { ok: true as const, module, socket };
  } catch (error) {
    return { ok: false as const, error: messageOf(error), code: codeOf(error) };
  }
}

function setTtl(module: RawSocketModule, socket: RawSocket, family: Family, ttl: number): void {
  const { SocketLevel, SocketOption } = module;
  if (family === 4) socket.setOption(SocketLevel.IPPROTO_IP, SocketOption.IP_TTL, ttl);
  else socket.setOption(SocketLevel.IPPROTO_IPV6, SocketOption.IPV6_UNICAST_HOPS, ttl);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'EIO';
}
