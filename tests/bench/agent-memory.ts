// Memory of the whole agent (RSS of all its processes) over a long time at 1,000 TCP checks a second, and the agent
// with 1,000 devices within 96 MiB. Usage: node tests/bench/agent-memory.ts [minutes] [minutes within 96 MiB] [seconds
// between the checks of a device there]
import { setTimeout as delay } from 'node:timers/promises';
import { limitMemory } from '../attacks/harness/memory-limit.ts';
import { type AgentHome, installAgent, startLoadedAgent } from './agent-process.ts';
import { printFigures } from './figures.ts';
import { fitSlope } from './slope.ts';
import { startTargets } from './targets.ts';

const [minutes = 30, limitedMinutes = 10, limitedIntervalS = 60] = process.argv.slice(2).map(Number);
const devices = 1000;
const limitMib = 96;

/** A sum of memory at a time. */
interface Sample {
  readonly minute: number;
  readonly rssMib: number;
}

/** Runs an agent and prints its memory each minute. Throws when a check is not good. */
async function sampled(
  home: AgentHome,
  url: string,
  forMinutes: number,
  intervalMs: number,
  limitName?: string,
) {
  using limit = limitMemory('bench-agent', limitMib * 1024 * 1024);
  const command = limitName === undefined ? undefined : (argv: readonly string[]) => limit.command(argv);
  const job = { method: 'TCP', url, options: {}, devices, intervalMs } as const;
  const samples: Sample[] = [];
  await using agent = await startLoadedAgent(home, job, command);
  if (limitName !== undefined) limit.watch(agent.pid);
  const startMs = performance.now();
  let checks = 0;
  for (let minute = 1; minute <= forMinutes; minute += 1) {
    await delay(Math.max(0, startMs + minute * 60_000 - performance.now()));
    const { rssMib, cpuS } = agent.usage();
    const { results, good, text } = await agent.count();
    if (good < results || results === 0) throw new Error(`${good} of ${results} checks are good: ${text}`);
    checks += results;
    samples.push({ minute, rssMib });
    const sums = `${rssMib.toFixed(1)} MiB, ${results} checks, ${cpuS.toFixed(0)} s of CPU`;
    process.stdout.write(`${limitName ?? ''}minute ${minute}: ${sums}\n`);
  }
  const { how, kills } = limit;
  return {
    samples,
    perSecond: checks / (forMinutes * 60),
    peakMib: limit.peakBytes / 1024 / 1024,
    how,
    kills,
  };
}

using home = await installAgent();
await using targets = await startTargets();
const url = `127.0.0.1:${targets.webPort}`;
const better = 'less';
const bound = 'bound';

if (minutes > 0) {
  const { samples, perSecond } = await sampled(home, url, minutes, 1000);
  const late = samples.slice(Math.floor(minutes / 3));
  const span = `minutes ${late[0]?.minute} to ${minutes} at ${Math.round(perSecond)} checks/s`;
  printFigures('Memory of the whole agent over time (RSS)', [
    {
      what: `slope in ${span}`,
      unit: 'MiB an hour',
      better,
      peer: bound,
      theirs: 6,
      ours: fitSlope(late.map(({ minute, rssMib }) => ({ at: minute / 60, value: rssMib }))).slope,
    },
    {
      what: `most in ${span}`,
      unit: 'MiB',
      better,
      peer: 'none',
      theirs: '-',
      ours: Math.max(...late.map(({ rssMib }) => rssMib)),
    },
  ]);
}
if (limitedMinutes > 0) {
  const intervalMs = limitedIntervalS * 1000;
  const { perSecond, peakMib, how, kills } = await sampled(
    home,
    url,
    limitedMinutes,
    intervalMs,
    'limited, ',
  );
  const what = `${devices} devices, ${Math.round(perSecond)} checks/s, ${limitedMinutes} minutes`;
  printFigures(`The whole agent within ${limitMib} MiB (${how})`, [
    {
      what: `${what}: most without the file cache`,
      unit: 'MiB',
      ours: peakMib,
      better,
      peer: bound,
      theirs: limitMib,
    },
    {
      what: `${what}: processes that the kernel ended`,
      unit: '',
      ours: kills,
      peer: bound,
      theirs: 0,
      better,
    },
  ]);
}
