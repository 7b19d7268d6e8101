import { dayUs as dayLengthUs, hourUs, secondUs } from '@vantage/domain';
import { stateVersion } from '@vantage/health';
import { newId } from '@vantage/kernel';
import { pipelined, startOfDay, type Tables } from '@vantage/storage';
import { createFixtures } from '@vantage/testing/fixtures';
import { type Kysely, sql, type Transaction } from 'kysely';

/** An account for which every background job has something to do. */
export interface BusyAccountFixture {
  readonly accountNo: number;
  readonly locationNos: readonly number[];
  readonly agentNos: readonly number[];
  readonly deviceNo: number;
  /** A device that nobody is assigned to yet. */
  readonly newDeviceNo: number;
}

/** The stored state of a device whose retry sequence no agent continues; all its times are `atUs`. */
export function openRetrySequence(atUs: number, agentNo: number, locationNo: number): object {
  return {
    version: stateVersion,
    status: 'Up',
    sinceUs: atUs,
    before: null,
    announced: true,
    retrySequence: {
      retryId: null,
      opened: { startUs: atUs, agentNo },
      firstErrorEndUs: atUs,
      revision: 1,
      failedAttempts: [],
      failing: [locationNo],
      lastEndUs: atUs,
      lastLocationNo: locationNo,
      lastAgentNo: agentNo,
    },
    partial: null,
    inconclusiveLocationNos: [],
    at: { startUs: atUs, agentNo },
  };
}

/** The rows that the tables of the account refer to. */
interface Referred {
  readonly accountNo: number;
  readonly locationNo: number;
  readonly agentNo: number;
  readonly deviceNo: number;
}

interface Moments {
  readonly nowUs: number;
  /** Ten minutes before. */
  readonly agoUs: number;
  readonly dirtyHourUs: number;
}

/** Creates the account in a transaction. The hour `dirtyHourUs` has a check of its device and no roll-up. */
export async function createBusyAccountFixture(
  trx: Transaction<Tables>,
  { nowUs, dirtyHourUs }: { readonly nowUs: number; readonly dirtyHourUs: number },
): Promise<BusyAccountFixture> {
  const rows = createFixtures(trx);
  const moments: Moments = { nowUs, agoUs: nowUs - 600 * secondUs, dirtyHourUs };
  const { agoUs } = moments;
  const accountNo = await rows.account();
  const back = await rows.location(accountNo, { online: false, offline_since_us: agoUs });
  const gone = await rows.location(accountNo, { online: true, online_since_us: agoUs });
  const here = await rows.agent(
    { accountNo, locationNo: back },
    {
      state: 'Connected',
      last_seen_us: nowUs,
      connected_us: agoUs,
      version: '1',
      host_name: 'h',
      boot_id: 'b',
    },
  );
  const away = await rows.agent(
    { accountNo, locationNo: gone },
    { state: 'Away', last_seen_us: agoUs, away_since_us: agoUs, offline_reason: 'r' },
  );
  const deviceNo = await rows.device(accountNo, [back, gone], { full_name: 'device', host_data: '{}' });
  const newDeviceNo = await rows.device(accountNo, [back]);
  await rows.hold({ deviceNo, agentNo: here.agentNo, locationNo: back, fromUs: agoUs });
  const referred = { accountNo, locationNo: back, agentNo: here.agentNo, deviceNo };
  await pipelined(trx, (pipe) => [
    insertIngested(pipe, referred, moments),
    insertHealth(pipe, referred, moments),
    insertHeartbeat(pipe, referred, moments),
    insertRollUps(pipe, referred, moments),
    insertAlert(pipe, referred, moments),
    insertNotification(pipe, referred, moments),
    insertSchedules(pipe, referred),
    insertUpgrade(pipe, referred, moments),
  ]);
  const agentNos = [here.agentNo, away.agentNo];
  return { accountNo, locationNos: [back, gone], agentNos, deviceNo, newDeviceNo };
}

