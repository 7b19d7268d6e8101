import { fieldName, type RecordedChange } from './audit-names.ts';
import { isId } from './list-filter.ts';

/** The kinds of things in words, in the order of the list from which people choose. */
export const kindNames = {
  device: 'device',
  devices: 'devices',
  tag: 'tag',
  location: 'Location',
  agent: 'agent',
  alert: 'alert',
  outage: 'outage',
  mark: 'mark',
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
export type AuditKind = keyof typeof kindNames;

const verbs = { Create: 'created', Update: 'changed', Delete: 'deleted', Refuse: 'was refused' } as const;
const sessionVerbs = {
  Create: 'signed in',
  Update: 'changed',
  Delete: 'signed out',
  Refuse: 'was refused',
} as const;
/** Fields with the name of a thing, the best one first. */
const nameFields = ['FullName', 'Name', 'ShortName', 'Device', 'Text'];

type NameOf = (id: string) => string | undefined;
const none = 'none';

/** A value as text: things by their names. */
function textOf(value: unknown, nameOf: NameOf): string {
  // The names of deleted things are no longer known; the start of the id tells them apart.
  if (isId(value)) return nameOf(value) ?? `a deleted one (${value.slice(0, 8)})`;
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) {
    const hasObjects = value.some((item) => typeof item === 'object' && item !== null && !('Name' in item));
    return value.length === 0
      ? none
      : value.map((item) => textOf(item, nameOf)).join(hasObjects ? '; ' : ', ');
  }
  if (value === null || typeof value !== 'object') return String(value);
  if ('Name' in value) return String(value.Name);
  return Object.entries(value)
    .filter(([, part]) => isSet(part))
    .map(([name, part]) => `${fieldName(name)} ${textOf(part, nameOf)}`)
    .join(', ');
}

/** A value on one line of at most 80 characters. */
export function shortText(value: unknown, nameOf: NameOf): string {
  if (!isSet(value)) return none;
  const text = textOf(value, nameOf);
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}

/** The name of the changed thing, if the entry has it. */
function nameIn({ Changes }: RecordedChange): string | undefined {
  for (const field of nameFields) {
    const found = Changes.find(({ Field }) => Field === field);
    const name = found?.New ?? found?.Old;
    if (typeof name === 'string' && name !== '') return name;
  }
  return undefined;
}

/** The verb and the thing of an entry. `nameOf` knows the names of things that still exist. */
export function deedOf(
  entry: RecordedChange,
  nameOf: NameOf,
): { readonly verb: string; readonly kind: string; readonly name: string } {
  const { Action, Kind, Id } = entry;
  if (Kind === 'session') return { verb: sessionVerbs[Action], kind: '', name: '' };
  const kind = Object.entries(kindNames).find(([key]) => key === Kind)?.[1] ?? Kind;
  // There is only one account.
  const name = Kind === 'account' ? '' : (nameOf(Id) ?? nameIn(entry) ?? Id.slice(0, 8));
  return { verb: verbs[Action], kind, name };
}

/** The fields of an entry that its sentence does not contain. */
export interface ChangeDetails {
  /** For a change: a line for each field, `Timeout: 30 → 10`. */
  readonly changes: readonly string[];
  /** For a new or deleted thing: its fields, `Timeout: 30`. */
  readonly fields: readonly string[];
}

const isSet = (value: unknown) => value !== null && value !== undefined && value !== '';
/** The sentence already contains these fields. */
const inSentence = ['Key', 'Name', 'FullName'];

/** The fields of an entry, without empty ones and those in its sentence. `nameOf` knows the names of things. */
export function detailsOf({ Action, Changes }: RecordedChange, nameOf: NameOf): ChangeDetails {
  const set = Changes.filter(({ Old, New }) => isSet(Old) || isSet(New));
  if (Action === 'Update')
    return {
      changes: set.map(
        ({ Field, Old, New }) => `${fieldName(Field)}: ${shortText(Old, nameOf)} → ${shortText(New, nameOf)}`,
      ),
      fields: [],
    };
  const others = set.filter(({ Field }) => !inSentence.includes(Field));
  return {
    changes: [],
    fields: others.map(({ Field, Old, New }) => `${fieldName(Field)}: ${shortText(New ?? Old, nameOf)}`),
  };
}
