import type { Db } from '@vantage/storage';
import { useDatabase } from '@vantage/testing/use-database';
import { expect, test } from 'vitest';
import { type ChangeTransaction, createCatalog } from '../../src/resources/change.ts';

let db: Db;
useDatabase((opened) => {
  db = opened;
});

const deadlock = () => Object.assign(new Error('deadlock detected'), { code: '40P01' });

/** Work that meets so many deadlocks, in a catalog that notes what is recorded. */
function meets(deadlocks: number) {
  const recorded: unknown[] = [];
  let runs = 0;
  const catalog = createCatalog({ recordChanges: async (_, changes) => void recorded.push(changes) });
  const work = async (transaction: ChangeTransaction) => {
    runs += 1;
    transaction.record({ action: 'delete', kind: 'tag', accountNo: 1, id: 'a', fields: [] });
    if (runs <= deadlocks) throw deadlock();
    return 'done';
  };
  return { catalog, work, recorded, runs: () => runs };
}

test('a change that ends by a deadlock runs again in a new transaction, and is recorded once', async () => {
  const { catalog, work, recorded, runs } = meets(2);
  expect(await catalog.change(db, { kind: 'command-line' }, work)).toBe('done');
  expect([runs(), recorded.length]).toEqual([3, 1]);
});

test('a fourth deadlock ends it, and nothing is recorded', async () => {
  const { catalog, work, recorded, runs } = meets(9);
  await expect(catalog.change(db, { kind: 'command-line' }, work)).rejects.toThrow('deadlock detected');
  expect([runs(), recorded.length]).toEqual([4, 0]);
});
