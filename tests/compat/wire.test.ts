// Operators upgrade agents and controllers one after another, so each must work with the other one of the earlier
// version.
import { describe, expect, test } from 'vitest';
import { openOld, present } from './programs.ts';
import { restore } from './restore.ts';
import { exchange } from './wire.ts';

describe.concurrent('one side has the earlier version', () => {
  test('agents of the earlier version work with this controller', { timeout: 300_000 }, async () => {
    using before = openOld();
    await using old = await restore(before.migrations);
    const checks = await exchange(old, { controller: present.controller, agent: before.agent });
    expect(checks).toBeGreaterThan(8);
  });

  test('agents of this version work with a controller of the earlier version', {
    timeout: 300_000,
  }, async () => {
    using before = openOld();
    await using old = await restore(before.migrations);
    const checks = await exchange(old, { controller: before.controller, agent: present.agent });
    expect(checks).toBeGreaterThan(8);
  });
});
