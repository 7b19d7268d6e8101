import { isMask, type Json, mapQuerySecrets } from '@vantage/domain';
import { faultsOf, faultText, nearestName } from '@vantage/kernel';
import { probeFor, refusedTargetText, registry, secretPaths } from '@vantage/probes';
import { textOf } from '../json-text.ts';
import { judgeContacts, shownAddress } from './contact-address.ts';
import { type Entry, type Kind, kindNames, kinds, type Problem, type Settings, type Thing } from './kinds.ts';
import { type Account, isAsWanted, matchThings, resolveEntries } from './resolve.ts';
import type { Wanted } from './wanted.ts';

/** Fate of things that left the file. */
export type Prune = 'delete' | 'pause' | 'forget';

/** How a file is carried out. */
export interface PlanOptions {
  /** Who manages the things of the file; undefined: nobody, and nothing leaves it. */
  readonly source: string | undefined;
  readonly prune: Prune | undefined;
  /** Gives Keys to things that are there without one. */
  readonly isAdopting: boolean;
  /** Sends what is never shown, too. */
  readonly isSendingSecrets: boolean;
}

/** A field before and after a change, with names for people in the place of ids. */
interface FieldChange {
  readonly field: string;
  readonly old: Json;
  readonly new: Json;
}

/** One request of a plan. */
export interface Step {
  readonly verb: 'create' | 'change' | 'delete' | 'pause' | 'forget';
  readonly kind: Kind;
  readonly key: string;
  readonly name: string;
  /** Of what is there; undefined for a creation. */
  readonly id: string | undefined;
  readonly body: Settings;
  readonly fields: readonly FieldChange[];
  /** `FILE:LINE:COLUMN` of the entry or of one of its fields; '' for what left the file. */
  readonly at: (field?: string) => string;
}

/** The effect of carrying out a file. */
export interface Plan {
  readonly steps: readonly Step[];
  readonly unchanged: number;
  /** Things of the source that left the file and are left alone. */
  readonly gone: readonly Thing[];
  readonly problems: readonly Problem[];
}

/** Plans how the account gets to what the entries say. Pure. */
export function planOf(entries: readonly Entry[], account: Account, options: PlanOptions): Plan {
  const { source, isAdopting, prune } = options;
  const matches = matchThings(entries, account.things);
  const { wanted, problems } = resolveEntries(entries, account, matches);
  const show = createShower(account.things);
  const steps: Step[] = [];
  const more: Problem[] = [...validateDevices(wanted), ...judgeContacts(wanted)];
  let unchanged = 0;
  for (const each of inOrder(wanted)) {
    const step = stepOf(each, account, options, show);
    const hindered = each.isKeyless && !isAdopting && step !== undefined;
    const foreign = hindered ? keylessProblem(each) : foreignProblem(each, source, step !== undefined);
    if (foreign !== undefined) more.push(foreign);
    else if (step === undefined) unchanged += 1;
    else steps.push(step);
    if (each.thing === undefined) more.push(...twinProblems(each, account.things));
  }
  const kept = new Set(wanted.flatMap(({ thing }) => thing?.id ?? []));
  const gone =
    source === undefined ? [] : account.things.filter((each) => each.source === source && !kept.has(each.id));
  const pruned = prune === undefined ? [] : inReverse(gone).flatMap((thing) => pruneSteps(thing, prune));
  return {
    steps: [...steps, ...pruned],
    unchanged,
    gone: prune === undefined ? gone : [],
    problems: [...problems, ...more],
  };
}

type Show = (kind: Kind, field: string, value: Json | undefined) => Json;

/** Puts names in the place of ids. */
function createShower(things: readonly Thing[]): Show {
  const names = new Map(
    things.map(({ id, key, name, settings }) => [id, key ?? textOf(settings['Name'] ?? name)]),
  );
  const nameOfId = (value: Json): Json =>
    typeof value === 'string' ? (names.get(value) ?? value.replace(/^key:/, '')) : value;
  return (kind, field, value = null) => {
    if (kind === 'nschedule' && field === 'Steps' && Array.isArray(value))
      return value.map((step: Json) =>
        typeof step === 'object' && step !== null && 'Contacts' in step && Array.isArray(step.Contacts)
          ? { ...step, Contacts: step.Contacts.map(nameOfId) }
          : step,
      );
    if (kinds[kind].references[field] === undefined) return value;
    return Array.isArray(value) ? value.map(nameOfId) : nameOfId(value);
  };
}

