import type { WatchedInterface } from './snmp-options.ts';
import { readRows, readTable, type SnmpSource, type TableRow, type TableRows } from './snmp-tables.ts';
import { numberOf, textOf } from './snmp-text.ts';

const ifEntry = '1.3.6.1.2.1.2.2.1';
const ifXEntry = '1.3.6.1.2.1.31.1.1.1';

/** Columns of IF-MIB (RFC 2863). */
export const column = {
  description: `${ifEntry}.2`,
  speed: `${ifEntry}.5`,
  status: `${ifEntry}.8`,
  inOctets: `${ifEntry}.10`,
  inDiscards: `${ifEntry}.13`,
  inErrors: `${ifEntry}.14`,
  outOctets: `${ifEntry}.16`,
  outDiscards: `${ifEntry}.19`,
  outErrors: `${ifEntry}.20`,
  name: `${ifXEntry}.1`,
  inOctets64: `${ifXEntry}.6`,
  outOctets64: `${ifXEntry}.10`,
  megabits: `${ifXEntry}.15`,
  alias: `${ifXEntry}.18`,
  discontinuity: `${ifXEntry}.19`,
} as const;

/** ifName and ifDescr (RFC 2863). */
export const maxName = 255;

/** A watched interface, as the tables of the device have it. */
export interface FoundInterface {
  /** undefined: the device has no such interface. */
  readonly index: number | undefined;
  /** Its position among all rows of the table; 0 of a missing one. */
  readonly position: number;
  /** Its ifName, else its ifDescr; of a missing one the Name, Alias or Index of the Options. Each label once. */
  readonly label: string;
  /** Its ifName, or its ifDescr if the device has no names; '' of a missing one. */
  readonly name: string;
  /** Its ifAlias; '' if it has none, or the device has no such column. */
  readonly alias: string;
  /** bit/s; undefined if the device does not report it. */
  readonly speed: number | undefined;
  readonly has64Bits: boolean;
}

/** The watched interfaces of a device, in the order of the Options. */
export interface InterfaceLayout {
  readonly interfaces: readonly FoundInterface[];
  /** The interfaces of the Options for which it was made. */
  readonly key: string;
  /** Whether the device has ifXTable (names, 64-bit counters, discontinuities). */
  readonly isExtended: boolean;
  /** ifTableLastChange, hundredths of a second; undefined if the device has none. */
  readonly tableChange: number | undefined;
  readonly readMs: number;
}

export function layoutKey(watched: readonly WatchedInterface[]): string {
  return JSON.stringify(watched.map(({ Name, Alias, Index }) => [Name, Alias, Index]));
}

/** Finds the watched interfaces in the tables of the device. Of two with the same name the first counts. */
export async function readLayout(
  source: SnmpSource,
  watched: readonly WatchedInterface[],
): Promise<InterfaceLayout> {
  const indexes = watched.flatMap(({ Index }) => (Index === undefined ? [] : [Index]));
  const isByIndex = indexes.length === watched.length;
  const read = (columns: readonly string[]) =>
    isByIndex ? readRows(source, columns, indexes, Number.POSITIVE_INFINITY) : readTable(source, columns);
  const extended = await read([column.name, column.alias, column.megabits, column.inOctets64]);
  const isExtended = [...extended.values()].some((row) => row.has(column.name));
  // Old devices have no names: people know the interfaces by their descriptions.
  const plain = isExtended ? undefined : await read([column.description, column.speed]);
  const rows = plain ?? (await withDescriptions(source, extended, watched));
  // Of rows that were read by their indexes, the others between them are not known.
  const order = [...rows.keys()].toSorted((a, b) => a - b);
  const positionOf = (index: number) => (isByIndex ? index : order.indexOf(index));
  const interfaces = withOwnLabels(watched.map((each) => foundInterface(each, rows, positionOf)));
  const [answer] = [...rows.values()].flatMap((row) => [...row.values()].map((cell) => cell.answer));
  return {
    interfaces,
    key: layoutKey(watched),
    isExtended,
    tableChange: answer?.tableChange,
    readMs: source.monoMs(),
  };
}

/** The rows with their ifDescr too, if a Name of the Options is no ifName. */
async function withDescriptions(
  source: SnmpSource,
  rows: TableRows,
  watched: readonly WatchedInterface[],
): Promise<TableRows> {
  const names = new Set([...rows.values()].map((row) => textOf(row.get(column.name)?.value)));
  if (watched.every(({ Name }) => Name === undefined || names.has(Name))) return rows;
  const described = await readTable(source, [column.description]);
  return new Map(
    [...described].map(([index, row]) => [index, new Map([...(rows.get(index) ?? []), ...row])]),
  );
}

function foundInterface(
  { Name, Alias, Index }: WatchedInterface,
  rows: TableRows,
  positionOf: (index: number) => number,
): FoundInterface {
  const by = (oid: string, text: string | undefined) =>
    [...rows].find(([, row]) => text !== undefined && textOf(row.get(oid)?.value) === text);
  const byIndex = Index === undefined ? undefined : ([Index, rows.get(Index)] as const);
  const found = byIndex ?? by(column.alias, Alias) ?? by(column.name, Name) ?? by(column.description, Name);
  const row = found?.[1];
  if (found === undefined || row === undefined)
    return {
      index: undefined,
      position: 0,
      label: watchedBy({ Name, Alias, Index }),
      name: '',
      alias: '',
      speed: undefined,
      has64Bits: false,
    };
  const name = nameOf(row);
  return {
    index: found[0],
    position: positionOf(found[0]),
    label: name || `${found[0]}`,
    name,
    alias: textOf(row.get(column.alias)?.value).slice(0, maxName),
    speed: speedOf(row),
    has64Bits: row.get(column.inOctets64)?.value?.type === 'counter64',
  };
}

/** The name, alias or index by which the Options name an interface. */
export function watchedBy({
  Name,
  Alias,
  Index,
}: Pick<WatchedInterface, 'Name' | 'Alias' | 'Index'>): string {
  return Name ?? Alias ?? `${Index}`;
}

function nameOf(row: TableRow): string {
  const name = textOf(row.get(column.name)?.value) || textOf(row.get(column.description)?.value);
  return name.slice(0, maxName);
}

/** bit/s. ifSpeed ends at 4,294,967,295; ifHighSpeed counts in steps of 1,000,000. */
function speedOf(row: TableRow): number | undefined {
  const megabits = numberOf(row.get(column.megabits)?.value) ?? 0;
  const speed = megabits > 0 ? megabits * 1_000_000 : numberOf(row.get(column.speed)?.value);
  return speed === undefined || speed <= 0 ? undefined : speed;
}

function withOwnLabels(interfaces: readonly FoundInterface[]): readonly FoundInterface[] {
  const used = new Set<string>();
  return interfaces.map((each) => {
    const label = used.has(each.label) ? `${each.label} (${each.index ?? used.size})` : each.label;
    used.add(label);
    return { ...each, label };
  });
}
