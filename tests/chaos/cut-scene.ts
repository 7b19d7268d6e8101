// One scene of an agent that is cut off. It runs in the controller's namespace; cut.test.ts makes the network around
// it. It prints its report as one JSON line, and the test compares the report with the truth. Usage: cut-scene.ts TAG
// SCENE MINUTES
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { inside, ip } from '../harness/netns.ts';
import { repositoryRoot, type System, startSystem } from '../harness/system.ts';

const [, , tag = '', scene = '', minutesText = '10'] = process.argv;
const minutes = Number(minutesText);
const deviceCount = 4;
const netnsOf = (name: string) => `vt${tag}${name}`;
const targetHost = path.join(import.meta.dirname, 'target-host.ts');
const vantage = path.join(repositoryRoot, 'vantage');
const folder = mkdtempSync(path.join(tmpdir(), 'vantage-cut-'));
const children: ChildProcess[] = [];
const invitation = z.object({ token: z.string(), agent_id: z.string() });
const created = z.object({ device_id: z.string() });
const note = (text: string) => process.stderr.write(`[${scene}] ${new Date().toISOString()} ${text}\n`);

/** The cut of each scene, and the share of the minutes after which target 0 dies and returns (undefined: never). */
const scenes = {
  control: { cut: 'c', dies: 0.3, returns: 0.6, second: undefined },
  uplink: { cut: 'a', dies: undefined, returns: undefined, second: undefined },
  death: { cut: 'c', dies: 0.3, returns: undefined, second: undefined },
  second: { cut: 'a-c', dies: 0.3, returns: 0.6, second: 'location' },
  takeover: { cut: 'a-c', dies: undefined, returns: undefined, second: 'agent' },
  // Targets 0 and 1 are in the agent's own subnet, which the cut does not concern.
  subnet: { cut: 'uplink', dies: 0.05, returns: undefined, second: undefined },
} as const;
if (!(scene in scenes)) throw new Error(`no scene ${scene}`);
const plot = scenes[scene as keyof typeof scenes];

await using system = await startSystem({
  env: { VANTAGE_LISTEN: '0.0.0.0', VANTAGE_TLS_NAMES: '10.213.0.2' },
  timeoutMs: 120_000,
});
try {
  const report = await play(system);
  process.stdout.write(`${JSON.stringify(report)}\n`);
} finally {
  for (const child of children) child.kill('SIGTERM');
  await delay(3000);
  rmSync(folder, { recursive: true, force: true });
}

/** Runs the scene and resolves with the report that cut-report.ts reads. */
async function play(up: System): Promise<unknown> {
  const near = plot.cut === 'uplink' ? await startTargets('r', '10.213.1.1', 2) : undefined;
  const far = await startTargets('t', '10.213.2.2', near === undefined ? deviceCount : 2);
  const locations = plot.second === 'location' ? ['A', 'B'] : ['A'];
  for (const name of locations) cli(up, 'locations', 'create', name);
  startAgent(up, 'A', 'a');
  if (plot.second === 'location') startAgent(up, 'B', 'b');
  await delay(8000);
  const ids = await createDevices(up, [...(near?.urls ?? []), ...far.urls], locations);
  await delay(130_000);
  const cutAt = Date.now();
  note('cut');
  cutting('add');
  const truth = await waitWhileCut(up, cutAt, near ?? far);
  cutting('del');
  const healedAt = Date.now();
  note('healed');
  await delay(200_000);
  const { devices, events, agents } = await readAnswers(up, ids, cutAt, healedAt);
  return { scene, minutes, cutAt, healedAt, truth, devices, events, agents };
}

async function createDevices(
  up: System,
  urls: readonly string[],
  locations: readonly string[],
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const [i, URL] of urls.entries()) {
    const answer = await up.api.ok('POST', '/devices', {
      Method: 'TCP',
      URL,
      ShortName: `t${i}`,
      Frequency: 1,
      Timeout: 5,
      Locations: locations,
    });
    ids.push(created.parse(answer).device_id);
  }
  return ids;
}

/**
 * Lets the minutes of the cut pass, stops and starts target 0 at the times of the scene, and resolves with these
 * moments.
 */
