// An operator's installation on a clean Debian: the line of the invitation, the first check, and nothing left after the
// removal.
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { copyFileSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeCertificate } from '@vantage/probes/testing';
import { type ConnectProxy, startConnectProxy } from '@vantage/testing/connect-proxy';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { root as repository } from '../../agent-installer/src/root.ts';
import { cleanRootMissing, createLinkedRoot, type LinkedRoot, replaceCurl } from '../harness/clean-root.ts';
import { operate } from '../harness/more-agents.ts';
import { type System, startSystem } from '../harness/system.ts';
import { startTarget, type Target } from '../harness/target.ts';
import { removeAll, stateOf } from './installed-host.ts';

const missing = cleanRootMissing();
/** The tags of the hosts of these tests. Each has a subnet of its own, because several live at one time. */
const tags = ['a', 'p', 's', 'f', 't', 'w', 'b', 'g', 'd'];
const subnetOf = (tag: string) => 20 + tags.indexOf(tag);
const dist = path.join(repository, 'agent-installer/dist');
const arch = process.arch === 'arm64' ? 'arm64' : 'amd64';
const soon = { timeout: 60_000, interval: 200 };
const invitation = z.object({ token: z.string(), command: z.string(), command_wget: z.string() });
const created = z.object({ device_id: z.string() });
const checks = z.array(z.object({ ResultCode: z.int() }));

let system: System;
let target: Target;

beforeAll(async () => {
  if (missing !== undefined) return;
  execFileSync(process.execPath, ['agent-installer/src/parcel.ts', arch], { cwd: repository, stdio: 'pipe' });
  const names = tags.map((tag) => `10.214.${subnetOf(tag)}.1`);
  system = await startSystem({ timeoutMs: 240_000, env: { VANTAGE_TLS_NAMES: names.join(',') } });
  target = await startTarget('0.0.0.0');
}, 600_000);

afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await target?.[Symbol.asyncDispose]();
});

const createHost = (tag: string) => createLinkedRoot(tag, subnetOf(tag));

/** Creates a Location with a device for an agent on this host, and returns the invitation to it. */
async function inviteTo({ gateway }: LinkedRoot, location: string) {
  operate(system, 'locations', 'create', location);
  const body = {
    Method: 'TCP',
    URL: `${gateway}:${target.port}`,
    ShortName: location,
    Frequency: 1,
    Timeout: 10,
  };
  const device = created.parse(await system.api.ok('POST', '/devices', { ...body, Locations: [location] }));
  const { port } = new URL(system.quickstart().agent_endpoint);
  const at = ['--location', location, '--endpoint', `https://${gateway}:${port}`];
  const { command_wget: wget, ...invited } = invitation.parse(operate(system, 'agents', 'invite', ...at));
  return { ...invited, wget, id: device.device_id };
}

/** The arguments that a line gives to the script. */
function argumentsOf(line: string): string {
  return /' install (--token .*)$/.exec(line)?.[1] ?? '';
}

async function firstCheck(id: string) {
  await vi.waitFor(async () => {
    const [first] = checks.parse(await system.api.ok('GET', `/devices/${id}/checks?Limit=1`));
    expect(first?.ResultCode).toBe(1);
  }, soon);
}

test.concurrent('the printed line installs an agent whose first check arrives; removed, it leaves nothing', async ({
  skip,
}) => {
  skip(missing !== undefined, missing);
  await using host = await createHost('a');
  const before = await stateOf(host);
  const { command, id } = await inviteTo(host, 'clean');

  const dry = await host.run(`${command} --dry-run`);
  expect(dry.status, dry.output).toBe(0);
  expect(await host.files()).toEqual(before.files);
  await host.run('mkdir -p -m 0700 /var/lib/vantage-agent/lost+found'); // as on a disk of its own
  const installed = await host.run(command);
  expect(installed.status, installed.output).toBe(0);
  expect(installed.output).toContain('will not start automatically after a boot');
  expect(installed.output).toContain('Connected to');
  await firstCheck(id);
  const settings = await host.run('cd /etc/vantage-agent && stat -c "%a %U:%G" agent.env && cat agent.env');
  expect(settings.output).toMatch(/^640 root:vantage-agent\nVANTAGE_AGENT_ENDPOINTS=/);
  expect(settings.output).not.toContain('TOKEN');

  const doctor = await host.run('vantage-agent doctor');
  expect(doctor.status, doctor.output).toBe(0);
  expect(doctor.output).toContain('the agent may ping');
  const process = await host.run(
    'p=$(cat /run/vantage-agent.pid); grep -E "^(Uid|CapEff|CapBnd|NoNewPrivs):" /proc/$p/status; ls /proc/$p/fd | wc -l',
  );
  expect(process.output).toMatch(/CapEff:\s+0000000000002000\s+CapBnd:\s+0000000000002000\s+NoNewPrivs:\s+1/);
  expect(process.output).not.toMatch(/Uid:\s+0/);

  const [key = '', other = ''] = [1, 2].map(() =>
    generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  );
  const pins = ['MCowBQ', key, other].map((line) => `vantage-agent pin-release-key ${line}`).join('; ');
  expect((await host.run(pins)).output).toMatch(
    /not a public release key[\s\S]*Pinned in[\s\S]*another release/,
  );
  expect((await host.run('cat /etc/vantage-agent/release.pub')).output).toBe(`${key}\n`);
  await vi.waitFor(async () => expect((await host.run('vantage-agent status')).status).toBe(0), soon);

  const log = '/var/log/vantage-agent.log';
  expect((await host.run(`head -c 20000000 /dev/zero >>${log}; vantage-agent start`)).status).toBe(0);
  await vi.waitFor(async () => {
    const [now, aside] = (await host.run(`stat -c %s ${log} ${log}.1`)).output.split('\n').map(Number);
    expect(now).toBeLessThan(1_000_000);
    expect(aside).toBe(16 * 1024 * 1024);
  }, soon);

  const again = await host.run(command);
  expect(again.status, again.output).toBe(0);
  expect(again.output).toContain('already installed');
  // Root after `su` has the PATH of the ordinary user.
  await removeAll(host, before, 'PATH=/usr/local/bin:/usr/bin:/bin vantage-agent uninstall --yes');
}, 300_000);

