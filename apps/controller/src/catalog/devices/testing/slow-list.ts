import type { Db } from '@vantage/storage';
import { slowStatus } from '@vantage/storage/testing/slow-status';
import { sql } from 'kysely';
import { conditionsOf, type DeviceListRequest } from '../device-list-request.ts';

/** The columns of a list that depend on the time. */
interface ShownRow {
  readonly device_no: number;
  readonly short_name: string;
  readonly status: string;
  readonly since_us: number;
  readonly retrying: boolean;
  readonly maintenance_until_us: number | null;
}

/**
 * The expected result of `listDevices`, computed the slow way: the status of every device of the account, one by one,
 * then the page of all.
 */
export async function slowList(
  { kysely }: Pick<Db, 'kysely'>,
  ask: DeviceListRequest,
): Promise<{ readonly rows: readonly ShownRow[]; readonly total: number }> {
  const shown = slowStatus(ask.nowUs);
  const { rows } = await sql<ShownRow>`
    select d.device_no, d.short_name, ${shown.status} as status, ${shown.sinceUs} as since_us, ${shown.retrying} as retrying,
      ${shown.maintenanceUntilUs} as maintenance_until_us
    from devices d where ${conditionsOf(ask)}`.execute(kysely);
  const { sort, filter, afterNo = 0, offset, limit } = ask;
  const all = rows.filter(
    ({ status }) => filter.statuses === undefined || filter.statuses.some((one) => one === status),
  );
  const keyOf = {
    CreatedAt: () => 0,
    ShortName: (row: ShownRow) => row.short_name,
    Status: (row: ShownRow) => row.status,
    StatusSince: (row: ShownRow) => row.since_us,
  }[sort.field];
  const sorted = all.toSorted((a, b) => {
    const [first, second] = sort.descending ? [b, a] : [a, b];
    const [one, other] = [keyOf(first), keyOf(second)];
    return one < other ? -1 : one > other ? 1 : first.device_no - second.device_no;
  });
  const page = sorted.filter(({ device_no }) => device_no > afterNo).slice(offset, offset + limit + 1);
  return { rows: page, total: all.length };
}
