import { lockDevices, type Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import type { InsertedCheck } from '../fold-store.ts';
import type { Health } from '../health.ts';
import { second, startUs } from './scenario-time.ts';

/** A check of a scene: seconds since its begin; it takes a second and comes at once unless said otherwise. */
export interface ScenarioCheck {
  readonly device: number;
  readonly agent: number;
  readonly at: number;
  readonly code: number;
  readonly attempt?: number;
  readonly arrives?: number;
  readonly runRequestId?: string;
  /** CheckResult. */
  readonly text?: string;
  readonly isBehindAnchor?: boolean;
  /** PerfStat Slow. */
  readonly isSlow?: boolean;
  /** End of the certificate that it found, seconds since the scene's begin. */
  readonly notAfter?: number;
  /** The extended data. */
  readonly facts?: object;
}

const unmeasured = { block_ms: 0, dns_ms: 0, connect_ms: 0, ssl_ms: 0, ttfb_ms: 0, ttlb_ms: 0 };

/** One batch, as ingest does it: locks, rows, fold. */
export async function takeChecks(
  kysely: Kysely<Tables>,
  health: Pick<Health, 'fold'>,
  checks: readonly ScenarioCheck[],
): Promise<void> {
  await kysely.transaction().execute(async (trx) => {
    await lockDevices(
      trx,
      checks.map((check) => check.device),
    );
    const inserted: InsertedCheck[] = [];
    let nowUs = 0;
    for (const check of checks) {
      const row = await toRow(trx, check);
      nowUs = Math.max(nowUs, row.arrived_us);
      const result = await trx
        .insertInto('checks')
        .values({ ...row, ...unmeasured, data_size: 0 })
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
}

async function toRow(
  kysely: Kysely<Tables>,
  check: ScenarioCheck,
): Promise<InsertedCheck & { extended: string | null }> {
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
    check_result: check.text ?? `code ${check.code}`,
    retry_id: null,
    run_request_id: check.runRequestId ?? null,
    behind_anchor: check.isBehindAnchor ?? null,
    perf: check.isSlow === true ? 1 : 0,
    extended: extendedOf(check),
  };
}

function extendedOf({ notAfter, facts }: ScenarioCheck): string | null {
  if (facts !== undefined) return JSON.stringify(facts);
  return notAfter === undefined ? null : certificateText(notAfter);
}

function certificateText(notAfter: number): string {
  const end = new Date((startUs + notAfter * second) / 1000);
  return JSON.stringify({ Certificate: { Subject: 'CN=web', NotAfter: end.toISOString() } });
}