test.concurrent('through an HTTP proxy the same line installs, with --proxy and with https_proxy', async ({
  skip,
}) => {
  skip(missing !== undefined, missing);
  await using host = await createHost('p');
  await using proxy: ConnectProxy = await startConnectProxy(host.otherGateway);
  const before = await stateOf(host);
  execFileSync('ip', ['-n', 'vtcp', 'route', 'add', 'blackhole', `${host.gateway}/32`]);
  const { command } = await inviteTo(host, 'proxied');
  const url = `http://${host.otherGateway}:${proxy.port}`;
  const installed = await host.run(`https_proxy=${url}; export https_proxy; ${command} --proxy ${url}`);
  expect(installed.status, installed.output).toBe(0);
  expect(installed.output).toContain('Connected to');
  expect(proxy.asked.length).toBeGreaterThanOrEqual(3);
  expect((await host.run('vantage-agent doctor')).status).toBe(0);
  await removeAll(host, before);
}, 300_000);

test.concurrent('a parcel with another SHA-256 is refused before anything of it runs, and nothing stays', async ({
  skip,
}) => {
  skip(missing !== undefined, missing);
  await using host = await createHost('s');
  const before = await stateOf(host);
  const { command } = await inviteTo(host, 'forged');
  const forged = await host.run(command.replace(/(amd64|arm64)=[0-9a-f]{64}/g, `$1=${'0'.repeat(64)}`));
  expect(forged.status).toBe(5);
  expect(forged.output).toContain('SHA-256');
  expect(await host.files()).toEqual(before.files);
}, 120_000);

