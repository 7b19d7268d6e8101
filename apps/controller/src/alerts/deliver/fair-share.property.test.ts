import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DueContact } from './claim-store.ts';
import { fullPlaces, shareOut } from './deliveries.ts';

const contactOf = (contactNo: number, isFailing = false): DueContact => ({
  contactNo,
  accountNo: contactNo % 7,
  isFailing,
});

test('attempts never exceed the places in all, of an account, of a contact, and of contacts that fail', () => {
  const contacts = fc.array(fc.tuple(fc.integer({ min: 1, max: 400 }), fc.boolean()), {
    maxLength: 300,
    size: 'max',
  });
  const property = fc.property(contacts, fc.nat(50), (sent, ended) => {
    const due = [...new Map(sent.map(([no, failing]) => [no, contactOf(no, failing)])).values()];
    const first = shareOut(due, []).flatMap(({ contact, places }) => Array(places).fill(contact));
    const running: DueContact[] = first.slice(ended);
    for (const share of shareOut(due, running)) running.push(...Array(share.places).fill(share.contact));
    const most = (of: readonly DueContact[], key: (one: DueContact) => number) =>
      Math.max(0, ...[...Map.groupBy(of, key).values()].map(({ length }) => length));
    const failing = running.filter(({ isFailing }) => isFailing);
    expect(running.length).toBeLessThanOrEqual(128);
    expect(most(running, (one) => one.accountNo)).toBeLessThanOrEqual(32);
    expect(most(running, (one) => one.contactNo)).toBeLessThanOrEqual(4);
    expect(failing.length).toBeLessThanOrEqual(32);
    expect(most(failing, (one) => one.contactNo)).toBeLessThanOrEqual(1);
  });
  fc.assert(property, { numRuns: 500 });
});

test('contacts and accounts are full where they would get no place', () => {
  const attempt = fc.record({
    contactNo: fc.integer({ min: 1, max: 14 }),
    accountNo: fc.integer({ min: 1, max: 3 }),
    isFailing: fc.boolean(),
  });
  const property = fc.property(fc.array(attempt, { maxLength: 127, size: 'max' }), attempt, (sent, due) => {
    const running = sent.map((one) => ({ ...one, contactNo: one.accountNo * 100 + one.contactNo }));
    const contact = { ...due, contactNo: due.accountNo * 100 + due.contactNo };
    const { failing, ...all } = fullPlaces(running);
    const isIn = ({ contactNos, accountNos }: typeof all) =>
      contactNos.includes(contact.contactNo) || accountNos.includes(contact.accountNo);
    const isFull = isIn(all) || (contact.isFailing && (failing.isAll || isIn(failing)));
    expect(isFull).toBe(shareOut([contact], running).length === 0);
  });
  fc.assert(property, { numRuns: 2_000 });
});

test('a thousand contacts that fail leave places for one that works', () => {
  const failing = Array.from({ length: 1000 }, (_, n) => contactOf(n, true));
  const running = shareOut(failing, []).flatMap(({ contact, places }) => Array(places).fill(contact));
  expect(running).toHaveLength(32);
  const well = contactOf(5000);
  expect(shareOut([...failing, well], running)).toEqual([{ contact: well, places: 4 }]);
});

test('one account that waits with all its contacts leaves places for another account', () => {
  const own = Array.from({ length: 1000 }, (_, n) => ({ contactNo: n, accountNo: 1, isFailing: false }));
  const other = { contactNo: 5000, accountNo: 2, isFailing: false };
  const shares = shareOut([...own, other], []);
  expect(shares.at(-1)).toEqual({ contact: other, places: 4 });
  expect(shares).toHaveLength(9);
});
