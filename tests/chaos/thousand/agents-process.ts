// A process with many simulated agents. It reads what it is to do from the JSON file that its first argument names,
// answers 'report' with its sums, stops making records after 'rest', and ends with its parent.
import { readFileSync } from 'node:fs';
import { systemClock as clock } from '@vantage/kernel';
import { z } from 'zod';
import { type Counts, createSimulatedAgent } from './simulated-agent.ts';

const work = z
  .object({
    endpoint: z.string(),
    ca: z.string(),
    identities: z.array(z.object({ agentId: z.string(), cert: z.string(), key: z.string() })),
  })
  .parse(JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')));

const counts: Counts = { results: 0, acknowledged: 0, heartbeats: 0, replies: 0, connects: 0 };
const notes = new Map<string, number>();
/** When the controller first rejected an agent for good: wall clock, milliseconds, by agent_id. */
const revoked = new Map<string, number>();
const note = (text: string) => void notes.set(text, (notes.get(text) ?? 0) + 1);
const { endpoint, ca } = work;
const agents = work.identities.map((identity) =>
  createSimulatedAgent({
    endpoints: [endpoint],
    ca,
    identity,
    clock,
    random: Math.random,
    counts,
    note,
    onRevoked: () => {
      if (!revoked.has(identity.agentId)) revoked.set(identity.agentId, Date.now());
    },
  }),
);
const ending = new AbortController();
for (const agent of agents) void agent.run(ending.signal);

/** Calls `work` for all agents within each `periodMs`, spread over it as the work of separate agents is. */
function spread(periodMs: number, work: (agent: (typeof agents)[number]) => void): void {
  const parts = Math.max(1, Math.round(periodMs / 50));
  let part = 0;
  setInterval(() => {
    for (let i = part; i < agents.length; i += parts) {
      const agent = agents[i];
      if (agent !== undefined) work(agent);
    }
    part = (part + 1) % parts;
  }, periodMs / parts);
}
// As often as an agent sends what it gathered.
spread(400, (agent) => agent.tick());
spread(10_000, (agent) => agent.heartbeat());

process.on('message', (message) => {
  if (message === 'rest') for (const agent of agents) agent.rest();
  if (message === 'report')
    process.send?.({
      ...counts,
      up: agents.filter(({ isUp }) => isUp).length,
      devices: agents.reduce((sum, { devices }) => sum + devices, 0),
      waiting: agents.reduce((sum, { waiting }) => sum + waiting, 0),
      notes: Object.fromEntries(notes),
      revoked: Object.fromEntries(revoked),
    });
});
process.on('disconnect', () => process.exit(0));
