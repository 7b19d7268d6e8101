import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import { type AttackFixture, createAttackFixture } from './attack-fixture.ts';
import { type Bystander, type Measured, startBystander } from './bystander.ts';
import { putBehind } from './priority.ts';

/** The scenes of one test file, on one running system. */
export interface Scenes {
  readonly fixture: AttackFixture;
  /**
   * Runs an attack and measures the bystander. Fails when the bystander was disturbed or a program exceeded its memory
   * limit. The measurement lasts at least `minMs`. An attack that lasts longer than `maxMs` has failed. Where the
   * bystander was only slow, other machines of the same host may be the cause: then the bystander is measured again
   * without attack, and the attack runs up to twice more against the limit of that measurement. An attack
   * that slows the bystander does so each time.
   */
  play(
    name: string,
    attack: (fixture: AttackFixture) => Promise<void>,
    lasts?: { readonly minMs?: number; readonly maxMs?: number },
  ): Promise<void>;
}

const baselineMs = 5_000;
const sceneMs = 2_000;
/** The end of an attack that waits for a missing answer. */
const maxAttackMs = 45_000;
const mebibyte = 1024 * 1024;
/** The most bytes that a scene may log, so that repeated messages cannot fill the log. */
const maxLogged = 256 * 1024;
const maxLoggedLine = 16 * 1024;
const maxLateMs = 1_000;
const maxDelayMs = 10_000;

/** Starts a system before the file's tests, measures it without an attack, and prints the measurements at the end. */
export function useScenes(settings: Readonly<Record<string, string>> = {}): Scenes {
  const resources = new AsyncDisposableStack();
  const report: string[] = [];
  let fixture: AttackFixture | undefined;
  let bystander: Bystander | undefined;
  let maxMs = 0;

  const started = (): { fixture: AttackFixture; bystander: Bystander } => {
    if (!fixture || !bystander) throw new Error('the system did not start');
    return { fixture, bystander };
  };
  beforeAll(async () => {
    fixture = resources.use(await createAttackFixture(settings));
    const { neighbour, kysely, baseUrl, ca } = fixture;
    bystander = resources.use(await startBystander({ ...neighbour, kysely, baseUrl, ca }));
    putBehind();
    const peace = await measure(bystander, () => delay(baselineMs));
    report.push(rowOf('without attack', peace, fixture));
    expect(disturbances(peace, Number.POSITIVE_INFINITY)).toEqual({ broken: [], slow: [] });
    maxMs = limitAfter(peace);
  }, 240_000);
  afterAll(async () => {
    const { controller } = fixture ?? {};
    if (report.length > 0)
      process.stdout.write(
        `\nbystander, REST p99 must stay under ${Math.round(maxMs)} ms; memory by ${controller?.memory.how}\n${report.join('\n')}\n`,
      );
    await resources.disposeAsync();
  }, 60_000);

  return {
    get fixture() {
      return started().fixture;
    },
    async play(name, attack, { minMs = sceneMs, maxMs: attackMs = maxAttackMs } = {}) {
      const { fixture, bystander } = started();
      const playOnce = async (label: string): Promise<Complaints> => {
        expect(ended(fixture), 'programs that ended in an earlier scene').toEqual([]);
        fixture.controller.takeLog();
        const fromMs = performance.now();
        let failure: unknown;
        const measured = await measure(bystander, async () => {
          await within(attackMs, attack(fixture)).catch((error: unknown) => {
            failure = error;
          });
          await delay(Math.max(0, minMs - (performance.now() - fromMs)));
        });
        report.push(rowOf(label, measured, fixture));
        const failed = failure instanceof Error ? [`the attack itself: ${failure.message}`] : [];
        const { broken, slow } = disturbances(measured, maxMs);
        return { broken: [...excesses(fixture), ...broken, ...failed], slow };
      };
      let complaints = await playOnce(name);
      for (const again of ['again', 'a third time']) {
        if (complaints.broken.length > 0 || complaints.slow.length === 0) break;
        const peace = await measure(bystander, () => delay(baselineMs));
        report.push(rowOf('again without attack', peace, fixture));
        maxMs = limitAfter(peace);
        complaints = await playOnce(`${name}, ${again}`);
      }
      const all = [...complaints.broken, ...complaints.slow];
      expect(all.slice(0, 12).map((line) => line.slice(0, 1_000))).toEqual([]);
    },
  };
}

