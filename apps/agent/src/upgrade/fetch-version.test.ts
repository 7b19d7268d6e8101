// What an upgrade leaves on the disk, from the download to the choice of the launcher.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { DownloadOutcome } from './download.ts';
import { type DownloadFrom, fetchVersion } from './fetch-version.ts';
import { planLaunch } from './launch-plan.ts';
import type { LastStart } from './select-version.ts';
import { makeParcel, makeReleaseKey } from './testing/signed-parcel.ts';
import { openVersionsFolder } from './versions-folder.ts';

const top = mkdtempSync(path.join(tmpdir(), 'vantage-upgrade-'));

afterAll(() => rmSync(top, { recursive: true, force: true }));

const key = makeReleaseKey();
const ended: LastStart = { kind: 'ended', status: 7 };
let folders = 0;
let dataDir = '';
let home = '';
let releaseKeyFile = '';

beforeEach(() => {
  const folder = path.join(top, String(folders++));
  dataDir = path.join(folder, 'data');
  home = path.join(folder, 'home');
  releaseKeyFile = path.join(folder, 'release.pub');
  for (const each of [dataDir, home]) mkdirSync(each, { recursive: true });
  writeFileSync(path.join(home, 'VERSION'), '1.0.0\n');
  writeFileSync(releaseKeyFile, `${key.line}\n`);
});

/** A controller that serves these files, in chunks of some bytes. */
function serving(
  { parcel, signed }: { readonly parcel: Buffer; readonly signed: string },
  cutAfter = Number.POSITIVE_INFINITY,
): DownloadFrom {
  return async ({ path: url, maxBytes, onBytes }): Promise<DownloadOutcome> => {
    const data = url.endsWith('.sig') ? Buffer.from(signed) : parcel;
    for (let at = 0; at < data.length; at += 100) {
      if (at >= cutAfter) return { kind: 'later', text: 'the connection closed' };
      if (at > maxBytes) return { kind: 'refused', text: 'too much' };
      await onBytes(data.subarray(at, at + 100));
    }
    return { kind: 'done' };
  };
}

const versions = () => openVersionsFolder(dataDir);

const fetch = (download: DownloadFrom, version = '1.1.0') =>
  fetchVersion({ version, arch: 'amd64', releaseKeyFile, versions: versions(), download });

const left = () => readdirSync(path.join(dataDir, 'versions')).sort();
const launch = (outcome: LastStart = ended) => planLaunch({ home, dataDir, releaseKeyFile, outcome });

/** Fetches a version and puts it on trial. */
async function upgrade(version: string, previous: string) {
  expect(await fetch(serving(await makeParcel(key, { version })), version)).toEqual({ kind: 'there' });
  await versions().keepTrial({ upgradeId: version, version, previous, installed: '1.0.0', starts: 0 });
}

const programOf = (version: string) => path.join(dataDir, 'versions', version);

test('a signed parcel is unpacked beside the installed program, and nothing else stays', async () => {
  expect(await fetch(serving(await makeParcel(key, { version: '1.1.0' })))).toEqual({ kind: 'there' });
  expect(left()).toEqual(['1.1.0', '1.1.0.sig']);
  expect(existsSync(path.join(programOf('1.1.0'), 'lib/agent.mjs'))).toBe(true);
  expect((await launch()).program).toBe(home);
});

describe('refused, with nothing left, is', () => {
  const other = makeReleaseKey();
  const wrong = '0'.repeat(64);
  test.each([
    [
      'a parcel of another key',
      () => makeParcel(other, { version: '1.1.0' }),
      'not signed by the release key',
    ],
    ['another version than the requested one', () => makeParcel(key, { version: '1.2.0' }), 'was requested'],
    [
      'another architecture',
      () => makeParcel(key, { version: '1.1.0', change: { arch: 'arm64' } }),
      'for arm64',
    ],
    [
      'a changed parcel',
      () => makeParcel(key, { version: '1.1.0', change: { sha256: wrong } }),
      'SHA-256 differs',
    ],
    [
      'a parcel of other files',
      () => makeParcel(key, { version: '1.1.0', change: { tree: wrong } }),
      'signed ones',
    ],
    [
      'a program that does not run',
      () => makeParcel(key, { version: '1.1.0', runs: 1 }),
      'does not run here',
    ],
  ])('%s', async (_, make, text) => {
    expect(await fetch(serving(await make()))).toEqual({
      kind: 'refused',
      text: expect.stringContaining(text),
    });
    expect(left()).toEqual([]);
  });

  test('a file that is no archive, although the key signed it', async () => {
    const made = await makeParcel(key, { version: '1.1.0' });
    const spoiled = Buffer.from(made.parcel);
    spoiled.fill(0, 20, 60);
    const sha256 = createHash('sha256').update(spoiled).digest('hex');
    const change = { sha256, size: spoiled.length };
    const { signed } = await makeParcel(key, { version: '1.1.0', change });
    expect((await fetch(serving({ parcel: spoiled, signed }))).kind).toBe('refused');
    expect(left()).toEqual([]);
  });
});

