import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { createOriginReader, createProxyTest } from './origin.ts';

describe('the origin of a request', () => {
  const read = createOriginReader(createProxyTest(['10.0.0.0/8', '192.0.2.1', 'fd00::/8']));
  const from = (peer: string, headers: Record<string, string> = {}, tls = false) => {
    const socket = tls ? new TLSSocket(new Socket()) : new Socket();
    Object.defineProperty(socket, 'remoteAddress', { value: peer });
    return read({ socket, headers });
  };

  it.each([
    ['a stranger over TLS', '203.0.113.5', {}, true, { address: '203.0.113.5', secure: true }],
    ['a stranger without TLS', '203.0.113.5', {}, false, { address: '203.0.113.5', secure: false }],
    [
      'a stranger who forwards',
      '203.0.113.5',
      { 'x-forwarded-for': '1.2.3.4', 'x-forwarded-proto': 'https' },
      false,
      { address: '203.0.113.5', secure: false },
    ],
    [
      'a trusted proxy',
      '::ffff:10.1.1.1',
      { 'x-forwarded-for': '6.6.6.6, 203.0.113.7, 192.0.2.1', 'x-forwarded-proto': 'https' },
      false,
      { address: '203.0.113.7', secure: true },
    ],
    [
      'a trusted proxy that got plain HTTP',
      '10.1.1.1',
      { 'x-forwarded-for': '[2001:db8::1]:4711', 'x-forwarded-proto': 'https, http' },
      true,
      { address: '2001:db8::1', secure: false },
    ],
    ['a trusted proxy that says nothing', 'fd00::1', {}, true, { address: 'fd00::1', secure: true }],
    [
      'a trusted proxy that forwards nonsense',
      'fd00::1',
      { 'x-forwarded-for': '<script>', 'x-forwarded-proto': 'HTTPS' },
      false,
      { address: 'fd00::1', secure: true },
    ],
  ])('%s', (_, peer, headers, tls, expected) => {
    expect(from(peer, headers, tls)).toEqual({ ...expected, proxied: !peer.startsWith('203.') });
  });

  it.each([
    ['a trusted proxy', '10.1.1.1', { 'x-user': 'ada@example.org' }, 'ada@example.org'],
    ['a stranger', '203.0.113.5', { 'x-user': 'ada@example.org' }, undefined],
    ['a trusted proxy that names nobody', '10.1.1.1', { 'x-user': ' ' }, undefined],
    ['another header', '10.1.1.1', { 'x-other': 'ada@example.org' }, undefined],
  ])('names whom a proxy signed in: %s', (_, peer, headers, user) => {
    const socket = new Socket();
    Object.defineProperty(socket, 'remoteAddress', { value: peer });
    const named = createOriginReader(createProxyTest(['10.0.0.0/8']), 'x-user');
    expect(named({ socket, headers }).user).toBe(user);
    expect(from(peer, headers).user).toBeUndefined();
  });

  it('refuses what is no network at start', () => {
    for (const bad of ['10.0.0.0/33', 'proxy.example', '10.0.0.0/', '::/129', ''])
      expect(() => createProxyTest([bad])).toThrow(/trusted proxies/);
  });
});