/** The agent's stream, a check in the dirty hour, and records that ingest keeps. */
async function insertIngested(
  kysely: Kysely<Tables>,
  { deviceNo, agentNo, locationNo }: Referred,
  { agoUs, dirtyHourUs }: Moments,
): Promise<void> {
  await sql`insert into connection_spans (agent_no, location_no, from_us, to_us, session_id)
    values (${agentNo}, ${locationNo}, ${agoUs}, null, ${newId()})`.execute(kysely);
  await sql`insert into checks (device_no, start_us, agent_no, location_no, end_us, arrived_us, revision, attempt, code, perf,
      block_ms, dns_ms, connect_ms, ssl_ms, ttfb_ms, ttlb_ms, data_size, check_result, retry_id, run_request_id, extended)
    values (${deviceNo}, ${dirtyHourUs}, ${agentNo}, ${locationNo}, ${dirtyHourUs}, ${dirtyHourUs}, 1, 0, 1, 0, 0, 1, 2, 3, 4, 0, 0,
      'ok', 'c', null, '{"Sent":5,"Received":3}')`.execute(kysely);
  // Another check of the hour has its text and extended data in check_facts.
  const dayUs = startOfDay(dirtyHourUs);
  await sql`insert into check_facts (device_no, day_us, facts_no, digest, check_result, extended)
    values (${deviceNo}, ${dayUs}, 1, '', 'ok', '{"Sent":5,"Received":3}')`.execute(kysely);
  await sql`insert into check_rows (device_no, start_us, agent_no, location_no, arrived_after_us, revision, code, facts_no)
    values (${deviceNo}, ${dirtyHourUs + 1}, ${agentNo}, ${locationNo}, 0, 1, 1, 1)`.execute(kysely);
  // A packed day that no job reads: its bytes are damaged.
  const packedUs = dayUs - 20 * dayLengthUs;
  await sql`insert into packed_checks (device_no, day_us, checks, first_us, last_us, last_result, marks, facts)
    values (${deviceNo}, ${packedUs}, 1, 1, 1, 'ok', '', '')`.execute(kysely);
  await sql`insert into packed_devices (device_no, first_us, last_us, last_result)
    values (${deviceNo}, ${packedUs}, ${packedUs}, 'ok')`.execute(kysely);
  await kysely
    .insertInto('quarantined')
    .values({ agent_no: agentNo, received_us: agoUs, reason: 'r', record: '{}' })
    .execute();
  await kysely
    .insertInto('gaps')
    .values({ agent_no: agentNo, gap_id: 'gap', from_us: 1, to_us: 2, dropped_results: 1, reason: 'r' })
    .execute();
  const check = { device_no: deviceNo, agent_no: agentNo, start_us: agoUs };
  await kysely
    .insertInto('pending_diagnostics')
    .values({ ...check, extended: '{}', received_us: agoUs })
    .execute();
}

/** A rollout that has not begun yet. */
async function insertUpgrade(
  kysely: Kysely<Tables>,
  { accountNo, agentNo }: Referred,
  { agoUs }: Moments,
): Promise<void> {
  await sql`
    with begun as (
      insert into rollouts (account_no, version, started_us) values (${accountNo}, '0.3.0', ${agoUs}) returning rollout_no)
    insert into agent_upgrades (agent_no, upgrade_id, rollout_no, version, changed_us)
    select ${agentNo}::int, ${newId()}, rollout_no, '0.3.0', ${agoUs}::bigint from begun`.execute(kysely);
}

/** An alert of the device that is due. */
async function insertAlert(
  kysely: Kysely<Tables>,
  { accountNo, deviceNo, agentNo, locationNo }: Referred,
  { agoUs }: Moments,
): Promise<void> {
  await sql`insert into alerts (alert_id, account_no, kind, device_no, device_id, location_no, agent_no, severity, opened_us, since_us,
      state, due_us, reason, opening, ending, acknowledged_us, acknowledged_by, acknowledged_note)
    select ${newId()}, ${accountNo}, 'device.down', device_no, device_id, ${locationNo}, ${agentNo}, 'critical', ${agoUs}, ${agoUs},
      '{"phase":"judging"}', ${agoUs}, 'r', '{}', '{}', ${agoUs}, 'b', 'n' from devices where device_no = ${deviceNo}`.execute(
    kysely,
  );
}

/** A contact that could not be reached, and a notification that is due to it. */
async function insertNotification(
  kysely: Kysely<Tables>,
  { accountNo }: Referred,
  { agoUs }: Moments,
): Promise<void> {
  const contactNo = await createFixtures(kysely).contact(accountNo);
  await sql`insert into contact_health (contact_no, account_no, failures) values (${contactNo}, ${accountNo}, 1)`.execute(
    kysely,
  );
  await sql`insert into notifications (notification_id, account_no, contact_no, order_key, kind, severity, data, at_us, created_us, due_us)
    values (${newId()}, ${accountNo}, ${contactNo}, 'device:1', 'device.down', 'critical', '{"ShortName":"web"}', ${agoUs}, ${agoUs},
      ${agoUs})`.execute(kysely);
}

/** The account's notification schedule, and the maintenance schedule of the device. */
async function insertSchedules(kysely: Kysely<Tables>, { accountNo, deviceNo }: Referred): Promise<void> {
  await sql`with made as (insert into nschedules (nschedule_id, account_no, name, steps)
      values (${newId()}, ${accountNo}, 'n', '[{"DelayMinutes":0,"Contacts":[]}]') returning nschedule_no)
    update accounts set nschedule_no = made.nschedule_no from made where account_no = ${accountNo}`.execute(
    kysely,
  );
  await sql`with made as (insert into mschedules (mschedule_id, account_no, name, start_local, duration_s, recurrence)
      values (${newId()}, ${accountNo}, 'm', '2027-03-14T00:00', 60, 'FREQ=DAILY') returning mschedule_no)
    update devices set mschedule_no = made.mschedule_no from made where device_no = ${deviceNo}`.execute(
    kysely,
  );
}

/**
 * A state with an open retry sequence, its checkpoint and interval, an ended maintenance window, an expired retry and
 * an event.
 */
