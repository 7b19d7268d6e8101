import { hourUs, secondUs } from '@vantage/domain';
import { propertyRuns } from '@vantage/kernel/testing';
import type { Tables } from '@vantage/storage';
import fc from 'fast-check';
import { sql, type Transaction } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordReached } from './contact-health.ts';
import { type AttemptOutcome, retryTimes } from './notification-state.ts';
import { type FailedNotification, type OnFailed, record } from './record-attempt.ts';
import { createDeliveryFixture, type DeliveryFixture } from './testing/delivery-fixture.ts';

const startUs = Date.UTC(2027, 2, 14, 12) * 1000;
const alertNo = 7;
let fixture: DeliveryFixture;
beforeAll(async () => {
  fixture = await createDeliveryFixture();
  await sql`
    insert into alerts (alert_no, alert_id, account_no, kind, device_no, severity, opened_us, since_us, state, opening)
    overriding system value
    values (${alertNo}, 'a', ${fixture.accountNo}, 'device.down', 1, 'critical', 1, 1, '{"phase":"active"}', '{}')`.execute(
    fixture.db.kysely,
  );
});
afterAll(() => fixture[Symbol.asyncDispose]());

interface Attempted {
  readonly contactNo: number;
  readonly firstUs: number;
  readonly attempts?: number;
  /** The notification into which it is merged; absent: it has a lease of its own. */
  readonly leaderNo?: number;
}

/** A notification of the alert that is attempted at this moment. */
async function attempted({ contactNo, firstUs, attempts = 1, leaderNo }: Attempted): Promise<number> {
  await fixture.add([contactNo, `device:${Math.random()}`, 'web']);
  const { rows } = await sql<{ no: number }>`
    update notifications set attempts = ${attempts}, first_attempt_us = ${firstUs}, alert_no = ${alertNo}, message = '{}',
      leader_no = ${leaderNo ?? null}::bigint, lease_token = ${leaderNo === undefined ? 'token' : null}
    where notification_no = (select max(notification_no) from notifications) returning notification_no as no`.execute(
    fixture.db.kysely,
  );
  return rows[0]?.no ?? 0;
}

function answer(
  trx: Transaction<Tables>,
  {
    no,
    contactNo,
    outcome,
    nowUs,
  }: { no: number; contactNo: number; outcome: AttemptOutcome; nowUs: number },
  onFailed: OnFailed = async () => {},
) {
  const attempt = { no, contactNo, outcome, nowUs, token: 'token', contact: { updated_us: 1 } };
  return record(trx, attempt, { times: retryTimes(), onFailed });
}

async function rowsOf(contactNo: number) {
  const { rows } = await sql<{
    no: number;
    state: string;
    dueUs: number | null;
    notBeforeUs: number | null;
    isUnsure: boolean;
    endedUs: number | null;
    leaderNo: number | null;
    hasMessage: boolean;
  }>`
    select notification_no as no, state, case when state = 'Pending' then due_us end as "dueUs", not_before_us as "notBeforeUs",
      maybe_sent as "isUnsure", ended_us as "endedUs", leader_no as "leaderNo", message is not null as "hasMessage"
    from notifications where contact_no = ${contactNo} order by notification_no`.execute(fixture.db.kysely);
  return rows;
}

/** Answers to a first attempt: how long the next one waits (null: there is none), and what is stored besides. */
const answers: readonly {
  readonly outcome: AttemptOutcome;
  readonly waitUs: number | null;
  readonly notBeforeUs?: number;
  readonly isUnsure?: boolean;
}[] = [
  { outcome: { kind: 'delivered', text: 'ok' }, waitUs: null },
  { outcome: { kind: 'delivered', text: 'ok' }, waitUs: null },
  { outcome: { kind: 'gone', text: 'gone' }, waitUs: null },
  { outcome: { kind: 'refused', text: 'no' }, waitUs: 5 * secondUs },
  { outcome: { kind: 'interrupted', text: 'stop' }, waitUs: 0, isUnsure: true },
  { outcome: { kind: 'again', text: 'later' }, waitUs: 5 * secondUs },
  { outcome: { kind: 'again', text: 'late', isUncertain: true }, waitUs: 5 * secondUs, isUnsure: true },
  {
    outcome: { kind: 'again', text: 'in a minute', retryAfterMs: 60_000 },
    waitUs: 60 * secondUs,
    notBeforeUs: 60 * secondUs,
  },
  {
    outcome: { kind: 'again', text: 'tomorrow', retryAfterMs: 86_400_000 },
    waitUs: hourUs,
    notBeforeUs: hourUs,
  },
];