async function waitWhileCut(
  up: System,
  cutAt: number,
  targets: Targets,
): Promise<{ readonly diedAt: number | null; readonly returnedAt: number | null }> {
  const truth: { diedAt: number | null; returnedAt: number | null } = { diedAt: null, returnedAt: null };
  for (let tick = 0; tick < minutes * 60; tick += 1) {
    await delay(Math.max(0, cutAt + (tick + 1) * 1000 - Date.now()));
    const share = (tick + 1) / (minutes * 60);
    if (plot.dies !== undefined && truth.diedAt === null && share >= plot.dies) {
      targets.send('stop 0');
      truth.diedAt = Date.now();
      note('target 0 dies');
    }
    if (plot.returns !== undefined && truth.returnedAt === null && share >= plot.returns) {
      targets.send('start 0');
      truth.returnedAt = Date.now();
      note('target 0 is back');
    }
    if (plot.second === 'agent' && tick === Math.floor(minutes * 30)) {
      note('a second agent takes over');
      startAgent(up, 'A', 'b');
    }
  }
  return truth;
}

/** Reads the answers of the REST API about the devices and the agents, for the time of the cut and up to now. */
async function readAnswers(up: System, ids: readonly string[], cutAt: number, healedAt: number) {
  const from = new Date(cutAt).toISOString();
  const to = new Date(healedAt).toISOString();
  const devices = [];
  for (const id of ids)
    devices.push({
      device: await up.api.ok('GET', `/devices/${id}`),
      uptime: await up.api.ok('GET', `/devices/${id}/uptime?Timestamp1=${from}&Timestamp2=${to}`),
      uptimeToNow: await up.api.ok('GET', `/devices/${id}/uptime?Timestamp1=${from}`),
      events: await up.api.ok('GET', `/devices/${id}/events?Limit=100`),
      checks: await up.api.ok('GET', `/devices/${id}/checks?Limit=100`),
    });
  const events = await up.api.ok('GET', '/events?Limit=100');
  return { devices, events, agents: await up.api.ok('GET', '/agents') };
}

/** A process with TCP targets. */
interface Targets {
  readonly urls: readonly string[];
  /** Sends the process a line: `stop 0`, `start 0`. */
  readonly send: (line: string) => void;
}

/** Starts a process with TCP targets in a namespace. */
async function startTargets(name: string, address: string, count: number): Promise<Targets> {
  const host = spawn('ip', inside(netnsOf(name), process.execPath, targetHost, address, String(count)), {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(host);
  const ports = await new Promise<number[]>((resolve) => {
    createInterface({ input: host.stdout }).once('line', (line) =>
      resolve(z.array(z.number()).parse(JSON.parse(line))),
    );
  });
  return {
    urls: ports.map((port) => `${address}:${port}`),
    send: (line: string) => void host.stdin.write(`${line}\n`),
  };
}

function cli(up: System, ...args: string[]): unknown {
  const text = execFileSync(vantage, [...args, '--json'], {
    encoding: 'utf8',
    cwd: repositoryRoot,
    env: { ...process.env, VANTAGE_DATA: up.dataDir },
  });
  return JSON.parse(text);
}

function startAgent(up: System, location: string, netns: string): void {
  const quickstart = up.quickstart();
  const { token } = invitation.parse(cli(up, 'agents', 'invite', '--location', location));
  const port = new URL(quickstart.agent_endpoint).port;
  const child = spawn('ip', inside(netnsOf(netns), vantage, 'agent'), {
    cwd: repositoryRoot,
    env: {
      PATH: process.env['PATH'],
      VANTAGE_AGENT_ENDPOINTS: `https://10.213.0.2:${port}`,
      VANTAGE_AGENT_TOKEN: token,
      VANTAGE_CA_FILE: quickstart.ca_file,
      VANTAGE_AGENT_DATA: path.join(folder, `${location}-${netns}`),
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  children.push(child);
}

/**
 * `c`: no agent reaches the controller. `a`: nothing reaches agent a. `a-c`: only agent a and the controller cannot
 * reach each other. `uplink`: the router forwards nothing of agent a, but the router's own addresses answer.
 */
function cutting(verb: 'add' | 'del'): void {
  const router = `vt${tag}r`;
  if (plot.cut === 'c') ip('-n', router, 'route', verb, 'blackhole', '10.213.0.2/32');
  else if (plot.cut === 'uplink') ip('-n', router, 'rule', verb, 'iif', `v${tag}1`, 'blackhole');
  else if (plot.cut === 'a') ip('-n', router, 'route', verb, 'blackhole', '10.213.1.2/32');
  else ip('-n', router, 'rule', verb, 'from', '10.213.1.2', 'to', '10.213.0.2', 'blackhole');
}