test('a download that is cut, and one that ends early, leave nothing and are worth another try', async () => {
  const made = await makeParcel(key, { version: '1.1.0' });
  for (const download of [serving(made, 100), serving({ ...made, parcel: made.parcel.subarray(0, 120) })]) {
    expect((await fetch(download)).kind).toBe('later');
    expect(left()).toEqual([]);
  }
  expect(await fetch(serving(made))).toEqual({ kind: 'there' });
});

test('a disk that refuses a write ends the upgrade with its reason, and nothing stays', async () => {
  const made = await makeParcel(key, { version: '1.1.0' });
  const full: DownloadFrom = async (wanted) =>
    wanted.path.endsWith('.sig')
      ? serving(made)(wanted)
      : Promise.reject(Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' }));
  expect(await fetch(full)).toEqual({ kind: 'refused', text: expect.stringContaining('no space left') });
  expect(left()).toEqual([]);
});

test('what a killed upgrade left is removed by the next one, and never started', async () => {
  mkdirSync(path.join(dataDir, 'versions/unpacked.part/lib'), { recursive: true });
  writeFileSync(path.join(dataDir, 'versions/parcel.part'), 'half');
  expect(await launch()).toMatchObject({ program: home, seconds: 0 });
  await fetch(serving(await makeParcel(key, { version: '1.1.0' })));
  expect(left()).toEqual(['1.1.0', '1.1.0.sig']);
});

test('a version on trial is started three times, then the launcher goes back and keeps the reason', async () => {
  await upgrade('1.1.0', '1.0.0');
  for (let start = 1; start <= 3; start += 1)
    expect(await launch()).toMatchObject({ program: programOf('1.1.0'), seconds: 120 });
  expect(await launch()).toMatchObject({ program: home, seconds: 0 });
  expect(await versions().failed()).toEqual({
    upgradeId: '1.1.0',
    version: '1.1.0',
    text: expect.stringContaining('exit status 7'),
  });
  expect(await launch()).toMatchObject({ program: home, seconds: 0 });
});

test('a version on trial that is late is given up at once', async () => {
  await upgrade('1.1.0', '1.0.0');
  await launch();
  expect(await launch({ kind: 'late' })).toMatchObject({ program: home, seconds: 0 });
  expect((await versions().failed())?.text).toContain('did not connect and report within 120 s');
});

test('a confirmed version is the current one; a broken one after it goes back to it', async () => {
  await upgrade('1.1.0', '1.0.0');
  await launch();
  await versions().confirm();
  expect(await launch()).toMatchObject({ program: programOf('1.1.0'), seconds: 0, text: undefined });
  await upgrade('1.2.0', '1.1.0');
  expect(await launch()).toMatchObject({ program: programOf('1.2.0'), seconds: 120 });
  expect(await launch({ kind: 'late' })).toMatchObject({ program: programOf('1.1.0'), seconds: 0 });
  await versions().keepOnly(['1.1.0', '1.0.0']);
  expect(left()).toEqual(['1.1.0', '1.1.0.sig', 'current', 'failed']);
});

describe('a version of which somebody changed the files is not started:', () => {
  test.each<[string, (folder: string) => void]>([
    ['a file that was changed', (folder) => writeFileSync(path.join(folder, 'lib/agent.mjs'), 'evil()')],
    ['a file that was added', (folder) => writeFileSync(path.join(folder, 'lib/more.mjs'), '')],
    ['a file that is gone', (folder) => rmSync(path.join(folder, 'lib/agent.mjs'))],
    ['a link', (folder) => symlinkSync('/bin/true', path.join(folder, 'lib/link'))],
    ['another right to run', (folder) => chmodSync(path.join(folder, 'lib/agent.mjs'), 0o755)],
    ['a folder that is gone', (folder) => rmSync(folder, { recursive: true })],
    ['no signature', (folder) => rmSync(`${folder}.sig`)],
    ['the signature of another key', (folder) => writeFileSync(`${folder}.sig`, '{}')],
    ['no release key', () => rmSync(releaseKeyFile)],
  ])('%s', async (_, change) => {
    await upgrade('1.1.0', '1.0.0');
    await launch();
    await versions().confirm();
    change(programOf('1.1.0'));
    expect(await launch()).toMatchObject({
      program: home,
      seconds: 0,
      text: expect.stringContaining('the installed program is started'),
    });
  });

  test('on trial it failed', async () => {
    await upgrade('1.1.0', '1.0.0');
    writeFileSync(path.join(programOf('1.1.0'), 'lib/agent.mjs'), 'evil()');
    expect(await launch()).toMatchObject({ program: home, seconds: 0 });
    expect((await versions().failed())?.text).toContain('are not the signed ones');
  });
});

test('damaged files of the folder are as none, and another installed program ends earlier upgrades', async () => {
  await upgrade('1.1.0', '1.0.0');
  await launch();
  await versions().confirm();
  writeFileSync(path.join(home, 'VERSION'), '1.3.0\n');
  expect(await launch()).toMatchObject({
    program: home,
    text: expect.stringContaining('was installed here'),
  });
  writeFileSync(path.join(home, 'VERSION'), '1.0.0\n');
  expect((await launch()).program).toBe(programOf('1.1.0'));
  writeFileSync(path.join(dataDir, 'versions/current'), '{"version": "../../..');
  expect((await launch()).program).toBe(home);
});
