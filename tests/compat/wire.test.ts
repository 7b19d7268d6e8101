// Operators upgrade agents and controllers one after another, so each must work with the other one of the earlier
// version.
import { describe, expect, test } from 'vitest';
import type { Api } from '../harness/api.ts';
import { openOld, present } from './programs.ts';
import { restore } from './restore.ts';
import { exchange } from './wire.ts';

/** Agents of the earlier version check on request but do not trace, and the answer says so. */
async function refusesTraceroutes(api: Api, deviceId: string): Promise<void> {
  expect((await api.call('POST', `/devices/${deviceId}/traceroute`)).body).toEqual({
    code: 1005,
    message: expect.stringMatching(
      /^no agent that is connected for this device traces on request\. Upgrade one of: .+ \(version 0\.1\.0\)/,
    ),
  });
}

describe.concurrent('one side has the earlier version', () => {
  test('agents of the earlier version work with this controller', { timeout: 180_000 }, async () => {
    using before = openOld();
    await using old = await restore(before.migrations);
    const checks = await exchange(
      old,
      { controller: present.controller, agent: before.agent },
      refusesTraceroutes,
    );
    expect(checks).toBeGreaterThan(8);
  });

  test('agents of this version work with a controller of the earlier version', {
    timeout: 180_000,
  }, async () => {
    using before = openOld();
    await using old = await restore(before.migrations);
    const checks = await exchange(old, { controller: before.controller, agent: present.agent });
    expect(checks).toBeGreaterThan(8);
  });
});
