import { expect, test } from 'vitest';
import { createTranscript } from '../dialogue/dialogue.ts';
import { Failure, networkFailure, quoteShort, showPeer, showSeconds, tlsWords } from './failure.ts';

test.each([
  ['ECONNREFUSED', 3, 'connection refused by 10.0.0.1:25'],
  ['ECONNRESET', 3, 'connection reset by 10.0.0.1:25'],
  ['EPIPE', 3, 'connection reset by 10.0.0.1:25'],
  ['ETIMEDOUT', 2, 'no answer from 10.0.0.1:25: the system gave up'],
  ['EHOSTUNREACH', 2, 'host of 10.0.0.1:25 is unreachable'],
  ['ENETUNREACH', 2, 'network of 10.0.0.1:25 is unreachable'],
  ['EMFILE', 10, 'this agent is out of sockets (EMFILE): raise its limit of open files'],
  ['EADDRNOTAVAIL', 10, 'this agent has no local address or port left to reach 10.0.0.1:25 (EADDRNOTAVAIL)'],
  ['EPERM', 10, "this agent's own system or firewall forbids reaching 10.0.0.1:25 (EPERM)"],
  [
    'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
    6,
    'TLS with 10.0.0.1:25 failed: it wants a client certificate: set ClientCert and ClientKey (alert 116)',
  ],
  ['EWHATEVER', 10, 'unforeseen error on the way to 10.0.0.1:25: text'],
])('%s is %i', (code, expected, message) => {
  const error = Object.assign(new Error('text'), { code });
  expect(networkFailure(error, '10.0.0.1:25')).toMatchObject({ code: expected, message, cause: error });
});

test('a Failure passes through as it is', () => {
  const failure = new Failure(7, 'mine');
  expect(networkFailure(failure, 'x')).toBe(failure);
});

test('peers, seconds and reasons are written for people', () => {
  expect([showPeer('10.0.0.1', 25), showPeer('2001:db8::1', 25), showPeer('10.0.0.1', 0)]).toEqual([
    '10.0.0.1:25',
    '[2001:db8::1]:25',
    '10.0.0.1',
  ]);
  expect([showSeconds(5000), showSeconds(250)]).toEqual(['5 s', '0.25 s']);
  expect(quoteShort(`a\tb${'c'.repeat(200)}`, 10)).toBe('"a\\tbcccccc…"');
});

test('a transcript is bounded and printable', () => {
  const transcript = createTranscript();
  for (let i = 0; i < 1000; i += 1) transcript.add('<', `line ${i}\u001b[2J${'x'.repeat(1000)}`);
  const lines = transcript.lines();
  expect(lines).toHaveLength(201);
  expect(lines[100]).toBe('… 800 lines left out …');
  expect(lines[0]).toMatch(/^< line 0\\x1b\[2Jx+…$/);
  expect(lines.join('').length).toBeLessThan(201 * 530);
});

test.each([
  [
    '',
    'ssl/tls alert handshake failure:SSL alert number 40',
    'it refuses what this agent offers, or wants a client certificate (alert 40, handshake failure)',
  ],
  [
    '',
    'tlsv1 alert protocol version:SSL alert number 70',
    'it has no TLS version in common with this agent, which speaks 1.2 and 1.3 (alert 70)',
  ],
  [
    '',
    'tlsv1 unrecognized name:SSL alert number 112',
    'it knows no server named www.example (alert 112): set ServerName',
  ],
  ['ERR_SSL_UNSUPPORTED_PROTOCOL', 'x', 'it speaks only a TLS version before 1.2'],
  ['ERR_SSL_NO_SHARED_CIPHER', 'x', 'no shared cipher'],
  ['ERR_SSL_NEW', 'SSL alert number 250', 'new (alert 250)'],
  ['', 'something else', 'something else'],
])('TLS that fails by %s %s has a text for people', (code, message, words) => {
  expect(tlsWords({ code, message }, 'www.example')).toBe(words);
});
