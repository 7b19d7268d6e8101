import { expect, test } from 'vitest';
import type { DomainRecord } from './domain-record.ts';
import { daysLeft, domainFaults } from './judge-domain.ts';

const now = Date.UTC(2026, 10, 30);
const day = 86_400_000;
const record: DomainRecord = {
  source: 'RDAP',
  registrar: 'Example Registrar',
  registeredMs: undefined,
  changedMs: undefined,
  expiresMs: now + 20.5 * day,
  nameServers: ['a.ns.example', 'b.ns.example'],
  statuses: ['active', 'client transfer prohibited'],
  isSigned: true,
};
const nothing = { MinDaysLeft: 0, ExpectNameServers: [], ExpectStatus: [] };

test.each([
  [{}, {}, []],
  [{}, { MinDaysLeft: 20 }, []],
  [{}, { MinDaysLeft: 21 }, ['the registration ends in 20 days, at least 21 days are expected']],
  [{ expiresMs: now - 0.5 * day }, {}, ['the registration ended today']],
  [{ expiresMs: now - 1.5 * day }, {}, ['the registration ended 1 day ago']],
  [{ expiresMs: undefined }, {}, []],
  [
    { expiresMs: undefined },
    { MinDaysLeft: 1 },
    ['the registry does not tell the end of the registration, so MinDaysLeft must be 0'],
  ],
  [{}, { ExpectRegistrar: 'EXAMPLE' }, []],
  [{}, { ExpectRegistrar: 'Other' }, ['its registrar is "Example Registrar", expected "Other"']],
  [{ registrar: undefined }, { ExpectRegistrar: 'O' }, ['its registrar is not told, expected "O"']],
  [{}, { ExpectNameServers: ['B.ns.example.', 'a.ns.example'] }, []],
  [
    {},
    { ExpectNameServers: ['a.ns.example'] },
    ['its name servers are "a.ns.example, b.ns.example", expected "a.ns.example"'],
  ],
  [{}, { ExpectStatus: ['clientTransferProhibited'] }, []],
  [{}, { ExpectStatus: ['server update prohibited'] }, ['its status is not "server update prohibited"']],
  [{ statuses: ['redemption period'] }, {}, ['its status is "redemption period"']],
  [{ statuses: ['serverHold'] }, { ExpectStatus: ['server hold'] }, []],
])('%j with %j', (part, expected, faults) => {
  expect(domainFaults({ ...record, ...part }, { ...nothing, ...expected }, now)).toEqual(faults);
});

test('days left are whole days', () => {
  expect(daysLeft(record, now)).toBe(20);
  expect(daysLeft({ ...record, expiresMs: now - 1 }, now)).toBe(-1);
});