async function insertHealth(
  kysely: Kysely<Tables>,
  { accountNo, deviceNo, agentNo, locationNo }: Referred,
  { nowUs, agoUs }: Moments,
): Promise<void> {
  const state = JSON.stringify(openRetrySequence(agoUs, agentNo, locationNo));
  await kysely
    .insertInto('device_state')
    .values({
      device_no: deviceNo,
      account_no: accountNo,
      status: 'Up',
      since_us: agoUs,
      retrying: true,
      state,
    })
    .execute();
  await kysely
    .insertInto('state_checkpoints')
    .values({ device_no: deviceNo, agent_no: agentNo, start_us: agoUs, state })
    .execute();
  await kysely
    .insertInto('status_intervals')
    .values({ device_no: deviceNo, from_us: agoUs, status: 'Up' })
    .execute();
  await kysely
    .insertInto('outage_notes')
    .values({ device_no: deviceNo, from_us: agoUs, note: 'power', excluded: true })
    .execute();
  await kysely
    .insertInto('marks')
    .values({
      mark_id: newId(),
      account_no: accountNo,
      kind: 'Note',
      at_us: agoUs,
      text: 'ticket 1',
      author: 'key',
      tag_nos: [],
      device_nos: [deviceNo],
    })
    .execute();
  await kysely
    .insertInto('maintenance_windows')
    .values({ device_no: deviceNo, from_us: agoUs, to_us: nowUs - secondUs })
    .execute();
  await kysely
    .insertInto('device_schedules')
    .values({ device_no: deviceNo, mschedule_no: null, signature: '', until_us: nowUs })
    .execute();
  await sql`insert into run_requests (run_request_id, kind, device_no, agent_no, location_no, revision, retry_id, deadline_us, created_us, state)
    values (${newId()}, 'Retry', ${deviceNo}, ${agentNo}, ${locationNo}, 1, 'c', ${agoUs}, ${agoUs}, 'Expired')`.execute(
    kysely,
  );
  await sql`insert into events (event_id, account_no, device_no, at_us, type, status, check_result, message, recorded_us)
    values (${newId()}, ${accountNo}, ${deviceNo}, ${agoUs}, 'Up', 'Up', 'ok', 'Up: ok', ${agoUs})`.execute(
    kysely,
  );
  await sql`insert into deleted_events (event_id, account_no, at_us, event_no)
    values (${newId()}, ${accountNo}, ${agoUs}, 1)`.execute(kysely);
  await sql`insert into deleted_devices (device_id, account_no, device_no)
    values (${newId()}, ${accountNo}, ${deviceNo})`.execute(kysely);
  await sql`insert into audit (audit_id, account_no, at_us, actor, address, action, kind, id, changes)
    values (${newId()}, ${accountNo}, ${agoUs}, 'key', '192.0.2.1', 'update', 'device', ${newId()}, '[]')`.execute(
    kysely,
  );
  await sql`insert into check_counts (account_no, location_no, agent_no, method, code, checks, duration_ms)
    values (${accountNo}, ${locationNo}, ${agentNo}, 'TCP', 1, 1, 1)`.execute(kysely);
}

/** Heartbeats of the device that are judged next, and the text of a run. Nothing of it is missing. */
async function insertHeartbeat(
  kysely: Kysely<Tables>,
  { deviceNo }: Referred,
  { agoUs }: Moments,
): Promise<void> {
  const state = { version: 1, key: '', isEnabled: true, atUs: agoUs, dueUs: null, sinceUs: agoUs };
  const stored = JSON.stringify({ ...state, lastCall: null, runs: [] });
  await sql`insert into push_devices (device_no, token_hash, state, at_us, judge_us)
    values (${deviceNo}, decode(md5(${newId()}), 'hex'), ${stored}::jsonb, ${agoUs}, ${agoUs})`.execute(
    kysely,
  );
  await sql`insert into push_logs (device_no, run_id, at_us, kind, body)
    values (${deviceNo}, 'r', ${agoUs}, 'start', 'begins')`.execute(kysely);
}

/** A roll-up of the hour before the dirty one, one of two days before it, and a day whose sums differed. */
async function insertRollUps(
  kysely: Kysely<Tables>,
  { deviceNo, locationNo }: Referred,
  { dirtyHourUs }: Moments,
): Promise<void> {
  const sums = {
    device_no: deviceNo,
    location_no: locationNo,
    checks: 1,
    errors: 0,
    inconclusive: 0,
    sum_ms: 1,
    min_ms: 1,
    max_ms: 1,
    histogram: [[1, 1]],
  };
  await kysely
    .insertInto('rollup_hourly')
    .values({ ...sums, bucket_us: dirtyHourUs - hourUs })
    .execute();
  await kysely
    .insertInto('rollup_daily')
    .values({ ...sums, bucket_us: dirtyHourUs - 48 * hourUs })
    .execute();
  await kysely
    .insertInto('sum_differences')
    .values({ device_no: deviceNo, day_us: 0, outcome: 'damaged', reason: 'r', found_us: dirtyHourUs })
    .execute();
}
