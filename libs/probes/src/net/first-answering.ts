import { resultCode } from '@vantage/domain';
import type { Address } from '../contract/dial.ts';
import { Failure } from '../contract/failure.ts';
import type { IpFamily } from '../contract/options.ts';
import type { ProbeContext } from '../contract/probe.ts';
import { type Datagrams, openDatagrams } from './datagrams.ts';

/** Addresses of a host that are tried one after the other. */
const maxAddresses = 3;
/** Another address of the host may answer. */
const elsewhere: readonly number[] = [resultCode.timeout, resultCode.protocol, resultCode.agent];

interface DatagramTarget {
  readonly host: string;
  readonly port: number;
  readonly family: IpFamily;
  /** Waits before a request is sent again; see `openDatagrams`. */
  readonly waitsMs?: readonly number[];
}

/**
 * Runs an exchange over UDP at the addresses of a host, one after the other, until one succeeds. The time of a check is
 * divided among them; the deadline of the check ends the wait for the only one.
 */
export async function firstAnswering<T>(
  context: ProbeContext,
  { host, port, family, waitsMs }: DatagramTarget,
  exchange: (datagrams: Datagrams, limitMs: number) => Promise<T>,
): Promise<T> {
  const resolved = await context.dial.resolve(context, host, family);
  const addresses: readonly Address[] = context.dial
    .permitted(context, resolved, port)
    .slice(0, maxAddresses);
  const limitMs = addresses.length === 1 ? context.timeoutMs * 2 : context.timeoutMs / addresses.length;
  let failure: unknown;
  for (const address of addresses) {
    try {
      using datagrams = await openDatagrams(context, { ...address, port }, waitsMs);
      return await exchange(datagrams, limitMs);
    } catch (error) {
      const isElsewhere = error instanceof Failure && elsewhere.includes(error.code);
      if (context.signal.aborted || !isElsewhere) throw error;
      failure = error;
    }
  }
  throw failure;
}

/** The failure of an exchange in which nothing arrived within its limit. */
export function noAnswer({ peer }: Pick<Datagrams, 'peer'>): Failure {
  return new Failure(resultCode.timeout, `no answer from ${peer}`);
}
