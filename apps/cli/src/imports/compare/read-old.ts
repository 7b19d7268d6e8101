import { cleanLine } from '@vantage/domain';
import type { statusFormats } from '../format-names.ts';
import { parseJson, readText, unreadable } from '../input.ts';
import { withDatabase } from '../kuma/read-files.ts';
import { parseTable } from '../table/parse-table.ts';
import { listOf, numberOf, recordOf, textOf } from '../values.ts';
import type { OldStatus, Verdict } from './old-status.ts';

type Reader = (file: string) => readonly OldStatus[];

/** The reader of each source. */
export const statusReaders: Readonly<Record<keyof typeof statusFormats, Reader>> = {
  'uptime-kuma': readKumaStatuses,
  prometheus: readProbeSuccess,
  nagios: readStatusDat,
  csv: readStatusTable,
};

const kumaVerdicts: readonly Verdict[] = ['Down', 'Up', 'Unknown', 'Maint'];

/** The last heartbeat of each monitor; it has its status since the last important heartbeat. Kuma's times are UTC. */
function readKumaStatuses(file: string): readonly OldStatus[] {
  return withDatabase(file, (rows, database) => {
    const last = database.prepare(
      'SELECT status, msg FROM heartbeat WHERE monitor_id = ? ORDER BY time DESC, id DESC LIMIT 1',
    );
    const since = database.prepare(
      'SELECT time FROM heartbeat WHERE monitor_id = ? AND important = 1 ORDER BY time DESC, id DESC LIMIT 1',
    );
    return rows('monitor').flatMap((row) => {
      const monitor = recordOf(row) ?? {};
      const id = numberOf(monitor['id']);
      if (id === undefined || monitor['type'] === 'group') return [];
      const beat = last.get(id);
      const time = textOf(since.get(id)?.['time']);
      const paused = numberOf(monitor['active']) === 0;
      return [
        {
          ids: [`kuma-${id}`],
          name: textOf(monitor['name']) ?? `monitor ${id}`,
          verdict: paused ? 'Unknown' : (kumaVerdicts[numberOf(beat?.['status']) ?? 2] ?? 'Unknown'),
          sinceMs: time === undefined ? undefined : timeOf(`${time.replace(' ', 'T')}Z`),
          why: cleanLine(textOf(beat?.['msg']) ?? ''),
        },
      ];
    });
  });
}

/** The answer of `/api/v1/query?query=probe_success`. It tells no reason and no time of change. */
function readProbeSuccess(file: string): readonly OldStatus[] {
  const accepts = 'the answer of /api/v1/query?query=probe_success as JSON';
  const answer = recordOf(parseJson(readText(file), file, accepts));
  const result = recordOf(answer?.['data'])?.['result'];
  if (answer?.['status'] !== 'success' || !Array.isArray(result))
    throw unreadable(`${file} has no data.result; accepted is ${accepts}`);
  return result.map((each: unknown, at) => {
    const metric = recordOf(recordOf(each)?.['metric']) ?? {};
    const value = textOf(listOf(recordOf(each)?.['value'])[1]);
    const target = textOf(metric['target']) ?? textOf(metric['instance']);
    if (target === undefined || value === undefined)
      throw unreadable(`${file}: data.result[${at}] has no instance or no value; accepted is ${accepts}`);
    return {
      ids: [target, ...(textOf(metric['name']) === undefined ? [] : [textOf(metric['name']) ?? ''])],
      name: target,
      verdict: value === '1' ? 'Up' : 'Down',
      sinceMs: undefined,
      why: value === '1' ? '' : `probe_success ${value}`,
    };
  });
}

const hostVerdicts: readonly Verdict[] = ['Up', 'Down', 'Down'];
/** A warning is still up. */
const serviceVerdicts: readonly Verdict[] = ['Up', 'Up', 'Down', 'Unknown'];

/** status.dat: blocks `hoststatus { key=value }`. */
function readStatusDat(file: string): readonly OldStatus[] {
  const blocks = [...readText(file).matchAll(/^(hoststatus|servicestatus) \{\n([\s\S]*?)^\s*\}/gm)];
  if (blocks.length === 0)
    throw unreadable(
      `${file} has no hoststatus and no servicestatus; accepted is status.dat of Nagios or Naemon`,
    );
  return blocks.map(([, kind, body = '']) => {
    const fields = new Map(
      [...body.matchAll(/^\s*(\w+)=(.*)$/gm)].map(([, key = '', value = '']) => [key, value]),
    );
    const host = fields.get('host_name') ?? '';
    const service = fields.get('service_description');
    const state = numberOf(fields.get('current_state')) ?? -1;
    const verdicts = kind === 'hoststatus' ? hostVerdicts : serviceVerdicts;
    const known = fields.get('has_been_checked') !== '0' && fields.get('active_checks_enabled') !== '0';
    const downtime = (numberOf(fields.get('scheduled_downtime_depth')) ?? 0) > 0;
    const since =
      numberOf(fields.get('last_hard_state_change')) ?? numberOf(fields.get('last_state_change')) ?? 0;
    return {
      ids: [service === undefined ? host : `${host}/${service}`],
      name: service === undefined ? host : `${host} ${service}`,
      verdict: downtime ? 'Maint' : known ? (verdicts[state] ?? 'Unknown') : 'Unknown',
      sinceMs: since > 0 ? since * 1000 : undefined,
      why: cleanLine(fields.get('plugin_output') ?? ''),
    };
  });
}

const words: Readonly<Record<string, Verdict>> = {
  up: 'Up',
  ok: 'Up',
  online: 'Up',
  '1': 'Up',
  good: 'Up',
  down: 'Down',
  critical: 'Down',
  offline: 'Down',
  '0': 'Down',
  error: 'Down',
  failed: 'Down',
  maint: 'Maint',
  maintenance: 'Maint',
  paused: 'Unknown',
  unknown: 'Unknown',
  pending: 'Unknown',
};

/** A table with the columns Name and Status, and Key, Since (ISO 8601) and Reason where there are any. */
function readStatusTable(file: string): readonly OldStatus[] {
  const [head, ...rows] = parseTable(readText(file), file).rows;
  const names = (head?.cells ?? []).map((cell) => cell.trim().toLowerCase());
  const at = {
    name: names.indexOf('name'),
    status: names.indexOf('status'),
    key: names.indexOf('key'),
    since: names.indexOf('since'),
    reason: names.indexOf('reason'),
  };
  if (at.name < 0 || at.status < 0)
    throw unreadable(
      `${file}:1 has no columns Name and Status; accepted are Name, Status, Key, Since, Reason`,
    );
  return rows.map(({ cells, line }) => {
    const cell = (place: number) => (place < 0 ? '' : (cells[place] ?? '').trim());
    const verdict = words[cell(at.status).toLowerCase()];
    if (verdict === undefined)
      throw unreadable(
        `${file}:${line} has the status ${JSON.stringify(cell(at.status))}; accepted are up, down, maint, unknown`,
      );
    const key = cell(at.key);
    return {
      ids: key === '' ? [] : [key],
      name: cell(at.name) === '' ? key : cell(at.name),
      verdict,
      sinceMs: cell(at.since) === '' ? undefined : timeOf(cell(at.since)),
      why: cleanLine(cell(at.reason)),
    };
  });
}

function timeOf(text: string): number | undefined {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
