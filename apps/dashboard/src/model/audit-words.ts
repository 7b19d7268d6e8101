// The audit as sentences: what an entry says happened.

/** An entry as the API shows it. */
export interface Entry {
  readonly Action: 'Create' | 'Update' | 'Delete' | 'Refuse';
  readonly Kind: string;
  readonly Id: string;
  readonly Changes: readonly {
    readonly Field: string;
    readonly Old?: unknown;
    readonly New?: unknown;
  }[];
}

/** The kinds of things as people call them, in the order of a list of choices. */
export const kindNames = {
  device: 'device',
  devices: 'devices',
  tag: 'tag',
  location: 'Location',
  agent: 'agent',
  alert: 'alert',
  outage: 'outage',
  maintenance: 'maintenance',
  contact: 'contact',
  nschedule: 'notification schedule',
  mschedule: 'maintenance schedule',
  delivery: 'message',
  page: 'status page',
  report: 'monthly report',
  hook: 'hook',
  secret: 'secret',
  account: 'account',
  user: 'person',
  key: 'key',
  session: 'session',
} as const;
type Kind = keyof typeof kindNames;

const isKind = (text: string): text is Kind => Object.hasOwn(kindNames, text);

const verbs = { Create: 'created', Update: 'changed', Delete: 'deleted', Refuse: 'was refused' } as const;
const ofSessions = {
  Create: 'signed in',
  Update: 'changed',
  Delete: 'signed out',
  Refuse: 'was refused',
} as const;
/** Fields that name a thing, the best one first. */
const naming = ['FullName', 'Name', 'ShortName', 'Device'];

/** Names things by their names. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(textOf).join(', ');
  if (value !== null && typeof value === 'object' && 'Name' in value) return String(value.Name);
  return JSON.stringify(value);
}

/** A value on one line, at most so long. */
function shown(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  const text = textOf(value);
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}

/** The name of the thing that changed, where the entry itself has it. */
function nameIn({ Changes }: Entry): string | undefined {
  for (const field of naming) {
    const found = Changes.find(({ Field }) => Field === field);
    const name = found?.New ?? found?.Old;
    if (typeof name === 'string' && name !== '') return name;
  }
  return undefined;
}

/** The deed of an entry: the verb, and the thing. `nameOf` knows things that are still there. */
export function deedOf(
  entry: Entry,
  nameOf: (id: string) => string | undefined,
): { readonly verb: string; readonly kind: string; readonly name: string } {
  const { Action, Kind, Id } = entry;
  if (Kind === 'session') return { verb: ofSessions[Action], kind: '', name: '' };
  const kind = isKind(Kind) ? kindNames[Kind] : Kind;
  // Of the account there is one.
  const name = Kind === 'account' ? '' : (nameOf(Id) ?? nameIn(entry) ?? Id.slice(0, 8));
  return { verb: verbs[Action], kind, name };
}

/** The fields of an entry, beside its sentence. */
export interface Details {
  /** Of a change: a line for each field, `Timeout: 30 → 10`. */
  readonly changes: readonly string[];
  /** Of a new or deleted thing: its fields, `Timeout: 30`. */
  readonly fields: readonly string[];
}

const isSet = (value: unknown) => value !== null && value !== undefined && value !== '';
/** The sentence says who signs in. */
const inSentence = ['Key', 'Name', 'FullName'];

/** The fields of an entry. Those without a value, and those that the sentence has, are left out. */
export function detailsOf({ Action, Changes }: Entry): Details {
  const told = Changes.filter(({ Old, New }) => isSet(Old) || isSet(New));
  if (Action === 'Update')
    return {
      changes: told.map(({ Field, Old, New }) => `${Field}: ${shown(Old)} → ${shown(New)}`),
      fields: [],
    };
  const others = told.filter(({ Field }) => !inSentence.includes(Field));
  return { changes: [], fields: others.map(({ Field, Old, New }) => `${Field}: ${shown(New ?? Old)}`) };
}

/** The filters of the audit as they stand in the address. */
export interface AuditFilter {
  readonly actor: string;
  readonly kind: Kind | '';
  readonly action: Entry['Action'] | '';
  /** Days in the account's zone: `2026-02-25`. */
  readonly from: string;
  readonly to: string;
}

const actions = ['Create', 'Update', 'Delete', 'Refuse'] as const;
const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text);

/** Reads the filters of an address; what is not right counts as absent. */
export function readAuditFilter(query: URLSearchParams): AuditFilter {
  const of = (name: string) => query.get(name) ?? '';
  const kind = of('kind');
  return {
    actor: of('actor').slice(0, 200),
    kind: isKind(kind) ? kind : '',
    action: actions.find((each) => each === of('action')) ?? '',
    from: isDay(of('from')) ? of('from') : '',
    to: isDay(of('to')) ? of('to') : '',
  };
}

/** The address of these filters. */
export function auditAddress(filter: AuditFilter): string {
  const set = Object.entries(filter).filter(([, value]) => value !== '');
  return set.length === 0
    ? '/audit'
    : `/audit?${new URLSearchParams(set.map(([key, value]) => [key, value]))}`;
}

/** The parameters of the API for these filters. */
export function auditQuery({ actor, kind, action, from, to }: AuditFilter) {
  return {
    ...(actor === '' ? {} : { Actor: actor }),
    ...(kind === '' ? {} : { Kind: [kind] }),
    ...(action === '' ? {} : { Action: [action] }),
    ...(from === '' ? {} : { Timestamp1: `${from}T00:00:00` }),
    ...(to === '' ? {} : { Timestamp2: `${to}T23:59:59` }),
  };
}
