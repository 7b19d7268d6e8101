// Strangers and holders of keys leave answers unread, or ask for documents without end.
import { test } from 'vitest';
import { seeded } from './harness/hostile-message.ts';
import { scenes } from './harness/shared.ts';
import { unreadAttacks } from './harness/unread-attacks.ts';

const seed = Number(process.env['VANTAGE_ATTACKS_SEED'] ?? Date.now() % 2 ** 31);

test.each(Object.entries(unreadAttacks))(
  `what goes out stays bounded: %s (seed ${seed})`,
  async (name, attack) => {
    await scenes.play(name, (fixture) => attack(fixture, seeded(seed)));
  },
);
