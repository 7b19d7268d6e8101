import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AuditFilter, auditAddress, auditQuery, readAuditFilter } from './audit-filter.ts';
import { kindNames } from './audit-words.ts';

const day = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const filters: fc.Arbitrary<AuditFilter> = fc.record({
  actor: fc.string({ maxLength: 20 }),
  kind: fc.constantFrom('', ...(Object.keys(kindNames) as (keyof typeof kindNames)[])),
  action: fc.constantFrom('', 'Create', 'Update', 'Delete', 'Refuse'),
  from: fc.oneof(fc.constant(''), day),
  to: fc.oneof(fc.constant(''), day),
  Object: fc.constantFrom('', '7'.repeat(48)),
});

test('the address of filters is read as the same filters', () => {
  fc.assert(
    fc.property(filters, (filter) => {
      expect(readAuditFilter(new URL(auditAddress(filter), 'https://x').searchParams)).toEqual(filter);
    }),
  );
});

test('invalid values of an address are ignored, and whole days are requested', () => {
  const query = new URLSearchParams('actor=deploy&kind=nothing&action=Burn&from=yesterday&to=2026-02-25');
  expect(auditQuery(readAuditFilter(query))).toEqual({ Actor: 'deploy', Timestamp2: '2026-02-25T23:59:59' });
});
