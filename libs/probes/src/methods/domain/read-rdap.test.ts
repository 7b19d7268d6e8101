import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readBootstrap, readRdap, serverFor } from './read-rdap.ts';

const answer = {
  objectClassName: 'domain',
  ldhName: 'EXAMPLE.ORG',
  status: ['active', 'client transfer prohibited', 7],
  events: [
    { eventAction: 'registration', eventDate: '1995-08-31T04:00:00Z' },
    { eventAction: 'Expiration', eventDate: '2027-08-30T04:00:00Z' },
    { eventAction: 'last changed', eventDate: 'yesterday' },
  ],
  nameservers: [{ ldhName: 'NS2.example.org.' }, { ldhName: 'ns1.example.org' }, { ldhName: 5 }],
  entities: [
    { roles: ['abuse'] },
    {
      roles: ['registrar'],
      handle: '292',
      vcardArray: [
        'vcard',
        [
          ['version', {}, 'text', '4.0'],
          ['fn', {}, 'text', 'Example\nRegistrar'],
        ],
      ],
    },
  ],
  secureDNS: { delegationSigned: true },
};

describe('RDAP', () => {
  test('a domain', () => {
    expect(readRdap(JSON.stringify(answer))).toEqual({
      source: 'RDAP',
      registrar: 'Example Registrar',
      registeredMs: Date.UTC(1995, 7, 31, 4),
      changedMs: undefined,
      expiresMs: Date.UTC(2027, 7, 30, 4),
      nameServers: ['ns1.example.org', 'ns2.example.org'],
      statuses: ['active', 'client transfer prohibited'],
      isSigned: true,
    });
  });

  test('a registrar without a name has its handle, and a domain with nothing is one', () => {
    const entities = [{ roles: ['registrar'], handle: '292', vcardArray: ['vcard', 'x'] }];
    expect(readRdap(JSON.stringify({ ...answer, entities }))?.registrar).toBe('292');
    expect(readRdap('{"objectClassName": "domain"}')).toMatchObject({ statuses: [], expiresMs: undefined });
  });

  test.each(['', 'no JSON', '[]', '{}', '{"objectClassName": "entity"}'])('%s is no domain', (body) => {
    expect(readRdap(body)).toBeUndefined();
  });

  test('no JSON makes it throw', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const parts = ['status', 'events', 'nameservers', 'entities', 'secureDNS'];
        for (const part of parts) readRdap(JSON.stringify({ ...answer, [part]: value }));
        readRdap(JSON.stringify({ ...answer, entities: [{ roles: ['registrar'], vcardArray: value }] }));
      }),
      { numRuns: propertyRuns(200) },
    );
  });
});

describe("IANA's list", () => {
  const list = readBootstrap(
    JSON.stringify({
      services: [
        [
          ['org', 'NET'],
          ['http://rdap.example', 'https://rdap.example/v1'],
        ],
        [['co.uk'], ['https://rdap.uk/']],
        [['bad'], ['no URL']],
      ],
    }),
  );

  test.each([
    ['example.org', 'https://rdap.example/v1/'],
    ['a.example.net', 'https://rdap.example/v1/'],
    ['example.co.uk', 'https://rdap.uk/'],
    ['example.uk', undefined],
    ['example.bad', undefined],
    ['org', undefined],
  ])('the server of %s is %s', (name, server) => {
    expect(list && serverFor(list, name)).toBe(server);
  });

  test('something else is no list', () => {
    expect(readBootstrap('{"services": [[["org"]]]}')).toBeUndefined();
    expect(readBootstrap('<html>')).toBeUndefined();
  });
});
