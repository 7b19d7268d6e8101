// A private network with an agent and devices. Its router lets the agent reach the agents' port of the controller, and
// nothing else pass. The printed line installs the agent through it.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { root as repository } from '../../agent-installer/src/root.ts';
import { cleanRootMissing, createLinkedRoot, type LinkedRoot } from '../harness/clean-root.ts';
import { firewallMissing } from '../harness/firewall.ts';
import { operate } from '../harness/more-agents.ts';
import { inside, ip } from '../harness/netns.ts';
import { type System, startSystem } from '../harness/system.ts';

const missing = cleanRootMissing() ?? firewallMissing();
const tag = 'n';
const subnet = 12;
/** The agent's network, the devices' network, and the way from the router to this machine. */
const [agentNet, deviceNet, outerNet] = ['10.214', '10.216', '10.217'].map((net) => `${net}.${subnet}`);
const controller = `${outerNet}.1`;
const devices = `${deviceNet}.2`;
const nobody = `${deviceNet}.99`;
const names = { router: 'vtpvr', site: 'vtpvd', outerLink: 'vtpvo' } as const;
const arch = process.arch === 'arm64' ? 'arm64' : 'amd64';
const soon = { timeout: 90_000, interval: 300 };
const invitation = z.object({ token: z.string(), command: z.string() });
const created = z.object({ device_id: z.string() });
const checks = z.array(z.object({ ResultCode: z.int(), CheckResult: z.string() }));

let system: System;
let host: LinkedRoot;
let servers: ChildProcess;

/**
 * The hosts of the private network, as the agent must find them: ResultCodes 1 (good), 2 (no answer) and 3 (refused, or
 * not what it should be).
 */
const wanted = [
  { ShortName: 'ping', Method: 'PING', URL: devices, code: 1 },
  { ShortName: 'http', Method: 'HTTP', URL: `http://${devices}/`, code: 1 },
  { ShortName: 'ssh', Method: 'SSH', URL: devices, code: 1 },
  { ShortName: 'telnet', Method: 'TELNET', URL: devices, code: 1 },
  { ShortName: 'no-ping', Method: 'PING', URL: nobody, code: 2 },
  { ShortName: 'no-http', Method: 'HTTP', URL: `http://${devices}/broken`, code: 3 },
  { ShortName: 'no-ssh', Method: 'SSH', URL: `${devices}:24`, code: 3 },
  { ShortName: 'no-tel', Method: 'TELNET', URL: `${devices}:25`, code: 3 },
] as const;

function removeNetwork(): void {
  for (const args of [
    ['link', 'del', names.outerLink],
    ['netns', 'del', names.router],
    ['netns', 'del', names.site],
  ])
    spawnSync('ip', args, { stdio: 'ignore' });
}

/** Puts the router between the clean root, the devices and this machine. */
function connectRouter(agentPort: string): void {
  const { router: r, site: d, outerLink: outer } = names;
  for (const netns of [r, d]) {
    ip('netns', 'add', netns);
    ip('-n', netns, 'link', 'set', 'lo', 'up');
  }
  ip('link', 'set', `vc${tag}`, 'netns', r, 'name', 'agents');
  ip('link', 'add', outer, 'type', 'veth', 'peer', 'name', 'outside', 'netns', r);
  ip('-n', r, 'link', 'add', 'devices', 'type', 'veth', 'peer', 'name', 'eth0', 'netns', d);
  ip('addr', 'add', `${controller}/24`, 'dev', outer);
  ip('link', 'set', outer, 'up');
  for (const [link, address] of [
    ['agents', `${agentNet}.1`],
    ['devices', `${deviceNet}.1`],
    ['outside', `${outerNet}.2`],
  ] as const) {
    ip('-n', r, 'addr', 'add', `${address}/24`, 'dev', link);
    ip('-n', r, 'link', 'set', link, 'up');
  }
  ip('-n', d, 'addr', 'add', `${devices}/24`, 'dev', 'eth0');
  ip('-n', d, 'link', 'set', 'eth0', 'up');
  ip('-n', d, 'route', 'add', 'default', 'via', `${deviceNet}.1`);
  ip('-n', `vtc${tag}`, 'route', 'add', 'default', 'via', `${agentNet}.1`);
  // This machine knows the way to the private network; only the router's rules keep it out.
  for (const net of [agentNet, deviceNet]) ip('route', 'add', `${net}.0/24`, 'via', `${outerNet}.2`);
  const rules = `table inet way {
  chain forward { type filter hook forward priority 0; policy drop;
    iifname "agents" oifname "outside" ip saddr ${agentNet}.2 ip daddr ${controller} tcp dport ${agentPort} accept
    iifname "outside" oifname "agents" ip saddr ${controller} tcp sport ${agentPort} tcp flags & (syn | ack) != syn accept
    iifname "agents" oifname "devices" accept
    iifname "devices" oifname "agents" accept
  }
  chain input { type filter hook input priority 0; policy accept; iifname "outside" drop; }
}`;
  execFileSync('ip', inside(r, 'nft', '-f', '-'), { input: rules, stdio: ['pipe', 'ignore', 'pipe'] });
  execFileSync('ip', inside(r, 'sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward'));
}

