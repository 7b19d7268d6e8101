import { resultCode } from '@vantage/domain';
import type { IcmpSocket, PingAnswer, SendingOptions } from '@vantage/icmp';
import type { Address } from '../../contract/dial.ts';
import { Failure, notMet } from '../../contract/failure.ts';
import type { ProbeContext } from '../../contract/probe.ts';
import { afterTry, foundMtu, nextSize, type PathMtu, type SizeAnswer, startMtuSearch } from './path-mtu.ts';

interface PathMtuRequest {
  readonly context: Pick<ProbeContext, 'clock' | 'signal' | 'addDetail' | 'stopwatch'>;
  readonly socket: Pick<IcmpSocket, 'ping'>;
  readonly address: Address;
  /** Bytes of payload of the packets that did not pass. */
  readonly size: number;
  readonly sending: SendingOptions;
  /** The answers to these packets, without any reply. */
  readonly answers: readonly PingAnswer[];
  readonly endMs: number;
}

/** The headers of an echo request, bytes. */
const headerBytes = { 4: 28, 6: 48 } as const;
/** The smallest MTU that a link may have: RFC 791, RFC 8200 section 5. */
const minMtu = { 4: 68, 6: 1280 } as const;
/** A payload that passes every link. */
const smallPayload = 32;
/** Packets of each size, so that the loss of one does not count as too big. */
const perSize = 2;
const minWaitMs = 150;
const waitTimes = 4;

/** The bytes of the IP packet of an echo request. */
function ipBytes(size: number, family: 4 | 6): number {
  return size + headerBytes[family];
}

/**
 * Finds the largest size that passes unfragmented, after packets of `size` did not. Returns the failure that names it;
 * undefined if the size is not the cause: a small packet is not answered either.
 */
export async function findPathMtu(request: PathMtuRequest): Promise<Failure | undefined> {
  const { context, address, size, answers, endMs } = request;
  const { family } = address;
  const first = answerOf(answers);
  const errorMs = answers.find((answer) => answer.kind === 'error')?.rttMs;
  const packet = ipBytes(size, family);
  const floor = Math.max(minMtu[family], ipBytes(smallPayload, family));
  if (packet <= floor) return undefined;
  const small = await tryPayload(request, smallPayload, waitMs(request, undefined));
  if (small.kind !== 'reply') return undefined;
  let search = startMtuSearch(packet, floor, first);
  for (let next = nextSize(search); next !== undefined; next = nextSize(search)) {
    if (context.clock.monoMs() >= endMs) break;
    search = afterTry(search, next, await trySize(request, next, small.rttMs));
  }
  const found = foundMtu(search);
  // TTFB is the round trip of the router's error, or of the small packet that proves that the host answers.
  context.stopwatch.conclude('ttfb', errorMs ?? small.rttMs);
  const mtu = found ?? { mtu: floor, hop: search.hop, below: search.failed };
  context.addDetail('PathMTU', {
    MTU: mtu.mtu,
    Hop: hopText(mtu.hop),
    ...(mtu.below === undefined ? {} : { Below: mtu.below }),
    Tries: search.tries,
  });
  return failureOf(packet, mtu);
}

/** Sends two packets of this size. One that passes proves that the size passes. */
async function trySize(request: PathMtuRequest, bytes: number, rttMs: number): Promise<SizeAnswer> {
  const payload = bytes - headerBytes[request.address.family];
  const timeoutMs = waitMs(request, rttMs);
  const both = await Promise.all(
    Array.from({ length: perSize }, () => tryPayload(request, payload, timeoutMs)),
  );
  return both.some(({ kind }) => kind === 'reply') ? { kind: 'passed' } : answerOf(both);
}

function tryPayload(request: PathMtuRequest, size: number, timeoutMs: number): Promise<PingAnswer> {
  const { socket, address, context, sending } = request;
  return socket.ping({ ...sending, address: address.address, size, timeoutMs, signal: context.signal });
}

/** The wait for an answer: some round trips, but never the time of the other tries. */
function waitMs({ context, endMs }: PathMtuRequest, rttMs: number | undefined): number {
  const leftMs = Math.max(1, endMs - context.clock.monoMs());
  return Math.min(leftMs, rttMs === undefined ? leftMs / 3 : Math.max(minWaitMs, rttMs * waitTimes));
}

/** The meaning of packets without a reply for their size. */
function answerOf(answers: readonly PingAnswer[]): SizeAnswer {
  const tooBig = answers
    .filter((answer) => answer.kind === 'error')
    .find(({ reason }) => reason === 'too-big');
  if (tooBig !== undefined) return { kind: 'too-big', from: tooBig.from, mtu: tooBig.mtu };
  const isUnsent = answers.some((answer) => answer.kind === 'unsent' && answer.code === 'EMSGSIZE');
  return isUnsent ? { kind: 'unsent' } : { kind: 'lost' };
}

function hopText(hop: string | undefined): string | null {
  return hop === '' ? 'this agent' : (hop ?? null);
}

function failureOf(packet: number, { mtu, hop, below }: PathMtu): Failure {
  const size = below === undefined ? `path MTU ${mtu}` : `path MTU from ${mtu} to ${below - 1}`;
  const start = `packets of ${packet} bytes do not pass unfragmented: ${size}`;
  if (hop === '') return new Failure(resultCode.agent, `${start} at the interface of this agent: lower Size`);
  return notMet(
    hop === undefined ? `${start}, and no router says so (black hole)` : `${start} at hop ${hop}`,
  );
}
