import { isReceived } from '@vantage/domain';
import {
  createReadingBuilder,
  type FormatReading,
  type FoundCheck,
  type MappedTarget,
  type TargetOrReason,
} from '../found-check.ts';
import { diskFiles, type InputFiles } from '../input/input-files.ts';
import { pushTarget } from '../values/push-target.ts';
import { tagPath } from '../values/tag-path.ts';
import { httpMonitorTarget } from './http-monitor.ts';
import { readKumaBackup } from './kuma-backup.ts';
import { isDatabase, readKumaDatabase } from './kuma-database.ts';
import type { KumaMonitor } from './kuma-monitor.ts';
import { portMonitorTarget } from './port-monitor.ts';

/** Types without a counterpart, with the reason. */
const impossible: Readonly<Record<string, string>> = {
  docker: 'queries a Docker daemon about a container; monitor a port or page of the container',
  steam: 'speaks a game protocol over UDP, which no Method does',
  gamedig: 'speaks a game protocol over UDP, which no Method does',
  manual: 'has a status that people set; no Method does that',
  'system-service': "checks a service of Kuma's own host",
  pm2: "checks a process of Kuma's own host",
  globalping: 'is checked from the probes of Globalping',
};

/** Types for which Kuma uses the monitor's own timeout. */
const typesWithTimeout: readonly string[] = ['http', 'keyword', 'json-query', 'ping', 'real-browser'];

/** Reads Uptime Kuma's database or its backup. A group becomes a tag of the monitors inside. */
export function readKuma(file: string, input: InputFiles = diskFiles): FormatReading {
  const isStored = input.areOnDisk && isDatabase(file);
  const { monitors, ignored } = isStored ? readKumaDatabase(file) : readKumaBackup(file, input);
  const byId = new Map(monitors.map((monitor) => [monitor.id, monitor]));
  const reading = createReadingBuilder();
  for (const monitor of monitors) {
    const at = `monitor ${monitor.id}`;
    const groups = groupPath(monitor, byId);
    if (monitor.type === 'group') {
      reading.became.push({
        at,
        name: monitor.name,
        text: `the tag ${JSON.stringify(tagPath(...groups, monitor.name))}`,
      });
      continue;
    }
    const target = targetOf(monitor);
    if (typeof target === 'string') reading.refused.push({ at, name: monitor.name, text: target });
    else reading.checks.push(checkOf(monitor, at, target, tagPath(...groups)));
  }
  return { ...reading, things: 'monitors', ignored };
}

function targetOf(monitor: KumaMonitor): TargetOrReason {
  if (Object.hasOwn(impossible, monitor.type)) return impossible[monitor.type] ?? '';
  if (monitor.truth('upside_down'))
    return 'is good while its target does not answer (upside down); no Method inverts its result';
  return (
    pushMonitorTarget(monitor) ??
    httpMonitorTarget(monitor) ??
    portMonitorTarget(monitor) ??
    `has the type ${JSON.stringify(monitor.type)}, for which there is no Method`
  );
}

const defaultIntervalS = 60;

/** Kuma waits for its retries after the interval before a monitor of a job is down. */
function pushMonitorTarget(monitor: KumaMonitor): MappedTarget | undefined {
  if (monitor.type !== 'push') return undefined;
  const interval = monitor.number('interval') ?? defaultIntervalS;
  const retries = monitor.number('maxretries') ?? 0;
  return pushTarget(interval, retries * (monitor.number('retry_interval') ?? interval));
}

function checkOf(monitor: KumaMonitor, at: string, target: MappedTarget, group: string): FoundCheck {
  const hasRetries = !isReceived(target.method);
  const retries = monitor.number('maxretries') ?? 0;
  const retryInterval = monitor.number('retry_interval') ?? 0;
  const timeout = typesWithTimeout.includes(monitor.type) ? (monitor.number('timeout') ?? 0) : 0;
  const tags = [...(group === '' ? [] : [group]), ...monitor.tags];
  return {
    at,
    name: monitor.name,
    id: `kuma-${monitor.id}`,
    method: target.method,
    url: target.url,
    options: target.options,
    intervalSeconds: target.intervalSeconds ?? monitor.number('interval'),
    timeoutSeconds: timeout > 0 ? timeout : undefined,
    attempts: hasRetries ? retries + 1 : undefined,
    retryDelaySeconds: hasRetries && retries > 0 && retryInterval > 0 ? retryInterval : undefined,
    tags: tags.length === 0 ? undefined : tags,
    enabled: monitor.active,
    lost: [...(target.lost ?? []), ...settingsLost(monitor)],
  };
}

/** The settings without a counterpart that monitors of every type may have. */
function settingsLost(monitor: KumaMonitor): string[] {
  return [
    ...(monitor.text('description') === undefined ? [] : ['its description (FullName has the name)']),
    ...((monitor.number('resend_interval') ?? 0) > 0
      ? ['repeated notifications (a step of a notification schedule repeats)']
      : []),
    ...(monitor.list('conditions').length > 0 ? ['its conditions'] : []),
  ];
}

/** Names of the groups around a monitor, the outermost first. A cycle of groups ends where it begins. */
function groupPath(monitor: KumaMonitor, byId: ReadonlyMap<string, KumaMonitor>): string[] {
  const path: string[] = [];
  const seen = new Set([monitor.id]);
  for (let id = monitor.parent; id !== undefined && !seen.has(id); id = byId.get(id)?.parent) {
    seen.add(id);
    const group = byId.get(id);
    if (group !== undefined) path.unshift(group.name);
  }
  return path;
}
