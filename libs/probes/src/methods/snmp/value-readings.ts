import { counterOf } from './interface-readings.ts';
import { type KnownObject, knownObject } from './known-objects.ts';
import { type CounterReading, rateOf } from './rate-of.ts';
import type { WatchedValue } from './snmp-options.ts';
import type { Cell } from './snmp-tables.ts';
import { numberOf, textOf } from './snmp-text.ts';

/** A value of the Options in one check. */
export interface ValueReading {
  readonly label: string;
  readonly unit: string;
  /** The number; the rate of a counter. undefined if it is a text, or not known in this check. */
  readonly number: number | undefined;
  /** As the device reports it; undefined if the device has no such object. */
  readonly text: string | undefined;
  readonly watched: WatchedValue;
}

/** The objects that a check needs for its Values. */
export function objectsOf(values: readonly WatchedValue[]): readonly string[] {
  return values.flatMap((watched) => {
    const { oid, known } = objectOf(watched);
    return [oid, ...(known?.companions ?? [])];
  });
}

/** The values from the objects of an answer, and the counters for the next check. */
export function readValues(
  values: readonly WatchedValue[],
  cells: ReadonlyMap<string, Cell>,
  previous: ReadonlyMap<string, CounterReading>,
): { readonly readings: readonly ValueReading[]; readonly counters: ReadonlyMap<string, CounterReading> } {
  const counters = new Map<string, CounterReading>();
  const readings = values.map((watched): ValueReading => {
    const { oid, known } = objectOf(watched);
    const cell = cells.get(oid);
    const value = cell?.value;
    const counter = counterOf(cell);
    const isCounter = counter !== undefined || watched.Kind === 'Counter' || known?.kind === 'Counter';
    const kind = watched.Kind ?? known?.kind ?? (isCounter ? 'Counter' : 'Gauge');
    const shown = {
      label: watched.Label ?? known?.label ?? oid,
      unit: watched.Unit ?? known?.unit ?? (kind === 'Counter' ? '/s' : ''),
      text: value === undefined ? undefined : textOf(value),
      watched,
    };
    if (kind === 'Text') return { ...shown, number: undefined };
    if (kind === 'Counter') return { ...shown, number: rateOfCounter(oid, counter, previous, counters) };
    const number = numberOf(value);
    const companions = (known?.companions ?? []).map((each) => numberOf(cells.get(each)?.value));
    return { ...shown, number: number === undefined ? undefined : scaled(known, number, companions) };
  });
  return { readings, counters };
}

function objectOf({ OID, Name }: WatchedValue): { readonly oid: string; readonly known?: KnownObject } {
  const known = Name === undefined ? undefined : knownObject(Name);
  return known ? { oid: known.oid, known } : { oid: (OID ?? '').replace(/^\./, '') };
}

/** Binary fractions are no digits of the device: 0.1 × 2,312 is 231.2. */
function scaled(
  known: KnownObject | undefined,
  number: number,
  companions: readonly (number | undefined)[],
): number | undefined {
  const value = known ? known.scale(number, companions) : number;
  return value === undefined || !Number.isFinite(value) ? undefined : Number(value.toPrecision(12));
}

/** A counter that devices send as a gauge or a text has no rate. */
function rateOfCounter(
  oid: string,
  counter: CounterReading | undefined,
  previous: ReadonlyMap<string, CounterReading>,
  counters: Map<string, CounterReading>,
): number | undefined {
  if (counter === undefined) return undefined;
  const before = previous.get(oid);
  const rate = rateOf(before, counter, { isFullRate: false });
  const isSoon = rate.kind === 'none' && rate.reason === 'soon';
  counters.set(oid, isSoon && before ? before : counter);
  return rate.kind === 'rate' ? rate.perSecond : undefined;
}
