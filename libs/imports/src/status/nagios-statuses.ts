import { cleanLine, type DeviceStatus } from '@vantage/domain';
import { readText, unreadable } from '../input/text-file.ts';
import { numberOf } from '../values/unknown-values.ts';
import type { ReportedStatus } from './reported-status.ts';

/** By current_state. */
const hostVerdicts: readonly DeviceStatus[] = ['Up', 'Down', 'Down'];
/** By current_state. A warning counts as Up. */
const serviceVerdicts: readonly DeviceStatus[] = ['Up', 'Up', 'Down', 'Unknown'];

/** Reads status.dat, which has blocks `hoststatus { key=value }`. */
export function readStatusDat(file: string): readonly ReportedStatus[] {
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
    const changedSeconds =
      numberOf(fields.get('last_hard_state_change')) ?? numberOf(fields.get('last_state_change')) ?? 0;
    return {
      ids: [service === undefined ? host : `${host}/${service}`],
      name: service === undefined ? host : `${host} ${service}`,
      verdict: verdictOf(fields, kind === 'hoststatus' ? hostVerdicts : serviceVerdicts),
      sinceMs: changedSeconds > 0 ? changedSeconds * 1000 : undefined,
      why: cleanLine(fields.get('plugin_output') ?? ''),
    };
  });
}

function verdictOf(fields: ReadonlyMap<string, string>, verdicts: readonly DeviceStatus[]): DeviceStatus {
  if ((numberOf(fields.get('scheduled_downtime_depth')) ?? 0) > 0) return 'Maint';
  if (fields.get('has_been_checked') === '0' || fields.get('active_checks_enabled') === '0') return 'Unknown';
  return verdicts[numberOf(fields.get('current_state')) ?? -1] ?? 'Unknown';
}
