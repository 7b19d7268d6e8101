// Plays one scene on the controllers' host of a network that lab.ts made, and prints the verdict as one line of JSON.
// Usage: scene-host.ts TAG SCENE [shadow]
import { setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { createLabFixture } from './lab-fixture.ts';
import { loggedErrors } from './log-lines.ts';
import { scenes } from './scenes/index.ts';
import { judge } from './verdict.ts';

/** Messages that a scene does not expect get at least this long to arrive, and after a group of e-mails as long. */
const quietMs = 8_000;

const [, , tag = '', name = '', way] = process.argv;
const scene = scenes.get(name);
if (scene === undefined) throw new Error(`no scene ${name}`);
// The programs of the scene inherit it. Other work of the machine must not be measured as a slow installation.
putAhead();
const fixture = await createLabFixture(tag, { ...scene.fixture, isShadow: way === 'shadow' });
try {
  const expected = await scene.play(fixture);
  await delay(Math.max(quietMs, fixture.minuteMs + quietMs / 2));
  const verdict = await judge(fixture, expected);
  process.stdout.write(`${JSON.stringify(verdict)}\n`);
} catch (error) {
  for (const line of Object.values(loggedErrors(fixture.system.dataDir))) process.stderr.write(`${line}\n`);
  throw error;
} finally {
  await fixture[Symbol.asyncDispose]();
}
process.exit(0);

function putAhead(): void {
  try {
    setPriority(-10);
  } catch {
    // not allowed; all programs share the processors equally
  }
}
