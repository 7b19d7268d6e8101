// A release, made once for this file: its files, their signatures, and the package of the controller on a clean Debian,
// from nothing to the first Up, to another version and back, and what stays behind.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, createPublicKey } from 'node:crypto';
import {
  copyFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { productVersion } from '@vantage/domain';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { architectures } from '../../agent-installer/src/architectures.ts';
import { packControllerDeb } from '../../agent-installer/src/controller/controller-deb.ts';
import { controllerTree } from '../../agent-installer/src/controller/controller-tree.ts';
import { ensurePage } from '../../agent-installer/src/controller/ensure-page.ts';
import { makeRelease } from '../../agent-installer/src/release/make-release.ts';
import { faultsOfRelease, signSums, sumsOf } from '../../agent-installer/src/release/release-sums.ts';
import { createReleaseKey, readPrivateKey } from '../../agent-installer/src/release-key.ts';
import { root } from '../../agent-installer/src/root.ts';
import { cleanRootMissing, createCleanRoot } from '../harness/clean-root.ts';

const missing = cleanRootMissing();
/** The architecture of this machine, as packages name it. */
const hostArch = process.arch === 'arm64' ? 'arm64' : 'amd64';
/** A busy machine starts a system sixteen times slower. */
const soon = { timeout: 240_000, interval: 250 };
const device = z.object({ device_id: z.string(), Status: z.string() });
const checks = z.array(z.object({ check_id: z.string() }));
const otherVersion = '0.999.0';

const work = mkdtempSync(path.join(tmpdir(), 'vantage-release-'));
const key = path.join(work, 'release.key');
const release = path.join(work, 'first');
afterAll(() => rmSync(work, { recursive: true }));

beforeAll(async () => {
  ensurePage(() => {});
  createReleaseKey(key);
  const signing = readPrivateKey(key);
  await makeRelease({ folder: release, archs: [hostArch], key: signing, level: 0, say: () => {} });
}, 600_000);

let entries: ReturnType<typeof controllerTree> | undefined;

/** The entries of the controller's package for this machine, read once, with the agent's package of the release. */
function controllerEntries() {
  entries ??= controllerTree({ arch: architectures[hostArch], parcels: parcelsOfRelease() });
  return entries;
}

/** A folder with the agent's package, as a controller serves it. */
function parcelsOfRelease(): string {
  const folder = path.join(work, 'parcels');
  mkdirSync(folder);
  const name = `vantage-agent-linux-${hostArch}.tar.gz`;
  for (const file of [name, `${name}.sig`]) linkSync(path.join(release, file), path.join(folder, file));
  const sums = readFileSync(path.join(release, 'SHA256SUMS'), 'utf8').split('\n');
  writeFileSync(path.join(folder, `${name}.sha256`), `${sums.find((line) => line.endsWith(` ${name}`))}\n`);
  return folder;
}

/** Runs `npm run release`; its status and what it said. */
function program(...args: string[]) {
  const file = path.join(root, 'agent-installer/src/release/main.ts');
  // Nothing of the caller's surroundings is in the files.
  const line = 'umask 077; exec "$0" "$@"';
  const env = { ...process.env, TZ: 'Asia/Tokyo', LC_ALL: 'C' };
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line, process.execPath, file, ...args], {
    cwd: '/',
    env,
    encoding: 'utf8',
  });
  return { status, output: `${stdout}${stderr}` };
}

test('a second run gives the same bytes: of the files, the list and the signature', {
  timeout: 600_000,
}, () => {
  const second = path.join(work, 'second');
  const made = program('make', '--key', key, '--arch', hostArch, '--level', '0', '--out', second);
  expect(made.status, made.output).toBe(0);
  expect(readdirSync(second)).toEqual(readdirSync(release));
  expect(readFileSync(path.join(second, 'SHA256SUMS'), 'utf8')).toBe(
    readFileSync(path.join(release, 'SHA256SUMS'), 'utf8'),
  );
  expect(readFileSync(path.join(second, 'SHA256SUMS.sig'))).toEqual(
    readFileSync(path.join(release, 'SHA256SUMS.sig')),
  );
  rmSync(second, { recursive: true });
});

