// Operators upgrade agents and controllers one after another, so each must work with the other one of the earlier
// version.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openOld, type Programs, present } from './programs.ts';
import { type Restored, restore } from './restore.ts';
import { exchange } from './wire.ts';

const ended = new AsyncDisposableStack();
let before: Programs;
let one: Restored;
let other: Restored;
beforeAll(async () => {
  const old = openOld();
  before = ended.use(old);
  one = ended.use(await restore(old.migrations));
  other = ended.use(await one.copy());
});
afterAll(() => ended.disposeAsync());

describe.concurrent('one side has the earlier version', () => {
  test('agents of the earlier version work with this controller', { timeout: 300_000 }, async () => {
    const checks = await exchange(one, { controller: present.controller, agent: before.agent });
    expect(checks).toBeGreaterThan(8);
  });

  test('agents of this version work with a controller of the earlier version', {
    timeout: 300_000,
  }, async () => {
    const checks = await exchange(other, { controller: before.controller, agent: present.agent });
    expect(checks).toBeGreaterThan(8);
  });
});
