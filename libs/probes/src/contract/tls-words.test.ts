import { expect, test } from 'vitest';
import { tlsWords } from './tls-words.ts';

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
])('a TLS failure %s %s has a readable text', (code, message, words) => {
  expect(tlsWords({ code, message }, 'www.example')).toBe(words);
});
