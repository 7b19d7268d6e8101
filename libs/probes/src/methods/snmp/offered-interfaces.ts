import { printable } from '../../contract/display.ts';
import { column } from './interface-layout.ts';
import { counterOf, statusOf } from './interface-readings.ts';
import { rateOf } from './rate-of.ts';
import { readTable, type SnmpSource, type TableRow, type TableRows } from './snmp-tables.ts';
import { numberOf, textOf } from './snmp-text.ts';

/** An interface of a device. */
export interface OfferedInterface {
  readonly Index: number;
  /** Its ifName, else its ifDescr; '' if it has neither. */
  readonly Name: string;
  readonly Alias: string;
  readonly Status: string;
  /** As an administrator set it: `Up`, `Down`, `Testing`. */
  readonly AdminStatus: string;
  /** bit/s; null: the device does not report it. */
  readonly Speed: number | null;
  /** bit/s between two readings; null: the counters do not say it. */
  readonly InBits: number | null;
  readonly OutBits: number | null;
}

const ifEntry = '1.3.6.1.2.1.2.2.1';
const adminStatus = `${ifEntry}.7`;
const maxText = 255;

/** The interfaces of a device at one time. */
export interface InterfaceTable {
  readonly plain: TableRows;
  readonly extended: TableRows;
}

export async function readInterfaceTable(source: SnmpSource): Promise<InterfaceTable> {
  const { description, speed, status, inOctets, outOctets } = column;
  return {
    plain: await readTable(source, [description, speed, adminStatus, status, inOctets, outOctets]),
    extended: await readTable(source, [
      column.name,
      column.alias,
      column.megabits,
      column.inOctets64,
      column.outOctets64,
    ]),
  };
}

/** The counters of octets once more: of 64 bits where the device has them. */
export async function readOctets(source: SnmpSource, { extended }: InterfaceTable): Promise<InterfaceTable> {
  const has64Bits = [...extended.values()].some((row) => row.has(column.inOctets64));
  const columns = has64Bits ? [column.inOctets64, column.outOctets64] : [column.inOctets, column.outOctets];
  const rows = await readTable(source, columns);
  return has64Bits ? { plain: new Map(), extended: rows } : { plain: rows, extended: new Map() };
}

/** The interfaces in the order of their indexes, with their rates between the two readings. Pure. */
export function offeredInterfaces(
  before: InterfaceTable,
  after: InterfaceTable | undefined,
): readonly OfferedInterface[] {
  return [...before.plain]
    .toSorted(([a], [b]) => a - b)
    .map(([index, plain]) => {
      const extended = before.extended.get(index);
      const rate = (wide: string, narrow: string) =>
        bitsOf(extended, after?.extended.get(index), wide) ?? bitsOf(plain, after?.plain.get(index), narrow);
      const megabits = numberOf(extended?.get(column.megabits)?.value) ?? 0;
      const speed = megabits > 0 ? megabits * 1_000_000 : (numberOf(plain.get(column.speed)?.value) ?? 0);
      return {
        Index: index,
        Name: textIn(extended, column.name) || textIn(plain, column.description),
        Alias: textIn(extended, column.alias),
        Status: statusOf(plain.get(column.status)?.value),
        AdminStatus: statusOf(plain.get(adminStatus)?.value),
        Speed: speed > 0 ? speed : null,
        InBits: rate(column.inOctets64, column.inOctets) ?? null,
        OutBits: rate(column.outOctets64, column.outOctets) ?? null,
      };
    });
}

function bitsOf(before: TableRow | undefined, after: TableRow | undefined, oid: string): number | undefined {
  const now = counterOf(after?.get(oid));
  const rate = now && rateOf(counterOf(before?.get(oid)), now, { isFullRate: true });
  return rate?.kind === 'rate' ? Math.round(rate.perSecond * 8) : undefined;
}

function textIn(row: TableRow | undefined, oid: string): string {
  return printable(textOf(row?.get(oid)?.value))
    .slice(0, maxText)
    .toWellFormed();
}
