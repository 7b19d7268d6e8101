// All attacks of clients on the ports at once, in random order with random parameters. VANTAGE_MIXED_MINUTES says for
// how long (a minute unless given; half an hour before a release), VANTAGE_MIXED_SEED repeats a run as far as timing
// allows.
import { beforeAll, test } from 'vitest';
import type { AttackFixture } from './harness/attack-fixture.ts';
import { type Random, seeded } from './harness/hostile-message.ts';
import { keyAttacks } from './harness/key-attacks.ts';
import { writeLongHistory } from './harness/long-history.ts';
import { portAttacks } from './harness/port-attacks.ts';
import { useScenes } from './harness/scenes.ts';
import { type Attack, addManyDevices, unreadAttacks } from './harness/unread-attacks.ts';

const minutes = Number(process.env['VANTAGE_MIXED_MINUTES'] ?? 1);
const seed = Number(process.env['VANTAGE_MIXED_SEED'] ?? Date.now() % 2 ** 31);
/** Attacks that run at one time. */
const atOnce = 3;
/** A run is measured in parts, so that its report shows when something went wrong. */
const partMs = Math.min(1, minutes) * 60_000;

const scenes = useScenes();
beforeAll(async () => {
  await addManyDevices(scenes.fixture);
  const { accountNo, locationNo } = scenes.fixture.hostile;
  await writeLongHistory(scenes.fixture, { accountNo, locationNo, devices: 500, intervals: 500 });
});

const attacks: readonly (readonly [string, Attack])[] = Object.entries({
  ...unreadAttacks,
  ...portAttacks,
  ...keyAttacks,
});

test(`all attacks at once disturb nobody for ${minutes} min (seed ${seed})`, {
  timeout: minutes * 120_000 + 300_000,
}, async () => {
  const random = seeded(seed);
  for (let part = 1; part * partMs <= minutes * 60_000; part += 1) {
    await scenes.play(
      `all at once, part ${part}`,
      async (fixture) => {
        const until = performance.now() + partMs;
        const attackOn = async () => {
          while (performance.now() < until) await attackOnce(fixture, random);
        };
        await Promise.all(Array.from({ length: atOnce }, attackOn));
      },
      { minMs: partMs, maxMs: partMs + 60_000 },
    );
  }
});

/**
 * One attack that is chosen by chance. The report names it before it begins, so that it also names what ended a
 * program.
 */
async function attackOnce(fixture: AttackFixture, random: Random): Promise<void> {
  const chosen = attacks[Math.floor(random() * attacks.length)];
  if (chosen === undefined) return;
  const [name, attack] = chosen;
  const peakMiB = Math.round(fixture.controller.memory.peakBytes / 2 ** 20);
  process.stdout.write(
    `${(performance.now() / 1000).toFixed(1)} s, controller at most ${peakMiB} MiB: ${name}\n`,
  );
  await attack(fixture, seeded(Math.floor(random() * 2 ** 31)));
}
