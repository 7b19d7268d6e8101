import type { Schemas } from '@vantage/client';

export type OfferedInterface = Schemas['OfferedInterface'];
export type OfferedValue = Schemas['OfferedValue'];

/** An entry of the Options `Interfaces` or `Values`. */
type Entry = Readonly<Record<string, unknown>>;

/** The limits of the API. */
export const maxInterfaces = 64;
export const maxValues = 50;

/** The entries of an Option; undefined: it holds something else, which a person is typing. */
export function entriesOf(option: unknown): readonly Entry[] | undefined {
  if (option === undefined || option === null) return [];
  const isList =
    Array.isArray(option) && option.every((entry) => typeof entry === 'object' && entry !== null);
  return isList ? option : undefined;
}

/**
 * The Option by which an interface is watched: its name, which stays after a restart, or its index where others have
 * its name.
 */
function watchOf({ Name, Index }: OfferedInterface, all: readonly OfferedInterface[]): Entry {
  const isOwn = Name !== '' && all.filter((other) => other.Name === Name).length === 1;
  return isOwn ? { Name } : { Index };
}

/** Whether an entry of the Options watches an interface. */
function watches(entry: Entry, { Name, Alias, Index }: OfferedInterface): boolean {
  if (entry['Name'] !== undefined) return entry['Name'] === Name;
  if (entry['Alias'] !== undefined) return entry['Alias'] === Alias;
  return entry['Index'] === Index;
}

export function isInterfaceChosen(entries: readonly Entry[], offered: OfferedInterface): boolean {
  return entries.some((entry) => watches(entry, offered));
}

/** The entries with or without an interface. Others, and their limits, stay as they are. Pure. */
export function withInterface(
  entries: readonly Entry[],
  offered: OfferedInterface,
  all: readonly OfferedInterface[],
): readonly Entry[] | undefined {
  const others = entries.filter((entry) => !watches(entry, offered));
  const next = others.length < entries.length ? others : [...entries, watchOf(offered, all)];
  return next.length === 0 ? undefined : next;
}

export function isValueChosen(entries: readonly Entry[], { Name }: OfferedValue): boolean {
  return entries.some((entry) => entry['Name'] === Name);
}

/** The entries with or without a value. Pure. */
export function withOfferedValue(
  entries: readonly Entry[],
  { Name, Label, Unit }: OfferedValue,
): readonly Entry[] | undefined {
  const others = entries.filter((entry) => entry['Name'] !== Name);
  const added = { Name, Label, ...(Unit === '' ? {} : { Unit }) };
  const next = others.length < entries.length ? others : [...entries, added];
  return next.length === 0 ? undefined : next;
}

/** The interfaces of an offer that are shown. */
export interface OfferFilter {
  /** Part of a name, an alias, a label or an object. */
  readonly search: string;
  readonly isUpOnly: boolean;
  readonly hasAliasOnly: boolean;
}

const contains = (search: string, texts: readonly string[]) =>
  texts.some((text) => text.toLowerCase().includes(search.trim().toLowerCase()));

export function shownInterfaces(
  all: readonly OfferedInterface[],
  { search, isUpOnly, hasAliasOnly }: OfferFilter,
): readonly OfferedInterface[] {
  return all.filter(
    ({ Name, Alias, Status }) =>
      contains(search, [Name, Alias]) && (!isUpOnly || Status === 'Up') && (!hasAliasOnly || Alias !== ''),
  );
}

export function shownValues(all: readonly OfferedValue[], { search }: OfferFilter): readonly OfferedValue[] {
  return all.filter(({ Name, Label, Group }) => contains(search, [Name, Label, Group]));
}
