import { systemClock as clock, createLog } from '@vantage/kernel';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { listQuarantined, retryQuarantined } from './quarantine-store.ts';
import { createTakeWaiting } from './take-waiting.ts';
import { batchOf, minuteUs, result, useIngestFixture } from './testing/ingest-fixture.ts';

const bench = useIngestFixture();
const hourUs = 60 * minuteUs;
const log = createLog('waiting test', 'silent');

async function rows() {
  const { rows: found } = await sql<{ reason: string; waits: boolean }>`
    select reason, waits from quarantined where agent_no = ${bench.sender.agentNo} order by quarantined_no`.execute(
    bench.db.kysely,
  );
  return found;
}

async function checks(): Promise<number> {
  const { rows: found } = await sql<{ count: number }>`
    select count(*)::int as count from checks where agent_no = ${bench.sender.agentNo}`.execute(
    bench.db.kysely,
  );
  return found[0]?.count ?? 0;
}

const takeWaiting = (mayRefuse = () => true) =>
  createTakeWaiting({
    kysely: bench.db.kysely,
    log,
    ingest: bench.ingestWith(undefined, { mayRefuseForTime: mayRefuse }),
    mayRefuse,
  });

test('while a clock may be wrong, a result from the future waits, and the others of its batch are stored', async () => {
  const ingest = bench.ingestWith(undefined, { mayRefuseForTime: () => false });
  const [a = 0, b = 0] = bench.deviceNos;
  const nowUs = clock.nowUs();
  const batch = batchOf(result(a, nowUs - minuteUs), result(b, nowUs + hourUs));
  expect(await ingest.accept(bench.sender, batch)).toEqual({ inserted: 1, repeated: 0, quarantined: 1 });
  expect(await rows()).toEqual([{ reason: 'more than 5 minutes in the future', waits: true }]);
  await takeWaiting(() => false)();
  expect(await rows()).toHaveLength(1);
  // The clocks agree, and it was not the controller's that was wrong.
  await takeWaiting()();
  expect(await rows()).toEqual([{ reason: 'more than 5 minutes in the future', waits: false }]);
  expect(await checks()).toBe(1);
});

test('records that wait are stored when the clock was wrong, once, however many controllers take them', async () => {
  const ingest = bench.ingestWith(undefined, { mayRefuseForTime: () => false });
  const nowUs = clock.nowUs();
  const early = bench.deviceNos.map((deviceNo) => result(deviceNo, nowUs - 50 * hourUs));
  await ingest.accept(bench.sender, batchOf(...early));
  expect(await rows()).toHaveLength(5);
  await sql`update assignment_spans set from_us = ${nowUs - 60 * hourUs} where agent_no = ${bench.sender.agentNo}`.execute(
    bench.db.kysely,
  );
  await sql`update devices set created_us = ${nowUs - 60 * hourUs} where account_no = ${bench.sender.accountNo}`.execute(
    bench.db.kysely,
  );
  await Promise.all([takeWaiting()(), takeWaiting()(), takeWaiting()()]);
  expect(await rows()).toEqual([]);
  expect(await checks()).toBe(5);
  await ingest.accept(bench.sender, batchOf(...early));
  expect(await checks()).toBe(5);
});

test('the operator takes quarantined records in again: those that are right now are stored, the others keep a reason', async () => {
  const ingest = bench.ingestWith();
  const nowUs = clock.nowUs();
  const [a = 0, b = 0, c = 0] = bench.deviceNos;
  await ingest.accept(
    bench.sender,
    batchOf(result(a, nowUs + hourUs), result(b, nowUs - 50 * hourUs), result(c, 0)),
  );
  const before = await rows();
  expect(before.map(({ waits }) => waits)).toEqual([false, false, false]);
  await sql`update assignment_spans set from_us = ${nowUs - 60 * hourUs} where agent_no = ${bench.sender.agentNo}`.execute(
    bench.db.kysely,
  );
  await sql`update devices set created_us = ${nowUs - 60 * hourUs} where account_no = ${bench.sender.accountNo}`.execute(
    bench.db.kysely,
  );
  const asked = { accountNo: bench.sender.accountNo, agentId: undefined, reason: undefined };
  expect(await retryQuarantined(bench.db.kysely, { ...asked, limit: 2 })).toHaveLength(2);
  expect(await retryQuarantined(bench.db.kysely, { ...asked, limit: 100 })).toHaveLength(3);
  await takeWaiting()();
  expect(await checks()).toBe(1);
  const groups = await listQuarantined(bench.db.kysely, bench.sender.accountNo);
  expect(groups.map(({ records, waiting }) => [records, waiting])).toEqual([
    [1, 0],
    [1, 0],
  ]);
  await takeWaiting()();
  expect(await rows()).toHaveLength(2);
});

/** Records that wait and are none of a kind that is known. */
async function addWaiting(count: number) {
  await sql`insert into quarantined (agent_no, received_us, reason, record, waits)
    select ${bench.sender.agentNo}, 1, 'x', '{}'::jsonb, true from generate_series(1, ${count}::int)`.execute(
    bench.db.kysely,
  );
}

test('a call takes at most 10,000 records of an agent, and none once a clock may be wrong', async () => {
  await addWaiting(10_500);
  const texts: string[] = [];
  const told = createLog('waiting test', 'info', { write: (line) => void texts.push(line) });
  const answers = [true, false];
  const mayRefuse = () => answers.shift() ?? true;
  const ingest = bench.ingestWith();
  await createTakeWaiting({ kysely: bench.db.kysely, log: told, ingest, mayRefuse })();
  const left = async () => (await rows()).filter(({ waits }) => waits).length;
  expect([await left(), texts]).toEqual([10_500, []]);
  await takeWaiting()();
  expect(await left()).toBe(500);
});

test('an agent has at most 2,000 records waiting; further ones stay with it', async () => {
  const ingest = bench.ingestWith(undefined, { mayRefuseForTime: () => false });
  const [a = 0] = bench.deviceNos;
  await addWaiting(1_999);
  const late = batchOf(result(a, clock.nowUs() + 2 * hourUs));
  expect(await ingest.accept(bench.sender, late)).toMatchObject({ quarantined: 1 });
  await expect(ingest.accept(bench.sender, batchOf(result(a, clock.nowUs() + hourUs)))).rejects.toThrow(
    'must wait in quarantine, which has no room',
  );
  await takeWaiting()();
  expect((await rows()).filter(({ waits }) => waits)).toEqual([]);
});
