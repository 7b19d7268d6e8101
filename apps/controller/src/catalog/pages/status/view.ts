import { cleanLine, type DeviceStatus, dayUs } from '@vantage/domain';
import { type Kysely, sql } from 'kysely';
import type { Db, Row, Tables } from '../../../platform/db/index.ts';
import { createZone, type Zone } from '../../../rest/http/zone.ts';
import { byCreation } from '../../devices/list-ask.ts';
import { listDevices } from '../../devices/list-store.ts';
import { completeResults } from '../../devices/store.ts';
import { findMaintenance } from '../../maintenance/maintenance.ts';
import type { ReadTimelines } from '../../states/routes.ts';
import { locationsOf, tagsOf } from '../../states/store.ts';
import { readNotes, type StoredNote } from '../fields.ts';
import {
  gatherDays,
  gatherIncidents,
  gatherPercent,
  type Incident,
  type PageDay,
  shownDays,
} from './days.ts';

/** A page shows at most so many devices. */
const mostDevices = 500;
/** Incidents of the last days, the newest first, at most so many. */
const incidentDays = 14;
const mostIncidents = 50;

/** A device on a status page. */
export interface PageDevice {
  readonly no: number;
  readonly id: string;
  readonly name: string;
  readonly status: DeviceStatus;
  readonly sinceUs: number;
  readonly maintenanceUntilUs: number | null;
  /** Only what the page may show. */
  readonly url: string | undefined;
  readonly result: string | undefined;
  readonly locations: readonly string[] | undefined;
  readonly tagNos: readonly string[];
}

/** The days of the devices of a page, and what was wrong. It changes slowly and costs most. */
export interface PageHistory {
  readonly days: ReadonlyMap<number, readonly PageDay[]>;
  /** Percent of the observed time in which it was Up; null: nothing was observed. */
  readonly percents: ReadonlyMap<number, number | null>;
  readonly incidents: readonly (Incident & { readonly deviceNo: number })[];
}

/** Everything that a status page shows at one moment. */
export interface PageView {
  readonly page: ReadPage;
  readonly zone: Zone;
  readonly nowUs: number;
  /** The devices of the page by the names of its tags; one without a name where it has no tags. */
  readonly groups: readonly { readonly name: string | undefined; readonly devices: readonly PageDevice[] }[];
  readonly history: PageHistory;
  readonly notes: readonly StoredNote[];
  readonly planned: readonly {
    readonly fromUs: number;
    readonly toUs: number;
    readonly names: readonly string[];
  }[];
  /** Devices that the page does not show, because there are too many. */
  readonly left: number;
}

/** The functions that read what a page shows. */
export interface ViewDeps {
  readonly db: Db;
  readonly timelines: ReadTimelines;
}

/** Reads a page's devices as they are now. `history` may be of a moment before. */
export async function readView(
  { db }: ViewDeps,
  page: ReadPage,
  history: PageHistory,
  nowUs: number,
): Promise<PageView> {
  const { kysely } = db;
  const found = await listDevices(db, {
    accountNo: page.account_no,
    filter: { enabled: true, ...(page.tag_nos === null ? {} : { tagNos: [page.tag_nos] }) },
    sort: { field: 'ShortName', descending: false },
    limit: mostDevices,
    offset: 0,
    nowUs,
    withoutResults: !page.shows.includes('CheckResult'),
  });
  const rows = found.rows.slice(0, mostDevices);
  const nos = rows.map(({ device_no }) => device_no);
  const [tags, locations, resultOf, maintenance] = await Promise.all([
    tagsOf(kysely, nos),
    page.shows.includes('Location') ? locationsOf(kysely, nos) : undefined,
    page.shows.includes('CheckResult') ? completeResults(db, rows, nowUs) : undefined,
    findMaintenance(db, { accountNo: page.account_no, nowUs }),
  ]);
  const tagsByDevice = Map.groupBy(tags, ({ device_no }) => device_no);
  const devices = rows.map((row): PageDevice => {
    const places = locations?.filter(({ device_no }) => device_no === row.device_no);
    return {
      no: row.device_no,
      id: row.device_id,
      name: cleanLine(row.full_name ?? '') || cleanLine(row.short_name),
      status: row.status,
      sinceUs: row.since_us,
      maintenanceUntilUs: row.maintenance_until_us,
      url: page.shows.includes('URL') ? row.url : undefined,
      result: row.status === 'Up' ? undefined : resultOf?.(row),
      locations: places?.map(({ name }) => cleanLine(name)),
      tagNos: (tagsByDevice.get(row.device_no) ?? []).map(({ id }) => id),
    };
  });
  const byId = new Map(devices.map((device) => [device.id, device.name]));
  const planned = maintenance
    .filter(({ from_us, device_ids }) => from_us > nowUs && device_ids.some((id) => byId.has(id)))
    .map(({ from_us, to_us, device_ids }) => ({
      fromUs: from_us,
      toUs: to_us,
      names: device_ids.flatMap((id) => byId.get(id) ?? []),
    }));
  return {
    page,
    zone: createZone(page.timezone),
    nowUs,
    history,
    planned,
    groups: groupsOf(page, devices),
    notes: readNotes(page.notes),
    left: found.total === undefined ? 0 : Math.max(0, found.total - rows.length),
  };
}

