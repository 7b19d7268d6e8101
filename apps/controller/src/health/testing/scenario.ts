import { createLog, newId } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { sql } from 'kysely';
import { createTestDatabase } from '../../../../../tests/harness/database.ts';
import { createDb, lockDevices } from '../../db/index.ts';
import { recordEvents } from '../../events/index.ts';
import { runRequests } from '../../run-requests/index.ts';
import type { InsertedCheck } from '../fold-store.ts';
import { createHealth } from '../health.ts';
import { sweepRetries } from '../retry-sweep.ts';
import { trueTimes } from '../times.ts';

export const second = 1_000_000;
/** When every scene begins. */
export const startUs = 1_700_000_000 * second;

/** A check of a scene: seconds since its begin; it takes a second and comes at once unless said otherwise. */
export interface ScenarioCheck {
  readonly device: number;
  readonly agent: number;
  readonly at: number;
  readonly code: number;
  readonly attempt?: number;
  readonly arrives?: number;
  readonly runRequestId?: string;
}

/** A migrated database of its own with one account; devices have Retries 2, RetryDelay 1 s, Timeout 10 s. */
export async function createScenario() {
  const log = createLog('test', 'silent');
  const database = await createTestDatabase();
  const db = await createDb({ connection: { url: database.url }, log });
  const { kysely } = db;
  const health = createHealth({ clock: createFakeClock(startUs), log, recordEvents, runRequests });
  await sql`create table checks_all partition of checks default`.execute(kysely);
  const account = await kysely
    .insertInto('accounts')
    .values({ account_id: newId(), name: 'scene' })
    .returning('account_no')
    .executeTakeFirstOrThrow();

  const scene = {
    kysely,
    recordEvents,
    health,
    accountNo: account.account_no,

    /** A Location that observes, with one connected agent. */
    async location(name: string) {
      const { location_no } = await kysely
        .insertInto('locations')
        .values({
          location_id: newId(),
          account_no: account.account_no,
          name,
          online: true,
          online_since_us: startUs,
        })
        .returning('location_no')
        .executeTakeFirstOrThrow();
      return { locationNo: location_no, agentNo: await scene.agent(location_no, name) };
    },

    /** One more connected agent of a Location. */
    async agent(locationNo: number, name: string) {
      const { agent_no } = await kysely
        .insertInto('agents')
        .values({
          agent_id: newId(),
          account_no: account.account_no,
          location_no: locationNo,
          name,
          token_hash: Buffer.from(newId()),
          state: 'Connected',
          last_seen_us: startUs,
        })
        .returning('agent_no')
        .executeTakeFirstOrThrow();
      await kysely
        .insertInto('connection_spans')
        .values({ agent_no, location_no: locationNo, from_us: startUs, to_us: null, session_id: newId() })
        .execute();
      return agent_no;
    },

    /** A device, assigned to these Locations since the scene's begin. */
    async device(
      places: readonly { readonly locationNo: number; readonly agentNo: number }[],
      { retriesLocally = places.length === 1 } = {},
    ) {
      const { device_no } = await kysely
        .insertInto('devices')
        .values({
          device_id: newId(),
          account_no: account.account_no,
          method: 'TCP',
          url: 'a:1',
          sealed: Buffer.alloc(1),
          short_name: 'a',
          frequency_min: 1,
          timeout_s: 10,
          retries: 2,
          retry_delay_s: 1,
          locations_given: true,
          changed_us: startUs,
          created_us: startUs,
          updated_us: startUs,
        })
        .returning('device_no')
        .executeTakeFirstOrThrow();
      for (const [rotation_index, place] of places.entries()) {
        const held = { device_no, location_no: place.locationNo, rotation_index };
        await kysely.insertInto('device_locations').values(held).execute();
        const span = {
          ...held,
          agent_no: place.agentNo,
          from_us: startUs,
          to_us: null,
          rotation_size: places.length,
        };
        await kysely
          .insertInto('assignment_spans')
          .values({ ...span, retries_locally: retriesLocally, run_immediately: rotation_index === 0 })
          .execute();
      }
      return device_no;
    },

    /** The agent's stream was cut at this second. */
    async cut(agentNo: number, at: number) {
      const toUs = startUs + at * second;
      await kysely
        .updateTable('connection_spans')
        .set({ to_us: toUs })
        .where('agent_no', '=', agentNo)
        .execute();
      await kysely
        .updateTable('agents')
        .set({ state: 'Away', last_seen_us: toUs, away_since_us: toUs })
        .where('agent_no', '=', agentNo)
        .execute();
    },

    /** One batch, as ingest does it: locks, rows, fold. */
    async take(checks: readonly ScenarioCheck[]) {
      await kysely.transaction().execute(async (trx) => {
        await lockDevices(
          trx,
          checks.map((check) => check.device),
        );
        const inserted: InsertedCheck[] = [];
        let nowUs = 0;
        for (const check of checks) {
          const row = await toRow(check);
          nowUs = Math.max(nowUs, row.arrived_us);
          const measured = {
            perf: 0,
            block_ms: 0,
            dns_ms: 0,
            connect_ms: 0,
            ssl_ms: 0,
            ttfb_ms: 0,
            ttlb_ms: 0,
          };
          const result = await trx
            .insertInto('checks')
            .values({ ...row, ...measured, data_size: 0 })
            .onConflict((conflict) => conflict.doNothing())
            .executeTakeFirst();
          if (result.numInsertedOrUpdatedRows === 1n) inserted.push(row);
          if (row.run_request_id !== null) {
            await trx
              .updateTable('run_requests')
              .set({ state: 'Answered' })
              .where('run_request_id', '=', row.run_request_id)
              .execute();
          }
        }
        await health.fold(trx, inserted, nowUs);
      });
    },

    /** The sweep of retries that nobody answered, at this moment. */
    sweepRetries: (nowUs: number) =>
      sweepRetries(
        kysely,
        nowUs,
        { times: trueTimes, runRequests },
        { job: 'retry sequence deadlines', log },
      ),

    /** Types of a device's events, oldest first. */
    async events(device: number | null) {
      const rows = await kysely
        .selectFrom('events')
        .select(['type', 'late', 'message', 'status', 'at_us', 'duration_s'])
        .where('device_no', device === null ? 'is' : '=', device)
        .orderBy('at_us')
        .orderBy('event_no')
        .execute();
      return rows;
    },

    async state(device: number) {
      return kysely
        .selectFrom('device_state')
        .select(['status', 'since_us', 'retrying', 'version', 'state'])
        .where('device_no', '=', device)
        .executeTakeFirst();
    },

    async runRequests(device: number) {
      return kysely
        .selectFrom('run_requests')
        .select(['run_request_id', 'kind', 'agent_no', 'attempt', 'state', 'not_before_us', 'deadline_us'])
        .where('device_no', '=', device)
        .orderBy('created_us')
        .orderBy('attempt', 'desc')
        .execute();
    },

    async [Symbol.asyncDispose]() {
      await db.close();
      await database[Symbol.asyncDispose]();
    },
  };

  async function toRow(check: ScenarioCheck): Promise<InsertedCheck> {
    const agent = await kysely
      .selectFrom('agents')
      .select('location_no')
      .where('agent_no', '=', check.agent)
      .executeTakeFirstOrThrow();
    return {
      device_no: check.device,
      start_us: startUs + check.at * second,
      agent_no: check.agent,
      location_no: agent.location_no,
      end_us: startUs + (check.at + 1) * second,
      arrived_us: startUs + (check.arrives ?? check.at + 1) * second,
      revision: 1,
      attempt: check.attempt ?? 0,
      code: check.code,
      check_result: `code ${check.code}`,
      retry_id: null,
      run_request_id: check.runRequestId ?? null,
    };
  }
  return scene;
}
