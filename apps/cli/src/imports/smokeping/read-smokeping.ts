import { collector, type FoundOptions, type FoundTarget, type Reading } from '../found.ts';
import { mostThings, readText, unreadable } from '../input.ts';
import { hostPort, hostText, numberOf, tagPath } from '../values.ts';

const accepts = "SmokePing's configuration (*** Targets ***), or its file of targets";

/** A section of `*** Targets ***` or `*** Probes ***`, with what it inherits from the sections around it. */
interface Section {
  readonly line: number;
  readonly names: readonly string[];
  readonly fields: Readonly<Record<string, string>>;
  /** Directives that stand in the section itself. */
  readonly own: ReadonlySet<string>;
}

/** Reads SmokePing's targets. The menus around a target become its tag. */
export function readSmokePing(file: string): Reading {
  const into = collector();
  const parts = parseParts(readText(file), file, into.ignored);
  const targets = parts.get('targets') ?? parts.get('') ?? [];
  const probes = new Map((parts.get('probes') ?? []).map((section) => [section.names.at(-1) ?? '', section]));
  const database = parts.get('database')?.[0]?.fields ?? {};
  for (const section of targets) {
    const { host } = section.fields;
    if (host === undefined || !section.own.has('host') || section.names.length === 0) continue;
    const name =
      section.fields['title'] !== undefined && section.own.has('title')
        ? section.fields['title']
        : (section.names.at(-1) ?? host);
    const at = `line ${section.line}`;
    const probe = section.fields['probe'] ?? 'FPing';
    const settings = { ...database, ...probes.get(probe)?.fields, ...section.fields };
    const family = probes.get(probe)?.names[0] ?? probe;
    const target = targetOf(family, host, settings);
    if (typeof target === 'string') into.refused.push({ at, name, text: target });
    else
      into.checks.push({
        ...target,
        at,
        name,
        id: section.names.join('/'),
        shortName:
          section.names
            .at(-1)
            ?.slice(0, 8)
            .replaceAll(/[^A-Za-z0-9-]/g, '') || undefined,
        intervalSeconds: numberOf(settings['step']) ?? 300,
        timeoutSeconds: numberOf(settings['timeout']),
        tags: section.names.length < 2 ? [] : [tagPath(...section.names.slice(0, -1))],
        lost: [...(target.lost ?? []), ...lostOf(section)],
      });
  }
  if (targets.length === 0) throw unreadable(`${file} has no targets; accepted is ${accepts}`);
  if (into.checks.length > mostThings) throw unreadable(`${file} has more than ${mostThings} targets`);
  if (parts.has('alerts'))
    into.ignored.push('not carried over: alerts (notification schedules take their place)');
  return { ...into, things: 'targets' };
}

function lostOf({ fields }: Section): string[] {
  return [
    ...(fields['alerts'] === undefined ? [] : ['its alerts']),
    ...(fields['slaves'] === undefined
      ? []
      : [`its slaves ${fields['slaves']} (agents of Locations take their place)`]),
  ];
}

