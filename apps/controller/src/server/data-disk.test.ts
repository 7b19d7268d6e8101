import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemClock as clock, createLog } from '@vantage/kernel';
import { expect, test } from 'vitest';
import { openDataDisk } from './data-disk.ts';

const mebibyte = 1024 * 1024;
const log = createLog('test', 'silent');

test('results wait while the disk of the embedded database is full, and with another database they do not', async ({
  skip,
}) => {
  skip(process.getuid?.() !== 0, 'a small tmpfs is mounted as root only');
  const dataDir = mkdtempSync(path.join(tmpdir(), 'vantage-data-disk-'));
  const folder = path.join(dataDir, 'postgres');
  mkdirSync(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=100m', 'tmpfs', folder], { stdio: 'pipe' });
  } catch {
    skip(true, 'this machine lets nobody mount a tmpfs');
  }
  try {
    const disk = await openDataDisk({ config: { dataDir, databaseUrl: undefined }, clock, log });
    const store = disk.whileRoom(async (count: number) => count + 1);
    expect([disk.room, await store(1)]).toEqual(['low', 2]);
    const ballast = path.join(folder, 'ballast');
    writeFileSync(ballast, Buffer.alloc(50 * mebibyte));
    await disk.check();
    await expect(store(1)).rejects.toMatchObject({ action: 'retry', code: 'disk_full' });
    expect(disk.problem).toBe(`the disk of ${folder} is full: 50 of 100 MiB are free`);
    const config = { dataDir: folder, databaseUrl: 'postgresql://elsewhere' };
    const other = await openDataDisk({ config, clock, log });
    expect([other.room, await other.whileRoom(async () => 'stored')()]).toEqual(['full', 'stored']);
    rmSync(ballast);
    await disk.check();
    expect(await store(1)).toBe(2);
  } finally {
    execFileSync('umount', ['-l', folder]);
    rmSync(dataDir, { recursive: true });
  }
});
