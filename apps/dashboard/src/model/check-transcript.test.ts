import { expect, test } from 'vitest';
import { certificatesOf, courseOf, dnsRecordsOf } from './check-transcript.ts';

const check = {
  ResultCode: 1,
  CheckResult: '200 OK',
  RequestTime: 20,
  DNSTime: 1,
  ConnectTime: 2,
  SSLTime: 5,
  TTFB: 10,
  TTLB: 2,
  DataSize: 8,
};

test('the course of a web check has the offset of each step', () => {
  const extended = {
    Address: '192.0.2.1:443',
    TLS: { Version: 'TLSv1.3', Cipher: 'TLS_AES_128_GCM_SHA256' },
    Version: 'HTTP/1.1',
    Status: 200,
  };
  expect(courseOf(check, extended).map(({ offsetMs, words }) => [offsetMs, words])).toEqual([
    [1, 'name resolved'],
    [3, 'connected to 192.0.2.1:443'],
    [8, 'TLSv1.3, TLS_AES_128_GCM_SHA256'],
    [18, 'first byte of HTTP/1.1 200'],
    [20, 'last byte, 8 bytes'],
  ]);
});

test('what was said stands between, with its side, and a failure ends the course', () => {
  const failed = { ...check, ResultCode: 4, CheckResult: '550 no', SSLTime: 0, TTLB: 0, DataSize: 0 };
  const Transcript = ['< 220 mx', '> EHLO a', '… 3 lines left out …'];
  expect(courseOf(failed, { Transcript })).toEqual([
    { offsetMs: 1, words: 'name resolved', side: 'step' },
    { offsetMs: 3, words: 'connected', side: 'step' },
    { offsetMs: null, words: '220 mx', side: 'received' },
    { offsetMs: null, words: 'EHLO a', side: 'sent' },
    { offsetMs: null, words: '… 3 lines left out …', side: 'step' },
    { offsetMs: 13, words: 'first byte', side: 'step' },
    { offsetMs: 20, words: '550 no', side: 'bad' },
  ]);
});

test('diagnostics of any form are read without a failure', () => {
  const leaf = {
    Subject: 'CN=shop.example, O=Example',
    Issuer: 'C=US, O=Example CA, CN=R3',
    Names: ['shop.example', 'www.shop.example'],
    DaysLeft: 54,
    NotAfter: '2027-01-23T00:00:00.000Z',
  };
  expect(certificatesOf({ Certificate: leaf })).toEqual([
    {
      name: 'shop.example',
      names: ['www.shop.example'],
      issuer: 'Example CA',
      daysLeft: 54,
      ends: '2027-01-23T00:00:00.000Z',
    },
  ]);
  expect(
    certificatesOf({ Certificate: leaf, CertificateChain: [leaf, { ...leaf, DaysLeft: -1 }] }),
  ).toHaveLength(2);
  for (const odd of [
    {},
    { Certificate: 'x', CertificateChain: 7 },
    { Answers: [1, null, 'x'], CertificateChain: [null] },
  ]) {
    expect(certificatesOf(odd)).toEqual([]);
    expect(dnsRecordsOf(odd)).toEqual([]);
  }
  expect(dnsRecordsOf({ Answers: [{ Name: 'a.example', Type: 'A', TTL: 60, Data: '192.0.2.1' }] })).toEqual([
    { name: 'a.example', type: 'A', data: '192.0.2.1', ttl: 60 },
  ]);
});