/** Whether this machine gets any answer from an address: a connection, or a refusal. */
function isReachable(address: string, port: number): Promise<boolean> {
  const socket = connect(port, address);
  socket.on('error', () => {});
  return Promise.race([
    once(socket, 'connect').then(
      () => true,
      () => true,
    ),
    new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 3000)),
  ]).finally(() => socket.destroy());
}

beforeAll(async () => {
  if (missing !== undefined) return;
  execFileSync(process.execPath, ['agent-installer/src/parcel.ts', '--archive', arch], {
    cwd: repository,
    stdio: 'pipe',
  });
  removeNetwork();
  system = await startSystem({ timeoutMs: 240_000, env: { VANTAGE_TLS_NAMES: controller } });
  host = await createLinkedRoot(tag, subnet);
  connectRouter(new URL(system.quickstart().agent_endpoint).port);
  const program = path.join(import.meta.dirname, 'private-devices.ts');
  servers = spawn('ip', inside(names.site, process.execPath, program, devices), {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  if (servers.stdout) await once(servers.stdout, 'data');
}, 600_000);

afterAll(async () => {
  servers?.kill();
  await host?.[Symbol.asyncDispose]();
  await system?.[Symbol.asyncDispose]();
  removeNetwork();
});

test('the printed line installs an agent in a private network; what the controller cannot reach is checked from there', async ({
  skip,
}) => {
  skip(missing !== undefined, missing);
  const { base_url, agent_endpoint } = system.quickstart();
  const { port } = new URL(agent_endpoint);
  // The router does what it is here for.
  for (const closed of [22, 23, 80]) expect(await isReachable(devices, closed)).toBe(false);
  expect(await isReachable(`${agentNet}.2`, 22)).toBe(false);
  const api = await host.run(`curl -sk --max-time 3 https://${controller}:${new URL(base_url).port}/`);
  expect(api.status).toBe(28);
  expect((await host.run(`curl -s --max-time 10 http://${devices}/`)).output).toContain('only inside');

  operate(system, 'locations', 'create', 'private');
  const at = ['--location', 'private', '--endpoint', `https://${controller}:${port}`];
  const { command } = invitation.parse(operate(system, 'agents', 'invite', ...at));
  const installed = await host.run(command);
  expect(installed.status, installed.output).toBe(0);
  expect(installed.output).toContain('Connected to');

  const made: { readonly name: string; readonly id: string; readonly code: number }[] = [];
  for (const { code, ...device } of wanted) {
    const settings = { Frequency: 1, Timeout: 5, Locations: ['private'] };
    const answer = created.parse(await system.api.ok('POST', '/devices', { ...device, ...settings }));
    made.push({ name: device.ShortName, id: answer.device_id, code });
  }
  const found = async () =>
    Promise.all(
      made.map(async ({ name, id }) => {
        const [newest] = checks.parse(await system.api.ok('GET', `/devices/${id}/checks?Limit=1`));
        return { name, code: newest?.ResultCode };
      }),
    );
  await vi.waitFor(
    async () => expect(await found()).toEqual(made.map(({ name, code }) => ({ name, code }))),
    soon,
  );

  const removed = await host.run('vantage-agent uninstall --yes');
  expect(removed.status, removed.output).toBe(0);
}, 300_000);
