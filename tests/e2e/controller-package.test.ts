// The package of the controller on a clean Debian: from nothing to the first Up, to another version and back, and what
// stays behind.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { productVersion } from '@vantage/domain';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { packControllerDeb } from '../../agent-installer/src/controller/deb.ts';
import { cleanRootMissing, createCleanRoot } from '../harness/clean-root.ts';
import { controllerEntries, hostArch } from '../harness/controller-entries.ts';

const missing = cleanRootMissing();
const soon = { timeout: 60_000, interval: 250 };
const device = z.object({ device_id: z.string(), Status: z.string() });
const checks = z.array(z.object({ check_id: z.string() }));
const otherVersion = '0.999.0';

/** The package as of another version: what states the version is another, all else is the same. */
async function packedAs(version: string): Promise<Buffer> {
  const entries = (await controllerEntries()).map((entry) => {
    if (!('data' in entry) || !/^(VERSION|libs\/domain\/src\/version\.ts)$/.test(entry.name)) return entry;
    return { ...entry, data: Buffer.from(entry.data.toString('utf8').replaceAll(productVersion, version)) };
  });
  return packControllerDeb({ version, arch: hostArch, entries, level: 1 });
}

test('two commands lead from a clean Debian to the first Up; another version and the one before keep every check; a purge leaves the data', {
  timeout: 600_000,
}, async ({ skip }) => {
  skip(missing !== undefined, missing);
  await using host = await createCleanRoot('k', 14);
  // As on each installed Debian; debootstrap alone does not write it.
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
  for (const version of [productVersion, otherVersion])
    writeFileSync(path.join(host.folder, `tmp/${version}.deb`), await packedAs(version));

  await good(`dpkg --install /tmp/${productVersion}.deb`);
  await good('vantage devices create Method=TCP URL=127.0.0.1:8443 ShortName=own Frequency=1 --json');
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

  const { device_id: id } = device.parse(await json('vantage devices get own --json'));
  const key = '$(sed -n "s/.*api_key_ur\\": \\"\\(.*\\)\\".*/\\1/p" /var/lib/vantage/first-run.json)';
  const list = `curl -s --cacert /var/lib/vantage/tls/ca.pem -H "Service-API-Key: ${key}" 'https://localhost:8443/v1.1/devices/${id}/checks?Limit=1000'`;
  const ids = async () => checks.parse(await json(list)).map((check) => check.check_id);
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

  expect(await good('dpkg --remove vantage')).toContain('/var/lib/vantage (data) stay');
  expect(await good('test ! -e /opt/vantage/bin && ls /etc/vantage')).toBe('vantage.env\n');
  expect(await good('dpkg --purge vantage')).toContain('The data in /var/lib/vantage stay');
  expect(await good('ls /var/lib/vantage')).toContain('secret.key');
  await good(`rm -r /var/lib/vantage /tmp/*.deb; userdel vantage`);
  expect(await host.files()).toEqual(before);
});
