import { cleanLine } from '@vantage/domain';
import { createZone } from '@vantage/rest-kit/zone';
import type { Reader, Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import { listDevices } from '../../../catalog/devices/device-list-store.ts';
import { completeResults } from '../../../catalog/devices/device-store.ts';
import { findMaintenance } from '../../../catalog/maintenance/maintenance-record.ts';
import { locationsOf, tagsOf } from '../../states/state-store.ts';
import { readNotes } from '../status-page-notes.ts';
import type { PageHistory } from './page-view.ts';
import { maxDevices, type PageDevice, type PageView, type ReadPage } from './page-view.ts';

/** Reads a page's devices as they are now. `history` may be of a moment before. */
export async function readView(
  db: Reader,
  page: ReadPage,
  history: PageHistory,
  nowUs: number,
): Promise<PageView> {
  const { kysely } = db;
  const found = await listDevices(db, {
    accountNo: page.account_no,
    filter: { enabled: true, ...(page.tag_nos === null ? {} : { tagNos: [page.tag_nos] }) },
    sort: { field: 'ShortName', descending: false },
    limit: maxDevices,
    offset: 0,
    nowUs,
    withoutResults: !page.shows.includes('CheckResult'),
  });
  const rows = found.rows.slice(0, maxDevices);
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

/** A device belongs to the first group whose tag it has. */
function groupsOf(page: ReadPage, devices: readonly PageDevice[]): PageView['groups'] {
  if (page.tags.length < 2) return [{ name: undefined, devices }];
  const first = Map.groupBy(devices, ({ tagNos }) => page.tags.find(({ tag_id }) => tagNos.includes(tag_id)));
  return page.tags.flatMap((tag) => {
    const devicesOfTag = first.get(tag);
    return devicesOfTag === undefined ? [] : [{ name: cleanLine(tag.name), devices: devicesOfTag }];
  });
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
