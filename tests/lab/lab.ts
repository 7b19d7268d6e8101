// `npm run lab [scene …] [-- --json FILE] [-- --shadow] [-- --at TIME]`: plays scenes of outages on a whole
// installation in network namespaces and compares messages, Status and uptime with what each scene did; `--shadow`
// plays each once more with contacts in shadow; `--at 2027-03-28T00:58:30Z` plays as if it began then. Needs root and
// iproute2.

import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '@vantage/kernel';
import { inside, netnsMissing } from '../harness/netns.ts';
import { decisionDifferences } from './decisions.ts';
import { fakeClock } from './fake-clock.ts';
import { createFloors } from './floors.ts';
import { createNetwork, openNetwork } from './network.ts';
import type { Scene } from './scene.ts';
import { scenes } from './scenes/index.ts';
import { verdictTables } from './tables.ts';
import { parseVerdict, type Verdict } from './verdict.ts';

/** The result of a scene: its verdict, or the reason why there is none. */
interface Played {
  readonly scene: string;
  readonly seconds: number;
  readonly verdict: Verdict | undefined;
  readonly skipped?: string;
  readonly failed?: string;
}

/** The start of an installation may last this long on a busy machine. */
const startSeconds = 240;
const scriptHost = path.join(import.meta.dirname, 'scene-host.ts');
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => ending.abort());

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    at: { type: 'string' },
    json: { type: 'string' },
    list: { type: 'boolean' },
    shadow: { type: 'boolean' },
  },
});
process.exitCode = await run(positionals.length > 0 ? positionals : [...scenes.keys()]);

async function run(names: readonly string[]): Promise<number> {
  if (values.list) return list();
  const unknown = names.filter((name) => !scenes.has(name));
  if (unknown.length > 0) {
    console.error(`no scene ${unknown.join(', ')}; there are: ${[...scenes.keys()].join(', ')}`);
    return 2;
  }
  if (values.at !== undefined && Number.isNaN(Date.parse(values.at))) {
    console.error(`--at must be a time such as 2027-03-28T00:58:30Z, but it is ${values.at}`);
    return 2;
  }
  const missing = netnsMissing();
  if (missing !== undefined) {
    console.log(`skipped: ${missing}. The lab needs root and iproute2.`);
    return 0;
  }
  const all: Played[] = [];
  for (const name of names) {
    const scene = scenes.get(name);
    if (scene === undefined || ending.signal.aborted) continue;
    console.log(`\n== ${name}: ${scene.shows}`);
    const plain = await play(name, scene, 'plain');
    all.push(plain);
    console.log(textOf(plain));
    if (values.shadow !== true || scene.isPlainOnly === true || ending.signal.aborted) continue;
    console.log(`\n== ${name} in shadow: the same is decided and recorded, and nothing is sent`);
    const shadow = compared(plain, await play(name, scene, 'shadow'));
    all.push(shadow);
    console.log(textOf(shadow));
  }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(all, null, 2)}\n`);
  console.log(all.map((one) => `${verdictOf(one).padEnd(8)} ${one.scene} (${one.seconds} s)`).join('\n'));
  return all.every((one) => verdictOf(one) !== 'FAILED') && !ending.signal.aborted ? 0 : 1;
}

function list(): number {
  for (const [name, { shows, fixture }] of scenes)
    console.log(`${name.padEnd(18)} ${fixture.controllers} controllers  ${shows}`);
  return 0;
}

/**
 * A scene in shadow with what was decided differently from the plain one. Without a plain verdict there is nothing to
 * compare.
 */
function compared(plain: Played, shadow: Played): Played {
  if (plain.verdict === undefined || shadow.verdict === undefined) return shadow;
  const differences = decisionDifferences(plain.verdict.decisions, shadow.verdict.decisions);
  const decided = Object.values(shadow.verdict.decisions).flat().length;
  const facts = { ...shadow.verdict.facts, 'alerts decided as in the plain scene': decided };
  return {
    ...shadow,
    verdict: {
      ...shadow.verdict,
      facts: differences.length === 0 ? facts : shadow.verdict.facts,
      differences: [...shadow.verdict.differences, ...differences],
    },
  };
}

/** Creates the network, plays the scene in it, and removes both. */
async function play(name: string, scene: Scene, way: 'plain' | 'shadow'): Promise<Played> {
  const shown = way === 'shadow' ? `${name} in shadow` : name;
  const from = performance.now();
  // A scene that needs its own time keeps it.
  const clock = fakeClock(scene.startsAt ?? values.at);
  const seconds = () => Math.round((performance.now() - from) / 1000);
  if (clock.missing !== undefined)
    return { scene: shown, seconds: 0, verdict: undefined, skipped: clock.missing };
  const tag = `l${(process.pid % 46_656).toString(36)}`;
  try {
    using folder = createFolder();
    using _network = createNetwork(tag);
    using _floors = scene.fixture.hasFloors ? createFloors(tag) : undefined;
    const text = await runHost(tag, [name, way], scene, { ...clock.env, TMPDIR: folder.path });
    return { scene: shown, seconds: seconds(), verdict: parseVerdict(text) };
  } catch (error) {
    const failed = messageOf(error);
    return { scene: shown, seconds: seconds(), verdict: undefined, failed };
  }
}

/** A folder for all files of a scene, also of one that is killed. The database's own user must reach its data in it. */
function createFolder(): Disposable & { readonly path: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-lab-'));
  chmodSync(folder, 0o755);
  return { path: folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Runs scene-host.ts on the controllers' host with the scene's name and way; resolves with its last line. */
async function runHost(
  tag: string,
  scene: readonly string[],
  { limitSeconds = 240 }: Scene,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const seconds = startSeconds + limitSeconds;
  const limit = AbortSignal.any([ending.signal, AbortSignal.timeout(seconds * 1000)]);
  const netns = openNetwork(tag).netns('c');
  const child = spawn('ip', inside(netns, process.execPath, scriptHost, tag, ...scene), {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // The programs of the scene end with their namespaces; the scene itself gets no chance to wait for them.
  limit.addEventListener('abort', () => child.kill('SIGKILL'), { once: true });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8');
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  if (limit.aborted) throw new Error(`the scene was ended after ${seconds} s, or by a signal`);
  if (code !== 0) throw new Error(`the scene ended with ${code}`);
  return text.trim().split('\n').at(-1) ?? '';
}

function verdictOf({ verdict, skipped }: Played): 'equal' | 'skipped' | 'FAILED' {
  if (skipped !== undefined) return 'skipped';
  return verdict !== undefined && verdict.differences.length === 0 ? 'equal' : 'FAILED';
}

function textOf({ verdict, skipped, failed }: Played): string {
  if (verdict !== undefined) return verdictTables(verdict);
  return skipped === undefined ? `FAILED: ${failed}` : `skipped: ${skipped}`;
}
