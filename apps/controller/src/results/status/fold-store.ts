import { readExpiryDays, secondUs } from '@vantage/domain';
import type { FoldInput, FoldState, OnlineSpan } from '@vantage/health';
import {
  foreverUs,
  intArray,
  type Row,
  type RowVersion,
  type Tables,
  tidArray,
  xidArray,
} from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import { readState, type StoredState } from './fold-state.ts';
import type { Times } from './times.ts';

/** A device as the fold needs it. */
export interface FoldDevice {
  readonly deviceNo: number;
  readonly accountNo: number;
  readonly method: string;
  readonly createdUs: number;
  readonly revision: number;
  /** Later than any revision for a paused device: no result changes its state. */
  readonly targetRevision: number;
  readonly retries: number;
  readonly retryDelayUs: number;
  readonly timeoutUs: number;
  /** Days before the end of its certificate or domain at which it warns; null: those of the account. */
  readonly expiryDays: readonly number[] | null;
  readonly state: FoldState;
  /** The stored state of slow answers, the certificate and interfaces (warnings.ts), of any version. */
  readonly warnings: unknown;
}

/** The columns of a check that the fold reads. */
export type StoredCheck = Pick<
  Row<'checks'>,
  | 'device_no'
  | 'start_us'
  | 'agent_no'
  | 'location_no'
  | 'end_us'
  | 'arrived_us'
  | 'revision'
  | 'attempt'
  | 'code'
  | 'check_result'
  | 'retry_id'
  | 'run_request_id'
  | 'behind_anchor'
>;

/** A check that was just inserted; `extended` is JSON text here. */
export type InsertedCheck = StoredCheck & Pick<Row<'checks'>, 'perf' | 'extended'>;

/** A check as the pure core reads it. */
export function toResult(row: StoredCheck): FoldInput {
  return {
    startUs: row.start_us,
    agentNo: row.agent_no,
    locationNo: row.location_no,
    endUs: row.end_us,
    arrivedUs: row.arrived_us,
    code: row.code,
    attempt: row.attempt,
    retryId: row.retry_id === '' ? null : row.retry_id,
    revision: row.revision,
    text: row.check_result,
    isBehindAnchor: row.behind_anchor === true,
  };
}

/** A device as it is stored: its state is read, but not rebuilt yet. */
export type StoredDevice = Omit<FoldDevice, 'state'> & { readonly stored: StoredState };

/**
 * Devices that this process read before, each with the versions of its rows. A device whose rows are still the same is
 * not sent again: reading states costs more than all else of a batch of good results.
 */
export type DeviceCache = Map<number, CachedDevice>;

interface CachedDevice {
  readonly settings: RowVersion;
  readonly state: RowVersion;
  readonly device: StoredDevice;
}

/** The version of no row: a row never has 0 as its `xmin`. */
const noRow: RowVersion = { xmin: 0, page: 0, item: 0 };

/** A cached device needs about 1 KiB. */
const maxCached = 20_000;

interface FoldDeviceRow {
  readonly no: number;
  /** `xmin` and `ctid`, as in `3501(12,7)`. Null: the device is deleted. */
  readonly settings_version: string | null;
  /** Null: the device has no state yet. */
  readonly state_version: string | null;
  readonly account_no: number;
  readonly method: string;
  readonly created_us: number;
  readonly revision: number;
  readonly target_revision: number;
  readonly enabled: boolean;
  readonly retries: number;
  readonly retry_delay_s: number;
  readonly timeout_s: number;
  readonly expiry_warning_days: string | null;
  readonly state: unknown;
  readonly warnings: unknown;
}

