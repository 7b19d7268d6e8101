// The whole agent beside blackbox_exporter: CPU of all its processes per 1,000 checks at 1,000 checks a second
// (schedule, check, masking, outbox with fsync, upload over TLS), and its resident memory. The agent is the parcel's,
// started as hosts start it. Its controller is a process that acknowledges every batch. The agent of an earlier version
// runs in turns. Usage: node tests/bench/agent.ts [seconds]
import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { type AgentHome, earlierAgent, installAgent, startLoadedAgent } from './agent-process.ts';
import { type Blackbox, type Module, startBlackbox } from './blackbox.ts';
import { type Figure, printFigures } from './figures.ts';
import type { GatewayJob } from './gateway.ts';
import { usage } from './processes.ts';
import { startTargets, type Targets } from './targets.ts';

const seconds = Number(process.argv[2] ?? 20);
const warmUpMs = 8000;
const peer = 'blackbox_exporter';
const better = 'less';

/** A Method's check, and the exporter's name of it. */
interface Job extends Pick<GatewayJob, 'method' | 'url' | 'options'> {
  readonly module: Module;
  readonly target: string;
}

/** This agent, and that of an earlier version. */
interface Homes {
  readonly home: AgentHome;
  readonly earlier: AgentHome;
}

/** Devices, and how long they are measured. */
interface Load extends Pick<GatewayJob, 'devices' | 'intervalMs'> {
  readonly forS: number;
}

/**
 * Loads of TCP checks, with the bound of the agent's memory (RSS), MiB. Each device of the second is checked at least
 * once.
 */
const loads = [
  { what: '100 devices, 2 checks/s', devices: 100, intervalMs: 60_000, boundMib: 90, forS: seconds },
  { what: '10,000 devices, 167 checks/s', devices: 10_000, intervalMs: 60_000, boundMib: 130, forS: 65 },
  { what: '1,000 devices, 1,000 checks/s', devices: 1000, intervalMs: 1000, boundMib: 130, forS: seconds },
] as const;

/**
 * Runs an agent for a while; resolves with its CPU milliseconds per 1,000 checks, the checks a second that it made, and
 * its memory at the end.
 */
async function run(home: AgentHome, job: Job, load: Load) {
  const { method, url, options } = job;
  const { devices, intervalMs, forS } = load;
  await using agent = await startLoadedAgent(home, { method, url, options, devices, intervalMs });
  await delay(warmUpMs);
  await agent.count();
  const before = agent.usage();
  await delay(forS * 1000);
  const { cpuS, rssMib } = agent.usage();
  const { results, good, text } = await agent.count();
  if (good === 0 || good < results) throw new Error(`${good} of ${results} checks are good: ${text}`);
  return { cpuMs: ((cpuS - before.cpuS) / results) * 1e6, rate: Math.round(results / forS), rssMib };
}

function jobsOf({ webPort, dnsPort }: Targets): readonly Job[] {
  const at = `127.0.0.1:${webPort}`;
  const page = `http://${at}/`;
  const web: Job[] = [
    { method: 'TCP', url: at, options: {}, module: 'tcp', target: at },
    { method: 'HTTP', url: page, options: {}, module: 'http', target: page },
  ];
  const server = `127.0.0.1:${dnsPort}`;
  const url = `dns://${server}/bench.test?type=A`;
  const dns: Job[] =
    typeof dnsPort === 'number' ? [{ method: 'DNS', url, options: {}, module: 'dns', target: server }] : [];
  const host = '127.0.0.1';
  const ping: Job = { method: 'PING', url: host, options: { Count: 1 }, module: 'icmp', target: host };
  return [...web, ...dns, ...(process.getuid?.() === 0 ? [ping] : [])];
}

async function cpuFigures(
  { home, earlier }: Homes,
  jobs: readonly Job[],
  blackbox: Blackbox | string,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const job of jobs) {
    const load = { devices: 1000, intervalMs: 1000, forS: seconds };
    const { cpuMs: ours, rate } = await run(home, job, load);
    const { cpuMs: before } = await run(earlier, job, load);
    const theirs =
      typeof blackbox === 'string' ? blackbox : await blackbox.cpuMs(job.module, job.target, 3000);
    figures.push({
      what: `${job.method} at ${rate}/s`,
      unit: 'ms CPU per 1,000',
      ours,
      before,
      peer,
      theirs,
      better,
    });
  }
  return figures;
}

async function memoryFigures(
  { home, earlier }: Homes,
  job: Job,
  blackbox: Blackbox | string,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  const exporter = typeof blackbox === 'string' ? blackbox : usage(blackbox.pid).rssMib;
  for (const { what, boundMib, ...load } of loads) {
    const { rssMib: ours } = await run(home, job, load);
    const { rssMib: before } = await run(earlier, job, load);
    const row = { what, unit: 'MiB', ours, before, better } as const;
    figures.push({ ...row, peer: 'bound', theirs: boundMib }, { ...row, peer, theirs: exporter });
  }
  const ours = figures[0]?.ours ?? Number.NaN;
  const [idle, theirs] = ['idle Node', await idleMib()];
  return [...figures, { what: idle, unit: 'MiB', ours, peer: idle, theirs, better }];
}

/** The memory of a Node that does nothing, MiB. */
async function idleMib(): Promise<number> {
  const idle = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  await delay(2000);
  const { rssMib } = usage(idle.pid ?? 0);
  idle.stdin.end();
  return rssMib;
}

async function main(): Promise<void> {
  using home = await installAgent();
  using earlier = earlierAgent();
  const homes = { home, earlier };
  await using targets = await startTargets();
  const blackbox = await startBlackbox();
  await using _ended = typeof blackbox === 'string' ? undefined : blackbox;
  const jobs = jobsOf(targets);
  printFigures('CPU of the whole agent, 1,000 checks/s', await cpuFigures(homes, jobs, blackbox));
  const [tcp] = jobs;
  if (tcp !== undefined)
    printFigures('Memory of the whole agent (RSS)', await memoryFigures(homes, tcp, blackbox));
}

await main();
