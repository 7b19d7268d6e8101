import { cleanLine } from '@vantage/domain';
import type { Outage, UptimeRow } from '@vantage/domain/report';
import { createZone } from '@vantage/rest-kit/zone';
import type { Database, Reader } from '@vantage/storage';
import { sql } from 'kysely';
import { showOutage } from '../outages/outage-record.ts';
import { listOutages } from '../outages/outage-store.ts';
import type { ReadUptimes } from '../uptime/uptime-routes.ts';
import { listUptimeDevices, type UptimeDevice } from '../uptime/uptime-store.ts';

/** Devices whose uptime is worked out together. */
const atOnce = 1_000;
/** A report lists at most this many outages; its figures count all. */
const maxOutages = 5_000;

/** The devices of a report, and its span in microseconds since 1970; the end is exclusive. */
interface ReportAsk {
  readonly accountNo: number;
  readonly timezone: string;
  /** Devices with one of these tags; null: all. */
  readonly tagNos: readonly number[] | null;
  readonly fromUs: number;
  readonly toUs: number;
  readonly nowUs: number;
}

/** The facts of a report, as `GET /uptime` and `GET /outages` say them. */
export interface ReportFigures {
  readonly uptimes: readonly UptimeRow[];
  readonly outages: readonly Outage[];
  /** The list of outages is not complete. */
  readonly isCut: boolean;
  /** Names of the tags of devices, by the ids of these. */
  readonly tags: ReadonlyMap<string, readonly string[]>;
}

/** Creates the function that reads them. `uptimes` works out the uptime of devices. */
export function createReportReader(db: Database, uptimes: ReadUptimes) {
  return (ask: ReportAsk): Promise<ReportFigures> =>
    readFigures(db.lane('history', ask.accountNo), uptimes, ask);
}

async function readFigures(db: Reader, uptimes: ReadUptimes, ask: ReportAsk): Promise<ReportFigures> {
  const { accountNo, fromUs, toUs, nowUs } = ask;
  const tagNos = ask.tagNos ?? undefined;
  const rows: UptimeRow[] = [];
  for (let afterNo: number | undefined; ; ) {
    const page = { accountNo, tagNos, deviceNos: undefined, afterNo, limit: atOnce, offset: 0 };
    const found = await listUptimeDevices(db, page);
    const devices = found.rows.slice(0, atOnce);
    const figures = await uptimes(db, {
      devices: devices.map((device) => periodOf(device, fromUs)),
      toUs,
      nowUs,
    });
    rows.push(...devices.flatMap((device) => showRow(device, figures.get(device.device_no))));
    afterNo = devices.at(-1)?.device_no;
    if (found.rows.length <= atOnce) break;
  }
  // With its fraction, the end is not part of a list of outages.
  const outagePage = {
    fromUs,
    untilUs: toUs,
    tagNos,
    before: undefined,
    limit: maxOutages,
    offset: 0,
    nowUs,
  };
  const outages = await listOutages(db, { accountNo }, outagePage);
  const zone = createZone(ask.timezone);
  return {
    uptimes: rows,
    outages: outages.rows.slice(0, maxOutages).map((row) => showOutage(row, zone, nowUs)),
    isCut: !outages.isComplete || outages.rows.length > maxOutages,
    tags: await tagsOf(db, accountNo),
  };
}

function periodOf({ device_no: deviceNo, created_us: createdUs }: UptimeDevice, fromUs: number) {
  return { deviceNo, createdUs, fromUs };
}

function showRow(
  { device_id, short_name, full_name }: UptimeDevice,
  Uptime: UptimeRow['Uptime'] | undefined,
): UptimeRow[] {
  const FullName = full_name === null ? null : cleanLine(full_name);
  return Uptime === undefined ? [] : [{ device_id, ShortName: cleanLine(short_name), FullName, Uptime }];
}

async function tagsOf(
  { kysely }: Reader,
  accountNo: number,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await sql<{ device_id: string; names: readonly string[] }>`
    select d.device_id, array_agg(t.name order by t.name) as names
    from devices d join device_tags using (device_no) join tags t using (tag_no)
    where d.account_no = ${accountNo}::int group by d.device_id`.execute(kysely);
  return new Map(rows.map(({ device_id, names }) => [device_id, names.map(cleanLine)]));
}
