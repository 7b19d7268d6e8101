import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DueContact, shareOut } from './fair-share.ts';

const contactOf = (contactNo: number, isFailing = false): DueContact => ({
  contactNo,
  accountNo: contactNo % 7,
  isFailing,
});

test('attempts never exceed the places in all, of an account, of a contact, and of contacts that fail', () => {
  const contacts = fc.array(fc.tuple(fc.integer({ min: 1, max: 400 }), fc.boolean()), { maxLength: 300 });
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
