import { declareShare, type Logger } from '@vantage/kernel';
import { bisectBatch, lockDevices, quarantine, type Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import { readDevices } from './rebuild-state.ts';
import { canBeRetried, type RetryDeps, requestRetries } from './retry-requests.ts';
import type { Times } from './times.ts';

declareShare({
  name: 'retries_that_stalled',
  limit: '500 devices in a round',
  filledBy: 'agents that stop answering',
  share: 'accounts take turns; a device that fails is left out for 10 min',
});

const devicesPerRun = 500;
/** No account's devices keep those of another one waiting. */
const inTurns = sql`row_number() over (partition by d.account_no order by d.device_no), d.device_no`;

/** After a failure the sweep leaves the device out for this long. */
const restUs = 600_000_000;

/**
 * Expires run requests that no agent answered in time and requests the same retry from the next agent. It also requests
 * a retry where the agent of an open retry sequence did not continue it. A device for which this fails is quarantined
 * with the reason. Returns how many devices were due.
 */
export async function sweepRetries(
  db: Kysely<Tables>,
  nowUs: number,
  deps: RetryDeps,
  { job, log }: { readonly job: string; readonly log: Logger },
): Promise<number> {
  const { rows: overdue } = await sql<{ device_no: number }>`
    select d.device_no from devices d where d.device_no in (
        select o.device_no from run_requests o where o.state = 'Open' and o.deadline_us < ${nowUs}::bigint)
      and ${isHealthy(sql`d.device_no`, job, nowUs)}
    order by ${inTurns} limit ${devicesPerRun}`.execute(db);
  const waiting = new Set(await stalledRetries(db, nowUs, deps.times, job));
  const deviceNos = [...new Set([...overdue.map((row) => row.device_no), ...waiting])];
  const refused = await bisectBatch(deviceNos, (some) =>
    sweepDevices(db, { ...deps, some, waiting, nowUs, log }),
  );
  await quarantine(
    db,
    refused.map(({ item, error }) => ({ item: `device ${item}`, error })),
    { job, nowUs, log },
  );
  return deviceNos.length;
}

async function sweepDevices(
  db: Kysely<Tables>,
  sweep: RetryDeps & {
    readonly some: readonly number[];
    readonly waiting: ReadonlySet<number>;
    readonly nowUs: number;
    readonly log: Logger;
  },
): Promise<void> {
  const { some, waiting, nowUs, times, runRequests, log } = sweep;
  await db.transaction().execute(async (trx) => {
    // Devices are locked before their run requests, as ingest does it, because otherwise both could deadlock.
    await lockDevices(trx, some);
    const expired = await runRequests.expireOverdue(trx, some, nowUs);
    const unanswered = expired.filter((row) => row.kind === 'Retry').map((row) => row.deviceNo);
    const toRequest = [...new Set([...unanswered, ...some.filter((no) => waiting.has(no))])];
    const devices = await readDevices(trx, toRequest, { times, log });
    await requestRetries(
      trx,
      [...devices.values()].map((device) => ({ device, state: device.state })),
      { agentRetriesLocally: false, nowUs, times, runRequests },
    );
  });
}

/**
 * Devices whose retry sequence is overdue and has no open run request, and that an agent can retry: the others would
 * stay due. A state without proper numbers has no retry sequence.
 */
async function stalledRetries(
  db: Kysely<Tables>,
  nowUs: number,
  times: Times,
  job: string,
): Promise<number[]> {
  const { rows } = await sql<{ device_no: number }>`
    select s.device_no from device_state s join devices d on d.device_no = s.device_no
    where s.retrying
      and ${numberOfSequence('lastEndUs')}
        + d.retry_delay_s * ${times.retryDelayUs(1)}::bigint + d.timeout_s * 1000000::bigint
        + ${2 * times.answerGraceUs}::bigint < ${nowUs}::bigint
      and ${numberOfSequence('revision')} >= d.target_revision
      and not exists (
        select 1 from run_requests o where o.device_no = s.device_no and o.kind = 'Retry' and o.state = 'Open')
      and ${canBeRetried(sql.ref('d.device_no'))}
      and ${isHealthy(sql`d.device_no`, job, nowUs)}
    order by ${inTurns} limit ${devicesPerRun}`.execute(db);
  return rows.map((row) => row.device_no);
}

/** A number of the stored retry sequence, which states before version 3 call `chain`; null where it is no number. */
function numberOfSequence(name: 'lastEndUs' | 'revision') {
  const [now, before] = [sql.lit(`{retrySequence,${name}}`), sql.lit(`{chain,${name}}`)];
  const found = sql`coalesce(s.state #> ${now}, s.state #> ${before})`;
  return sql`case when jsonb_typeof(${found}) = 'number' then (${found} #>> '{}')::numeric end`;
}

/** The sweep did not fail for the device of late. */
function isHealthy(deviceNo: ReturnType<typeof sql>, job: string, nowUs: number) {
  return sql`not exists (select 1 from job_quarantine q where q.job = ${job}
    and q.item = 'device ' || ${deviceNo} and q.last_failed_us > ${nowUs - restUs}::bigint)`;
}
