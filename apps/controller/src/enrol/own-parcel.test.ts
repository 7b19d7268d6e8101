import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { productVersion } from '@vantage/domain';
import { createFakeClock } from '@vantage/kernel/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createOwnParcel, isOfVersion, makeOwnParcel } from './own-parcel.ts';
import { parcelFile } from './parcel-hashes.ts';

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
  await clock.advance(61_000);
  expect(parcel.begin()).toMatchObject({ kind: 'making' });
  expect(builds).toHaveLength(2);
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
