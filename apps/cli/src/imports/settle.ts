import { faultsOf, faultText } from '@vantage/kernel';
import { probeFor, refusedTargetText } from '@vantage/probes';
import { syntaxProblem } from '@vantage/probes/settings';
import type { ApplyFile, FileDevice, FileTag } from './apply-file.ts';
import type { Finding, FoundCheck, Reading } from './found.ts';
import { asRead, createUniqueNames, keyOf, lineOf, numbered, shorten } from './names.ts';
import { createSecretKeeper, hideInOptions, hideInUrl, type NeededSecret } from './secrets.ts';

/** The outcome of an import: the apply file and its report. */
export interface Settled {
  readonly file: ApplyFile;
  readonly things: string;
  /** Things of the file; each is a device, in `became` or in `refused`. */
  readonly read: number;
  readonly shown: readonly string[];
  readonly refused: readonly Finding[];
  readonly became: readonly Finding[];
  readonly rounded: readonly Finding[];
  readonly lost: readonly Finding[];
  readonly renamed: readonly Finding[];
  readonly ignored: readonly string[];
  readonly secrets: readonly NeededSecret[];
}

const longestTag = 200;

/**
 * Creates the apply file of a reading. Each device is judged as the API judges it; what it would refuse is refused
 * here, by name.
 */
export async function settle(reading: Reading, source: string): Promise<Settled> {
  const refused: Finding[] = [...reading.refused];
  const notes = { rounded: [] as Finding[], lost: [] as Finding[], renamed: [] as Finding[] };
  const keeper = createSecretKeeper();
  const keys = createUniqueNames();
  const shorts = createUniqueNames();
  const fulls = createUniqueNames();
  const tags = settleTags(longestTag);
  const made: { readonly check: FoundCheck; readonly device: FileDevice }[] = [];
  for (const check of reading.checks) {
    const problem = await problemOf(check);
    if (problem !== undefined) {
      refused.push({ at: check.at, name: check.name, text: problem });
      continue;
    }
    const identity = keyOf(check.id ?? check.name);
    const { name: Key } = keys(identity, (count) => keyOf(`${identity.slice(0, 120)}-${count}`));
    const device = deviceOf(check, Key, { keeper, tags, notes, shorts, fulls });
    made.push({ check, device });
  }
  const devices = withMasters(made, notes.lost);
  return {
    file: { source, tags: tags.list(), devices },
    things: reading.things,
    read: reading.checks.length + reading.refused.length + (reading.became?.length ?? 0),
    shown: reading.shown ?? [],
    ...notes,
    refused,
    became: reading.became ?? [],
    ignored: [...(reading.ignored ?? []), ...tags.notes()],
    secrets: keeper.needed,
  };
}

/** Why the API would refuse the check; undefined where it would not. */
async function problemOf(check: FoundCheck): Promise<string | undefined> {
  const probe = probeFor(check.method);
  if (probe === undefined) return `Method ${check.method} is not known`;
  const read = probe.parseTarget(check.url);
  if (!read.ok) return `URL ${JSON.stringify(check.url.slice(0, 100))} ${refusedTargetText(read.message)}`;
  const problem = await syntaxProblem(probe, check.url);
  if (problem !== undefined) return faultText({ field: 'URL', message: problem });
  const options = withoutAbsent(check.options ?? {});
  const judged = probe.options.safeParse(options, { reportInput: true });
  if (judged.success) return undefined;
  return faultsOf(judged.error, probe.options, 'Options').map(faultText).join('; ');
}

interface Surroundings {
  readonly keeper: ReturnType<typeof createSecretKeeper>;
  readonly tags: ReturnType<typeof settleTags>;
  readonly notes: { readonly rounded: Finding[]; readonly lost: Finding[]; readonly renamed: Finding[] };
  readonly shorts: ReturnType<typeof createUniqueNames>;
  readonly fulls: ReturnType<typeof createUniqueNames>;
}

