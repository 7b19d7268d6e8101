import { createHash } from 'node:crypto';
import { resultCode } from '@vantage/domain';
import type { NetSnmp } from 'net-snmp';
import type { Address } from '../../contract/dial.ts';
import { Failure, notMet } from '../../contract/failure.ts';
import type { Probe, ProbeContext, ProbeOutcome, Target } from '../../contract/probe.ts';
import { parseTarget } from '../../contract/target.ts';
import { openDatagrams } from '../../net/datagrams.ts';
import { createDeviceMemories, type DeviceMemories } from './device-memory.ts';
import { offerDevice } from './offer-device.ts';
import { readDevice } from './read-device.ts';
import { createSnmpClient, loadNetSnmp, type SnmpWaits } from './snmp-client.ts';
import { type SnmpOptions, snmpOptions } from './snmp-options.ts';

/** Addresses that are tried one after the other. */
const maxAddresses = 3;
/** The part of the time after which a long answer counts as lost. */
const longShare = 0.4;

/**
 * SNMP v1, v2c and v3: reads interfaces and objects. Phase `ttfb` is the wait for the first answer, `ttlb` the time for
 * the others.
 */
export const snmp = createSnmp({ memories: createDeviceMemories(), load: loadNetSnmp });

/** Creates the probe with the memories of an agent's devices. */
export function createSnmp(deps: {
  readonly memories: DeviceMemories;
  readonly load: () => Promise<NetSnmp>;
}): Probe<'SNMP', typeof snmpOptions> {
  return {
    method: 'SNMP',
    purpose:
      'Asks a device by SNMP, and reads the `Interfaces` and `Values` of `Options`. The check is good when the device answers and has every value as expected. An interface that is down is only reported, unless it has `DeviceDown`.',
    example: {
      URL: 'snmp://192.0.2.2',
      ShortName: 'switch-1',
      Options: { Community: 'a community', Interfaces: [{ Name: 'GigabitEthernet1/0/1', DeviceDown: true }] },
    },
    optionsCase: 'snmp',
    tracePackets: 'udp',
    options: snmpOptions,
    secretOptions: ['Community', 'AuthKey', 'PrivKey'],
    scriptFunctions: {
      snmp: {
        description: 'Asks a device by SNMP.',
        target: 'host and port',
        result: {
          values: {
            type: 'Readonly<Record<string, number | string | null>>',
            description: 'The Values by their labels. A counter has a rate from the second call on.',
          },
        },
      },
    },
    parseTarget: (url) =>
      parseTarget(url, {
        schemes: { snmp: 161 },
        scheme: 'snmp',
        accepts: 'host, host:port, [v6]:port or snmp://host:port, for example 192.0.2.2',
      }),

    run: (context, target, settings) => atAddresses(deps, { context, target, settings }, checkAt),
    offer: (context, target, settings) => atAddresses(deps, { context, target, settings }, offerAt),
  };
}

/** Does the work at one address of the target after the other, until one answers. */
async function atAddresses(
  deps: { readonly memories: DeviceMemories; readonly load: () => Promise<NetSnmp> },
  check: { readonly context: ProbeContext; readonly target: Target; readonly settings: SnmpOptions },
  work: (check: SnmpCheck, endpoint: Endpoint, addresses: number) => Promise<ProbeOutcome>,
): Promise<ProbeOutcome> {
  const { context, target, settings } = check;
  const resolved = await context.dial.resolve(context, target.host, settings.IPFamily);
  const addresses = context.dial.permitted(context, resolved, target.port).slice(0, maxAddresses);
  const library = await deps.load();
  let failure: unknown;
  for (const address of addresses) {
    const endpoint = { ...address, port: target.port };
    try {
      return await work({ memories: deps.memories, context, library, settings }, endpoint, addresses.length);
    } catch (error) {
      const isElsewhere = error instanceof Failure && elsewhere.includes(error.code);
      if (context.signal.aborted || !isElsewhere) throw error;
      failure = error;
    }
  }
  throw failure;
}

/** Another address of the host may answer. */
const elsewhere: readonly number[] = [resultCode.timeout, resultCode.protocol, resultCode.agent];

type Endpoint = Address & { readonly port: number };

interface SnmpCheck {
  readonly memories: DeviceMemories;
  readonly context: ProbeContext;
  readonly library: NetSnmp;
  readonly settings: SnmpOptions;
}

/** Lists what the device offers to watch. */
async function offerAt(
  { context, library, settings }: SnmpCheck,
  endpoint: Endpoint,
  addresses: number,
): Promise<ProbeOutcome> {
  const { clock, timeoutMs, signal } = context;
  using datagrams = await openDatagrams(context, endpoint);
  using client = createSnmpClient(library, datagrams, settings, waitsOf(timeoutMs, addresses));
  const { text, offer } = await offerDevice({ clock, client, peer: datagrams.peer, timeoutMs, signal });
  return { code: resultCode.ok, text, dataSize: datagrams.received, extended: { Offer: offer } };
}

/** The deadline of the check ends the wait for the only address. */
function waitsOf(timeoutMs: number, addresses: number): SnmpWaits {
  const firstMs = addresses === 1 ? timeoutMs * 2 : timeoutMs / addresses;
  return { firstMs, longMs: timeoutMs * longShare, laterMs: timeoutMs * 2 };
}

async function checkAt(
  { memories, context, library, settings }: SnmpCheck,
  endpoint: Endpoint,
  addresses: number,
): Promise<ProbeOutcome> {
  const { timeoutMs } = context;
  using datagrams = await openDatagrams(context, endpoint);
  if (settings.Version !== 'v3')
    context.diagnostics('Note', 'An agent of v1 or v2c does not answer a community that it does not know.');
  using client = createSnmpClient(library, datagrams, settings, waitsOf(timeoutMs, addresses));
  const key = context.device === undefined ? undefined : memoryKey(context.device, datagrams.peer, settings);
  const reading = await readDevice({
    clock: context.clock,
    client,
    peer: datagrams.peer,
    settings,
    memory: key === undefined ? undefined : memories.get(key),
  });
  if (key !== undefined) memories.set(key, reading.memory);
  context.addDetail('Requests', client.requests);
  for (const [name, fact] of Object.entries(reading.facts)) context.addDetail(name, fact);
  const { unmet, values, text } = reading;
  const failed = unmet.filter(({ isFailure }) => isFailure).map((each) => each.text);
  const answer = () => ({ values: reading.answers });
  const dataSize = datagrams.received;
  if (failed.length === 0) return { code: resultCode.ok, text, dataSize, extended: {}, values, answer };
  const failure = notMet(failed.join('; '));
  return { code: failure.code, text: failure.message, dataSize, extended: {}, values, answer };
}

/** Checks of a device with other objects to read do not share readings. */
function memoryKey(device: string, peer: string, { Interfaces, Values }: SnmpOptions): string {
  const objects = createHash('sha256')
    .update(JSON.stringify([Interfaces, Values]))
    .digest('base64');
  return `${device} ${peer} ${objects}`;
}