test.concurrent('a line that cannot download ends with the status of its reason, and nothing stays', async ({
  skip,
}) => {
  skip(missing !== undefined, missing);
  await using host = await createHost('f');
  await host.run('rm /usr/bin/sudo');
  const before = await stateOf(host);
  const { command, token } = await inviteTo(host, 'failing');
  const otherKey = command.replace(/sha256\/\/[^"]+/, `sha256//${'A'.repeat(43)}=`);
  const unknown = command.replaceAll(token, 'x'.repeat(token.length));
  const refused = command.replace(/:\d+\/install\.sh/, ':9/install.sh');
  for (const [line, status, words] of [
    [otherKey, 4, 'pinned public key'],
    [unknown, 6, 'This token is not known here'],
    [refused, 4, 'connect'],
  ] as const) {
    const ran = await host.run(line);
    expect(ran.status, ran.output).toBe(status);
    expect(ran.output).toContain(words);
    expect(await host.files()).toEqual(before.files);
  }
}, 120_000);

test.concurrent('the script says why the controller refuses its token, and leaves nothing', async ({
  skip,
}) => {
  skip(missing !== undefined, missing);
  await using host = await createHost('t');
  const before = await stateOf(host);
  const { command, token } = await inviteTo(host, 'unknown');
  const script = await host.run(command.replace('$s sh "$f" "$@"', 'cp "$f" /root/install.sh'));
  expect(script.status, script.output).toBe(0);
  const args = argumentsOf(command).replace(token, 'x'.repeat(token.length));
  const refused = await host.run(`sh /root/install.sh ${args}; code=$?; rm /root/install.sh; exit $code`);
  expect(refused.status, refused.output).toBe(6);
  expect(await host.files()).toEqual(before.files);
}, 120_000);

test.concurrent('without curl the line for GNU wget installs; another key of the controller, another authority and another parcel are refused', async ({
  skip,
}) => {
  skip(missing !== undefined, missing);
  const wget = '/usr/bin/wget';
  skip(!existsSync(wget), 'wget is not installed');
  await using host = await createHost('w');
  await replaceCurl(host, wget);
  const before = await stateOf(host);
  const { wget: line, id } = await inviteTo(host, 'wget');

  const foreign = await host.run(line.replace(/sha256\/\/[^"]+/, `sha256//${'A'.repeat(43)}=`));
  expect(foreign.status, foreign.output).toBe(4);
  expect(foreign.output).toContain('does not match pinned public key');
  expect(await host.files()).toEqual(before.files);

  const forged = await host.run(line.replace(/(amd64|arm64)=[0-9a-f]{64}/g, `$1=${'0'.repeat(64)}`));
  expect(forged.status, forged.output).toBe(5);
  expect(await host.files()).toEqual(before.files);

  const { cert } = makeCertificate();
  writeFileSync(path.join(host.folder, 'tmp/ca.pem'), cert);
  copyFileSync(path.join(repository, 'agent-installer/install.sh'), path.join(host.folder, 'tmp/install.sh'));
  const args = argumentsOf(line);
  const untrusted = await host.run(
    `sh /tmp/install.sh ${args} --ca /tmp/ca.pem; code=$?; rm /tmp/install.sh /tmp/ca.pem; exit $code`,
  );
  expect(untrusted.status, untrusted.output).toBe(4);
  expect(untrusted.output).toContain('certificate');
  expect(await host.files()).toEqual(before.files);

  const installed = await host.run(line);
  expect(installed.status, installed.output).toBe(0);
  expect(installed.output).toContain('Connected to');
  await firstCheck(id);
  await removeAll(host, before);
}, 300_000);

test.concurrent('a host with the wget of BusyBox only learns that it cannot verify, and nothing stays', async ({
  skip,
}) => {
  skip(missing !== undefined, missing);
  const busybox = '/usr/bin/busybox';
  skip(!existsSync(busybox), 'busybox is not installed');
  await using host = await createHost('b');
  await replaceCurl(host, busybox);
  expect((await host.run('ln -s busybox /usr/bin/wget')).status).toBe(0);
  const before = await stateOf(host);
  const { wget: line } = await inviteTo(host, 'busybox');
  const piped = await host.run(line);
  expect(piped.status, piped.output).toBe(4);
  expect(piped.output).toContain('unrecognized option');
  expect(await host.files()).toEqual(before.files);

  const lay = (file: string) => path.join(host.folder, 'tmp', file);
  copyFileSync(path.join(repository, 'agent-installer/install.sh'), lay('install.sh'));
  copyFileSync(system.quickstart().ca_file, lay('ca.pem'));
  const args = argumentsOf(line);
  const carried = await host.run(
    `sh /tmp/install.sh ${args} --ca /tmp/ca.pem; code=$?; rm /tmp/install.sh /tmp/ca.pem; exit $code`,
  );
  expect(carried.status, carried.output).toBe(3);
  expect(carried.output).toContain('the wget of BusyBox cannot verify a certificate');
  expect(await host.files()).toEqual(before.files);
}, 120_000);

test.concurrent('an air-gapped host installs from a parcel and a CA file that were carried there', async ({
  skip,
}) => {
  skip(missing !== undefined, missing);
  await using host = await createHost('g');
  const before = await stateOf(host);
  const { command } = await inviteTo(host, 'carried');
  const args = argumentsOf(command);
  const lay = (file: string) => path.join(host.folder, 'tmp', file);
  copyFileSync(path.join(dist, `vantage-agent-linux-${arch}.tar.gz`), lay('parcel.tar.gz'));
  copyFileSync(path.join(repository, 'agent-installer/install.sh'), lay('install.sh'));
  copyFileSync(system.quickstart().ca_file, lay('ca.pem'));
  const installed = await host.run(
    `PATH=/usr/sbin:/usr/bin sh /tmp/install.sh ${args} --ca /tmp/ca.pem --parcel /tmp/parcel.tar.gz; code=$?; rm /tmp/install.sh /tmp/ca.pem /tmp/parcel.tar.gz; exit $code`,
  );
  expect(installed.status, installed.output).toBe(0);
  await removeAll(host, before);
}, 300_000);

test.concurrent('after the Debian package the line writes the settings only, and a purge leaves nothing', async ({
  skip,
}) => {
  skip(missing !== undefined, missing);
  await using host = await createHost('d');
  const before = await stateOf(host);
  const { command, id } = await inviteTo(host, 'packed');
  const [file = ''] = readdirSync(dist).filter((name) => name.endsWith(`_${arch}.deb`));
  copyFileSync(path.join(dist, file), path.join(host.folder, 'tmp/agent.deb'));
  const unpacked = await host.run('dpkg --install /tmp/agent.deb && rm /tmp/agent.deb');
  expect(unpacked.status, unpacked.output).toBe(0);
  const installed = await host.run(command);
  expect(installed.status, installed.output).toBe(0);
  expect(installed.output).not.toContain('Downloading');
  await firstCheck(id);
  expect((await host.run('vantage-agent uninstall --yes')).output).toContain('apt-get purge vantage-agent');
  await removeAll(host, before, 'dpkg --purge vantage-agent');
}, 300_000);
