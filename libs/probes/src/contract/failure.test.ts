import { expect, test } from 'vitest';
import { Failure, networkFailure } from './failure.ts';

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
