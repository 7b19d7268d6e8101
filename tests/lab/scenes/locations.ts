import { setTimeout as delay } from 'node:timers/promises';
import type { LabDevice } from '../devices.ts';
import { type LabFixture, until } from '../lab-fixture.ts';
import { locationsOnline } from '../rest.ts';
import { allAre, type Expected, everyName, expectStatus, intervals, once, type Scene } from '../scene.ts';

/** An offline Location is noticed by a ping that is not answered; then the time of the rule passes. */
const offlineMs = 75_000;

/** Only B checks these devices. */
const onlyB = (device: LabDevice) => device.locations.join() === 'B';

/**
 * B disappears, stays away for `awayMs` after it was noticed, and returns: two messages about B and none about a
 * device.
 */
async function absence(
  fixture: LabFixture,
  deeds: {
    readonly begin: () => void | Promise<void>;
    readonly end: () => void;
    /** The minimum from the start to the end. */
    readonly minMs: number;
  },
): Promise<Expected> {
  const { api, devices, truth, note } = fixture;
  const unchecked = devices.filter(onlyB).map(({ name }) => name);
  const fromMs = performance.now();
  await deeds.begin();
  for (const name of unchecked) truth.begin(name, 'unknown', 'B');
  note('B is gone');
  const wentOffline = await until(async () => (await locationsOnline(api)).get('B') === false, offlineMs);
  note(wentOffline ? 'B is offline' : 'B is not offline');
  const others = everyName.filter((name) => !unchecked.includes(name));
  const during = await expectStatus(
    fixture,
    new Map([...allAre('Unknown', unchecked), ...allAre('Up', others)]),
  );
  await delay(Math.max(2 * fixture.intervalMs, deeds.minMs - (performance.now() - fromMs)));
  deeds.end();
  for (const name of unchecked) truth.end(name, 'unknown', 'B');
  note('B is back');
  const wentOnline = await until(async () => (await locationsOnline(api)).get('B') === true, offlineMs);
  const after = await expectStatus(fixture, allAre('Up', everyName));
  await intervals(fixture, 2);
  return {
    messages: new Map(once(['location.offline', 'location.online'], ['B'])),
    differences: [
      ...(wentOffline ? [] : ['B did not become offline']),
      ...(wentOnline ? [] : ['B did not become online again']),
      ...during,
      ...after,
    ],
  };
}

/** The line of Location B is cut: its agent reaches neither controller nor targets. */
export const uplinkDies: Scene = {
  shows: "B's uplink dies: one message about B, none about the devices that only B checks",
  fixture: { scale: 6, controllers: 1 },
  play: (fixture) =>
    absence(fixture, {
      begin: () => fixture.network.cut('b'),
      end: () => fixture.network.heal('b'),
      minMs: 0,
    }),
};

/** The agent of Location B is killed and started again later. */
export const agentKilled: Scene = {
  shows: 'the agent of B is killed: one message about B, and A continues alone',
  fixture: { scale: 6, controllers: 2 },
  play: (fixture) =>
    absence(fixture, {
      begin: () => fixture.agents.B.kill(),
      end: () => fixture.agents.B.start(),
      minMs: 0,
    }),
};

const frozenScale = 10;

/** The agent of Location B stands still for ten minutes, as on a suspended host. */
export const agentFrozen: Scene = {
  shows: 'the agent of B stands still for ten minutes: one message about B, no false outage before and after',
  fixture: { scale: frozenScale, controllers: 1 },
  play: (fixture) =>
    absence(fixture, {
      begin: () => fixture.agents.B.freeze(),
      end: () => fixture.agents.B.resume(),
      minMs: 600_000 / frozenScale,
    }),
};