/** A device stands in the first group whose tag it has. */
function groupsOf(page: ReadPage, devices: readonly PageDevice[]): PageView['groups'] {
  if (page.tags.length < 2) return [{ name: undefined, devices }];
  const first = Map.groupBy(devices, ({ tagNos }) => page.tags.find(({ tag_id }) => tagNos.includes(tag_id)));
  return page.tags.flatMap((tag) => {
    const own = first.get(tag);
    return own === undefined ? [] : [{ name: cleanLine(tag.name), devices: own }];
  });
}

/** Reads the last 90 days of a page's devices. */
export async function readHistory(
  { db, timelines }: ViewDeps,
  page: ReadPage,
  nowUs: number,
): Promise<PageHistory> {
  const { rows } = await listDevices(db, {
    accountNo: page.account_no,
    filter: { enabled: true, ...(page.tag_nos === null ? {} : { tagNos: [page.tag_nos] }) },
    sort: byCreation,
    limit: mostDevices,
    offset: 0,
    nowUs,
    withoutResults: true,
  });
  const zone = createZone(page.timezone);
  const todayUs = zone.parse(`${zone.format(nowUs).slice(0, 10)}T00:00:00`) ?? nowUs;
  const fromUs = todayUs - (shownDays - 1) * dayUs;
  const devices = rows.slice(0, mostDevices).map(({ device_no: deviceNo, created_us: createdUs }) => ({
    deviceNo,
    createdUs,
    fromUs: Math.max(fromUs, createdUs),
  }));
  const gathering = new Map(
    devices.map(({ deviceNo }) => [
      deviceNo,
      {
        days: gatherDays(fromUs),
        percent: gatherPercent(),
        incidents: gatherIncidents({ nowUs, sinceUs: nowUs - incidentDays * dayUs, most: mostIncidents }),
      },
    ]),
  );
  await timelines({ devices, toUs: nowUs, nowUs }, (deviceNo, spans) => {
    for (const one of Object.values(gathering.get(deviceNo) ?? {})) one.add(spans);
  });
  const all = [...gathering];
  return {
    days: new Map(all.map(([deviceNo, { days }]) => [deviceNo, days.result])),
    percents: new Map(all.map(([deviceNo, { percent }]) => [deviceNo, percent.result])),
    incidents: all
      .flatMap(([deviceNo, { incidents }]) => incidents.result.map((incident) => ({ ...incident, deviceNo })))
      .sort((a, b) => b.fromUs - a.fromUs)
      .slice(0, mostIncidents),
  };
}

type Column =
  | 'page_no'
  | 'account_no'
  | 'name'
  | 'path'
  | 'tag_nos'
  | 'access'
  | 'password_hash'
  | 'shows'
  | 'notes'
  | 'logo'
  | 'accent_light'
  | 'accent_dark'
  | 'footer';

/** A status page with what is needed to show it. */
export interface ReadPage extends Pick<Row<'pages'>, Column> {
  readonly timezone: string;
  /** Its tags that are still there, by name. */
  readonly tags: readonly { readonly tag_id: string; readonly name: string }[];
}

/** The status page at this path. */
export async function readPage(kysely: Kysely<Tables>, path: string): Promise<ReadPage | undefined> {
  const { rows } = await sql<ReadPage>`
    select p.page_no, p.account_no, p.name, p.path, p.tag_nos, p.access, p.password_hash, p.shows, p.notes, p.logo,
      p.accent_light, p.accent_dark, p.footer, a.timezone,
      coalesce((select jsonb_agg(jsonb_build_object('tag_id', t.tag_id, 'name', t.name) order by t.name)
        from tags t where t.tag_no = any (p.tag_nos)), '[]'::jsonb) as tags
    from pages p join accounts a using (account_no) where p.path = ${path}`.execute(kysely);
  return rows[0];
}
