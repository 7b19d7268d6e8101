import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contactSlots } from '../deliveries.ts';
import { hookSlots } from '../hooks/deliver-hooks.ts';
import { mailSlots } from '../mails/send-mails.ts';
import { type Due, fullNames, type Slots, shareOut } from './slots.ts';

const senders: readonly [string, Slots][] = [
  ['contacts', contactSlots],
  ['hooks', hookSlots],
  ['mails', mailSlots],
];

const dueOf = (no: number, accountNo: number, more: Partial<Due> = {}): Due => ({
  accountNo,
  receiver: `contact ${no}`,
  host: `host-${no}`,
  isSlow: false,
  isFailing: false,
  ...more,
});
const anyDue = fc
  .record({
    no: fc.integer({ min: 1, max: 300 }),
    accountNo: fc.integer({ min: 1, max: 7 }),
    host: fc.constantFrom('a', 'b', 'c'),
    isSlow: fc.boolean(),
    isFailing: fc.boolean(),
  })
  .map(({ no, accountNo, ...more }) => dueOf(accountNo * 1_000 + no, accountNo, more));
const started = (shares: readonly { readonly due: Due; readonly slots: number }[]) =>
  shares.flatMap(({ due, slots }) => Array<Due>(slots).fill(due));
const most = (of: readonly Due[], key: (one: Due) => unknown) =>
  Math.max(0, ...[...Map.groupBy(of, key).values()].map(({ length }) => length));

test.each(senders)(
  'attempts of %s never exceed the slots in all, of an account, of a host and of a receiver, and those of slow and failing ones',
  (_, slots) => {
    const property = fc.property(
      fc.array(anyDue, { maxLength: 300, size: 'max' }),
      fc.nat(50),
      (sent, ended) => {
        const due = [...new Map(sent.map((one) => [one.receiver, one])).values()];
        const running = started(shareOut(due, [], slots)).slice(ended);
        running.push(...started(shareOut(due, running, slots)));
        const groups = {
          all: () => true,
          slow: (one: Due) => one.isSlow,
          failing: (one: Due) => one.isFailing,
        };
        for (const [group, of] of [
          ['all', groups.all],
          ['slow', groups.slow],
          ['failing', groups.failing],
        ] as const) {
          const own = running.filter(of);
          expect(own.length).toBeLessThanOrEqual(slots[group].total);
          expect(most(own, (one) => one.accountNo)).toBeLessThanOrEqual(slots[group].account);
          expect(most(own, (one) => one.host)).toBeLessThanOrEqual(slots[group].host);
          expect(most(own, (one) => one.receiver)).toBeLessThanOrEqual(slots[group].receiver);
        }
      },
    );
    fc.assert(property, { numRuns: propertyRuns(100) });
  },
);

test('names are full where a receiver of theirs would get no place', () => {
  const property = fc.property(
    fc.array(anyDue, { maxLength: 127, size: 'max' }),
    anyDue,
    fc.constantFrom(...senders),
    (running, due, [, slots]) => {
      const full = new Set(fullNames(running, slots));
      const { accountNo, host, receiver } = due;
      const isFull = (group: string) =>
        [
          'total',
          `account ${accountNo}`,
          `host ${host}`,
          `account ${accountNo} host ${host}`,
          `receiver ${receiver}`,
        ].some((name) => full.has(`${group} ${name}`));
      const hasNone = isFull('all') || (due.isSlow && isFull('slow')) || (due.isFailing && isFull('failing'));
      expect(hasNone).toBe(shareOut([due], running, slots).length === 0);
    },
  );
  fc.assert(property, { numRuns: propertyRuns(1_000) });
});

test.each([
  ['slow', { isSlow: true }],
  ['failing', { isFailing: true }],
] as const)('a thousand %s contacts of ten accounts leave slots for one that works', (group, more) => {
  const bad = Array.from({ length: 1000 }, (_, n) => dueOf(n, n % 10, more));
  const running = started(shareOut(bad, [], contactSlots));
  expect(running.length).toBeLessThanOrEqual(contactSlots[group].total);
  const well = dueOf(5000, 99);
  expect(shareOut([...bad, well], running, contactSlots)).toContainEqual({ due: well, slots: 4 });
});

/** The attempts of these accounts when each has all that it gets, whether they come at once or one by one. */
function heldBy(accounts: number, areTogether: boolean, slots: Slots): Due[] {
  const held: Due[] = [];
  const all = Array.from({ length: accounts * 40 }, (_, n) => dueOf(n, n % accounts));
  const comers = areTogether ? [all] : Map.groupBy(all, (one) => one.accountNo).values();
  for (const due of comers)
    for (let grown = true; grown; ) {
      const more = started(shareOut(due, held, slots));
      held.push(...more);
      grown = more.length > 0;
    }
  return held;
}

test.each(
  senders.flatMap(([name, slots]) => [
    { name, slots, areTogether: true, accounts: slots.all.total - 1 },
    { name, slots, areTogether: false, accounts: 10 },
  ]),
)(
  'up to $accounts accounts that send as many $name as they can to receivers that never answer leave a place for another one (at once: $areTogether)',
  ({ slots, areTogether, accounts: maxAccounts }) => {
    for (let accounts = 1; accounts <= maxAccounts; accounts += Math.ceil(maxAccounts / 20)) {
      const held = heldBy(accounts, areTogether, slots);
      expect(shareOut([dueOf(9_999, 9_999)], held, slots), `${accounts} accounts`).toHaveLength(1);
    }
  },
);

test('accounts that use one slow host leave slots at it for another account, and all others', () => {
  const host = { host: 'slow.example:443' };
  const running = started(
    shareOut(
      Array.from({ length: 400 }, (_, n) => dueOf(n, n % 20, host)),
      [],
      contactSlots,
    ),
  );
  expect(running.length).toBeLessThanOrEqual(contactSlots.all.host);
  const others = [dueOf(1_000, 99, host), dueOf(1_001, 98)];
  expect(shareOut(others, running, contactSlots).map(({ due }) => due)).toEqual(others);
});

test('the account that has the fewest attempts comes first', () => {
  const running = Array.from({ length: 3 }, (_, n) => dueOf(n, 1));
  const due = [dueOf(10, 1), dueOf(11, 2)];
  expect(shareOut(due, running, hookSlots).map(({ due: { accountNo } }) => accountNo)).toEqual([2, 1]);
});
