import { hourUs } from '@vantage/domain';
import { isId } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { ChangeTransaction } from '../../resources/change.ts';
import type { DeviceChangeOutcome } from './device-change-fields.ts';

/** Plans are kept for this long after their preview or last part. Beyond the maximum the oldest are dropped first. */
const keptUs = hourUs;
const maxPlans = 20;

/** A change from its preview on. */
export interface ChangePlan {
  readonly token: string;
  /** The request, as JSON. */
  readonly request: string;
  /** The number of devices of the plan. */
  readonly matched: number;
  /** The number of devices that are done. */
  readonly place: number;
  readonly changed: number;
  readonly refused: DeviceChangeOutcome['Refused'];
  readonly state: 'Previewed' | 'Running' | 'Done';
}

/** The caller who previewed a change. Only this caller may carry it out. */
export interface PlanOwner {
  readonly accountNo: number;
  readonly keyNo: number;
}

/** Keeps a preview, and deletes those that are too old or too many. */
export async function keepPlan(
  { trx }: ChangeTransaction,
  { accountNo, keyNo }: PlanOwner,
  plan: Pick<ChangePlan, 'token' | 'request'> & { readonly deviceNos: readonly number[] },
  nowUs: number,
): Promise<void> {
  await sql`delete from device_changes where touched_us <= ${nowUs - keptUs}::bigint`.execute(trx);
  await sql`
    delete from device_changes where token in (
      select token from device_changes where account_no = ${accountNo}::int
      order by state = 'Running' desc, touched_us desc offset ${maxPlans - 1})`.execute(trx);
  await sql`
    insert into device_changes (token, account_no, key_no, touched_us, request, device_nos)
    values (${plan.token}, ${accountNo}, ${keyNo}, ${nowUs}::bigint, ${plan.request}, ${plan.deviceNos}::int[])`.execute(
    trx,
  );
}

/**
 * The plan of this key, unless it is too old; other requests with the token wait until the transaction ends.
 */
export async function lockPlan(
  { trx }: ChangeTransaction,
  { accountNo, keyNo }: PlanOwner,
  token: string,
  nowUs: number,
): Promise<ChangePlan | undefined> {
  if (!isId(token)) return undefined;
  return readPlan(
    trx,
    sql`token = ${token} and account_no = ${accountNo}::int and key_no = ${keyNo}::int
      and touched_us > ${nowUs - keptUs}::bigint for update`,
  );
}

/** A plan of the account; to a caller who is limited to tags, only what their key previewed. */
export async function findPlan(
  db: Kysely<Tables>,
  { accountNo, keyNo, scope }: PlanOwner & { readonly scope?: readonly number[] },
  token: string,
): Promise<ChangePlan | undefined> {
  if (!isId(token)) return undefined;
  const ofKey = scope === undefined ? sql`` : sql`and key_no = ${keyNo}::int`;
  return readPlan(db, sql`token = ${token} and account_no = ${accountNo}::int ${ofKey}`);
}

async function readPlan(db: Kysely<Tables>, condition: RawBuilder<unknown>): Promise<ChangePlan | undefined> {
  const { rows } = await sql<ChangePlan>`
    select token, request, cardinality(device_nos) as matched, place, changed, refused, state from device_changes
    where ${condition}`.execute(db);
  return rows[0];
}

/** The numbers of at most `count` devices of the plan from a position on, in the order of the change. */
export async function plannedDevices(
  db: Kysely<Tables>,
  token: string,
  { from, count }: { readonly from: number; readonly count: number },
): Promise<readonly number[]> {
  const { rows } = await sql<{ deviceNos: readonly number[] }>`
    select device_nos[${from + 1}::int:${from + count}::int] as "deviceNos" from device_changes where token = ${token}`.execute(
    db,
  );
  return rows[0]?.deviceNos ?? [];
}

/** Notes how far the change is. */
export async function moveOn(
  { trx }: ChangeTransaction,
  { token, place, changed, refused, state }: Omit<ChangePlan, 'request' | 'matched'>,
  nowUs: number,
): Promise<void> {
  await sql`
    update device_changes set place = ${place}, changed = ${changed}, refused = ${JSON.stringify(refused)}::jsonb, state = ${state},
      touched_us = ${nowUs}::bigint
    where token = ${token}`.execute(trx);
}
