// The agent's image without a container engine: each step of the Dockerfile is done in clean Debians, one for each
// stage. Then the image's command is started as its user with its environment, under the limits of the compose file
// (root read-only, one capability, no new rights). Only "npm ci" is not run: the first stage borrows Node and the
// packages of this checkout.
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { cleanRootMissing, createLinkedRoot, type LinkedRoot } from '../harness/clean-root.ts';
import { readDockerfile, type Step } from '../harness/dockerfile.ts';
import { operate } from '../harness/more-agents.ts';
import { repositoryRoot, type System, startSystem } from '../harness/system.ts';
import { startTarget } from '../harness/target.ts';

const missing = cleanRootMissing();
const subnet = 11;
const gateway = `10.214.${subnet}.1`;
const arch = process.arch === 'arm64' ? 'arm64' : 'amd64';
const soon = { timeout: 120_000, interval: 200 };
const invitation = z.object({ token: z.string() });
const created = z.object({ device_id: z.string() });
const checks = z.array(z.object({ ResultCode: z.int() }));
/** The folders that .dockerignore keeps out, beside the sources of this checkout. */
const ignored = /\/(node_modules|\.git|\.turbo|dist)$/;
const npm = `#!/bin/sh
case $1 in
ci) ;;
run) shift; [ "$1" != --silent ] || shift; exec node --run "$@" ;;
esac
`;

/** A stage after its steps. */
interface Stage {
  readonly host: LinkedRoot;
  workdir: string;
  user: string;
  volume: string;
  readonly env: Record<string, string>;
  argv: readonly string[];
}

const openStage = async (tag: string, net: number): Promise<Stage> => ({
  host: await createLinkedRoot(tag, net),
  workdir: '/',
  user: '',
  volume: '',
  env: {},
  argv: [],
});

async function ranIn(host: LinkedRoot, line: string, env: Readonly<Record<string, string>> = {}) {
  const { status, output } = await host.run(line, env);
  expect(status, output).toBe(0);
  return output;
}

/** Mounts a file or folder of this machine in a host. */
function lend({ folder }: LinkedRoot, from: string, to: string): void {
  const [, first = ''] = /^\/proc\/(\d+)\/root$/.exec(folder) ?? [];
  const at = path.join(readlinkSync(folder), to);
  execFileSync('nsenter', ['--target', first, '--mount', 'mount', '--bind', from, at]);
}

/** Gives a host what the image of Node has: node, and an npm that installs nothing. */
function layNode({ host }: Stage): void {
  const bin = path.join(host.folder, 'usr/local/bin');
  writeFileSync(path.join(bin, 'node'), '');
  lend(host, process.execPath, '/usr/local/bin/node');
  writeFileSync(path.join(bin, 'npm'), npm, { mode: 0o755 });
}

function copy(step: Extract<Step, { kind: 'copy' }>, stage: Stage, earlier: Stage | undefined): void {
  const to = path.join(stage.host.folder, path.posix.resolve(stage.workdir, step.to));
  mkdirSync(step.to.endsWith('/') ? to : path.dirname(to), { recursive: true });
  const from = step.from === undefined ? repositoryRoot : (earlier?.host.folder ?? '');
  for (const source of step.sources) {
    const target = step.to.endsWith('/') ? path.join(to, path.basename(source)) : to;
    cpSync(path.join(from, source), target, { recursive: true, filter: (file) => !ignored.test(file) });
  }
}

/** Does the steps of a stage. */
async function build(steps: readonly Step[], stage: Stage, earlier?: Stage): Promise<void> {
  for (const step of steps)
    switch (step.kind) {
      case 'copy':
        copy(step, stage, earlier);
        break;
      case 'run':
        if (step.line.includes('npm ci')) {
          mkdirSync(path.join(stage.host.folder, stage.workdir, 'node_modules'));
          lend(
            stage.host,
            path.join(repositoryRoot, 'node_modules'),
            path.join(stage.workdir, 'node_modules'),
          );
        }
        await ranIn(stage.host, `cd ${stage.workdir}; ${step.line}`, stage.env);
        break;
      case 'env':
        for (const pair of step.pairs)
          stage.env[pair.slice(0, pair.indexOf('='))] = pair.slice(pair.indexOf('=') + 1);
        break;
      case 'workdir':
      case 'user':
      case 'volume':
        stage[step.kind] = step.value;
        break;
      case 'cmd':
        stage.argv = step.argv;
        break;
      case 'from':
        break;
    }
}

