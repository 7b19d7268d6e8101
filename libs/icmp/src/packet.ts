/** IP versions. */
export type Family = 4 | 6;

/** The payload of an echo request, which its answer repeats (RFC 792, RFC 4443 section 4). */
export interface Echo {
  readonly id: number;
  readonly sequence: number;
  /** 8 bytes that only this process has: the first of the payload, as far as it is long enough. */
  readonly token: Uint8Array;
}

/** A packet that may answer one of our requests. */
export type Incoming =
  | {
      readonly kind: 'reply';
      readonly id: number;
      readonly sequence: number;
      readonly token: Buffer;
      /** Bytes before the payload. */
      readonly headerBytes: number;
    }
  | {
      readonly kind: 'error';
      readonly type: number;
      readonly code: number;
      /** Of our request, as the error quotes it. */
      readonly id: number;
      readonly sequence: number;
      readonly token: Buffer;
    };

/** Length of a token, bytes. */
export const tokenBytes = 8;
const icmpHeaderBytes = 8;
const echoTypes = { 4: { request: 8, reply: 0 }, 6: { request: 128, reply: 129 } } as const;
const protocols = { 4: 1, 6: 58 } as const;
const errorTypes: Readonly<Record<Family, ReadonlySet<number>>> = {
  4: new Set([3, 11, 12]),
  6: new Set([1, 2, 3, 4]),
};

/**
 * An ICMP echo request with `size` bytes of payload. ICMPv6 leaves its checksum to the kernel, which has the source
 * address.
 */
export function encodeEcho(family: Family, echo: Echo, size: number): Buffer {
  const packet = Buffer.alloc(icmpHeaderBytes + size);
  for (let at = icmpHeaderBytes; at < packet.length; at += 1) packet[at] = at & 0xff;
  packet.set(echo.token.subarray(0, Math.min(size, tokenBytes)), icmpHeaderBytes);
  packet[0] = echoTypes[family].request;
  packet.writeUInt16BE(echo.id, 4);
  packet.writeUInt16BE(echo.sequence, 6);
  if (family === 4) packet.writeUInt16BE(checksum(packet), 2);
  return packet;
}

/** The Internet checksum (RFC 1071) of bytes whose own checksum field is 0. */
export function checksum(bytes: Buffer): number {
  let sum = 0;
  for (let at = 0; at + 1 < bytes.length; at += 2) sum += bytes.readUInt16BE(at);
  if (bytes.length % 2 === 1) sum += (bytes.at(-1) ?? 0) << 8;
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}

/**
 * Reads what a socket received. `withIpHeader`: it begins with its IPv4 header, as raw IPv4 sockets deliver it.
 * Undefined: not an answer to an echo request, or too short to recognize.
 */
export function decode(family: Family, bytes: Buffer, withIpHeader: boolean): Incoming | undefined {
  const start = withIpHeader ? ipv4HeaderBytes(bytes) : 0;
  if (start === undefined || bytes.length < start + icmpHeaderBytes) return undefined;
  const icmp = bytes.subarray(start);
  const type = icmp.readUInt8(0);
  if (type === echoTypes[family].reply) {
    return { kind: 'reply', ...echoFields(icmp), headerBytes: start + icmpHeaderBytes };
  }
  if (!errorTypes[family].has(type)) return undefined;
  const request = quotedRequest(family, icmp.subarray(icmpHeaderBytes));
  return request ? { kind: 'error', type, code: icmp.readUInt8(1), ...request } : undefined;
}

/** Reads our own echo request, as a socket's error queue hands it back. */
export function decodeRequest(
  family: Family,
  icmp: Buffer,
): { id: number; sequence: number; token: Buffer } | undefined {
  if (icmp.length < icmpHeaderBytes || icmp.readUInt8(0) !== echoTypes[family].request) return undefined;
  return echoFields(icmp);
}

function quotedRequest(family: Family, ip: Buffer) {
  const headerBytes = family === 4 ? ipv4HeaderBytes(ip) : 40;
  if (headerBytes === undefined || ip.length < headerBytes) return undefined;
  const protocol = ip.readUInt8(family === 4 ? 9 : 6);
  return protocol === protocols[family] ? decodeRequest(family, ip.subarray(headerBytes)) : undefined;
}

function ipv4HeaderBytes(bytes: Buffer): number | undefined {
  const first = bytes.at(0);
  if (first === undefined || first >> 4 !== 4) return undefined;
  const length = (first & 0x0f) * 4;
  return length >= 20 && bytes.length >= length ? length : undefined;
}

function echoFields(icmp: Buffer) {
  return {
    id: icmp.readUInt16BE(4),
    sequence: icmp.readUInt16BE(6),
    token: icmp.subarray(icmpHeaderBytes, icmpHeaderBytes + tokenBytes),
  };
}

/** Why a router or host sent an ICMP error back. */
export type IcmpErrorReason = 'unreachable' | 'time-exceeded' | 'too-big' | 'other';

const text4: Readonly<Record<string, string>> = {
  '3.0': 'network unreachable',
  '3.1': 'host unreachable',
  '3.2': 'protocol unreachable',
  '3.3': 'port unreachable',
  '3.4': 'packet too big and not to be fragmented',
  '3.9': 'network administratively prohibited',
  '3.10': 'host administratively prohibited',
  '3.13': 'communication administratively prohibited',
  '11.0': 'time to live exceeded',
  '11.1': 'fragment reassembly time exceeded',
};

const text6: Readonly<Record<string, string>> = {
  '1.0': 'no route to destination',
  '1.1': 'communication administratively prohibited',
  '1.2': 'beyond scope of source address',
  '1.3': 'address unreachable',
  '1.4': 'port unreachable',
  '1.5': 'source address failed policy',
  '1.6': 'route to destination rejected',
  '2.0': 'packet too big',
  '3.0': 'hop limit exceeded',
  '3.1': 'fragment reassembly time exceeded',
};

/** Words for an ICMP error's type and code (RFC 792, RFC 1812 section 5.2.7, RFC 4443 section 3). */
export function icmpErrorText(family: Family, type: number, code: number): string {
  const known = family === 4 ? text4 : text6;
  return known[`${type}.${code}`] ?? `ICMP error type ${type} code ${code}`;
}

/** Sorts an ICMP error by what it means for who sent the packet. */
export function icmpErrorReason(family: Family, type: number, code: number): IcmpErrorReason {
  const [unreachable, timeExceeded] = family === 4 ? [3, 11] : [1, 3];
  if ((family === 4 && type === 3 && code === 4) || (family === 6 && type === 2)) return 'too-big';
  if (type === unreachable) return 'unreachable';
  return type === timeExceeded ? 'time-exceeded' : 'other';
}