/** Resolves or rejects as the work does, and rejects after the time limit. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = new AbortController();
  const tooLate = delay(ms, undefined, { signal: late.signal }).then(() => {
    throw new Error(`there was no answer within ${ms / 1000} s`);
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    late.abort();
    tooLate.catch(() => {}); // the result is no longer needed
  }
}

async function measure(bystander: Bystander, during: () => Promise<void>): Promise<Measured> {
  await bystander.begin();
  await during();
  return bystander.end();
}

/**
 * Disturbances of the bystander: those that no slow machine explains, and those that it may explain. One sentence each.
 */
interface Complaints {
  readonly broken: readonly string[];
  readonly slow: readonly string[];
}

/** The disturbances of the bystander. Pure. */
function disturbances(measured: Measured, maxMs: number): Complaints {
  const { errors, foreignEvents, missingEvents, p99Ms, checks, badChecks, latestMs, deliveredMs } = measured;
  return {
    broken: [
      ...errors,
      ...foreignEvents.map((event) => `a status changed: ${event}`),
      ...(missingEvents === 0 ? [] : [`${missingEvents} events did not come`]),
      ...(checks > 0 ? [] : ['no check of it was stored']),
      ...(badChecks === 0 ? [] : [`${badChecks} checks did not find it well`]),
      ...(measured.agentHeard ? [] : ['its agent is no longer heard']),
    ],
    slow: [
      ...(p99Ms < maxMs ? [] : [`p99 of its calls was ${Math.round(p99Ms)} ms`]),
      ...(latestMs <= maxLateMs ? [] : [`a check was ${Math.round(latestMs)} ms late`]),
      ...(deliveredMs <= maxDelayMs ? [] : [`a result was stored after ${Math.round(deliveredMs)} ms`]),
    ],
  };
}

/** The limit of the bystander's p99 after a measurement without attack, milliseconds. */
function limitAfter({ p99Ms }: Measured): number {
  return Math.max(500, 5 * p99Ms);
}

/** The programs of a fixture by name. */
function programsOf({ controller, neighbour, hostile }: AttackFixture) {
  return { controller, 'agent of the bystander': neighbour.agent, 'agent of the attacker': hostile.agent };
}

function ended(fixture: AttackFixture): string[] {
  return Object.entries(programsOf(fixture)).flatMap(([name, program]) => (program.ended ? [name] : []));
}

/** Names programs that ended or exceeded their memory limit, and a controller that logs too much. */
function excesses(fixture: AttackFixture): string[] {
  const { bytes, maxLineBytes } = fixture.controller.takeLog();
  return [
    ...Object.entries(programsOf(fixture)).flatMap(([name, { ended, tail, memory }]) => [
      ...(ended ? [`the ${name} ended:\n${tail.slice(-700)}`] : []),
      ...(memory.kills > 0 ? [`${memory.kills} kills in the ${name} for want of memory`] : []),
      ...(memory.peakBytes > memory.limitBytes ? [`the ${name} used ${memory.peakBytes} bytes`] : []),
    ]),
    ...(bytes > maxLogged ? [`the controller logged ${bytes} bytes`] : []),
    ...(maxLineBytes > maxLoggedLine ? [`the controller logged a line of ${maxLineBytes} bytes`] : []),
  ];
}

function rowOf(name: string, measured: Measured, fixture: AttackFixture): string {
  const memory = Object.values(programsOf(fixture)).map(({ memory: { peakBytes } }) =>
    Math.round(peakBytes / mebibyte),
  );
  const [ms, late, delivered] = [measured.p99Ms, measured.latestMs, measured.deliveredMs].map(Math.round);
  return `  ${name}: p50 ${Math.round(measured.p50Ms)} ms, p99 ${ms} ms of ${measured.calls} calls, ${measured.errors.length} errors, ${measured.checks} checks (${late} ms late, stored after ${delivered} ms), MiB ${memory.join(' / ')}`;
}