/** Starts the command of the image as a container of the compose file would. Its log is /tmp/log. */
async function startContainer(
  { host, user, volume, env, argv }: Stage,
  given: Readonly<Record<string, string>>,
): Promise<void> {
  const pairs = Object.entries({ ...env, ...given }).map((pair) => pair.join('='));
  const rights = ['--inh-caps', '--ambient-caps', '--bounding-set'].map((set) => `${set}=-all,+net_raw`);
  const become = [`--reuid=${user}`, `--regid=${user}`, '--init-groups', '--no-new-privs', ...rights];
  const limits = `mount --bind ${volume} ${volume} && mount -o remount,bind,ro /`;
  const command = ['setpriv', ...become, 'env', '-i', ...pairs, ...argv].join(' ');
  await ranIn(host, `setsid unshare --mount sh -c '${limits} && exec ${command}' >/dev/null 2>/tmp/log &`);
}

/** An agent's Location with a device that it can check; the values of the compose file. */
async function invite(system: System, port: number) {
  operate(system, 'locations', 'create', 'image');
  const body = { Method: 'TCP', URL: `${gateway}:${port}`, ShortName: 'i', Frequency: 1, Timeout: 10 };
  const { device_id: id } = created.parse(
    await system.api.ok('POST', '/devices', { ...body, Locations: ['image'] }),
  );
  const endpoint = `https://${gateway}:${new URL(system.quickstart().agent_endpoint).port}`;
  const at = ['--location', 'image', '--endpoint', endpoint];
  const { token } = invitation.parse(operate(system, 'agents', 'invite', ...at));
  return {
    id,
    given: { VANTAGE_AGENT_ENDPOINTS: endpoint, VANTAGE_AGENT_TOKEN: token, VANTAGE_CA_FILE: '/ca.pem' },
  };
}

test('the steps of the image, done in clean Debians, give an agent that connects and checks', async ({
  skip,
}) => {
  skip(missing !== undefined, missing);
  const steps = readDockerfile('agent-installer/Dockerfile');
  const at = steps.findLastIndex(({ kind }) => kind === 'from');
  const parcel = await openStage('i1', subnet + 1);
  await using _parcelHost = parcel.host;
  layNode(parcel);
  await build(steps.slice(0, at), { ...parcel, env: { TARGETARCH: arch } });
  const image = await openStage('i2', subnet);
  await using _imageHost = image.host;
  await build(steps.slice(at), image, parcel);
  expect(image).toMatchObject({ user: 'vantage-agent', volume: '/data' });

  await using system = await startSystem({ timeoutMs: 240_000, env: { VANTAGE_TLS_NAMES: gateway } });
  await using target = await startTarget('0.0.0.0');
  const { id, given } = await invite(system, target.port);
  copyFileSync(system.quickstart().ca_file, path.join(image.host.folder, 'ca.pem'));
  await startContainer(image, given);
  await vi.waitFor(async () => {
    const [first] = checks.parse(await system.api.ok('GET', `/devices/${id}/checks?Limit=1`));
    expect(first?.ResultCode, readFileSync(path.join(image.host.folder, 'tmp/log'), 'utf8')).toBe(1);
  }, soon);
  const status = await ranIn(
    image.host,
    'for p in /proc/[0-9]*; do case $(readlink $p/exe) in */bin/node) cat $p/status ;; esac; done',
  );
  expect(status).toMatch(/CapEff:\s+0000000000002000/);
  expect(status).not.toMatch(/^Uid:\s+0/m);
}, 900_000);
