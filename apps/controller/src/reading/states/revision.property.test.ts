import type { Db, Tables } from '@vantage/storage';
import { createFixtures } from '@vantage/testing/fixtures';
import { useDatabase } from '@vantage/testing/use-database';
import fc from 'fast-check';
import { type Kysely, sql } from 'kysely';
import { expect, test } from 'vitest';
import { changedSince, readRevision } from './revision.ts';

let db: Db;
useDatabase((opened) => {
  db = opened;
});

const nowUs = 1_800_000_000_000_000;
const writers = 3;
const devices = 4;

type Step =
  | { readonly kind: 'write'; readonly writer: number; readonly device: number }
  | { readonly kind: 'end'; readonly writer: number; readonly commits: boolean }
  | { readonly kind: 'poll' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('write' as const),
    writer: fc.nat(writers - 1),
    device: fc.nat(devices - 1),
  }),
  fc.record({ kind: fc.constant('end' as const), writer: fc.nat(writers - 1), commits: fc.boolean() }),
  fc.constant({ kind: 'poll' as const }),
);

/**
 * A transaction that is open from its first write on. Each writer has devices of its own, so that none waits for
 * another.
 */
async function openWriter() {
  let begun: (trx: Kysely<Tables>) => void = () => {};
  let end: (commits: boolean) => void = () => {};
  const trx = new Promise<Kysely<Tables>>((resolve) => {
    begun = resolve;
  });
  const ended = new Promise<boolean>((resolve) => {
    end = resolve;
  });
  const over = db.kysely
    .transaction()
    .execute(async (inner) => {
      begun(inner);
      if (!(await ended)) throw new Error('rolled back');
    })
    .catch(() => {});
  return {
    trx: await trx,
    end: (commits: boolean) => {
      end(commits);
      return over;
    },
  };
}

test('property: a copy that is merged from what changed equals a full read, however writers and polls interleave', async () => {
  const rows = createFixtures(db.kysely);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const accountNo = await rows.account();
      const nos: number[][] = [];
      for (let writer = 0; writer < writers; writer += 1) {
        const own: number[] = [];
        for (let i = 0; i < devices; i += 1) own.push(await rows.device(accountNo, []));
        nos.push(own);
      }
      const read = async (among?: readonly number[]) => {
        const found = await sql<{ device_no: number; short_name: string }>`
          select device_no, short_name from devices where account_no = ${accountNo}
            ${among === undefined ? sql`` : sql`and device_no = any(${among}::int[])`}`.execute(db.kysely);
        return found.rows.map(({ device_no, short_name }) => [device_no, short_name] as const);
      };
      let before = await readRevision(db.kysely, nowUs);
      const copy = new Map(await read());
      const poll = async () => {
        const next = await readRevision(db.kysely, nowUs);
        const changed = await changedSince(db.kysely, accountNo, { before, nowUs });
        for (const [no, name] of await read(changed)) copy.set(no, name);
        before = next;
      };
      const open = new Map<number, Awaited<ReturnType<typeof openWriter>>>();
      let writes = 0;
      for (const one of [
        ...steps,
        ...[0, 1, 2].map((writer) => ({ kind: 'end', writer, commits: true }) as const),
      ]) {
        if (one.kind === 'poll') {
          await poll();
          // Whatever was committed before the poll began is in the copy.
          const all = new Map(await read());
          expect(copy).toEqual(all);
        } else if (one.kind === 'end') {
          await open.get(one.writer)?.end(one.commits);
          open.delete(one.writer);
        } else {
          const writer = open.get(one.writer) ?? (await openWriter());
          open.set(one.writer, writer);
          writes += 1;
          await sql`update devices set short_name = ${`name ${writes}`}
            where device_no = ${nos[one.writer]?.[one.device] ?? 0}`.execute(writer.trx);
        }
      }
      await poll();
      expect(copy).toEqual(new Map(await read()));
    }),
    { numRuns: 40 },
  );
});
