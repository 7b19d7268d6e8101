// Agents with certificates are revoked by the API while they are connected.
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock as clock } from '@vantage/kernel';
import { type EnrolReply, requestCertificate } from '../../../apps/agent/src/enrol/certificate-request.ts';
import { makeSigningRequest } from '../../../apps/agent/src/enrol/encode-signing-request.ts';
import type { AgentIdentity } from '../../../apps/controller/src/testing/agent-identity.ts';
import type { System } from '../../harness/system.ts';
import { type Counts, createSimulatedAgent } from './simulated-agent.ts';

/** Revokes the agents, ten at the same time. Returns when each answer came: wall clock, milliseconds, by agent_id. */
export async function revokeAll(
  { api }: System,
  identities: readonly AgentIdentity[],
): Promise<ReadonlyMap<string, number>> {
  const answered = new Map<string, number>();
  for (let from = 0; from < identities.length; from += 10)
    await Promise.all(
      identities.slice(from, from + 10).map(async ({ agentId }) => {
        await api.ok('DELETE', `/agents/${agentId}`);
        answered.set(agentId, Date.now());
      }),
    );
  return answered;
}

/** Requests a new certificate for the key of each agent; returns the number of each kind of answer. */
export async function renewAll(
  to: { readonly endpoint: string; readonly ca: string },
  identities: readonly AgentIdentity[],
): Promise<Partial<Record<EnrolReply['kind'], number>>> {
  const kinds: Partial<Record<EnrolReply['kind'], number>> = {};
  const signal = AbortSignal.timeout(120_000);
  for (const { key } of identities) {
    const way = { ...to, proxy: undefined, clock };
    const { kind } = await requestCertificate(way, { CSR: makeSigningRequest(key) }, signal);
    kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  return kinds;
}

/** Connects again with the certificates; how many of them a controller sent away as revoked, and how many came in. */
export async function connectAgain(
  { endpoint, ca }: { readonly endpoint: string; readonly ca: string },
  identities: readonly AgentIdentity[],
): Promise<{ readonly revoked: number; readonly connected: number }> {
  const ending = new AbortController();
  const away = new Set<string>();
  const counts: Counts = { results: 0, acknowledged: 0, heartbeats: 0, replies: 0, connects: 0 };
  const runs = identities.map((identity) =>
    createSimulatedAgent({
      endpoints: [endpoint],
      ca,
      identity,
      clock,
      random: Math.random,
      counts,
      note: () => {},
      onRevoked: () => void away.add(identity.agentId),
    }).run(ending.signal),
  );
  for (let tries = 0; tries < 600 && away.size < identities.length; tries += 1) await delay(100);
  ending.abort();
  await Promise.all(runs);
  return { revoked: away.size, connected: counts.connects };
}