/** The states of these devices, with their settings. */
export async function foldDevices(
  trx: Kysely<Tables>,
  deviceNos: readonly number[],
  times: Times,
  cache: DeviceCache = new Map(),
): Promise<Map<number, StoredDevice>> {
  const cached = deviceNos.map((no) => cache.get(no));
  const settings = cached.map((one) => one?.settings ?? noRow);
  const states = cached.map((one) => one?.state ?? noRow);
  const { rows } = await sql<FoldDeviceRow>`
    select k.no, d.xmin || d.ctid::text as settings_version, s.xmin || s.ctid::text as state_version, d.account_no, d.method, d.created_us, d.revision, d.target_revision, d.enabled,
      case when d.method = 'Push' then 0 else d.retries end as retries, d.retry_delay_s,
      d.timeout_s, d.expiry_warning_days, s.state, s.warnings
    from unnest(${intArray(deviceNos)}::int[], ${xidArray(settings)}::xid[], ${tidArray(settings)}::tid[],
      ${xidArray(states)}::xid[], ${tidArray(states)}::tid[]) as k (no, d_xmin, d_ctid, s_xmin, s_ctid)
    left join devices d on d.device_no = k.no
    left join device_state s on s.device_no = d.device_no
    where (d.xmin = k.d_xmin and d.ctid = k.d_ctid and coalesce(s.xmin, '0') = k.s_xmin
      and coalesce(s.ctid, '(0,0)') = k.s_ctid) is not true`.execute(trx);
  if (cache.size + rows.length > maxCached) {
    const missing = new Set(deviceNos);
    for (const no of cache.keys()) if (!missing.has(no)) cache.delete(no);
  }
  for (const { no, settings_version, state_version, ...row } of rows) {
    if (settings_version === null) cache.delete(no);
    else
      cache.set(no, {
        settings: toVersion(settings_version),
        state: state_version === null ? noRow : toVersion(state_version),
        device: toDevice(no, row, times),
      });
  }
  const devices = new Map<number, StoredDevice>();
  for (const no of deviceNos) {
    const device = cache.get(no)?.device;
    if (device !== undefined) devices.set(no, device);
  }
  return devices;
}

function toVersion(text: string): RowVersion {
  const [xmin = 0, page = 0, item = 0] = text.split(/\D/).map(Number);
  return { xmin, page, item };
}

function toDevice(
  deviceNo: number,
  row: Omit<FoldDeviceRow, 'no' | 'settings_version' | 'state_version'>,
  times: Times,
): StoredDevice {
  return {
    deviceNo,
    accountNo: row.account_no,
    method: row.method,
    createdUs: row.created_us,
    revision: row.revision,
    targetRevision: row.enabled ? row.target_revision : foreverUs,
    retries: row.retries,
    retryDelayUs: times.retryDelayUs(row.retry_delay_s),
    timeoutUs: row.timeout_s * secondUs,
    expiryDays: row.expiry_warning_days === null ? null : readExpiryDays(row.expiry_warning_days),
    stored: readState(row.state),
    warnings: row.warnings,
  };
}

/**
 * The spans in which agents were connected at a Location and assigned to these devices from `sinceUs` on, and the last
 * ones before.
 */
export async function onlineSpans(
  trx: Kysely<Tables>,
  deviceNos: readonly number[],
  sinceUs: number,
): Promise<Map<number, OnlineSpan[]>> {
  const { rows } = await sql<OnlineSpan & { deviceNo: number }>`
    select a.device_no as "deviceNo", a.agent_no as "agentNo", a.location_no as "locationNo",
      greatest(a.from_us, c.from_us) as "fromUs",
      least(coalesce(a.to_us, ${foreverUs}::bigint), coalesce(c.to_us, ${foreverUs}::bigint)) as "toUs"
    from assignment_spans a
    join connection_spans c on c.agent_no = a.agent_no and c.location_no = a.location_no
      and c.from_us < coalesce(a.to_us, ${foreverUs}::bigint) and coalesce(c.to_us, ${foreverUs}::bigint) > a.from_us
    where a.device_no = any(${deviceNos}::int[])
      and coalesce(a.to_us, ${foreverUs}::bigint) > ${sinceUs}::bigint
      and (coalesce(c.to_us, ${foreverUs}::bigint) > ${sinceUs}::bigint
        or c.from_us = (select max(l.from_us) from connection_spans l
          where l.agent_no = a.agent_no and l.location_no = a.location_no and l.from_us < ${sinceUs}::bigint))`.execute(
    trx,
  );
  return Map.groupBy(rows, (row) => row.deviceNo);
}
