// The parcel is the whole agent: it runs where there is nothing but the C and C++ runtime libraries.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { parcelTree } from '../../../agent-installer/src/parcel-tree.ts';
import { startTarget } from '../../harness/target.ts';
import { operate, system } from './system.ts';

const soon = { timeout: 120_000, interval: 250 };
const invitation = z.object({ token: z.string() });
const created = z.object({ device_id: z.string() });
const checks = z.array(z.object({ ResultCode: z.int(), check_id: z.string() }));

/** The reason why this machine cannot give a process a root and mounts of its own; undefined: it can. */
function rootMissing(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'a root of its own needs root on Linux';
  try {
    execFileSync('unshare', ['--mount', 'true'], { stdio: 'pipe' });
    return undefined;
  } catch (error) {
    return `mount namespaces cannot be made: ${error instanceof Error ? error.message.split('\n')[0] : ''}`;
  }
}

/** A root folder that holds the parcel, the runtime libraries of its node and the name of this machine. */
async function emptyRoot(): Promise<Disposable & { readonly folder: string }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-empty-root-'));
  for (const { name, mode, data } of await parcelTree(process.arch === 'arm64' ? 'arm64' : 'x64')) {
    const file = path.join(folder, 'opt/vantage-agent', name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, data, { mode });
  }
  const listed = execFileSync('ldd', [path.join(folder, 'opt/vantage-agent/bin/node')], { encoding: 'utf8' });
  for (const [library = ''] of listed.matchAll(/\/\S+(?= \()/g)) {
    const copy = path.join(folder, library);
    mkdirSync(path.dirname(copy), { recursive: true });
    copyFileSync(library, copy);
  }
  for (const name of ['proc', 'dev', 'etc', 'tmp', 'data']) mkdirSync(path.join(folder, name));
  writeFileSync(path.join(folder, 'etc/hosts'), '127.0.0.1 localhost\n::1 localhost\n');
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

async function startParcel(
  folder: string,
  location: string,
): Promise<AsyncDisposable & { process: ChildProcess }> {
  const { token } = invitation.parse(await operate('agents', 'invite', '--location', location));
  writeFileSync(path.join(folder, 'ca.pem'), readFileSync(system.quickstart().ca_file));
  const mounts = 'mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc"';
  const program = 'exec chroot "$0" /opt/vantage-agent/bin/node /opt/vantage-agent/lib/agent.mjs';
  const child = spawn('unshare', ['--mount', 'sh', '-c', `${mounts} && ${program}`, folder], {
    env: {
      PATH: process.env['PATH'],
      VANTAGE_AGENT_ENDPOINTS: system.quickstart().agent_endpoint,
      VANTAGE_AGENT_TOKEN: token,
      VANTAGE_CA_FILE: '/ca.pem',
      VANTAGE_AGENT_DATA: '/data',
    },
    stdio: 'ignore',
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    process: child,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

test('in a root with nothing but the runtime libraries the parcel connects, and checks by TCP, HTTP, PING and Script are good', {
  timeout: 600_000,
}, async ({ skip }) => {
  const missing = rootMissing();
  skip(missing !== undefined, missing);
  await operate('locations', 'create', 'cell');
  using root = await emptyRoot();
  await using target = await startTarget();
  const web = createServer((_, response) => response.end('the answer is 42'));
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  const address = web.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;
  const devices = [
    { Method: 'TCP', URL: `127.0.0.1:${target.port}` },
    { Method: 'HTTP', URL: url, Options: { ExpectRegex: 'answer is [0-9]+' } },
    { Method: 'PING', URL: '127.0.0.1' },
    {
      Method: 'Script',
      URL: `const page = await http({ url: '${url}' }); expect(page.status === 200, 'status');`,
    },
  ];
  await using _agent = await startParcel(root.folder, 'cell');
  for (const device of devices) {
    const body = { ...device, ShortName: device.Method, Frequency: 1, Timeout: 30, Locations: ['cell'] };
    const { device_id: id } = created.parse(await system.api.ok('POST', '/devices', body));
    await vi.waitFor(async () => {
      const [latest] = checks.parse(await system.api.ok('GET', `/devices/${id}/checks?Limit=1`));
      if (latest === undefined) throw new Error(`no check by ${device.Method} yet`);
      const whole =
        latest.ResultCode === 1 ? '' : await system.api.ok('GET', `/checks/${latest.check_id}/extended`);
      expect(latest.ResultCode, `${device.Method}: ${JSON.stringify(whole)}`).toBe(1);
    }, soon);
  }
  web.close();
});
