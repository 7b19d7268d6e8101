// An agent that has more due than it can do: TCP checks a second at several loads and limits of checks at a time, and
// the CPU of a check. The targets and a gateway that acknowledges every batch share the processors. Usage: node
// tests/bench/overload.ts [seconds]
import { setTimeout as delay } from 'node:timers/promises';
import { type AgentHome, installAgent, startLoadedAgent } from './agent-process.ts';
import { type Figure, printFigures } from './figures.ts';
import { startTargets } from './targets.ts';

const seconds = Number(process.argv[2] ?? 20);
const warmUpMs = 8000;

/** Checks due a second, and how many may run at one moment. The first one is what an agent of this machine can do. */
const loads = [
  { due: 2500, atATime: 500 },
  { due: 4000, atATime: 500 },
  { due: 5000, atATime: 2000 },
  { due: 5000, atATime: 500 },
  { due: 8000, atATime: 200 },
  { due: 8000, atATime: 2000 },
] as const;

/** Checks a second that the gateway received, and CPU milliseconds of the agent per 1,000 of them. */
async function run(home: AgentHome, webPort: number, { due, atATime }: (typeof loads)[number]) {
  const job = {
    method: 'TCP',
    url: `127.0.0.1:${webPort}`,
    options: {},
    devices: due,
    intervalMs: 1000,
  } as const;
  const more = { VANTAGE_AGENT_CONCURRENCY: String(atATime) };
  await using agent = await startLoadedAgent(home, job, undefined, more);
  await delay(warmUpMs);
  await agent.count();
  const before = agent.usage();
  await delay(seconds * 1000);
  const { results } = await agent.count();
  const { cpuS, rssMib } = agent.usage();
  return { rate: results / seconds, cpuMs: ((cpuS - before.cpuS) / results) * 1e6, rssMib };
}

using home = await installAgent();
await using targets = await startTargets();
const figures: Figure[] = [];
let atLeastMs = Number.POSITIVE_INFINITY;
for (const load of loads) {
  const { rate, cpuMs, rssMib } = await run(home, targets.webPort, load);
  atLeastMs = Math.min(atLeastMs, cpuMs);
  const what = `${load.due} due a second, ${load.atATime} at a time`;
  const row = { what, unit: 'stored a second', ours: rate, peer: 'due', theirs: load.due } as const;
  const cpu = {
    what,
    unit: 'ms CPU per 1,000',
    ours: cpuMs,
    peer: 'the cheapest load',
    theirs: atLeastMs,
  } as const;
  figures.push({ ...row, better: 'more' }, { ...cpu, better: 'less' });
  process.stderr.write(
    `${what}: ${Math.round(rate)}/s, ${cpuMs.toFixed(1)} ms per 1,000, ${Math.round(rssMib)} MiB\n`,
  );
}
printFigures('An agent beyond its capacity', figures);
