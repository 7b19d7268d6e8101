import { isZoneName, type Logger } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/**
 * Creates the report of time zones that accounts and schedules name and this runtime does not know, because another
 * version of Node stored them. Times count as UTC there. It is logged when it changes.
 */
export function createZoneReport(log: Logger): { report(db: Kysely<Tables>): Promise<void> } {
  let reported = '';
  return {
    async report(db) {
      const unknown = (await zonesInUse(db)).filter(({ timezone }) => !isZoneName(timezone));
      const text = unknown.map(({ timezone, example }) => `${timezone} (${example})`).join(', ');
      if (text === reported) return;
      reported = text;
      if (text === '') log.info('all time zones of accounts and schedules are known again');
      else
        log.error(
          { zones: text },
          'time zones are not known to this version of Node, and count as UTC: install a newer one, or set other zones',
        );
    },
  };
}

/** Each time zone once, with one account or schedule that uses it. */
async function zonesInUse(
  db: Kysely<Tables>,
): Promise<readonly { readonly timezone: string; readonly example: string }[]> {
  const { rows } = await sql<{ timezone: string; example: string }>`
    select timezone, min(owner) as example from (
      select timezone, 'account ' || name as owner from accounts
      union all select timezone, 'notification schedule ' || name from nschedules
      union all select timezone, 'maintenance schedule ' || name from mschedules) z
    group by timezone order by timezone`.execute(db);
  return rows;
}
