import type { Json } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';
import { printable } from '../../contract/display.ts';
import {
  type InterfaceTable,
  type OfferedInterface,
  offeredInterfaces,
  readInterfaceTable,
  readOctets,
} from './offered-interfaces.ts';
import { type OfferedValue, readOfferedValues } from './offered-objects.ts';
import type { SnmpClient } from './snmp-client.ts';
import { newLimits, readObjects, type SnmpSource } from './snmp-tables.ts';
import { textOf } from './snmp-text.ts';

const sysDescr = '1.3.6.1.2.1.1.1.0';
const sysName = '1.3.6.1.2.1.1.5.0';
const maxDescription = 500;
/** Rates need two readings that are this far apart. */
const apartMs = 2_000;
/** The part of the time after which no further table is begun. */
const lateShare = 0.6;
/** The interfaces and values together, as JSON; the facts of a result have at most 64 KiB. */
const maxBytes = 60_000;
/** A list of a result has at most 300 items. */
const maxListed = 250;

/** The interfaces and sensors of a device: the facts of one run, for the extended data. */
export async function offerDevice(run: {
  readonly clock: Clock;
  readonly client: SnmpClient;
  readonly peer: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}): Promise<{ readonly text: string; readonly offer: Json }> {
  const { clock, client, peer, timeoutMs, signal } = run;
  const monoMs = () => clock.monoMs();
  const beganMs = monoMs();
  const isLate = () => monoMs() - beganMs > timeoutMs * lateShare;
  const source: SnmpSource = { client, peer, limits: newLimits(beganMs), monoMs };
  const system = await readObjects(source, [sysDescr, sysName]);
  const text = (oid: string) => printable(textOf(system.get(oid)?.value)).slice(0, maxDescription);
  const before = await readInterfaceTable(source);
  const readMs = monoMs();
  const { values, isComplete } = await readOfferedValues(source, isLate);
  const after = await octetsLater(source, before, { readMs, isLate, clock, signal });
  const offered = bounded(offeredInterfaces(before, after), values);
  const name = text(sysName);
  const counted = `${before.plain.size} interfaces, ${values.length} values`;
  return {
    text: `${name === '' ? 'the device' : name} offers ${counted}`,
    offer: {
      System: { Name: name, Description: text(sysDescr) },
      Interfaces: blocksOf(offered.interfaces),
      Values: blocksOf(offered.values),
      IsComplete: isComplete && offered.isComplete,
    },
  };
}

async function octetsLater(
  source: SnmpSource,
  before: InterfaceTable,
  {
    readMs,
    isLate,
    clock,
    signal,
  }: {
    readonly readMs: number;
    readonly isLate: () => boolean;
    readonly clock: Clock;
    readonly signal: AbortSignal;
  },
): Promise<InterfaceTable | undefined> {
  if (before.plain.size === 0 || isLate()) return undefined;
  const leftMs = apartMs - (clock.monoMs() - readMs);
  if (leftMs > 0) await clock.sleep(leftMs, signal);
  return isLate() ? undefined : await readOctets(source, before);
}

/** As many entries as a result may have: first values, which are at most some hundred, then interfaces. Pure. */
function bounded(interfaces: readonly OfferedInterface[], values: readonly OfferedValue[]) {
  let left = maxBytes;
  const fits = (entry: object) => {
    left -= JSON.stringify(Object.values(entry)).length + 1;
    return left >= 0;
  };
  const kept = { values: values.filter(fits), interfaces: interfaces.filter(fits) };
  return {
    ...kept,
    isComplete: kept.interfaces.length === interfaces.length && kept.values.length === values.length,
  };
}

/** Entries as lists of their values, which are shorter than objects, in blocks. Pure. */
function blocksOf(entries: readonly (OfferedInterface | OfferedValue)[]): Json {
  const rows = entries.map((entry): Json => Object.values(entry));
  const blocks: Json[] = [];
  for (let at = 0; at < rows.length; at += maxListed) blocks.push(rows.slice(at, at + maxListed));
  return blocks;
}
