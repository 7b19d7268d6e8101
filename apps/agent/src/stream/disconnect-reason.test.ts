import { createLog } from '@vantage/kernel';
import { Goodbye_Reason } from '@vantage/proto';
import { expect, test } from 'vitest';
import { createDisconnectLog } from './disconnect-log.ts';
import { disconnectText } from './disconnect-reason.ts';
import { failuresAfter, waitAfter } from './reconnect-delay.ts';

const around = { failures: 1, others: 0, random: () => 0.999 };

test('after a lost stream the agent tries again after 0 to 0.5 s at first, later up to 30 s', () => {
  const lost = { kind: 'lost', text: '', lastedMs: 0 } as const;
  expect(waitAfter(lost, { ...around, random: () => 0 })).toBe(0);
  expect(waitAfter(lost, around)).toBeLessThanOrEqual(500);
  expect(waitAfter(lost, { ...around, failures: 50 })).toBeGreaterThan(29_000);
  expect(waitAfter(lost, { ...around, failures: 50 })).toBeLessThanOrEqual(30_000);
});

test('an agent whose controllers die again and again is never kept away while another one works', () => {
  const killed = { kind: 'lost', text: '', lastedMs: 5_000 } as const;
  const silent = { kind: 'lost', text: '', lastedMs: 0 } as const;
  expect(failuresAfter(killed, 50)).toBe(0);
  expect(failuresAfter({ ...killed, lastedMs: 4_999 }, 50)).toBe(51);
  expect(failuresAfter(silent, 50)).toBe(51);
  expect(failuresAfter({ kind: 'refused', text: '' }, 50)).toBe(51);
  expect(failuresAfter({ kind: 'goodbye', reason: Goodbye_Reason.SHUTDOWN, text: '' }, 50)).toBe(0);
  expect(waitAfter(silent, { ...around, failures: 50, others: 1 })).toBeLessThanOrEqual(500);
});

test.each([
  [Goodbye_Reason.REVOKED, 225_000, 375_000],
  [Goodbye_Reason.FENCED, 45_000, 75_000],
  [Goodbye_Reason.REPLACED, 45_000, 75_000],
  [Goodbye_Reason.UNSPECIFIED, 0, 500],
])('after goodbye %i the next try comes in %i to %i ms', (reason, least, most) => {
  for (const r of [0, 0.5, 0.999]) {
    const waitMs = waitAfter({ kind: 'goodbye', reason, text: '' }, { ...around, random: () => r });
    expect(waitMs).toBeGreaterThanOrEqual(least);
    expect(waitMs).toBeLessThanOrEqual(most);
  }
});

test('when a controller shuts down, the agent tries another one at once', () => {
  const shutdown = { kind: 'goodbye', reason: Goodbye_Reason.SHUTDOWN, text: '' } as const;
  expect(waitAfter(shutdown, { ...around, others: 1 })).toBe(0);
  expect(waitAfter(shutdown, around)).toBeLessThanOrEqual(500);
});

test('a refused agent tries again more and more slowly, up to a minute apart', () => {
  const refused = { kind: 'refused', text: '' } as const;
  expect(waitAfter(refused, { ...around, random: () => 0 })).toBeGreaterThanOrEqual(500);
  expect(waitAfter(refused, { ...around, failures: 20 })).toBeLessThanOrEqual(60_500);
});

test.each([
  [
    Goodbye_Reason.UNSPECIFIED,
    'this agent was moved to another Location',
    'this agent was moved to another Location',
  ],
  [Goodbye_Reason.UNSPECIFIED, '', 'it states no reason'],
  [Goodbye_Reason.SHUTDOWN, '', 'the controller shuts down'],
  [Goodbye_Reason.SHUTDOWN, 'this controller ends', 'the controller shuts down; this controller ends'],
])('goodbye %i with the text "%s" is logged once', (reason, text, shown) => {
  const lines: unknown[] = [];
  const log = createLog('disconnects', 'error', { write: (line) => void lines.push(JSON.parse(line)) });
  const disconnects = createDisconnectLog(log);
  for (let i = 0; i < 2; i += 1) disconnects.disconnected({ kind: 'goodbye', reason, text }, 'https://c:1');
  expect(lines).toMatchObject([
    { endpoint: 'https://c:1', msg: `the controller ended the session: ${shown}` },
  ]);
});

test('a TLS handshake that fails names what to look for', () => {
  const text = 'Client network socket disconnected before secure TLS connection was established';
  expect(disconnectText({ kind: 'lost', text, lastedMs: 0 })).toMatch(
    /^no connection: .*firewall or proxy.*MTU/,
  );
  expect(disconnectText({ kind: 'lost', text: 'certificate has expired', lastedMs: 0 })).toMatch(/clock/);
  for (const untrusted of [
    'self-signed certificate in certificate chain',
    'unable to get local issuer certificate',
  ])
    expect(disconnectText({ kind: 'lost', text: untrusted, lastedMs: 0 })).toContain('ca.pem');
  expect(disconnectText({ kind: 'lost', text: 'refused', lastedMs: 0 })).toBe('no connection: refused');
});
