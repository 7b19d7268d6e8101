import { collector, type FoundCheck, type FoundTarget, type Reading } from '../found.ts';
import { tagPath } from '../values.ts';
import { httpCheck } from './http-monitor.ts';
import type { KumaFile, KumaMonitor } from './monitor.ts';
import { portCheck } from './port-monitor.ts';

/** Types without any counterpart, and why. */
const impossible: Readonly<Record<string, string>> = {
  push: 'waits for calls of a job (push); no Method is passive',
  docker: 'asks a Docker daemon for a container; monitor a port or page of the container',
  steam: 'speaks a game protocol over UDP, which no Method does',
  gamedig: 'speaks a game protocol over UDP, which no Method does',
  radius: 'speaks RADIUS over UDP, which no Method does',
  snmp: 'speaks SNMP over UDP, which no Method does',
  ntp: 'speaks NTP over UDP, which no Method does',
  'sip-options': 'speaks SIP, which no Method does',
  manual: 'has a status that people set; no Method does that',
  'system-service': "asks for a service of Kuma's own host",
  pm2: "asks for a process of Kuma's own host",
  globalping: 'is checked from the probes of Globalping',
};

/** Types that obey the monitor's own timeout. */
const timed: readonly string[] = ['http', 'keyword', 'json-query', 'ping', 'real-browser'];

/** Maps each monitor. Groups become tags: the path of the groups around a monitor. */
export function readMonitors({ monitors, others }: KumaFile): Reading {
  const byId = new Map(monitors.map((monitor) => [monitor.id, monitor]));
  const into = collector();
  for (const monitor of monitors) {
    const at = `monitor ${monitor.id}`;
    const path = groupPath(monitor, byId);
    if (monitor.type === 'group') {
      into.became.push({
        at,
        name: monitor.name,
        text: `the tag ${JSON.stringify(tagPath(...path, monitor.name))}`,
      });
      continue;
    }
    const target = targetOf(monitor);
    if (typeof target === 'string') into.refused.push({ at, name: monitor.name, text: target });
    else into.checks.push(checkOf(monitor, at, target, tagPath(...path)));
  }
  return { ...into, things: 'monitors', ignored: others };
}

function targetOf(monitor: KumaMonitor): FoundTarget {
  if (Object.hasOwn(impossible, monitor.type)) return impossible[monitor.type] ?? '';
  if (monitor.truth('upside_down'))
    return 'is good while its target does not answer (upside down); no Method turns its result round';
  return (
    httpCheck(monitor) ??
    portCheck(monitor) ??
    `has the type ${JSON.stringify(monitor.type)}, for which there is no Method`
  );
}

function checkOf(
  monitor: KumaMonitor,
  at: string,
  target: Exclude<FoundTarget, string>,
  group: string,
): FoundCheck {
  const retries = monitor.number('maxretries') ?? 0;
  const retryInterval = monitor.number('retry_interval') ?? 0;
  const timeout = timed.includes(monitor.type) ? (monitor.number('timeout') ?? 0) : 0;
  const tags = [...(group === '' ? [] : [group]), ...monitor.tags];
  return {
    at,
    name: monitor.name,
    id: `kuma-${monitor.id}`,
    method: target.method,
    url: target.url,
    options: target.options,
    intervalSeconds: monitor.number('interval'),
    timeoutSeconds: timeout > 0 ? timeout : undefined,
    attempts: retries + 1,
    retryDelaySeconds: retries > 0 && retryInterval > 0 ? retryInterval : undefined,
    tags: tags.length === 0 ? undefined : tags,
    enabled: monitor.active,
    lost: [...(target.lost ?? []), ...alwaysLost(monitor)],
  };
}

function alwaysLost(monitor: KumaMonitor): string[] {
  return [
    ...(monitor.text('description') === undefined ? [] : ['its description (FullName has the name)']),
    ...((monitor.number('resend_interval') ?? 0) > 0
      ? ['repeated notifications (a step of a notification schedule repeats)']
      : []),
    ...(monitor.list('conditions').length > 0 ? ['its conditions'] : []),
  ];
}

/** Names of the groups around a monitor, the outermost first. A circle of groups ends where it begins. */
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
