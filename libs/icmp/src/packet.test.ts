import { describe, expect, it } from 'vitest';
import { checksum, decode, encodeEcho } from './packet.ts';

const token = Buffer.from('0102030405060708', 'hex');
const echo = { id: 0x1234, sequence: 0xfffe, token };

/** An IPv4 header of 20 bytes and `options` more, before `payload` of `protocol`. */
function ipv4(payload: Buffer, protocol = 1, options = 0): Buffer {
  const header = Buffer.alloc(20 + options);
  header[0] = 0x40 | (header.length / 4);
  header[9] = protocol;
  return Buffer.concat([header, payload]);
}

function ipv6(payload: Buffer, nextHeader = 58): Buffer {
  const header = Buffer.alloc(40);
  header[0] = 0x60;
  header[6] = nextHeader;
  return Buffer.concat([header, payload]);
}

const icmpError = (type: number, code: number, quoted: Buffer) =>
  Buffer.concat([Buffer.from([type, code, 0, 0, 0, 0, 0, 0]), quoted]);

function replyTo(request: Buffer, type: number): Buffer {
  const reply = Buffer.from(request);
  reply[0] = type;
  return reply;
}

describe('an echo request', () => {
  it('carries type, id, sequence and token, and a checksum that sums to nothing', () => {
    const packet = encodeEcho(4, echo, 57);
    expect(packet.length).toBe(65);
    expect(packet[0]).toBe(8);
    expect(packet.readUInt16BE(4)).toBe(0x1234);
    expect(packet.readUInt16BE(6)).toBe(0xfffe);
    expect(packet.subarray(8, 16)).toEqual(token);
    expect(checksum(packet)).toBe(0);
  });

  it.each([0, 3, 8])('with %i bytes of payload holds as much of the token as fits', (size) => {
    const packet = encodeEcho(6, echo, size);
    expect(packet[0]).toBe(128);
    expect(packet.subarray(8)).toEqual(token.subarray(0, size));
  });
});

describe('what a socket receives', () => {
  const four = encodeEcho(4, echo, 56);
  const six = encodeEcho(6, echo, 56);
  const known = { id: 0x1234, sequence: 0xfffe, token };

  it('is a reply with an IPv4 header, options included', () => {
    const packet = ipv4(replyTo(four, 0), 1, 8);
    expect(decode(4, packet, true)).toEqual({ kind: 'reply', ...known, headerBytes: 36 });
  });

  it('is a reply without an IP header', () => {
    expect(decode(6, replyTo(six, 129), false)).toEqual({ kind: 'reply', ...known, headerBytes: 8 });
  });

  it('is an error about our request', () => {
    const error4 = ipv4(icmpError(3, 1, ipv4(four)));
    expect(decode(4, error4, true)).toEqual({ kind: 'error', type: 3, code: 1, mtu: 0, ...known });
    const error6 = icmpError(3, 0, ipv6(six));
    expect(decode(6, error6, false)).toEqual({ kind: 'error', type: 3, code: 0, mtu: 0, ...known });
  });

  it('names the MTU for which our request was too big', () => {
    const error4 = icmpError(3, 4, ipv4(four));
    error4.writeUInt16BE(1400, 6);
    expect(decode(4, ipv4(error4), true)).toMatchObject({ kind: 'error', mtu: 1400 });
    const error6 = icmpError(2, 0, ipv6(six));
    error6.writeUInt32BE(1280, 4);
    expect(decode(6, error6, false)).toMatchObject({ kind: 'error', mtu: 1280 });
  });

  it('has an empty token when a router quotes 8 bytes only', () => {
    const packet = ipv4(icmpError(11, 0, ipv4(four.subarray(0, 8))));
    expect(decode(4, packet, true)).toMatchObject({
      kind: 'error',
      sequence: 0xfffe,
      token: Buffer.alloc(0),
    });
  });

  it.each([
    { name: 'nothing', packet: Buffer.alloc(0) },
    { name: 'no IPv4 header', packet: Buffer.alloc(64) },
    { name: 'a header that claims to be longer than the packet', packet: Buffer.from([0x4f, 0, 0, 0]) },
    { name: 'half an ICMP header', packet: ipv4(Buffer.from([0, 0, 0])) },
    { name: 'an echo request', packet: ipv4(four) },
    { name: 'an error about a UDP packet', packet: ipv4(icmpError(3, 3, ipv4(four, 17))) },
    { name: 'an error that quotes nothing', packet: ipv4(icmpError(3, 1, Buffer.alloc(0))) },
    { name: 'an error that quotes a cut header', packet: ipv4(icmpError(3, 1, ipv4(four).subarray(0, 10))) },
  ])('is no answer of ours: $name', ({ packet }) => {
    expect(decode(4, packet, true)).toBeUndefined();
  });
});
