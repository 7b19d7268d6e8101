// An upgrade on a disk without room, really: a small tmpfs. Whenever the disk refuses a write, the agent goes on with
// the version before, nothing of the new one stays, and the reason says what to do.
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type DownloadFrom, fetchVersion } from '../../apps/agent/src/upgrade/fetch-version.ts';
import { planLaunch } from '../../apps/agent/src/upgrade/launch-plan.ts';
import { makeParcel, makeReleaseKey } from '../../apps/agent/src/upgrade/testing/signed-parcel.ts';
import { openVersionsFolder } from '../../apps/agent/src/upgrade/versions-folder.ts';

const isRoot = process.getuid?.() === 0;
const top = mkdtempSync(path.join(tmpdir(), 'vantage-upgrade-disk-'));
const [home, dataDir, releaseKeyFile] = ['home', 'data', 'release.pub'].map((name) =>
  path.join(top, name),
) as [string, string, string];
const filler = path.join(dataDir, 'results');
const page = 4096;
let parcel: Buffer;
let signed: string;

beforeAll(async () => {
  const key = makeReleaseKey();
  ({ parcel, signed } = await makeParcel(key, { version: '1.1.0' }));
  for (const folder of [home, dataDir]) mkdirSync(folder);
  writeFileSync(path.join(home, 'VERSION'), '1.0.0\n');
  writeFileSync(releaseKeyFile, key.line);
});
beforeEach(({ skip }) => skip(!isRoot, 'a file system is mounted by root only'));
afterAll(() => rmSync(top, { recursive: true, force: true }));

/** A disk of this size at the agent's data folder. */
function mount(size: string): Disposable {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', dataDir]);
  return { [Symbol.dispose]: () => void execFileSync('umount', [dataDir]) };
}

/** Fills the disk and gives some pages back. */
function fill(pagesLeft: number): void {
  const file = openSync(filler, 'w');
  const chunk = Buffer.alloc(page);
  let size = 0;
  try {
    for (;;) size += writeSync(file, chunk);
  } catch {
    ftruncateSync(file, size - pagesLeft * page);
  } finally {
    closeSync(file);
  }
}

/** Fetches the version; `whileLoading` is called when the parcel begins to come. */
function fetch(whileLoading: () => void = () => {}) {
  const download: DownloadFrom = async ({ path: url, onBytes }) => {
    const isStatement = url.endsWith('.sig');
    if (!isStatement) whileLoading();
    await onBytes(isStatement ? Buffer.from(signed) : parcel);
    return { kind: 'done' };
  };
  return fetchVersion({
    version: '1.1.0',
    arch: 'amd64',
    releaseKeyFile,
    download,
    versions: openVersionsFolder(dataDir),
  });
}

const launched = async () =>
  (await planLaunch({ home, dataDir, releaseKeyFile, outcome: { kind: 'ended', status: 0 } })).program;
const left = () => readdirSync(path.join(dataDir, 'versions'));

test('on a disk that is too small the upgrade is refused before the download, with how much it needs', async () => {
  using _disk = mount('64m');
  let loads = 0;
  const fetched = await fetch(() => {
    loads += 1;
  });
  expect(fetched).toEqual({
    kind: 'refused',
    text: expect.stringMatching(/ 6\d MiB left, .* needs 256 MiB\. Free space/),
  });
  expect([loads, left(), await launched()]).toEqual([0, [], home]);
});

test('a disk that becomes full at any point of the upgrade leaves the version before and nothing of the new one, and with room it succeeds', async () => {
  using _disk = mount('300m');
  const ends = { refused: 0, there: 0, later: 0 };
  for (let pagesLeft = 0; pagesLeft <= 12; pagesLeft += 1) {
    const fetched = await fetch(() => fill(pagesLeft));
    ends[fetched.kind] += 1;
    if (fetched.kind !== 'there') {
      expect(fetched.text).toMatch(
        /no space left on device.*Free space on the disk of .* start the upgrade again/,
      );
      expect(left(), `${pagesLeft} pages left`).toEqual([]);
    }
    expect(await launched()).toBe(home);
    rmSync(filler);
    rmSync(path.join(dataDir, 'versions'), { recursive: true });
  }
  process.stdout.write(`full disk in an upgrade: ${JSON.stringify(ends)}\n`);
  expect(ends.refused).toBeGreaterThan(3);
  expect(ends.there).toBeGreaterThan(0);
  expect(await fetch()).toEqual({ kind: 'there' });
});