/** Parts (`*** Name ***`) with their sections; `+` signs give the depth. */
function parseParts(text: string, file: string, ignored: string[]): Map<string, Section[]> {
  const parts = new Map<string, Section[]>();
  let part: Section[] = [];
  let stack: Section[] = [];
  parts.set('', part);
  for (const { line, content } of logicalLines(text)) {
    const heading = /^\*{3}\s*(.+?)\s*\*{3}$/.exec(content)?.[1];
    const [, plus, name] = /^(\++)\s*(\S+)$/.exec(content) ?? [];
    const [, key, value] = /^([\w.-]+)\s*=\s*(.*)$/s.exec(content) ?? [];
    if (heading !== undefined) {
      part = [{ line, names: [], fields: {}, own: new Set() }];
      stack = [...part];
      parts.set(heading.toLowerCase(), part);
    } else if (plus !== undefined && name !== undefined) {
      if (plus.length > stack.length)
        throw unreadable(`${file}:${line} is nested too deep: ${content}; accepted is ${accepts}`);
      stack = stack.slice(0, plus.length);
      const above = stack.at(-1);
      const section: Section = {
        line,
        names: [...(above?.names ?? []), name],
        fields: { ...above?.fields },
        own: new Set(),
      };
      part.push(section);
      stack.push(section);
    } else if (key !== undefined && value !== undefined) {
      const section = stack.at(-1) ?? { line, names: [], fields: {}, own: new Set<string>() };
      if (stack.length === 0) {
        stack = [section];
        part.push(section);
      }
      const next: Section = {
        ...section,
        fields: { ...section.fields, [key]: value.trim() },
        own: new Set([...section.own, key]),
      };
      part[part.indexOf(section)] = next;
      stack[stack.length - 1] = next;
    } else if (content.startsWith('@include'))
      ignored.push(`line ${line}: ${content} is not read; give that file, too`);
    else if (part.length > 0 && stack.length > 0 && !/^["\d]/.test(content) && part === parts.get('targets'))
      throw unreadable(
        `${file}:${line} is no directive: ${JSON.stringify(content.slice(0, 60))}; accepted is ${accepts}`,
      );
  }
  return parts;
}

/** Lines without comments; a backslash at the end joins the next one. */
function logicalLines(text: string): { readonly line: number; readonly content: string }[] {
  const found: { line: number; content: string }[] = [];
  let open: { line: number; content: string } | undefined;
  for (const [at, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.replace(/^\s*#.*$/, '').trim();
    const whole: { line: number; content: string } =
      open === undefined
        ? { line: at + 1, content: line }
        : { line: open.line, content: `${open.content} ${line}` };
    if (whole.content.endsWith('\\')) {
      open = { line: whole.line, content: whole.content.slice(0, -1).trim() };
      continue;
    }
    open = undefined;
    if (whole.content !== '') found.push(whole);
  }
  return found;
}

/** `probe` is the module of the probe, whatever its sub-probe is called. */
function targetOf(probe: string, host: string, settings: Readonly<Record<string, string>>): FoundTarget {
  if (/[/~]/.test(host)) return `shows other targets (${host}) and is none itself`;
  if (host === 'DYNAMIC') return 'tells its address itself (DYNAMIC); no Method waits for that';
  const port = numberOf(settings['port']);
  const pings = numberOf(settings['pings']) ?? 20;
  const count = Math.min(pings, 100);
  const kind = probe.toLowerCase();
  if (/^fping(6|continuous)?$/.test(kind)) {
    const options: FoundOptions = {
      Count: count,
      Size: numberOf(settings['packetsize']),
      IPFamily: kind === 'fping6' ? '6' : undefined,
    };
    return {
      method: 'PING',
      url: hostText(host),
      options,
      lost: pings > 100 ? [`${pings} pings: 100 are sent`] : [],
    };
  }
  const once = pings > 1 ? [`${pings} tries in a row: one is made`] : [];
  if (kind === 'tcpping') return { method: 'TCP', url: hostPort(host, port ?? 80), lost: once };
  if (kind === 'ssh' || kind === 'openssh') return { method: 'SSH', url: hostPort(host, port), lost: once };
  if (kind === 'echopingsmtp') return { method: 'SMTP', url: hostPort(host, port), lost: once };
  if (kind === 'dns') {
    const options: FoundOptions = {
      Server: hostPort(host, port),
      Type: settings['recordtype']?.toUpperCase(),
    };
    return { method: 'DNS', url: settings['lookup'] ?? host, options, lost: once };
  }
  if (kind === 'curl' || kind === 'echopinghttp' || kind === 'echopinghttps') {
    const form =
      settings['urlformat'] ??
      `${kind === 'echopinghttps' ? 'https' : 'http'}://%host%${port === undefined ? '' : `:${port}`}${settings['url'] ?? '/'}`;
    return { method: 'HTTP', url: form.replaceAll('%host%', hostText(host)), lost: once };
  }
  return `is probed by ${probe}, for which there is no Method`;
}
