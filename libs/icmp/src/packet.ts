export type Family = 4 | 6;

/** The fields of an echo request, which its answer repeats (RFC 792, RFC 4443 section 4). */
export interface Echo {
  readonly id: number;
  readonly sequence: number;
  /** The first 8 bytes of the payload (fewer in a shorter payload), known only to this process. */
  readonly token: Uint8Array;
}

/** A packet that may answer one of our requests. */
export type IncomingPacket =
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
      /** The MTU of the link for which our request was too big; 0: not named. */
      readonly mtu: number;
      /** The fields of our request, as the error quotes it. */
      readonly id: number;
      readonly sequence: number;
      readonly token: Buffer;
    };

export const tokenBytes = 8;

const icmpHeaderBytes = 8;
const echoTypes = { 4: { request: 8, reply: 0 }, 6: { request: 128, reply: 129 } } as const;
const protocols = { 4: 1, 6: 58 } as const;

const errorTypes: Readonly<Record<Family, ReadonlySet<number>>> = {
  4: new Set([3, 11, 12]),
  6: new Set([1, 2, 3, 4]),
};

/**
 * An ICMP echo request with `size` bytes of payload. The kernel adds the checksum of ICMPv6, because it has the source
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

/** The Internet checksum (RFC 1071) of bytes whose checksum field is 0. */
export function checksum(bytes: Buffer): number {
  let sum = 0;
  for (let at = 0; at + 1 < bytes.length; at += 2) sum += bytes.readUInt16BE(at);
  if (bytes.length % 2 === 1) sum += (bytes.at(-1) ?? 0) << 8;
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}

/**
 * Decodes a received packet. `withIpHeader`: it starts with its IPv4 header, as raw IPv4 sockets deliver it. Undefined:
 * it does not answer an echo request, or is too short to recognise.
 */
export function decode(family: Family, bytes: Buffer, withIpHeader: boolean): IncomingPacket | undefined {
  const start = withIpHeader ? ipv4HeaderBytes(bytes) : 0;
  if (start === undefined || bytes.length < start + icmpHeaderBytes) return undefined;
  const icmp = bytes.subarray(start);
  const type = icmp.readUInt8(0);
  if (type === echoTypes[family].reply) {
    return { kind: 'reply', ...echoFields(icmp), headerBytes: start + icmpHeaderBytes };
  }
  if (!errorTypes[family].has(type)) return undefined;
  const request = quotedRequest(family, icmp.subarray(icmpHeaderBytes));
  if (request === undefined) return undefined;
  const code = icmp.readUInt8(1);
  return { kind: 'error', type, code, mtu: namedMtu(family, icmp), ...request };
}

/** The MTU in an error about a packet that is too big (RFC 1191 section 4, RFC 4443 section 3.2). */
function namedMtu(family: Family, icmp: Buffer): number {
  const [type, code] = icmp;
  if (family === 6) return type === 2 ? icmp.readUInt32BE(4) : 0;
  return type === 3 && code === 4 ? icmp.readUInt16BE(6) : 0;
}

/** Decodes our own echo request, as the error queue of a socket returns it. */
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
