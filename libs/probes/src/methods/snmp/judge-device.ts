import { type Json, type MeasuredValue, maxValues } from '@vantage/domain';
import { printable, quoteShort } from '../../contract/display.ts';
import { watchedBy } from './interface-layout.ts';
import type { InterfaceReading } from './interface-readings.ts';
import type { ValueReading } from './value-readings.ts';

/** An expectation of the Options that is not met. */
export interface Unmet {
  /** `Gi1/0/3 is Down, expected Up` */
  readonly text: string;
  /** Whether the check fails. */
  readonly isFailure: boolean;
}

/** The expectations that a device does not meet, in the order of the Options. A rate that is not known meets them. */
export function unmetExpectations(
  interfaces: readonly InterfaceReading[],
  values: readonly ValueReading[],
): readonly Unmet[] {
  return [
    ...interfaces.flatMap((reading) =>
      interfaceFaults(reading).map((text) => ({ text, isFailure: reading.watched.DeviceDown })),
    ),
    ...values.flatMap((reading) => {
      const text = valueFault(reading);
      return text === undefined ? [] : [{ text, isFailure: true }];
    }),
  ];
}

function interfaceFaults({
  found,
  watched,
  status,
  utilisation,
  errors,
}: InterfaceReading): readonly string[] {
  const { ExpectStatus, MaxUtilisation, MaxErrorsPerSecond } = watched;
  const name = printable(found.label);
  const faults: string[] = [];
  if (status === 'Missing') faults.push(`${name} is missing`);
  else if (ExpectStatus !== 'Any' && !isAs(status, ExpectStatus))
    faults.push(`${name} is ${status}, expected ${ExpectStatus}`);
  if (MaxUtilisation !== undefined && utilisation !== undefined && utilisation > MaxUtilisation)
    faults.push(`${name} has a utilisation of ${shown(utilisation)} %, at most ${MaxUtilisation} %`);
  if (MaxErrorsPerSecond !== undefined && errors !== undefined && errors > MaxErrorsPerSecond)
    faults.push(`${name} has ${shown(errors)} errors/s, at most ${MaxErrorsPerSecond}`);
  return faults;
}

/** A dormant interface waits for traffic. One that is not present, or above a lower one that is down, is down. */
function isAs(status: string, expected: 'Up' | 'Down'): boolean {
  const isUp = status === 'Up' || status === 'Dormant';
  const isDown = ['Down', 'NotPresent', 'LowerLayerDown'].includes(status);
  return expected === 'Up' ? isUp : isDown;
}

function valueFault({ label, unit, number, text, watched }: ValueReading): string | undefined {
  const { Expect, Min, Max } = watched;
  const withUnit = (value: number) => `${shown(value)}${unit === '' ? '' : ` ${unit}`}`;
  if (text === undefined) return `the device has no ${label}`;
  if (Expect !== undefined && text !== Expect && !(number !== undefined && `${number}` === Expect))
    return `${label} is ${quoteShort(text)}, expected ${quoteShort(Expect)}`;
  if (number === undefined) return undefined;
  if (Min !== undefined && number < Min) return `${label} is ${withUnit(number)}, at least ${withUnit(Min)}`;
  if (Max !== undefined && number > Max) return `${label} is ${withUnit(number)}, at most ${withUnit(Max)}`;
  return undefined;
}

function shown(value: number): string {
  return `${Number(value.toPrecision(4))}`;
}

/**
 * The measured values: those of the Options, then of the interfaces in this order of importance. If a kind does not fit
 * for all interfaces, only those with a limit for it have it. Which ones fit does not depend on the rates that a check
 * has, so that a value does not come and go.
 */
export function measuredValues(
  interfaces: readonly InterfaceReading[],
  values: readonly ValueReading[],
): readonly MeasuredValue[] {
  const labels = new Map<string, MeasuredValue>();
  const add = (label: string, value: number | undefined, unit: string) => {
    if (value === undefined) return;
    let unique = label;
    for (let copy = 2; labels.has(unique); copy += 1) unique = `${label} (${copy})`;
    labels.set(unique, { Label: unique, Value: value, Unit: unit });
  };
  for (const { label, number, unit } of values) add(label, number, unit);
  let left = maxValues - values.length;
  for (const { suffix, unit, figure, hasLimit } of kinds) {
    const having = interfaces.length <= left ? interfaces : interfaces.filter(hasLimit).slice(0, left);
    left -= having.length;
    for (const reading of having) add(`${printable(reading.found.label)} ${suffix}`, figure(reading), unit);
  }
  return [...labels.values()];
}

const never = () => false;

const kinds: readonly {
  readonly suffix: string;
  readonly unit: string;
  readonly figure: (reading: InterfaceReading) => number | undefined;
  /** The Options have a limit for it. */
  readonly hasLimit: (reading: InterfaceReading) => boolean;
}[] = [
  { suffix: 'in bit/s', unit: 'bit/s', figure: ({ inBits }) => inBits, hasLimit: never },
  { suffix: 'out bit/s', unit: 'bit/s', figure: ({ outBits }) => outBits, hasLimit: never },
  {
    suffix: 'errors/s',
    unit: '/s',
    figure: ({ errors }) => errors,
    hasLimit: ({ watched }) => watched.MaxErrorsPerSecond !== undefined,
  },
  { suffix: 'discards/s', unit: '/s', figure: ({ discards }) => discards, hasLimit: never },
  {
    suffix: 'utilisation',
    unit: '%',
    figure: ({ utilisation }) => utilisation,
    hasLimit: ({ watched }) => watched.MaxUtilisation !== undefined,
  },
];

/** The interfaces as evidence. Without rates, so that good checks have equal facts; the rates are values. */
export function interfaceTable(interfaces: readonly InterfaceReading[]): Json {
  return interfaces.map(({ found, watched, status, isAmbiguous }) => ({
    Name: printable(found.label),
    ...(watchedBy(watched) === found.label ? {} : { WatchedBy: watchedBy(watched) }),
    ...(found.alias === '' ? {} : { Alias: printable(found.alias) }),
    Status: status,
    ...(found.index === undefined ? {} : { Index: found.index }),
    ...(found.speed === undefined ? {} : { Speed: found.speed }),
    ...(watched.ExpectStatus === 'Up' ? {} : { Expect: watched.ExpectStatus }),
    ...(watched.DeviceDown ? { DeviceDown: true } : {}),
    ...(isAmbiguous ? { Note: ambiguousNote } : {}),
  }));
}

const ambiguousNote =
  'no rates: its 32-bit counters may wrap more than once between two checks; check more often, or use v2c or v3';