test('a whole release is verified by its key, with the program and with openssl', () => {
  expect(program('verify', release, '--public-key', `${key}.pub`)).toMatchObject({ status: 0 });
  const openssl = spawnSync('openssl', ['version']);
  if (openssl.status === 0) {
    const pem = path.join(work, 'release.pem');
    const lines = `base64 -d ${key}.pub | openssl pkey -pubin -inform DER -out ${pem}
      openssl pkeyutl -verify -pubin -inkey ${pem} -rawin -in SHA256SUMS -sigfile SHA256SUMS.sig
      sha256sum --quiet --check SHA256SUMS`;
    execFileSync('sh', ['-e', '-c', lines], { cwd: release, stdio: 'pipe' });
  }
});

test('a changed byte, a missing and a foreign file of a release are named, and another key', async () => {
  const signed = readPrivateKey(key);
  const small = path.join(work, 'small');
  mkdirSync(small);
  const put = (name: string, data: string | Buffer) => writeFileSync(path.join(small, name), data);
  const digests = ['LICENCES.txt', 'NOTES.md', 'a.deb'].map((name): [string, string] => {
    const text = readFileSync(path.join(release, 'NOTES.md'));
    put(name, text);
    return [name, createHash('sha256').update(text).digest('hex')];
  });
  const sums = sumsOf(new Map(digests));
  put('SHA256SUMS', sums);
  put('SHA256SUMS.sig', signSums(sums, signed));
  const own = createPublicKey(signed);
  expect(await faultsOfRelease(small, own)).toEqual([]);

  const text = readFileSync(path.join(small, 'NOTES.md'));
  put('NOTES.md', text.fill(text.readUInt8(100) ^ 1, 100, 101));
  rmSync(path.join(small, 'LICENCES.txt'));
  put('extra.deb', '');
  expect(program('verify', small, '--public-key', `${key}.pub`)).toEqual({
    status: 1,
    output: `release: LICENCES.txt is missing
release: NOTES.md was changed: its SHA-256 differs from the signed one
release: extra.deb is not a file of this release
`,
  });
  const other = path.join(work, 'other.key');
  createReleaseKey(other);
  const unsigned = ['SHA256SUMS is not signed by this release key: trust none of the files'];
  expect(await faultsOfRelease(release, createPublicKey(readPrivateKey(other)))).toEqual(unsigned);
  put('SHA256SUMS', '');
  expect(await faultsOfRelease(small, own)).toEqual(unsigned);
  rmSync(path.join(small, 'SHA256SUMS.sig'));
  expect(await faultsOfRelease(small, own)).toEqual([
    'SHA256SUMS.sig is missing: this is not a signed release',
  ]);
});

test('the SBOM names each package that the controller has, in its version, and each program of PostgreSQL', async () => {
  const about = z.object({ name: z.string(), version: z.string() });
  const component = about.extend({
    group: z.string().optional(),
    components: z.array(z.unknown()).optional(),
  });
  const sbom = z
    .object({ bomFormat: z.literal('CycloneDX'), components: z.array(component) })
    .parse(JSON.parse(readFileSync(path.join(release, `vantage-${productVersion}.cdx.json`), 'utf8')));
  const named = sbom.components.map(
    ({ group, name, version }) => `${group ? `${group}/` : ''}${name}@${version}`,
  );
  const shipped = (await controllerEntries()).flatMap((entry) => {
    const isManifest =
      /^node_modules\/.*\/node_modules\/(@[^/]+\/)?[^/]+\/package\.json$|^node_modules\/(@[^/]+\/)?[^@/]+\/package\.json$/;
    if (!('data' in entry) || !isManifest.test(entry.name)) return [];
    const { name, version } = about.parse(JSON.parse(entry.data.toString('utf8')));
    return [`${name}@${version}`];
  });
  expect(shipped.length).toBeGreaterThan(100);
  expect(shipped.filter((each) => !named.includes(each))).toEqual([]);
  expect(named).toContain(`node@${process.versions.node}`);
  expect(named).toContain('preact@11.2.0');
  expect(JSON.stringify(sbom)).toContain('native/bin/postgres');
});

/** The package as of another version: what states the version is another, all else is the same. */
async function packedAs(version: string): Promise<Buffer> {
  const changed = (await controllerEntries()).map((entry) => {
    if (!('data' in entry) || !/^(VERSION|libs\/domain\/src\/version\.ts)$/.test(entry.name)) return entry;
    return { ...entry, data: Buffer.from(entry.data.toString('utf8').replaceAll(productVersion, version)) };
  });
  return packControllerDeb({ version, arch: hostArch, entries: changed, level: 0 });
}

