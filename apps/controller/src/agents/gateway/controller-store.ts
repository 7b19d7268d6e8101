import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/** A controller writes its row at this interval. */
const recordEveryUs = 7_000_000;
/** Without it the controller counts as ended after this time. */
const endedAfterUs = 15_000_000;

/** Stores that this controller runs and was seen at `nowUs`, where it was not stored just before. */
export async function recordController(
  db: Kysely<Tables>,
  { id, startedUs, nowUs }: { id: string; startedUs: number; nowUs: number },
): Promise<void> {
  await db
    .insertInto('controllers')
    .values({ controller_id: id, started_us: startedUs, last_seen_us: nowUs })
    .onConflict((conflict) =>
      conflict
        .column('controller_id')
        .doUpdateSet({ started_us: startedUs, last_seen_us: nowUs })
        .where(sql<boolean>`abs(controllers.last_seen_us - ${nowUs}::bigint) >= ${recordEveryUs}
          or controllers.started_us <> ${startedUs}`),
    )
    .execute();
}

/** The gateways that live at `nowUs`, and the agents that are connected to them. */
export async function countSessions(
  db: Kysely<Tables>,
  { nowUs }: { readonly nowUs: number },
): Promise<{ readonly gateways: number; readonly all: number }> {
  const { rows } = await sql<{ gateways: number; all: number }>`
    select count(distinct c.controller_id)::int as gateways, count(a.agent_no)::int as all
    from controllers c left join agents a on a.gateway_id = c.controller_id and a.state = 'Connected'
    where c.last_seen_us > ${nowUs - endedAfterUs}::bigint`.execute(db);
  return rows[0] ?? { gateways: 0, all: 0 };
}

/** Deletes the rows of controllers that were last seen before `beforeUs`. */
export async function deleteControllers(db: Kysely<Tables>, beforeUs: number): Promise<void> {
  await db.deleteFrom('controllers').where('last_seen_us', '<', beforeUs).execute();
}
