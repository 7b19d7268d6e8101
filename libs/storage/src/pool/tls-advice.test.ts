import { expect, test } from 'vitest';
import { tlsAdvice } from './tls-advice.ts';

const failed = (message: string, code?: string) =>
  Object.assign(new Error(message), code === undefined ? {} : { code });

test.each([
  [failed('x', 'SELF_SIGNED_CERT_IN_CHAIN'), /sslrootcert=FILE/],
  [failed('x', 'ERR_TLS_CERT_ALTNAME_INVALID'), /write a host into the address/],
  [failed('x', 'CERT_HAS_EXPIRED'), /renew it/],
  [failed('x', 'CERT_NOT_YET_VALID'), /clocks/],
  [
    failed('no pg_hba.conf entry for host "a", user "b", database "c", no encryption', '28000'),
    /demands TLS/,
  ],
  [failed('pg_hba.conf rejects connection for host "a", no encryption', '28000'), /demands TLS/],
  [failed('The server does not support SSL connections'), /ssl = on/],
])('%s has a remedy', (error, remedy) => {
  expect(tlsAdvice(error)).toMatch(remedy);
});

test.each([
  failed('connect ECONNREFUSED', 'ECONNREFUSED'),
  failed('pg_hba.conf rejects connection for host "a", SSL encryption', '28000'),
  'x',
  undefined,
])('%s is not about TLS', (error) => {
  expect(tlsAdvice(error)).toBeUndefined();
});
