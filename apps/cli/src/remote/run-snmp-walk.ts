import { readFileSync } from 'node:fs';
import type { Json } from '@vantage/domain';
import { Fault, isRecord, messageOf } from '@vantage/kernel';
import { textOf } from '../json-values.ts';
import { printText, render } from '../print-answer.ts';
import { connect } from './api-connection.ts';
import { resourceNamed } from './api-resources.ts';
import type { ApiRow } from './read-rows.ts';
import { idOf } from './run-resources.ts';
import type { VerbContext } from './run-verbs.ts';

/** The device to ask. A community or password is in a file, in a secret of the account or in a stored device. */
export interface SnmpWalk {
  readonly host: string;
  readonly location?: string;
  /** A JSON file with Options; `-`: standard input. */
  readonly options?: string;
  readonly communitySecret?: string;
  readonly device?: string;
  readonly timeout: number;
}

/** Prints what a device offers to watch. Returns false where it did not answer. */
export async function runSnmpWalk({ access, asJson }: VerbContext, walk: SnmpWalk): Promise<boolean> {
  using connection = connect(access);
  const { host, location, communitySecret, device, timeout } = walk;
  const given = walk.options === undefined ? {} : readOptions(walk.options);
  const Options = {
    ...given,
    ...(communitySecret === undefined ? {} : { Community: `\${secret:${communitySecret}}` }),
  };
  const stored =
    device === undefined ? {} : { device_id: await idOf(connection, resourceNamed('devices'), device) };
  const body = {
    Method: 'SNMP',
    URL: host,
    Timeout: timeout,
    ...(Object.keys(Options).length === 0 ? {} : { Options }),
    ...(location === undefined ? {} : { Location: location }),
    ...stored,
  };
  const answer = await connection.call({ method: 'POST', path: '/checks/offer', body });
  const offer = (await answer.json()) as DeviceOffer;
  printText(asJson ? render(offer, true) : offerText(offer));
  return offer.ResultCode === 1;
}

/** The answer of the API, as far as the text shows it. */
export interface DeviceOffer {
  readonly Location: string;
  readonly ResultCode: number;
  readonly CheckResult: string;
  readonly Interfaces: readonly ApiRow[];
  readonly Values: readonly ApiRow[];
  readonly IsComplete: boolean;
}

function readOptions(file: string): { readonly [name: string]: Json } {
  try {
    const parsed: unknown = JSON.parse(readFileSync(file === '-' ? 0 : file, 'utf8'));
    if (isRecord(parsed)) return parsed as { readonly [name: string]: Json };
  } catch (error) {
    throw new Fault('stop', 'settings', `--options ${file} cannot be read: ${messageOf(error)}`);
  }
  throw new Fault('stop', 'settings', `--options ${file} must hold an object, such as {"Version": "v2c"}`);
}

/** The interfaces and the values as tables. Pure. */
export function offerText({ Location, CheckResult, Interfaces, Values, IsComplete }: DeviceOffer): string {
  const interfaces = Interfaces.map(
    ({ Index, Name, Alias, Status, AdminStatus, Speed, InBits, OutBits }) => ({
      index: Index,
      interface: Name,
      alias: Alias === '' ? null : Alias,
      status: AdminStatus === 'Up' ? Status : `${textOf(Status)} (shut)`,
      speed: bitsText(Speed),
      in: bitsText(InBits),
      out: bitsText(OutBits),
    }),
  );
  const values = Values.map(({ Name, Label, Value, Unit }) => ({
    value: Name,
    label: Label,
    now: Value === null ? null : `${textOf(Value)} ${textOf(Unit)}`.trim(),
  }));
  return [
    `${CheckResult} (asked from ${Location})`,
    ...(interfaces.length === 0 ? [] : ['', render(interfaces, false)]),
    ...(values.length === 0 ? [] : ['', render(values, false)]),
    ...(IsComplete ? [] : ['', 'The list may be incomplete.']),
  ].join('\n');
}

const steps = [
  ['G', 1e9],
  ['M', 1e6],
  ['k', 1e3],
] as const;

/** `1.2 Gbit/s` */
function bitsText(value: unknown): string | null {
  if (typeof value !== 'number') return null;
  const [prefix, size] = steps.find(([, least]) => value >= least) ?? ['', 1];
  return `${Number((value / size).toPrecision(3))} ${prefix}bit/s`;
}
