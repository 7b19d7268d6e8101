import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { productVersion } from '@vantage/domain';
import { createFakeClock } from '@vantage/kernel/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createOwnParcel, isOfVersion, makeOwnParcel } from './own-parcel.ts';
import { parcelFile } from './parcel-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vantage-own-parcel-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const arch = 'amd64';
const writePackage = (version = productVersion) => {
  writeFileSync(`${parcelFile(folder, arch)}.sha256`, `${'0'.repeat(64)}  x\n`);
  writeFileSync(`${parcelFile(folder, arch)}.version`, `${version}\n`);
};

/** A builder whose builds end when the test says so. */
function scene() {
  const clock = createFakeClock();
  const builds: ((fault: string | undefined) => void)[] = [];
  const build = () => new Promise<string | undefined>((resolve) => void builds.push(resolve));
  return { clock, builds, parcel: createOwnParcel({ folder, clock, build, arch }) };
}

test('a package counts with its digest and in its version only', () => {
  const file = path.join(folder, 'a.tar.gz');
  expect(isOfVersion(file, '1.2.3')).toBe(false);
  writeFileSync(`${file}.sha256`, `${'0'.repeat(64)}  a.tar.gz\n`);
  expect(isOfVersion(file, '1.2.3')).toBe(false);
  writeFileSync(`${file}.version`, '1.2.2\n');
  expect(isOfVersion(file, '1.2.3')).toBe(false);
  writeFileSync(`${file}.version`, '1.2.3\n');
  expect(isOfVersion(file, '1.2.3')).toBe(true);
});

test('many that ask at once have one package made, and hear for how long', async () => {
  const { clock, builds, parcel } = scene();
  expect(parcel.begin()).toEqual({ kind: 'making', seconds: 0 });
  await clock.advance(12_000);
  expect(parcel.begin()).toEqual({ kind: 'making', seconds: 12 });
  expect(builds).toHaveLength(1);
  writePackage();
  builds[0]?.(undefined);
  expect(await parcel.done()).toEqual({ kind: 'there' });
  expect(parcel.begin()).toEqual({ kind: 'there' });
  expect(builds).toHaveLength(1);
});

test('a package of another version is made anew', () => {
  writePackage('0.0.1');
  expect(scene().parcel.begin()).toMatchObject({ kind: 'making' });
});

test('a package that cannot be made is named, and tried again after a minute', async () => {
  const { clock, builds, parcel } = scene();
  parcel.begin();
  builds[0]?.('no room');
  expect(await parcel.done()).toEqual({ kind: 'failed', why: 'no room' });
  expect(parcel.begin()).toEqual({ kind: 'failed', why: 'no room' });
  await clock.advance(60_000);
  expect(parcel.begin()).toEqual({ kind: 'failed', why: 'no room' });
  await clock.advance(1);
  expect(parcel.begin()).toMatchObject({ kind: 'making' });
  expect(builds).toHaveLength(2);
});

const own = { x64: 'amd64', arm64: 'arm64' }[process.arch as string];
test('in a clone the package is made for hosts like this one', ({ skip }) => {
  skip(own === undefined || process.platform !== 'linux', 'packages are made on Linux, amd64 and arm64');
  const made: string[] = [];
  const build = async (each: string) => void made.push(each);
  expect(createOwnParcel({ folder, clock: createFakeClock(), build }).begin().kind).toBe('making');
  expect(made).toEqual([own]);
});

test('where packages come from elsewhere none is made', () => {
  expect(createOwnParcel({ folder, isWanted: false, clock: createFakeClock() }).begin()).toEqual({
    kind: 'brought',
  });
});

test('the command says that it makes the package, and why it could not', async () => {
  const { builds, parcel } = scene();
  const said: string[] = [];
  const made = makeOwnParcel(parcel, (text) => void said.push(text));
  builds[0]?.('no room');
  await made;
  expect(said).toEqual([
    expect.stringContaining('about half a minute'),
    expect.stringContaining('could not be made: no room'),
  ]);
});

test('the command says every ten seconds how long it takes, and at the end that the package is made', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const { clock, builds, parcel } = scene();
    const said: string[] = [];
    const made = makeOwnParcel(parcel, (text) => void said.push(text));
    await clock.advance(10_000);
    vi.advanceTimersByTime(10_000);
    writePackage();
    builds[0]?.(undefined);
    await made;
    await makeOwnParcel(parcel, (text) => void said.push(text));
    vi.advanceTimersByTime(30_000);
    expect(said).toEqual([
      expect.stringContaining('about half a minute'),
      "still making the agent's package, 10 s",
      expect.stringContaining("the agent's package is ready"),
    ]);
  } finally {
    vi.useRealTimers();
  }
});
