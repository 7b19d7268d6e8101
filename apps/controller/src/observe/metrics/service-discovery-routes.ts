import { cleanLine, methods, probeTarget } from '@vantage/domain';
import { readTagNos } from '@vantage/rest-kit/named';
import type { OuterRoute } from '@vantage/rest-kit/outer-routes';
import { invalid } from '@vantage/rest-kit/problem';
import type { Reader } from '@vantage/storage';
import { sql } from 'kysely';

/** An answer names at most this many devices. */
const maxDevices = 20_000;
/** `tag` is an older name. */
const parameters = ['Tag', 'tag', 'api_key', '_'];

interface ScrapeTargetRow {
  readonly device_id: string;
  readonly short_name: string;
  readonly full_name: string | null;
  readonly method: string;
  readonly url: string;
  readonly severity: string;
  readonly external_key: string | null;
  readonly tags: readonly string[];
  readonly locations: readonly string[];
}

/**
 * The devices as targets with labels (Prometheus, "HTTP SD"). Paused devices are left out. Prometheus requests them
 * each minute and drops targets that an answer does not name, so an answer is never partial.
 */
export const serviceDiscoveryRoute: OuterRoute = {
  path: '/v1.1/service-discovery/prometheus',
  needsKey: true,
  async run({ accountNo }, query, db) {
    const unknown = [...query.keys()].find((name) => !parameters.includes(name));
    if (unknown !== undefined)
      throw invalid([
        { field: unknown, message: 'is no parameter here. Accepted is Tag, for example ?Tag=berlin' },
      ]);
    const [tag] = [...query.getAll('Tag'), ...query.getAll('tag')];
    const tagNos = tag === undefined ? undefined : await readTagNos(db, accountNo, tag);
    const rows = await readDevices(db, accountNo, tagNos);
    if (rows.length > maxDevices) {
      const message = `must name a tag: there are more than ${maxDevices} devices, and an answer with some of them would end the others`;
      throw invalid([{ field: 'Tag', message }]);
    }
    return { status: 200, type: 'application/json', body: JSON.stringify(rows.map(showTarget)) };
  },
};

async function readDevices({ kysely }: Reader, accountNo: number, tagNos: readonly number[] | undefined) {
  const tagged =
    tagNos === undefined
      ? sql``
      : sql`and d.device_no in (select device_no from device_tags where tag_no = any(${tagNos}::int[]))`;
  const { rows } = await sql<ScrapeTargetRow>`
    select d.device_id, d.short_name, d.full_name, d.method, d.url, d.severity, d.external_key,
      array(select t.name from device_tags dt join tags t using (tag_no) where dt.device_no = d.device_no order by t.name) as tags,
      array(select l.name from device_locations dl join locations l using (location_no)
        where dl.device_no = d.device_no order by dl.rotation_index) as locations
    from devices d where d.account_no = ${accountNo}::int and d.enabled ${tagged}
    order by d.device_no limit ${maxDevices + 1}`.execute(kysely);
  return rows;
}

/** Labels that begin with `__meta_` are for relabelling; Prometheus drops those that no rule keeps. */
function showTarget(row: ScrapeTargetRow) {
  const method = methods.find((known) => known === row.method);
  const joined = (names: readonly string[]) =>
    names.length === 0 ? '' : `,${names.map(cleanLine).join(',')},`;
  return {
    targets: [method === undefined ? row.url : probeTarget(method, row.url)],
    labels: {
      __meta_vantage_device_id: row.device_id,
      __meta_vantage_short_name: row.short_name,
      __meta_vantage_full_name: cleanLine(row.full_name ?? ''),
      __meta_vantage_method: row.method,
      __meta_vantage_url: row.url,
      __meta_vantage_severity: row.severity,
      __meta_vantage_external_key: row.external_key ?? '',
      __meta_vantage_tags: joined(row.tags),
      __meta_vantage_locations: joined(row.locations),
    },
  };
}