function deviceOf(check: FoundCheck, Key: string, around: Surroundings): FileDevice {
  const { at, name } = check;
  const probe = probeFor(check.method);
  if (probe === undefined) throw new Error(`no probe for ${check.method}`);
  const owner = { key: Key, name };
  const round = (given: number | undefined, by: (value: number) => Rounded): number | undefined => {
    if (given === undefined) return undefined;
    const { value, note } = by(given);
    if (note !== undefined) around.notes.rounded.push({ at, name, text: note });
    return value;
  };
  const URL = hideInUrl(probe, check.url, owner, around.keeper);
  const Options = hideInOptions(probe, check.options ?? {}, owner, around.keeper);
  for (const text of check.lost ?? []) around.notes.lost.push({ at, name, text });
  if (typeof Options['Body'] === 'string' && /pass|secret|token/i.test(Options['Body']))
    around.notes.lost.push({
      at,
      name,
      text: 'its Body may hold a secret, which stands in the file in clear',
    });
  return {
    Key,
    Method: check.method,
    URL,
    ShortName: shortName(check, around),
    FullName: fullName(check, around),
    ...frequencyOf(round(check.intervalSeconds, roundInterval)),
    Timeout: round(check.timeoutSeconds, roundTimeout),
    Attempts: round(check.attempts, roundAttempts),
    RetryDelay: round(check.retryDelaySeconds, roundRetryDelay),
    Severity: check.severity,
    Enabled: check.enabled === false ? false : undefined,
    Locations: check.locations,
    Tags: around.tags.of(check),
    Options: Object.keys(Options).length === 0 ? undefined : Options,
  };
}

function shortName(check: FoundCheck, { shorts, notes }: Surroundings): string {
  const wish = check.shortName ?? labelOf(check.name);
  const base = shorten(wish) || shorten(labelOf(check.url)) || 'device';
  const { name } = shorts(base, (count) => numbered(base, count));
  if (check.shortName !== undefined && name !== check.shortName)
    notes.renamed.push({
      at: check.at,
      name: check.name,
      text: `ShortName ${JSON.stringify(check.shortName)} became ${name}`,
    });
  return name;
}

function fullName(check: FoundCheck, { fulls, notes }: Surroundings): string | undefined {
  const wish = lineOf(check.name);
  if (wish === '') return undefined;
  const { name, changed } = fulls(wish, (count) =>
    count === 2 && check.method !== 'Script'
      ? lineOf(`${wish} (${hostIn(check.url)})`)
      : `${wish.slice(0, 990)} (${count})`,
  );
  if (changed)
    notes.renamed.push({
      at: check.at,
      name: check.name,
      text: `another has this name already: FullName became ${JSON.stringify(name)}`,
    });
  return name;
}

/** The first label of a name that is an address: `shop` of `https://shop.example.org/`. */
function labelOf(name: string): string {
  if (!/^(?:[a-z][a-z0-9+.-]*:\/\/\S+|[a-z0-9_-]+(?:\.[a-z0-9_-]+)+(?::\d+)?)$/i.test(name)) return name;
  const host = hostIn(name);
  return /^[^.]*[a-z][^.]*\./i.test(host) ? (host.split('.')[0] ?? host) : host;
}

function hostIn(url: string): string {
  const host = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^@/?#]*@)?([^/?#]+)/i.exec(url)?.[1] ?? url;
  return host.replace(/^www\./i, '');
}

/** The same fields less those that are undefined. */
function withoutAbsent<T extends object>(fields: T): T {
  const kept: T = { ...fields };
  for (const [name, value] of Object.entries(kept))
    if (value === undefined) Reflect.deleteProperty(kept, name);
  return kept;
}

/**
 * The devices with their masters by Key, each after its master. A master that is not there, or leads in a circle, is
 * noted.
 */
function withMasters(
  made: readonly { readonly check: FoundCheck; readonly device: FileDevice }[],
  lost: Finding[],
): FileDevice[] {
  const byId = new Map<string, (typeof made)[number]>();
  for (const one of made) {
    const id = asRead(one.check.id ?? one.check.name);
    if (!byId.has(id)) byId.set(id, one);
  }
  const masterOf = new Map<FileDevice, FileDevice>();
  const masterless = (check: FoundCheck, why: string) =>
    lost.push({ at: check.at, name: check.name, text: `its master ${JSON.stringify(check.master)} ${why}` });
  for (const { check, device } of made) {
    if (check.master === undefined) continue;
    const master = byId.get(asRead(check.master))?.device;
    if (master === undefined) masterless(check, 'was not carried over');
    else if (leadsTo(master, device, masterOf)) masterless(check, 'depends on it, too');
    else masterOf.set(device, master);
  }
  const ordered = new Set<FileDevice>();
  for (const { device } of made) {
    const chain: FileDevice[] = [];
    for (let each: FileDevice | undefined = device; each !== undefined && !ordered.has(each); ) {
      chain.push(each);
      each = masterOf.get(each);
    }
    for (const each of chain.reverse()) ordered.add(each);
  }
  return [...ordered].map((device) =>
    withoutAbsent({ ...device, device_master_id: masterOf.get(device)?.Key }),
  );
}

