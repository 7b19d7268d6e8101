import {
  createReadingBuilder,
  type FormatReading,
  type FoundOptions,
  type TargetOrReason,
} from '../found-check.ts';
import { diskFiles, type InputFiles } from '../input/input-files.ts';
import { maxItems } from '../input/max-items.ts';
import { unreadable } from '../input/text-file.ts';
import { hostPort, hostText } from '../values/host-port.ts';
import { tagPath } from '../values/tag-path.ts';
import { numberOf } from '../values/unknown-values.ts';
import { parseSmokePing, type SmokePingSection, smokePingAccepts } from './smokeping-file.ts';

/** The most packets of a PING device. */
const maxPings = 100;

/** Reads SmokePing's targets. The menus around a target become its tag. */
export function readSmokePing(file: string, input: InputFiles = diskFiles): FormatReading {
  const reading = createReadingBuilder();
  const parts = parseSmokePing(input.readText(file), file, reading.ignored);
  const targets = parts.get('targets') ?? parts.get('') ?? [];
  const probes = new Map((parts.get('probes') ?? []).map((section) => [section.names.at(-1) ?? '', section]));
  const database = parts.get('database')?.[0]?.fields ?? {};
  for (const section of targets) {
    const { host } = section.fields;
    if (host === undefined || !section.ownFields.has('host') || section.names.length === 0) continue;
    const lastName = section.names.at(-1);
    const title = section.ownFields.has('title') ? section.fields['title'] : undefined;
    const name = title ?? lastName ?? host;
    const at = `line ${section.line}`;
    const probe = section.fields['probe'] ?? 'FPing';
    const settings = { ...database, ...probes.get(probe)?.fields, ...section.fields };
    // A subprobe is of the kind of the probe around it.
    const target = targetOf(probes.get(probe)?.names[0] ?? probe, host, settings);
    if (typeof target === 'string') reading.refused.push({ at, name, text: target });
    else
      reading.checks.push({
        ...target,
        at,
        name,
        id: section.names.join('/'),
        shortName: lastName?.slice(0, 8).replaceAll(/[^A-Za-z0-9-]/g, '') || undefined,
        intervalSeconds: numberOf(settings['step']) ?? 300,
        timeoutSeconds: numberOf(settings['timeout']),
        tags: section.names.length < 2 ? [] : [tagPath(...section.names.slice(0, -1))],
        lost: [...(target.lost ?? []), ...settingsLost(section)],
      });
  }
  if (targets.length === 0) throw unreadable(`${file} has no targets; accepted is ${smokePingAccepts}`);
  if (reading.checks.length > maxItems) throw unreadable(`${file} has more than ${maxItems} targets`);
  if (parts.has('alerts'))
    reading.ignored.push('not carried over: alerts (notification schedules take their place)');
  return { ...reading, things: 'targets' };
}

function settingsLost({ fields }: SmokePingSection): string[] {
  return [
    ...(fields['alerts'] === undefined ? [] : ['its alerts']),
    ...(fields['slaves'] === undefined
      ? []
      : [`its slaves ${fields['slaves']} (agents of Locations take their place)`]),
  ];
}

function targetOf(probe: string, host: string, settings: Readonly<Record<string, string>>): TargetOrReason {
  if (/[/~]/.test(host)) return `shows other targets (${host}) and is not a target itself`;
  if (host === 'DYNAMIC') return 'reports its address itself (DYNAMIC); no Method waits for that';
  const port = numberOf(settings['port']);
  const pings = numberOf(settings['pings']) ?? 20;
  const kind = probe.toLowerCase();
  if (/^fping(6|continuous)?$/.test(kind)) {
    const options: FoundOptions = {
      Count: Math.min(pings, maxPings),
      Size: numberOf(settings['packetsize']),
      IPFamily: kind === 'fping6' ? '6' : undefined,
    };
    const lost = pings > maxPings ? [`${pings} pings: ${maxPings} are sent`] : [];
    return { method: 'PING', url: hostText(host), options, lost };
  }
  const lost = pings > 1 ? [`${pings} tries in a row: a check has only one`] : [];
  switch (kind) {
    case 'tcpping':
      return { method: 'TCP', url: hostPort(host, port ?? 80), lost };
    case 'ssh':
    case 'openssh':
      return { method: 'SSH', url: hostPort(host, port), lost };
    case 'echopingsmtp':
      return { method: 'SMTP', url: hostPort(host, port), lost };
    case 'dns': {
      const options: FoundOptions = {
        Server: hostPort(host, port),
        Type: settings['recordtype']?.toUpperCase(),
      };
      return { method: 'DNS', url: settings['lookup'] ?? host, options, lost };
    }
    case 'curl':
    case 'echopinghttp':
    case 'echopinghttps': {
      const scheme = kind === 'echopinghttps' ? 'https' : 'http';
      const format =
        settings['urlformat'] ??
        `${scheme}://%host%${port === undefined ? '' : `:${port}`}${settings['url'] ?? '/'}`;
      return { method: 'HTTP', url: format.replaceAll('%host%', hostText(host)), lost };
    }
    default:
      return `is probed by ${probe}, for which there is no Method`;
  }
}
