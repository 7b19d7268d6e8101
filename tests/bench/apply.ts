// `vantage apply` of new devices, of the same file again, of changes and of deletions, beside the same batches by plain
// HTTP: the ratio is what the command itself costs. Usage: node tests/bench/apply.ts [devices]
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { repositoryRoot, startSystem } from '../harness/system.ts';
import { type Figure, printFigures } from './figures.ts';

const devices = Number(process.argv[2] ?? 1_000);
const together = 1_000;
const numbers = Array.from({ length: devices }, (_, n) => n);
const run = promisify(execFile);

await using system = await startSystem({ timeoutMs: 180_000 });
const { base_url, ca_file, api_key_uw } = system.quickstart();
const folder = mkdtempSync(path.join(tmpdir(), 'vantage-bench-apply-'));
const env = { ...process.env, VANTAGE_SERVER: base_url, VANTAGE_KEY: api_key_uw, VANTAGE_CA: ca_file };

/** Paused devices without a Location, so that no check runs during the measurement. */
const settings = (n: number, timeout: number) => ({
  Method: 'TCP',
  URL: `192.0.2.1:${1 + (n % 60_000)}`,
  ShortName: `d${n}`.slice(-8),
  Enabled: false,
  Locations: [],
  Timeout: timeout,
});

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return (performance.now() - from) / 1000;
}

/** The time of `work`, or the reason why it is not known: an atomic batch that needs over 20 s is rolled back. */
function secondsOr(work: () => Promise<unknown>): Promise<number | string> {
  return seconds(work).catch((error: unknown) => String(error).slice(0, 120));
}

function apply(source: string, timeout: number, kept: readonly number[]): Promise<number> {
  const file = path.join(folder, 'devices.json');
  const entries = kept.map((n) => ({ Key: `${source}-${n}`, ...settings(n, timeout) }));
  writeFileSync(file, JSON.stringify({ source, devices: entries }));
  const args = ['apply', '-f', file, '--yes', '--prune=delete'];
  return seconds(() => run(path.join(repositoryRoot, 'vantage'), args, { env, maxBuffer: 2 ** 26 }));
}

const answer = z.object({
  Results: z.array(z.object({ Body: z.looseObject({ device_id: z.string() }), ETag: z.string().optional() })),
});
async function batches<T>(items: readonly T[], Atomic: boolean, operationOf: (item: T) => object) {
  const results: z.infer<typeof answer>['Results'] = [];
  for (let from = 0; from < items.length; from += together) {
    const Operations = items.slice(from, from + together).map(operationOf);
    results.push(...answer.parse(await system.api.ok('POST', '/batch', { Atomic, Operations })).Results);
  }
  return results;
}

const figures: Figure[] = [];
const figure = (what: string, ours: number, theirs: Figure['theirs']) =>
  figures.push({ what, unit: 's', ours, peer: 'the same batches by HTTP', theirs, better: 'less' });

let made: Awaited<ReturnType<typeof batches>> = [];
const created = await secondsOr(async () => {
  made = await batches(numbers, true, (n) => ({
    Method: 'POST',
    Path: '/devices',
    Body: { ...settings(n, 30), ExternalKey: `http-${n}`, Source: 'http' },
  }));
});
figure(`${devices} new devices`, await apply('bench', 30, numbers), created);
figure(`${devices} devices, nothing changed`, await apply('bench', 30, numbers), 'none');

const paths = made.map(({ Body: { device_id } }) => `/devices/${device_id}`);
const changed = await secondsOr(async () => {
  const read = await batches(paths, false, (Path) => ({ Method: 'GET', Path }));
  await batches([...paths.keys()], true, (at) => ({
    Method: 'PUT',
    Path: paths[at],
    Body: { Timeout: 20 },
    IfMatch: read[at]?.ETag,
  }));
});
figure(`${devices} changes with If-Match`, await apply('bench', 20, numbers), changed);
const deleted = await secondsOr(() => batches(paths, true, (Path) => ({ Method: 'DELETE', Path })));
figure(`${devices} deletions`, await apply('bench', 20, []), deleted);
printFigures('Devices as code', figures);
rmSync(folder, { recursive: true, force: true });
