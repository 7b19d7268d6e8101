import { type Clock, messageOf } from '@vantage/kernel';
import type { Poller } from '../pool/poller.ts';
import { tlsAdvice } from '../pool/tls-advice.ts';
import { observe, type ReplicaFreshness, unknownFreshness } from './freshness.ts';
import { createPrimaryPoller, createReplicaPoller } from './poll-servers.ts';
import {
  decideReplica,
  type PrimaryHistory,
  type ReplicaAnswer,
  type ReplicaVerdict,
  type ServerHistory,
} from './replica-eligibility.ts';

/** Receives each change, and reads that fail. */
type ReplicaLog = Readonly<Record<'info' | 'warn' | 'error', (data: object, text: string) => void>>;

/** Polls both servers and logs each change. */
export function createReplicaWatch({
  url,
  primaryUrl,
  maxAgeMs,
  clock,
  log,
}: {
  readonly url: string;
  readonly primaryUrl: string;
  readonly maxAgeMs: number;
  readonly clock: Clock;
  readonly log: ReplicaLog;
}) {
  const pollers = { primary: createPrimaryPoller(primaryUrl), replica: createReplicaPoller(url) };
  let freshness: ReplicaFreshness = unknownFreshness;
  let primary: PrimaryHistory | undefined;
  let verdict: ReplicaVerdict = { kind: 'waiting', reason: '' };
  const ageMs = () => (freshness.freshMs === undefined ? undefined : clock.monoMs() - freshness.freshMs);
  return {
    async poll(): Promise<ReplicaVerdict['kind']> {
      const atMs = clock.monoMs();
      // A primary that is unreachable now keeps its last known history.
      const written = await pollers.primary.poll().catch(() => undefined);
      primary = written ?? primary;
      const { answer, replayed } = await pollReplica(pollers.replica);
      const sample = written && { atMs, position: written.position };
      freshness = observe(freshness, { sample, replayed });
      const wasUsed = verdict.kind === 'used';
      const next = decideReplica({ primary, replica: answer, ageMs: ageMs(), maxAgeMs, wasUsed });
      if (next.kind !== verdict.kind) logVerdict(log, next, ageMs());
      verdict = next;
      return next.kind;
    },
    close() {
      pollers.primary.close();
      pollers.replica.close();
    },
    get isUsed() {
      return verdict.kind === 'used';
    },
    get freshMs() {
      return freshness.freshMs;
    },
    get ageMs() {
      return ageMs();
    },
  };
}

async function pollReplica(
  poller: Poller<ServerHistory & { readonly isStandby: boolean; readonly replayed: number | null }>,
): Promise<{ readonly answer: ReplicaAnswer; readonly replayed?: number | undefined }> {
  try {
    const { replayed, ...facts } = await poller.poll();
    return { answer: { kind: 'answer', ...facts }, replayed: replayed ?? undefined };
  } catch (error) {
    const reason = [messageOf(error), tlsAdvice(error)].filter((text) => text !== undefined).join('; ');
    return { answer: { kind: 'none', reason } };
  }
}

function logVerdict(log: ReplicaLog, verdict: ReplicaVerdict, ageMs: number | undefined): void {
  const ageS = ageMs === undefined ? undefined : Math.round(ageMs / 100) / 10;
  if (verdict.kind === 'used') log.info({ ageS }, 'history is read from the replica');
  else
    log.warn(
      { reason: verdict.reason, ageS },
      'history is read from the primary: the replica of VANTAGE_DATABASE_READ_URL is not used',
    );
}