test('property: after any answers a contact is failing or well, and what it missed is due again once it accepts one', {
  timeout: 60_000,
}, async () => {
  const step = fc.record({
    answered: fc.constantFrom(...answers),
    afterUs: fc.constantFrom(0, 1, 7 * secondUs, 2 * hourUs),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (steps) => {
      const contactNo = await fixture.webhook('http://127.0.0.1:9/');
      let nowUs = startUs;
      const health: Record<string, number | string | null> = {
        failures: 0,
        since: null,
        failed: null,
        accepted: null,
        answer: null,
      };
      const kept: Awaited<ReturnType<typeof rowsOf>> = [];
      const firstsUs: number[] = [];
      for (const { answered, afterUs } of steps) {
        nowUs += afterUs;
        const { outcome, waitUs, notBeforeUs, isUnsure = false } = answered;
        const no = await attempted({ contactNo, firstUs: nowUs });
        const failed: FailedNotification[] = [];
        const recorded = await fixture.db.kysely
          .transaction()
          .execute((trx) =>
            answer(trx, { no, contactNo, outcome, nowUs }, async (_, one) => void failed.push(one)),
          );
        const state = waitUs !== null ? 'Pending' : outcome.kind === 'delivered' ? 'Delivered' : 'Failed';
        const wasWell = health['failures'] === 0;
        const isBad = outcome.kind !== 'delivered' && outcome.kind !== 'interrupted';
        const change =
          isBad && wasWell ? 'failing' : outcome.kind === 'delivered' && !wasWell ? 'well' : null;
        expect(recorded).toEqual({ isRecorded: true, state, change });
        expect(failed).toEqual(
          state === 'Failed'
            ? [
                {
                  accountNo: fixture.accountNo,
                  alertNo,
                  contactNo,
                  notificationNos: [no],
                  reason: outcome.text,
                  nowUs,
                },
              ]
            : [],
        );
        if (change === 'well') {
          const acceptedUs = Number(health['accepted'] ?? 0);
          for (const [i, row] of kept.entries())
            if (row.dueUs !== null && row.dueUs > nowUs && (firstsUs[i] ?? 0) > acceptedUs)
              kept[i] = { ...row, dueUs: Math.max(nowUs, row.notBeforeUs ?? 0) };
        }
        if (outcome.kind === 'delivered')
          Object.assign(health, { failures: 0, since: null, failed: null, accepted: nowUs, answer: null });
        else if (isBad)
          Object.assign(health, {
            failures: Number(health['failures']) + 1,
            since: health['since'] ?? nowUs,
            failed: health['failed'] ?? (state === 'Failed' ? nowUs : null),
            answer: outcome.text,
          });
        kept.push({
          no,
          state,
          dueUs: waitUs === null ? null : nowUs + waitUs,
          notBeforeUs: notBeforeUs === undefined ? null : nowUs + notBeforeUs,
          isUnsure,
          endedUs: waitUs === null ? nowUs : null,
          leaderNo: null,
          hasMessage: waitUs !== null,
        });
        firstsUs.push(nowUs);
      }
      expect(await rowsOf(contactNo)).toEqual(kept);
      const { rows } = await sql`
        select failures, failing_since_us as since, failed_us as failed, accepted_us as accepted, last_answer as answer
        from contact_health where contact_no = ${contactNo}`.execute(fixture.db.kysely);
      expect(rows).toEqual(steps.length === 0 ? [] : [health]);
    }),
    { numRuns: propertyRuns(40) },
  );
});