function stepOf(wanted: Wanted, account: Account, options: PlanOptions, show: Show): Step | undefined {
  const { entry, name, settings, secrets, thing } = wanted;
  const { kind, key, at } = entry;
  const { source, isAdopting, isSendingSecrets } = options;
  if (thing === undefined) {
    const own = source === undefined ? {} : { Source: source };
    const fields = Object.entries(entry.settings)
      .filter(([field]) => !(field in secrets))
      .map(([field, value]) => ({ field, old: null, new: shownValue(kind, field, settings, value) }));
    const body = { ...withoutDefaults(kind, settings), ...secrets, ExternalKey: key, ...own };
    return { verb: 'create', kind, key, name, id: undefined, body, fields, at };
  }
  const changed = Object.entries(settings).filter(([field]) => !isAsWanted(wanted, field, account));
  const identity: [string, Json, Json][] = [];
  if (thing.key !== key && isAdopting) identity.push(['ExternalKey', thing.key, key]);
  if (source !== undefined && thing.source !== source) identity.push(['Source', thing.source, source]);
  const sent = changed.some(([field]) => field === 'Address') || isSendingSecrets ? secrets : {};
  const fields = [
    ...identity.map(([field, old, now]) => ({ field, old, new: now })),
    ...changed.map(([field, value]) => ({
      field,
      old: show(kind, field, thing.settings[field]),
      new: shownValue(kind, field, settings, show(kind, field, value)),
    })),
    ...Object.keys(sent).map((field) => ({ field, old: '***', new: '***' })),
  ];
  if (fields.length === 0) return undefined;
  const body = {
    ...bodyOf(changed),
    ...sent,
    ...Object.fromEntries(identity.map(([field, , now]) => [field, now])),
  };
  return { verb: 'change', kind, key, name, id: thing.id, body, fields, at };
}

/** A plan is printed, so it shows no credential. */
function shownValue(kind: Kind, field: string, settings: Settings, value: Json): Json {
  return kind === 'contact' && field === 'Address' ? shownAddress(settings, value) : value;
}

/** Frequency reads 1 beside FrequencySeconds, and the API takes the one that differs. */
function bodyOf(changed: readonly (readonly [string, Json])[]): Settings {
  const body = Object.fromEntries(changed);
  if (typeof body['FrequencySeconds'] !== 'number') return body;
  const { Frequency: _, ...others } = body;
  return others;
}

function withoutDefaults(kind: Kind, settings: Settings): Settings {
  const { fields } = kinds[kind];
  return bodyOf(
    Object.entries(settings).filter(
      ([field, value]) => JSON.stringify(value) !== JSON.stringify(fields[field]),
    ),
  );
}

/** Refuses what another source manages, unless nothing would change and the file manages nothing itself. */
function foreignProblem(
  { entry, thing }: Wanted,
  source: string | undefined,
  isChanged: boolean,
): Problem | undefined {
  const owner = thing?.source ?? null;
  if (owner === null || owner === source || (source === undefined && !isChanged)) return undefined;
  const { what } = kinds[entry.kind];
  return {
    at: entry.at('Key'),
    text: `the ${what} ${entry.key} is managed by the source ${JSON.stringify(owner)}; take it out of one of the two files, or set its Source to null first`,
  };
}

/** A thing without a Key is taken over only where that is asked for. */
function keylessProblem({ entry }: Wanted): Problem {
  const { what } = kinds[entry.kind];
  const same = entry.kind === 'device' ? 'with the same Method, URL and ShortName' : 'of this name';
  const text = `a ${what} ${same} is there already, without a Key; --adopt gives it the Key ${entry.key}`;
  return { at: entry.at('Key'), text };
}

/** Names are unique but for devices: another thing would be in the way of the new one. */
function twinProblems({ entry, settings }: Wanted, things: readonly Thing[]): readonly Problem[] {
  if (entry.kind === 'device') return [];
  const name = textOf(settings['Name']).toLowerCase();
  const twin = things.find(
    (each) => each.kind === entry.kind && textOf(each.settings['Name']).toLowerCase() === name,
  );
  if (twin?.key == null) return [];
  const { what } = kinds[entry.kind];
  const text = `a ${what} of this name is there already, with the Key ${twin.key}; write that Key, or choose another name`;
  return [{ at: entry.at('Name'), text }];
}

/** In the order of creation, masters before the devices behind them. */
function inOrder(wanted: readonly Wanted[]): readonly Wanted[] {
  const devices = new Map(
    wanted.flatMap((each) => (each.entry.kind === 'device' ? [[`key:${each.entry.key}`, each]] : [])),
  );
  const ordered = new Set<Wanted>();
  for (const kind of kindNames)
    for (const each of wanted) {
      if (each.entry.kind !== kind) continue;
      const chain: Wanted[] = [];
      const seen = new Set<Wanted>();
      for (let one: Wanted | undefined = each; one !== undefined && !ordered.has(one) && !seen.has(one); ) {
        seen.add(one);
        chain.push(one);
        one = devices.get(textOf(one.settings['device_master_id']));
      }
      for (const one of chain.reverse()) ordered.add(one);
    }
  return [...ordered];
}

