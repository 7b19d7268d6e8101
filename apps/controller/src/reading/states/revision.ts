import { minuteUs } from '@vantage/domain';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/** Up to where a reader has read the states of devices. */
export interface Revision {
  /** Names the run of the database server: numbers of transactions of another one say nothing. */
  readonly run: number;
  /** The oldest transaction that was running. Those before it were read, others may have been. */
  readonly xid: number;
  /** The reader's time, microseconds since 1970: windows begin and end by it. */
  readonly atUs: number;
}

/** Marks are kept for an hour; a reader whose clock is a little behind must not miss one. */
const maxAgeUs = 50 * minuteUs;
/** Clocks of controllers may differ by this much: a window that began meanwhile is read again. */
const clocksApartUs = 30_000_000;

/** The revision to read from next time. It must be read before the states are. */
export async function readRevision(kysely: Kysely<Tables>, nowUs: number): Promise<Revision> {
  const { rows } = await sql<{ run: number; xid: number }>`
    select (extract(epoch from pg_postmaster_start_time()) * 1000)::bigint as run,
      pg_snapshot_xmin(pg_current_snapshot())::text::bigint as xid`.execute(kysely);
  return { run: rows[0]?.run ?? 0, xid: rows[0]?.xid ?? 0, atUs: nowUs };
}

/** Three numbers in base 36. */
export function showRevision({ run, xid, atUs }: Revision): string {
  return [run, xid, atUs].map((number) => number.toString(36)).join('-');
}

/** Undefined: no revision looks so. */
export function parseRevision(text: string): Revision | undefined {
  if (!/^[0-9a-z]{1,12}-[0-9a-z]{1,12}-[0-9a-z]{1,12}$/.test(text)) return undefined;
  const [run = 0, xid = 0, atUs = 0] = text.split('-').map((part) => Number.parseInt(part, 36));
  return { run, xid, atUs };
}

/** Can what changed since `before` still be told, now that it is `now`? */
export function isTellable(before: Revision, now: Revision): boolean {
  return before.run === now.run && before.xid <= now.xid && now.atUs - before.atUs < maxAgeUs;
}

/**
 * The numbers of the account's devices whose state may have changed since, deleted ones too, in ascending order. None
 * is missed; some may not have changed.
 */
export async function changedSince(
  kysely: Kysely<Tables>,
  accountNo: number,
  { before, nowUs }: { readonly before: Revision; readonly nowUs: number },
): Promise<readonly number[]> {
  const fromUs = Math.min(before.atUs, nowUs) - clocksApartUs;
  const { rows } = await sql<{ device_no: number }>`
    select device_no from device_marks where account_no = ${accountNo}::int and xid >= ${before.xid}::bigint
    union select w.device_no from maintenance_windows w join devices d on d.device_no = w.device_no
      where d.account_no = ${accountNo}::int and (
        (w.from_us > ${fromUs}::bigint and w.from_us <= ${nowUs}::bigint) or
        (w.to_us > ${fromUs}::bigint and w.to_us <= ${nowUs}::bigint))
    order by device_no`.execute(kysely);
  return rows.map(({ device_no }) => device_no);
}
