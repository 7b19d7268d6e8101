import { publish, type Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';

/** The first number that a trial may have; devices have smaller ones (migration 0144). */
export const firstTrialNo = 2_130_706_432;

/** Trials of an account at one time. */
export const maxTrials = 4;

/** Settings that are tried, sealed as those of a device. */
export interface NewTrial {
  readonly runRequestId: string;
  readonly accountNo: number;
  readonly locationNo: number;
  readonly deviceId: string;
  readonly method: string;
  readonly sealed: Uint8Array;
  readonly timeoutS: number;
  /** The request lists what the device offers, instead of a check. */
  readonly isOffer: boolean;
  readonly nowUs: number;
  readonly deadlineUs: number;
}

/** Stores a trial for an agent of the Location and notifies its gateway. */
export async function createTrial(
  trx: Kysely<Tables>,
  trial: NewTrial,
): Promise<'created' | 'nobody' | 'too many'> {
  const { accountNo, locationNo, nowUs } = trial;
  await sql`select 1 from accounts where account_no = ${accountNo}::int for update`.execute(trx);
  const { rows: running } = await sql<{ count: number }>`
    select count(*)::int as count from trials
    where account_no = ${accountNo}::int and deadline_us > ${nowUs}::bigint`.execute(trx);
  if ((running[0]?.count ?? 0) >= maxTrials) return 'too many';
  const { rows } = await sql<{ agent_no: number }>`
    insert into trials (run_request_id, account_no, agent_no, device_id, method, sealed, timeout_s, is_offer, created_us, deadline_us)
    select ${trial.runRequestId}, ${accountNo}::int, a.agent_no, ${trial.deviceId}, ${trial.method}, ${trial.sealed},
      ${trial.timeoutS}::int, ${trial.isOffer}::boolean, ${nowUs}::bigint, ${trial.deadlineUs}::bigint
    from agents a where a.location_no = ${locationNo}::int and a.state = 'Connected'
    order by a.offline_reason is null and a.leaving_since_us is null desc, a.agent_no limit 1
    returning agent_no`.execute(trx);
  const [created] = rows;
  if (created === undefined) return 'nobody';
  await publish(trx, 'runRequest', { agent_no: created.agent_no });
  return 'created';
}

/** The trials of this agent that have no answer and no passed deadline. */
export async function openTrials(db: Kysely<Tables>, agentNo: number, nowUs: number) {
  return db
    .selectFrom('trials')
    .select([
      'device_no',
      'run_request_id',
      'device_id',
      'method',
      'sealed',
      'timeout_s',
      'is_offer',
      'created_us',
    ])
    .where('agent_no', '=', agentNo)
    .where('result', 'is', null)
    .where('deadline_us', '>', nowUs)
    .orderBy('device_no')
    .execute();
}

/** The measurement of an agent; times are microseconds since 1970, phases milliseconds. */
const trialResult = z.object({
  startUs: z.number(),
  code: z.number(),
  text: z.string(),
  blockMs: z.number(),
  dnsMs: z.number(),
  connectMs: z.number(),
  sslMs: z.number(),
  ttfbMs: z.number(),
  ttlbMs: z.number(),
  dataSize: z.number(),
  slow: z.boolean(),
  /** JSON text of an object, or null. */
  extended: z.string().nullable(),
  values: z
    .array(z.object({ Label: z.string(), Value: z.number(), Unit: z.string() }))
    .readonly()
    .optional(),
});
export type TrialResult = z.output<typeof trialResult>;

/** Records of a batch, by kind. */
interface BatchRecords {
  readonly results: readonly {
    readonly result: TrialResult & { readonly deviceNo: number; readonly runRequestId: string | null };
  }[];
  readonly diagnostics: readonly { readonly diagnostics: { readonly deviceNo: number } }[];
}

/** Answers trials with the results of their agent. Resolves with the records that are of no trial. */
export async function takeTrials<Records extends BatchRecords>(
  trx: Kysely<Tables>,
  agentNo: number,
  records: Records,
): Promise<Records> {
  const isTrial = ({ deviceNo }: { readonly deviceNo: number }) => deviceNo >= firstTrialNo;
  if (
    !records.results.some(({ result }) => isTrial(result)) &&
    !records.diagnostics.some((one) => isTrial(one.diagnostics))
  )
    return records;
  for (const { result } of records.results.filter((one) => isTrial(one.result))) {
    const { rows } = await sql<{ run_request_id: string }>`
      update trials set result = ${JSON.stringify(trialResult.parse(result))}::jsonb
      where device_no = ${result.deviceNo}::int and agent_no = ${agentNo}::int and run_request_id = ${result.runRequestId}
        and result is null
      returning run_request_id`.execute(trx);
    await publish(trx, 'answer', ...rows);
  }
  return {
    ...records,
    results: records.results.filter(({ result }) => !isTrial(result)),
    diagnostics: records.diagnostics.filter(({ diagnostics }) => !isTrial(diagnostics)),
  };
}

/** The answer to a trial; undefined while there is none. */
export async function trialAnswer(
  db: Kysely<Tables>,
  runRequestId: string,
): Promise<TrialResult | undefined> {
  const row = await db
    .selectFrom('trials')
    .select('result')
    .where('run_request_id', '=', runRequestId)
    .executeTakeFirst();
  return trialResult.safeParse(row?.result).data;
}

/** Removes a trial that ended. */
export async function deleteTrial(db: Kysely<Tables>, runRequestId: string): Promise<void> {
  await db.deleteFrom('trials').where('run_request_id', '=', runRequestId).execute();
}
