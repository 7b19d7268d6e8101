import { setTimeout as delay } from 'node:timers/promises';
import { createPrimaryAsker, createReplicaAsker } from './ask-servers.ts';
import { decideReplica, type Verdict } from './replica-eligibility.ts';

/** A replica that lacks for so long what the primary wrote is behind. */
const maxAgeMs = 3_000;
const againMs = 50;

/** Polls both servers once: whether history may be read from the replica, and its greatest age. */
export async function examineReplica(
  primaryUrl: string,
  url: string,
): Promise<{ readonly kind: 'used'; readonly ageMs: number } | Exclude<Verdict, { readonly kind: 'used' }>> {
  const [primary, replica] = [createPrimaryAsker(primaryUrl), createReplicaAsker(url)];
  try {
    const fromMs = performance.now();
    const written = await primary.ask();
    for (;;) {
      const facts = await replica.ask();
      const ageMs = performance.now() - fromMs;
      const answer = { kind: 'answer', ...facts } as const;
      const verdict = decideReplica({ primary: written, replica: answer, ageMs, maxAgeMs, wasUsed: true });
      if (verdict.kind !== 'used') return verdict;
      if ((facts.replayed ?? 0) >= written.position) return { kind: 'used', ageMs };
      await delay(againMs);
    }
  } finally {
    primary.close();
    replica.close();
  }
}