test('of a message that is given up, a part that was merged later waits for attempts of its own', async () => {
  const contactNo = await fixture.webhook('http://127.0.0.1:9/');
  const no = await attempted({ contactNo, firstUs: startUs - 72 * hourUs, attempts: 80 });
  const old = await attempted({ contactNo, firstUs: startUs - 72 * hourUs, attempts: 80, leaderNo: no });
  const young = await attempted({ contactNo, firstUs: startUs - 71 * hourUs + 1, leaderNo: no });
  const failed: FailedNotification[] = [];
  const outcome: AttemptOutcome = { kind: 'again', text: 'HTTP 500' };
  await fixture.db.kysely
    .transaction()
    .execute((trx) =>
      answer(trx, { no, contactNo, outcome, nowUs: startUs }, async (_, one) => void failed.push(one)),
    );
  expect(await rowsOf(contactNo)).toMatchObject([
    { no, state: 'Failed', endedUs: startUs },
    { no: old, state: 'Failed', leaderNo: no },
    { no: young, state: 'Pending', leaderNo: null, hasMessage: false, dueUs: startUs + hourUs },
  ]);
  expect(failed).toMatchObject([
    { notificationNos: [no, old], reason: 'given up after 80 attempts: HTTP 500' },
  ]);
});

test('a message that is accepted beside those that wait releases them only where the contact was failing', async () => {
  const contactNo = await fixture.webhook('http://127.0.0.1:9/');
  const no = await attempted({ contactNo, firstUs: startUs });
  const outcome: AttemptOutcome = { kind: 'again', text: 'HTTP 500' };
  const { kysely } = fixture.db;
  await kysely.transaction().execute((trx) => answer(trx, { no, contactNo, outcome, nowUs: startUs }));
  const reach = (of: number) => kysely.transaction().execute((trx) => recordReached(trx, of, startUs + 1));
  const dueWith = async (failures: number) => {
    await sql`update contact_health set failures = ${failures} where contact_no = ${contactNo}`.execute(
      kysely,
    );
    await reach(contactNo);
    return (await rowsOf(contactNo)).map(({ dueUs }) => dueUs);
  };
  await reach(contactNo + 1_000); // nothing was ever sent there
  expect(await dueWith(0)).toEqual([startUs + 5 * secondUs]);
  expect(await dueWith(1)).toEqual([startUs + 1]);
});

test.each<[AttemptOutcome, boolean]>([
  [{ kind: 'gone', text: 'gone' }, true],
  [{ kind: 'again', text: 'later' }, false],
  [{ kind: 'delivered', text: 'ok' }, false],
  [{ kind: 'interrupted', text: 'stop' }, false],
])(
  'the record of %j waits for a decision on its alert (%s), and the contact is free meanwhile',
  async (outcome, waits) => {
    const contactNo = await fixture.webhook('http://127.0.0.1:9/');
    const no = await attempted({ contactNo, firstUs: startUs });
    const done: string[] = [];
    let recording: Promise<unknown> = Promise.resolve();
    await fixture.db.kysely.transaction().execute(async (decision) => {
      await sql`select from alerts where alert_no = ${alertNo} for update`.execute(decision);
      const { rows: own } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(decision);
      recording = fixture.db.kysely
        .transaction()
        .execute((trx) => answer(trx, { no, contactNo, outcome, nowUs: startUs }))
        .then(() => void done.push('recorded'));
      const isWaiting = async () => {
        const { rows } = await sql`
        select from pg_stat_activity where ${own[0]?.pid ?? 0}::int = any(pg_blocking_pids(pid))`.execute(
          fixture.db.kysely,
        );
        return rows.length > 0 || done.length > 0;
      };
      await expect.poll(isWaiting, { timeout: 60_000, interval: 10 }).toBe(true);
      expect(done).toEqual(waits ? [] : ['recorded']);
      await sql`select from contact_health where contact_no = ${contactNo} for update nowait`.execute(
        decision,
      );
    });
    await recording;
  },
);