/** In the order in which things can be deleted: devices before their masters, all before what they name. */
function inReverse(things: readonly Thing[]): readonly Thing[] {
  const byId = new Map(things.map((each) => [each.id, each]));
  const ordered = new Set<Thing>();
  const visit = (first: Thing) => {
    const chain: Thing[] = [];
    for (
      let one: Thing | undefined = first;
      one !== undefined && !ordered.has(one) && !chain.includes(one);
    ) {
      chain.push(one);
      one = byId.get(textOf(one.settings['device_master_id']));
    }
    for (const one of chain.reverse()) ordered.add(one);
  };
  for (const kind of kindNames) for (const each of things) if (each.kind === kind) visit(each);
  return [...ordered].reverse();
}

function pruneSteps({ kind, id, key, name, settings }: Thing, prune: Prune): readonly Step[] {
  const shared = { kind, key: key ?? '', name, id, at: () => '' } as const;
  switch (prune) {
    case 'delete':
      return [{ ...shared, verb: 'delete', body: {}, fields: [] }];
    case 'forget':
      return [{ ...shared, verb: 'forget', body: { Source: null }, fields: [] }];
    case 'pause': // of the other kinds nothing goes on by itself
      return kind === 'device' && settings['Enabled'] !== false
        ? [{ ...shared, verb: 'pause', body: { Enabled: false }, fields: [] }]
        : [];
  }
}

const reference = /\$\{(?:secret|local):[A-Za-z0-9_.-]{1,100}\}/;

/**
 * Judges devices as the API does, before anything is sent: the Method, the URL, the Options, and that no secret stands
 * in clear, because what the API shows of it could not be compared. A mask is accepted where the device has the same.
 */
function validateDevices(wanted: readonly Wanted[]): readonly Problem[] {
  return wanted.flatMap((each) => (each.entry.kind === 'device' ? judge(each) : []));
}

function judge({ entry, settings, thing }: Wanted): readonly Problem[] {
  const { Method, URL } = settings;
  if (typeof Method !== 'string' || typeof URL !== 'string') return [];
  const probe = probeFor(Method);
  if (probe === undefined) {
    const likely = nearestName(Method, Object.keys(registry));
    const hint =
      likely === undefined ? `accepted are ${Object.keys(registry).join(', ')}` : `did you mean ${likely}?`;
    return [problem(entry, 'Method', `Method ${JSON.stringify(Method.slice(0, 40))} is not known; ${hint}`)];
  }
  const problems: Problem[] = [];
  const read = probe.parseTarget(URL);
  if (!read.ok) problems.push(problem(entry, 'URL', `URL ${refusedTargetText(read.message)}`));
  const options = settings['Options'] ?? {};
  const judged = probe.options.safeParse(options, { reportInput: true });
  if (!judged.success)
    for (const fault of faultsOf(judged.error, probe.options, 'Options'))
      problems.push(problem(entry, fault.field, faultText(fault)));
  const shown = thing?.settings;
  const clear = (field: string, value: string, same: boolean) => {
    if (value === '' || reference.test(value) || (isMask(value) && same)) return;
    const what = isMask(value) ? 'holds the mask ***' : 'holds a secret in clear';
    problems.push(
      problem(entry, field, `${field} ${what}; store it (POST /secrets) and write \${secret:NAME}`),
    );
  };
  if (Method !== 'Script') {
    const password = read.ok ? read.target.password?.reveal() : undefined;
    if (password !== undefined) clear('URL', password, shown?.['URL'] === URL);
    mapQuerySecrets(URL, (value) => {
      clear('URL', value, shown?.['URL'] === URL);
      return value;
    });
  }
  for (const path of secretPaths(probe, options)) {
    const value = at(options, path);
    const same = at(shown?.['Options'] ?? {}, path) === value;
    if (typeof value === 'string') clear(`Options.${path}`, value, same);
  }
  return problems;
}

function problem(entry: Entry, field: string, text: string): Problem {
  return { at: entry.at(field), text };
}

function at(value: Json, path: string): Json | undefined {
  let found: Json | undefined = value;
  for (const part of path.split('.')) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = Array.isArray(found) ? found[Number(part)] : (found as { readonly [key: string]: Json })[part];
  }
  return found;
}
