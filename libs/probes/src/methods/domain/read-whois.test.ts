import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readDate, readWhois, whoisValue } from './read-whois.ts';

describe('WHOIS', () => {
  test('the format of most registries', () => {
    const text = `% a remark
Domain Name: EXAMPLE.TEST
Registry Domain ID: 1-TEST
Updated Date: 2026-08-14T07:01:31Z
Creation Date: 1995-08-14T04:00:00Z
Registry Expiry Date: 2027-08-13T04:00:00Z
Registrar: Example Registrar, Inc.
Domain Status: clientTransferProhibited https://icann.org/epp#clientTransferProhibited
Domain Status: ok
Name Server: B.NS.EXAMPLE
Name Server: a.ns.example
DNSSEC: unsigned
>>> Last update of WHOIS database: 2026-11-30T00:00:00Z <<<
`;
    expect(readWhois(text)).toEqual({
      kind: 'registered',
      record: {
        source: 'WHOIS',
        registrar: 'Example Registrar, Inc.',
        registeredMs: Date.UTC(1995, 7, 14, 4),
        changedMs: Date.UTC(2026, 7, 14, 7, 1, 31),
        expiresMs: Date.UTC(2027, 7, 13, 4),
        nameServers: ['a.ns.example', 'b.ns.example'],
        statuses: ['clientTransferProhibited', 'ok'],
        isSigned: false,
      },
    });
  });

  test('values on the next lines', () => {
    const text = `
    Domain name:
        example.test

    Registrar:
        Example Ltd [Tag = EXAMPLE]
        URL: https://www.example.test

    Relevant dates:
        Registered on: 26-Nov-1996
        Expiry date:  13-Dec-2026

    Name servers:
        ns1.example.test  192.0.2.1
        ns2.example.test
`;
    expect(readWhois(text)).toMatchObject({
      record: {
        registrar: 'Example Ltd [Tag = EXAMPLE]',
        expiresMs: Date.UTC(2026, 11, 13),
        registeredMs: Date.UTC(1996, 10, 26),
        nameServers: ['ns1.example.test', 'ns2.example.test'],
      },
    });
  });

  test('brackets, dots after the key, and no end of the registration', () => {
    expect(readWhois('[Domain Name] EXAMPLE.TEST\n[Name Server] ns.example\n[Status] Active')).toMatchObject({
      record: { nameServers: ['ns.example'], statuses: ['Active'] },
    });
    expect(readWhois('domain.............: example.test\nexpires............: 31.8.2027')).toMatchObject({
      record: { expiresMs: Date.UTC(2027, 7, 31) },
    });
    expect(
      readWhois('domain: EXAMPLE.TEST\npaid-till: 2027-03-01T21:00:00Z\nnserver: ns.example.'),
    ).toMatchObject({ record: { expiresMs: Date.UTC(2027, 2, 1, 21), nameServers: ['ns.example'] } });
    expect(readWhois('Domain: example.test\nStatus: connect\nNserver: ns.example')).toMatchObject({
      kind: 'registered',
      record: { expiresMs: undefined, statuses: ['connect'] },
    });
  });

  test.each([
    'No match for "EXAMPLE.TEST".',
    '% No entries found for the selected source(s).',
    'Domain not found.',
    'Domain: example.test\nStatus: free',
    'NOT FOUND',
  ])('%s: the domain is free', (text) => {
    expect(readWhois(text)).toEqual({ kind: 'free' });
  });

  test.each(['', 'Your limit is exceeded, try again later.', '<html></html>'])('%j tells nothing', (text) => {
    expect(readWhois(text)).toBeUndefined();
  });

  test('the server of a top-level domain', () => {
    const text =
      '% IANA WHOIS server\n\ndomain:       TEST\n\nwhois:        whois.nic.test\n\nstatus:       ACTIVE\n';
    expect(whoisValue(text, 'whois')).toBe('whois.nic.test');
    expect(whoisValue('domain: X\nwhois:\nstatus: ACTIVE', 'whois')).toBeUndefined();
  });

  test('hostile texts end quickly in an answer', () => {
    const line = fc.constantFrom(
      'expires:',
      'nserver: a',
      ':',
      '[',
      '[a]',
      ' x',
      '%',
      'Registrar:   ',
      '\t',
      'a'.repeat(500),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 300 }), (lines) => {
        readWhois(lines.join('\n'));
        readWhois(lines.join(''));
      }),
      { numRuns: propertyRuns(100) },
    );
    readWhois(`${' '.repeat(100_000)}:${'.'.repeat(100_000)}`);
  });
});

test.each([
  ['2027-08-13T04:00:00Z', Date.UTC(2027, 7, 13, 4)],
  ['2027-08-13T04:00:00+02:00', Date.UTC(2027, 7, 13, 2)],
  ['2027-08-13 04:00:00 UTC', Date.UTC(2027, 7, 13)],
  ['2027-08-13', Date.UTC(2027, 7, 13)],
  ['2027.08.13', Date.UTC(2027, 7, 13)],
  ['2027/08/13', Date.UTC(2027, 7, 13)],
  ['20270813', Date.UTC(2027, 7, 13)],
  ['13-Aug-2027', Date.UTC(2027, 7, 13)],
  ['13 August 2027', Date.UTC(2027, 7, 13)],
  ['13.08.2027 10:00', Date.UTC(2027, 7, 13)],
  ['03/04/2027', undefined],
  ['2027-02-30', undefined],
  ['31-Foo-2027', undefined],
  ['never', undefined],
])('the date %s', (text, ms) => {
  expect(readDate(text)).toBe(ms);
});