/** Installs the other version and the released one again: each keeps the settings and every check. */
async function changeVersions(good: (line: string) => Promise<string>) {
  const { device_id: id } = device.parse(JSON.parse(await good('vantage devices get own --json')));
  const ownKey = '$(sed -n "s/.*api_key_ur\\": \\"\\(.*\\)\\".*/\\1/p" /var/lib/vantage/first-run.json)';
  const list = `curl -s --cacert /var/lib/vantage/tls/ca.pem -H "Service-API-Key: ${ownKey}" 'https://localhost:8443/v1.1/devices/${id}/checks?Limit=1000'`;
  const ids = async () => checks.parse(JSON.parse(await good(list))).map((check) => check.check_id);
  await good('echo "# kept" >>/etc/vantage/vantage.env');
  const kept = new Set<string>();
  for (const version of [otherVersion, productVersion]) {
    for (const one of await ids()) kept.add(one);
    await good(`dpkg --install /tmp/${version}.deb`);
    expect(await good('vantage --version')).toBe(`${version}\n`);
    expect(await good('tail -n 1 /etc/vantage/vantage.env')).toBe('# kept\n');
    await vi.waitFor(async () => expect((await ids()).length).toBeGreaterThan(kept.size), soon);
    const now = new Set(await ids());
    expect([...kept].filter((one) => !now.has(one))).toEqual([]);
  }
}

test('two commands lead from a clean Debian to the first Up; another version and the one before keep every check; a purge leaves the data', {
  timeout: 900_000,
}, async ({ skip }) => {
  skip(missing !== undefined, missing);
  await using host = await createCleanRoot('k');
  // As on each installed Debian; mmdebstrap does not write it.
  writeFileSync(path.join(host.folder, 'etc/hosts'), '127.0.0.1 localhost\n::1 localhost\n');
  // The first new user of a host leaves copies of the lists of users behind.
  await host.run('useradd first && userdel first');
  const before = await host.files();
  const good = async (line: string) => {
    const { status, output } = await host.run(line);
    expect(status, `${line}: ${output}`).toBe(0);
    return output;
  };
  const json = async (line: string): Promise<unknown> => JSON.parse(await good(line));
  const released = `vantage_${productVersion}_${hostArch}.deb`;
  copyFileSync(path.join(release, released), path.join(host.folder, `tmp/${productVersion}.deb`));
  writeFileSync(path.join(host.folder, `tmp/${otherVersion}.deb`), await packedAs(otherVersion));

  await good(`dpkg --install /tmp/${productVersion}.deb`);
  // The installation waits for the start for a minute; a busy machine takes longer.
  const create = 'vantage devices create Method=TCP URL=127.0.0.1:8443 ShortName=own Frequency=1 --json';
  await vi.waitFor(() => good(create), soon);
  await vi.waitFor(async () => {
    const { Status } = device.parse(await json('vantage devices get own --json'));
    expect(Status).toBe('Up');
  }, soon);
  expect(await good('vantage --version')).toBe(`${productVersion}\n`);
  const rights = 'grep -hE "^(Uid|CapEff|CapBnd|NoNewPrivs):" /proc/$(cat /run/vantage.pid)/status';
  expect(await good(rights)).toMatch(
    /CapEff:\s+0000000000002000\s+CapBnd:\s+0000000000002000\s+NoNewPrivs:\s+1/,
  );
  expect(await good(rights)).not.toMatch(/Uid:\s+0/);
  expect(await good('stat -c "%a %U:%G" /etc/vantage/vantage.env /var/lib/vantage')).toBe(
    '640 root:vantage\n700 vantage:vantage\n',
  );
  expect(
    await good('vantage locations create far; vantage agents invite --location far --no-check'),
  ).toContain(`--sha256 ${hostArch}=`);
  expect(await good('cat /var/log/vantage.log')).not.toContain('Key');

  await changeVersions(good);

  expect(await good('dpkg --remove vantage')).toContain('/var/lib/vantage (data) stay');
  expect(await good('test ! -e /opt/vantage/bin && ls /etc/vantage')).toBe('backup.env\nvantage.env\n');
  expect(await good('dpkg --purge vantage')).toContain('The data in /var/lib/vantage stay');
  expect(await good('ls /var/lib/vantage')).toContain('secret.key');
  await good(`rm -r /var/lib/vantage /tmp/*.deb; userdel vantage`);
  expect(await host.files()).toEqual(before);
});