function leadsTo(
  from: FileDevice,
  wanted: FileDevice,
  masterOf: ReadonlyMap<FileDevice, FileDevice>,
): boolean {
  for (let each: FileDevice | undefined = from; each !== undefined; each = masterOf.get(each))
    if (each === wanted) return true;
  return false;
}

/** The tags of a file, in the order in which devices name them. */
interface TagList {
  /** The tags of a check as the file names them; undefined: none. */
  readonly of: (check: FoundCheck) => readonly string[] | undefined;
  readonly list: () => readonly FileTag[];
  /** Tags that were joined or cut, for the report. */
  readonly notes: () => readonly string[];
}

/** Collects tags. Names that differ in letter case alone are one tag, as in the API. */
function settleTags(longest: number): TagList {
  const byRead = new Map<string, string>();
  const notes = new Set<string>();
  const settleOne = (wish: string): string | undefined => {
    const line = lineOf(wish);
    const name = line.slice(0, longest).toWellFormed().trim();
    if (!/[\p{L}\p{N}\p{P}\p{S}]/u.test(name)) return undefined;
    if (name !== line) notes.add(`the tag ${JSON.stringify(line)} was cut to ${longest} characters`);
    const known = byRead.get(asRead(name));
    if (known !== undefined && known !== name)
      notes.add(`the tags ${JSON.stringify(known)} and ${JSON.stringify(name)} are one`);
    if (known === undefined) byRead.set(asRead(name), name);
    return known ?? name;
  };
  return {
    of(check) {
      const names = (check.tags ?? []).flatMap((tag) => settleOne(tag) ?? []);
      return names.length === 0 ? undefined : [...new Set(names)];
    },
    list: () => [...byRead.values()].map((Name) => ({ Key: keyOf(Name), Name })),
    notes: () => [...notes],
  };
}

/** Intervals in seconds: those of FrequencySeconds, then those of Frequency. */
const intervals = [5, 10, 15, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600] as const;

/** A value as the API takes it, with what was changed for that; `note` is absent where nothing was. */
interface Rounded<Value extends number = number> {
  readonly value: Value;
  readonly note?: string;
}

/**
 * The interval next to another one, in seconds: the longest that checks at least as often, so that nothing is noticed
 * later than before.
 */
function roundInterval(seconds: number): Rounded<(typeof intervals)[number]> {
  const value = intervals.findLast((each) => each <= seconds) ?? intervals[0];
  if (value === seconds) return { value };
  const rarer = value > seconds ? ', less often than before' : '';
  return { value, note: `interval ${showSpan(seconds)} became ${showSpan(value)}${rarer}` };
}

/** An interval by the names of the API. */
function frequencyOf(seconds: number | undefined): {
  readonly Frequency?: number | undefined;
  readonly FrequencySeconds?: number | undefined;
} {
  if (seconds === undefined) return {};
  return seconds < 60 ? { FrequencySeconds: seconds } : { Frequency: seconds / 60 };
}

/** Timeout in whole seconds, never shorter than before. */
function roundTimeout(seconds: number): Rounded {
  return bounded(Math.ceil(seconds), [1, 120], seconds, (value) => `timeout ${seconds} s became ${value} s`);
}

/** Failing checks until Down. */
function roundAttempts(attempts: number): Rounded {
  return bounded(
    Math.round(attempts),
    [1, 11],
    attempts,
    (value) => `Down after ${attempts} failing checks became Attempts ${value}`,
  );
}

/** RetryDelay in whole seconds. */
function roundRetryDelay(seconds: number): Rounded {
  return bounded(
    Math.round(seconds),
    [1, 300],
    seconds,
    (value) => `${showSpan(seconds)} before a retry became RetryDelay ${value} (seconds)`,
  );
}

function bounded(
  whole: number,
  [least, most]: readonly [number, number],
  given: number,
  note: (value: number) => string,
): Rounded {
  const value = Math.min(most, Math.max(least, whole));
  return value === given ? { value } : { value, note: note(value) };
}

function showSpan(seconds: number): string {
  return seconds >= 60 && seconds % 60 === 0 ? `${seconds / 60} min` : `${Number(seconds.toFixed(3))} s`;
}
