import { clampAhead, dayUs, hourUs } from '@vantage/domain';
import { createFixtures } from '@vantage/testing/fixtures';
import { useDatabase } from '@vantage/testing/use-database';
import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type { Db } from '../db-access.ts';
import { clampStoredTimes } from './clamp-stored-times.ts';
import { toleratedAheadUs } from './time-columns.ts';

const nowUs = 1_800_000_000_000_000;
let db: Db;
let agentNo: number;
let hookNo: number;
useDatabase((opened) => {
  db = opened;
});

beforeEach(async () => {
  await sql`truncate run_requests, hook_progress, assignment_spans cascade; delete from agents`.execute(
    db.kysely,
  );
  const rows = createFixtures(db.kysely);
  const accountNo = await rows.account();
  const locationNo = await rows.location(accountNo);
  const deviceNo = await rows.device(accountNo, []);
  ({ agentNo } = await rows.agent({ accountNo, locationNo }));
  const { rows: hooks } = await sql<{ no: number }>`
    insert into hooks (hook_id, account_no, name, address, sealed, after_no) values (${`h${accountNo}`}, ${accountNo}, 'hook', 'a', '', 0)
    returning hook_no as no`.execute(db.kysely);
  hookNo = hooks[0]?.no ?? 0;
  await sql`insert into hook_progress (hook_no, after_no) values (${hookNo}, 0)`.execute(db.kysely);
  await sql`insert into assignment_spans (device_no, agent_no, location_no, from_us, to_us, rotation_index, rotation_size,
      retries_locally, run_immediately)
    values (${deviceNo}, ${agentNo}, ${locationNo}, ${nowUs + dayUs}, null, 0, 1, true, false),
      (${deviceNo}, ${agentNo}, ${locationNo}, 5, ${nowUs + dayUs}, 0, 1, true, false)`.execute(db.kysely);
});

const times = async () => {
  const { rows } = await sql<{ seen: number; due: number; failing: number | null }>`
    select a.last_seen_us as seen, p.due_us as due, p.failing_since_us as failing
    from agents a, hook_progress p where a.agent_no = ${agentNo} and p.hook_no = ${hookNo}`.execute(
    db.kysely,
  );
  return rows[0];
};

test('property: times are kept within their lead, and are now beyond it', async () => {
  const us = fc.integer({ min: nowUs - 3 * hourUs, max: nowUs + 3 * hourUs });
  await fc.assert(
    fc.asyncProperty(us, us, fc.option(us), async (seen, due, failing) => {
      await sql`update agents set last_seen_us = ${seen} where agent_no = ${agentNo}`.execute(db.kysely);
      await sql`update hook_progress set due_us = ${due}, failing_since_us = ${failing}`.execute(db.kysely);
      await clampStoredTimes(db.kysely, nowUs);
      expect(await times()).toEqual({
        seen: clampAhead(seen, nowUs, toleratedAheadUs),
        due: clampAhead(due, nowUs, hourUs + toleratedAheadUs),
        failing: failing === null ? null : clampAhead(failing, nowUs, toleratedAheadUs),
      });
    }),
    { numRuns: 30 },
  );
});

test('spans that begin or end while the clock was ahead do so now, and a second call changes nothing', async () => {
  const changed = await clampStoredTimes(db.kysely, nowUs);
  expect(changed).toEqual(['assignment_spans.from_us', 'assignment_spans.to_us']);
  const { rows } =
    await sql`select from_us as "fromUs", to_us as "toUs" from assignment_spans order by 1`.execute(
      db.kysely,
    );
  expect(rows).toEqual([
    { fromUs: 5, toUs: nowUs },
    { fromUs: nowUs, toUs: null },
  ]);
  expect(await clampStoredTimes(db.kysely, nowUs)).toEqual([]);
});
