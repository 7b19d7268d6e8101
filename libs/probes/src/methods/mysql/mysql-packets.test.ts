import { describe, expect, it } from 'vitest';
import { greetingPacket } from '../../testing/mysql-server.ts';
import { cachingSha2Scramble, nativeScramble } from './mysql-login.ts';
import {
  isEnd,
  packetOf,
  readError,
  readGreetingPacket,
  readLength,
  readRow,
  readSwitch,
} from './mysql-packets.ts';

const nonce = Buffer.from('abcdefghijklmnopqrst');

describe('the proof of a password', () => {
  it('is what MySQL and MariaDB compute', () => {
    // Python: sha1(p) ^ sha1(nonce + sha1(sha1(p))), and sha256(p) ^ sha256(sha256(sha256(p)) + nonce)
    expect(nativeScramble('secret', nonce).toString('hex')).toBe('8817c50fa779daef010ee7577825b0847df9842e');
    expect(cachingSha2Scramble('secret', nonce).toString('hex')).toBe(
      'c76e2898612a4cf042c77fa8c4702c4c64c0c2c557c53c4d75595aaa6abae809',
    );
  });

  it('is empty for an empty password', () => {
    expect(nativeScramble('', nonce)).toHaveLength(0);
    expect(cachingSha2Scramble('', nonce)).toHaveLength(0);
  });
});

describe('packets', () => {
  it('carry their length and sequence', () => {
    expect(packetOf(3, Buffer.from('ab')).toString('hex')).toBe('020000036162');
  });

  it('of a greeting contain version, flags, nonce and method', () => {
    const greeting = readGreetingPacket(greetingPacket(nonce, 'caching_sha2_password', true));
    expect(greeting).toMatchObject({ version: '8.0.36-test', nonce, plugin: 'caching_sha2_password' });
    expect((greeting?.capabilities ?? 0) & 0x800).toBe(0x800);
  });

  it.each(['', '\x09old', '\x0a', '\x0a8.0.36', '\x0a8.0.36\0short', `\x0a8.0\0${'\0'.repeat(60)}`])(
    'are no greeting: %j',
    (text) => {
      expect(readGreetingPacket(Buffer.from(text, 'latin1'))).toBeUndefined();
    },
  );

  it('of errors come with and without an SQLSTATE', () => {
    expect(readError(Buffer.from('\xff\x15\x04#28000no', 'latin1'))).toEqual({ code: 1045, message: 'no' });
    expect(readError(Buffer.from('\xff\x10\x04many', 'latin1'))).toEqual({ code: 1040, message: 'many' });
    expect(readError(Buffer.from([0, 0]))).toBeUndefined();
  });

  it('of a switch name method and nonce', () => {
    const packet = Buffer.concat([
      Buffer.from('\xfemysql_native_password\0', 'latin1'),
      nonce,
      Buffer.from([0]),
    ]);
    expect(readSwitch(packet)).toEqual({ plugin: 'mysql_native_password', nonce });
    expect(readSwitch(Buffer.from([0xfe]))).toBeUndefined();
  });

  it('end columns and rows only when they are short', () => {
    expect(isEnd(Buffer.from([0xfe, 0, 0, 2, 0]))).toBe(true);
    expect(isEnd(Buffer.alloc(20, 0xfe))).toBe(false);
  });

  it('of rows hold texts and NULLs, as far as they go', () => {
    expect(readRow(Buffer.from('\x0242\xfb\x00\xfc\x03\x00abc', 'latin1'))).toEqual(['42', null, '', 'abc']);
    expect(readRow(Buffer.from('\x0542', 'latin1'))).toEqual(['42']);
    expect(readRow(Buffer.from('\xfd\x01', 'latin1'))).toEqual([]);
  });

  it.each([
    { hex: 'fa', value: 250, bytes: 1 },
    { hex: 'fc0102', value: 513, bytes: 3 },
    { hex: 'fd010203', value: 197_121, bytes: 4 },
    { hex: 'fe0100000001000000', value: 4_294_967_297, bytes: 9 },
  ])('hold lengths: $hex', ({ hex, value, bytes }) => {
    expect(readLength(Buffer.from(hex, 'hex'), 0)).toEqual({ value, bytes });
  });
});
