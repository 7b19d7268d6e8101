import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../db/index.ts';
import { statusSql } from '../../db/status.ts';
import type { DeviceListAsk } from './list-ask.ts';
import { type CheckedRow, type EntryRow, entryColumns, lastResultColumn } from './store.ts';

/** A page of a list of devices. */
export interface DevicePage {
  /** One row more than the page has, where another page follows. */
  readonly rows: readonly (EntryRow & CheckedRow)[];
  /** How many devices there are in all; undefined where counting means to read them. */
  readonly total: number | undefined;
}

/** The parts of the statement of a page. */
interface PageParts {
  /** Common table expressions: nothing, or `with …`. */
  readonly ctes: RawBuilder<unknown>;
  /** What stands in the from clause: the devices of the page as d. */
  readonly from: RawBuilder<unknown>;
  readonly order: RawBuilder<unknown>;
  /** Counts all devices of the list. */
  readonly total: RawBuilder<number> | undefined;
}

/** Joins the devices d to the rows f of a page, each by its number: of some thousand devices, PostgreSQL would read all to find those of the page. */
export const devicesOfPage = sql`cross join lateral (select * from devices where device_no = f.device_no offset 0) d`;

/** Reads the devices of a page with all that a list shows, and their total, in one statement. */
export async function readListPage(
  { kysely }: Pick<Db, 'kysely'>,
  ask: DeviceListAsk,
  { ctes, from, order, total }: PageParts,
): Promise<DevicePage> {
  const shown = statusSql(ask.nowUs, 'few');
  // The columns stand outside, because each is computed for the rows of the page only.
  const page = sql<EntryRow & CheckedRow & { readonly total: number | null }>`${ctes}
    select ${entryColumns(shown)}, ${lastResultColumn(ask.nowUs)}, ${total === undefined ? sql`null::int` : sql`(${total})`} as total
    from ${from} ${shown.joins} order by ${order}`;
  const { rows } = await page.execute(kysely);
  const [first] = rows;
  if (first !== undefined) return { rows, total: first.total ?? undefined };
  if (total === undefined) return { rows, total };
  const counted = await sql<{ total: number }>`${ctes} select (${total}) as total`.execute(kysely);
  return { rows, total: counted.rows[0]?.total };
}
