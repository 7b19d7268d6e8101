import { type DeviceDraft, type Options, optionAt, optionsOf, setOption, Unsent } from './device-draft.ts';

/** The settings of the API with their keys in the draft, in the order of the form. */
const settings = {
  Method: 'method',
  URL: 'url',
  ShortName: 'shortName',
  FullName: 'fullName',
  Frequency: 'intervalS',
  Timeout: 'timeout',
  Attempts: 'attempts',
  RetryDelay: 'retryDelay',
  ExpiryWarningDays: 'expiryDays',
  Severity: 'severity',
  Enabled: 'isEnabled',
  Locations: 'locations',
  Tags: 'tags',
  nschedule_id: 'nscheduleId',
  mschedule_id: 'mscheduleId',
  device_master_id: 'masterId',
  ExternalKey: 'externalKey',
  Source: 'source',
} as const satisfies Readonly<Record<string, keyof DeviceDraft>>;

type Setting = keyof typeof settings;
const isSetting = (name: string): name is Setting => name in settings;
const optionPrefix = 'Options.';

/** A setting with its values in two drafts. `field` is its name in the API: `Timeout`, `Options.TLS.Verify`. */
export interface DraftChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** The names of the set Options; those of TLS are single. */
function optionNames(options: Options): readonly string[] {
  return Object.entries(options).flatMap(([name, value]) =>
    name === 'TLS' && typeof value === 'object' && value !== null && !(value instanceof Unsent)
      ? Object.keys(value).map((part) => `${name}.${part}`)
      : [name],
  );
}

function settingOf(draft: DeviceDraft, field: string): unknown {
  if (isSetting(field)) return draft[settings[field]];
  return optionAt(draft, field.slice(optionPrefix.length).split('.'));
}

/** The settings that differ between two drafts. */
export function changesBetween(before: DeviceDraft, after: DeviceDraft): readonly DraftChange[] {
  const options = new Set([...optionNames(optionsOf(before)), ...optionNames(optionsOf(after))]);
  const fields = [...Object.keys(settings), ...[...options].map((name) => `${optionPrefix}${name}`)];
  return fields
    .map((field) => ({ field, before: settingOf(before, field), after: settingOf(after, field) }))
    .filter((change) => !isSame(change.before, change.after));
}

/** A draft with the value that another draft has for a setting. */
export function withSettingOf(draft: DeviceDraft, from: DeviceDraft, field: string): DeviceDraft {
  if (isSetting(field)) return { ...draft, [settings[field]]: from[settings[field]] };
  const path = field.slice(optionPrefix.length).split('.');
  return { ...draft, ...setOption(draft, path, optionAt(from, path)) };
}

/** A draft that was joined with values that were stored while it was edited. */
export interface JoinedDraft {
  readonly draft: DeviceDraft;
  /** The settings that both changed, to different values. The draft has those of the person who edits. */
  readonly clashes: readonly { readonly field: string; readonly mine: unknown; readonly theirs: unknown }[];
  /** The settings that only the other one changed. The draft has their new values. */
  readonly taken: readonly DraftChange[];
}

/** Joins a draft with the values that were stored since it began. `basis`: the stored values when it began. Pure. */
export function joinDrafts(basis: DeviceDraft, mine: DeviceDraft, theirs: DeviceDraft): JoinedDraft {
  const ownChanges = new Map(changesBetween(basis, mine).map((change) => [change.field, change.after]));
  const others = changesBetween(basis, theirs);
  const taken = others.filter(({ field }) => !ownChanges.has(field));
  const clashes = others
    .filter(({ field, after }) => ownChanges.has(field) && !isSame(ownChanges.get(field), after))
    .map(({ field, after }) => ({ field, mine: ownChanges.get(field), theirs: after }));
  const draft = taken.reduce((joined, { field }) => withSettingOf(joined, theirs, field), mine);
  return { draft, clashes, taken };
}
