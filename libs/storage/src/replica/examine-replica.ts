import { setTimeout as delay } from 'node:timers/promises';
import { createPrimaryPoller, createReplicaPoller } from './poll-servers.ts';
import { decideReplica, type ReplicaVerdict } from './replica-eligibility.ts';

/** A replica that lacks a position of the primary for longer is behind. */
const maxAgeMs = 3_000;
const pauseMs = 50;

/** Polls both servers: whether history may be read from the replica, and its maximum age. */
export async function examineReplica(
  primaryUrl: string,
  url: string,
): Promise<
  { readonly kind: 'used'; readonly ageMs: number } | Exclude<ReplicaVerdict, { readonly kind: 'used' }>
> {
  const [primary, replica] = [createPrimaryPoller(primaryUrl), createReplicaPoller(url)];
  try {
    const fromMs = performance.now();
    const written = await primary.poll();
    for (;;) {
      const facts = await replica.poll();
      const ageMs = performance.now() - fromMs;
      const answer = { kind: 'answer', ...facts } as const;
      const verdict = decideReplica({ primary: written, replica: answer, ageMs, maxAgeMs, wasUsed: true });
      if (verdict.kind !== 'used') return verdict;
      if ((facts.replayed ?? 0) >= written.position) return { kind: 'used', ageMs };
      await delay(pauseMs);
    }
  } finally {
    primary.close();
    replica.close();
  }
}
