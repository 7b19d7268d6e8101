import { type Clock, newId } from '@vantage/kernel';
import { sql } from 'kysely';
import { type Db, publish } from '../db/index.ts';

/** What came of a check asked for. */
export type CheckNowAnswer =
  | { readonly kind: 'done'; readonly checkId: string }
  | { readonly kind: 'nobody'; readonly message: string };

/** Orders a check from an agent that observes the device and waits for its result. Rejects with the signal's reason. */
export type CheckNow = (deviceNo: number, signal: AbortSignal) => Promise<CheckNowAnswer>;

const pollMs = 500;
/** Beside the device's own Timeout: the way there and back, and the commit. */
const marginUs = 10_000_000;

/** Makes it. */
export function createCheckNow({ db, clock }: { readonly db: Db; readonly clock: Clock }): CheckNow {
  return async (deviceNo, signal) => {
    const runRequestId = newId();
    const answered = new AbortController();
    await using _listening = await db.subscribe('answer', (notice) => {
      if (notice === undefined || notice.run_request_id === runRequestId) answered.abort();
    });
    const deadlineUs = await createRunRequest(db, clock, deviceNo, runRequestId);
    if (deadlineUs === undefined)
      return {
        kind: 'nobody',
        message: 'no agent observes this device now: see its Locations and their agents',
      };
    while (true) {
      signal.throwIfAborted();
      const checkId = await answerOf(db, runRequestId);
      if (checkId !== undefined) return { kind: 'done', checkId };
      if (clock.nowUs() > deadlineUs) {
        await expire(db, runRequestId);
        return { kind: 'nobody', message: 'the agent that was asked did not answer in time' };
      }
      await clock
        .sleep(pollMs, AbortSignal.any(answered.signal.aborted ? [signal] : [signal, answered.signal]))
        .catch(() => {});
    }
  };
}

/**
 * Asks the connected agent that runs the first check, or any other that holds the device, else another agent of such a Location; one that is
 * offline last of all. Undefined when there is none.
 */
async function createRunRequest(
  db: Db,
  clock: Clock,
  deviceNo: number,
  runRequestId: string,
): Promise<number | undefined> {
  const nowUs = clock.nowUs();
  return db.kysely.transaction().execute(async (trx) => {
    const { rows } = await sql<{ agent_no: number; deadline_us: number }>`
      insert into run_requests (run_request_id, kind, device_no, agent_no, location_no, revision, deadline_us, created_us)
      select ${runRequestId}, 'Now', d.device_no, a.agent_no, s.location_no, d.revision,
        ${nowUs + marginUs}::bigint + d.timeout_s * 1000000::bigint, ${nowUs}
      from assignment_spans s
        join devices d on d.device_no = s.device_no
        join agents a on a.location_no = s.location_no and a.state = 'Connected'
      where s.device_no = ${deviceNo} and s.to_us is null
      order by a.offline_reason is null desc, a.agent_no = s.agent_no desc, s.run_immediately desc, s.rotation_index, a.agent_no limit 1
      returning agent_no, deadline_us`.execute(trx);
    const [request] = rows;
    if (!request) return undefined;
    await publish(trx, 'runRequest', { agent_no: request.agent_no });
    return request.deadline_us;
  });
}

async function answerOf(db: Db, runRequestId: string): Promise<string | undefined> {
  const row = await db.kysely
    .selectFrom('run_requests')
    .select('check_id')
    .where('run_request_id', '=', runRequestId)
    .where('state', '=', 'Answered')
    .executeTakeFirst();
  return row?.check_id ?? undefined;
}

async function expire(db: Db, runRequestId: string): Promise<void> {
  await db.kysely
    .updateTable('run_requests')
    .set({ state: 'Expired' })
    .where('run_request_id', '=', runRequestId)
    .where('state', '=', 'Open')
    .execute();
}
