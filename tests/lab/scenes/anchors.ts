import { z } from 'zod';
import { type LabFixture, siteNames, until } from '../lab-fixture.ts';
import { addresses, siteNetwork } from '../network.ts';
import {
  allAre,
  type Expected,
  expectStatus,
  intervals,
  once,
  type Scene,
  startDevice,
  stopDevice,
} from '../scene.ts';

const locations = z.array(z.object({ location_id: z.string(), Name: z.string() }));
const states = z.object({ AnchorStates: z.array(z.object({ Name: z.string(), State: z.string() })) });
const events = z.array(z.object({ Type: z.string(), Location: z.string().nullable() }));
const checks = z.array(z.object({ ResultCode: z.int(), CheckResult: z.string() }));

/** The agents find an anchor's state with a few checks; the rest is a margin for a busy machine. */
const anchorMs = 60_000;

/**
 * Sets the anchors of these Locations, the gateway of each agent and the router of the site, and waits until they are
 * Up.
 */
async function setAnchors(fixture: LabFixture, names: readonly ('A' | 'B')[]): Promise<readonly string[]> {
  const all = locations.parse(await fixture.api.ok('GET', '/locations'));
  for (const name of names) {
    const id = all.find(({ Name }) => Name === name)?.location_id ?? '';
    await fixture.api.ok('PUT', `/locations/${id}`, {
      Anchors: [
        { Name: `gateway-${name}`, Target: addresses.gateway(name) },
        { Name: `site-${name}`, Target: addresses.router, Networks: [siteNetwork] },
      ],
    });
  }
  const wanted = names.flatMap((name) => [`gateway-${name} Up`, `site-${name} Up`]);
  return expectAnchors(fixture, wanted);
}

/**
 * Waits until each anchor shows its state (`gateway-A Up`). Resolves with one sentence for each that does not within a
 * minute.
 */
async function expectAnchors(fixture: LabFixture, wanted: readonly string[]): Promise<readonly string[]> {
  let shown: readonly string[] = [];
  const missing = () => wanted.filter((one) => !shown.includes(one));
  await until(async () => {
    const all = z.array(states).parse(await fixture.api.ok('GET', '/locations'));
    shown = all.flatMap(({ AnchorStates }) => AnchorStates.map(({ Name, State }) => `${Name} ${State}`));
    return missing().length === 0;
  }, anchorMs);
  fixture.note(missing().length === 0 ? `as expected: ${wanted.join(', ')}` : `anchors: ${shown.join(', ')}`);
  return missing().map((one) => `${one} is expected of the anchors, which show ${shown.join(', ')}`);
}

/**
 * Checks that failed behind an anchor have code 10 and name it; a device that only they hid has no event of its own.
 */
async function recordDifferences(
  fixture: LabFixture,
  hidden: readonly string[],
  anchor: RegExp,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { name, id } of fixture.devices.filter((device) => hidden.includes(device.name))) {
    const all = checks.parse(await fixture.api.ok('GET', `/devices/${id}/checks?Limit=100`));
    const failed = all.filter(({ ResultCode }) => ResultCode !== 1);
    const wrong = failed.filter((one) => one.ResultCode !== 10 || !anchor.test(one.CheckResult));
    if (failed.length === 0) found.push(`${name} has no inconclusive check`);
    found.push(...wrong.map((one) => `${name} has a check ${one.ResultCode}: ${one.CheckResult}`));
    const own = events.parse(await fixture.api.ok('GET', `/devices/${id}/events?Limit=100`));
    const types = own.map(({ Type }) => Type).filter((type) => type !== 'Created' && type !== 'Up');
    if (types.length > 0) found.push(`${name} has events of its own: ${types.join(', ')}`);
  }
  return found;
}

/** One AnchorDown and one AnchorUp of each Location, and no LocationOffline. */
async function eventDifferences(fixture: LabFixture, names: readonly string[]): Promise<readonly string[]> {
  const query = 'Type=AnchorDown,AnchorUp,LocationOffline&Limit=100';
  const all = events.parse(await fixture.api.ok('GET', `/events?${query}`));
  const got = all.map(({ Type, Location }) => `${Type} ${Location}`).sort();
  const wanted = names.flatMap((name) => [`AnchorDown ${name}`, `AnchorUp ${name}`]).sort();
  return got.join() === wanted.join() ? [] : [`events of Locations: ${got.join(', ')}`];
}

/** These devices at the site are checked from these Locations only. */
function siteNamesOf({ devices }: LabFixture, locationNames: string): readonly string[] {
  return devices
    .filter(({ name, locations: at }) => siteNames.includes(name) && at.join() === locationNames)
    .map(({ name }) => name);
}

/** The way behind the agent of A breaks, and its stream to the controllers stays. */
export const nearAnchorFails: Scene = {
  shows:
    "A's gateway fails: one message about it; what only A checks behind it is Unknown, what is before it or checked by B too is right",
  fixture: { scale: 6, controllers: 1, hasHomes: true },
  async play(fixture): Promise<Expected> {
    const { network, truth, note, targets } = fixture;
    const onlyA = siteNamesOf(fixture, 'A');
    const others = fixture.devices.map(({ name }) => name).filter((name) => !onlyA.includes(name));
    const before = await setAnchors(fixture, ['A']);
    await intervals(fixture, 1);
    network.cutGateway('a');
    for (const name of onlyA) truth.begin(name, 'unknown', 'gateway');
    targets.stopHome(1);
    truth.begin('home-1', 'down', 'self');
    // dev-0 is checked by B too, dev-2 by A only: no agent can know that it fails.
    targets.stop(0);
    stopDevice(fixture, 2);
    note("A's gateway, home-1, dev-0 and dev-2 fail");
    // Only every second check of dev-0 can notice it, so its outage begins up to two intervals later.
    await intervals(fixture, 0.5);
    truth.begin('dev-0', 'down', 'self');
    const down = ['home-1', 'dev-0'];
    const right = others.filter((name) => !down.includes(name));
    const during = await expectStatus(
      fixture,
      new Map([...allAre('Unknown', onlyA), ...allAre('Down', down), ...allAre('Up', right)]),
    );
    const failing = await expectAnchors(fixture, ['gateway-A Down', 'site-A Down']);
    await intervals(fixture, 3);
    startDevice(fixture, 2);
    network.healGateway('a');
    for (const name of onlyA) truth.end(name, 'unknown', 'gateway');
    targets.startHome(1);
    truth.end('home-1', 'down', 'self');
    startDevice(fixture, 0);
    note('all is well again');
    const after = await expectStatus(fixture, allAre('Up', [...onlyA, ...others]));
    const answering = await expectAnchors(fixture, ['gateway-A Up', 'site-A Up']);
    await intervals(fixture, 2);
    return {
      messages: new Map([
        ...once(['anchor.down', 'anchor.up'], ['gateway-A']),
        ...once(['device.down', 'device.up'], down),
      ]),
      differences: [
        ...before,
        ...during,
        ...failing,
        ...after,
        ...answering,
        ...(await recordDifferences(fixture, onlyA, /^anchor gateway-A \(10\.213\.1\.1\) does not answer/)),
        ...(await eventDifferences(fixture, ['A'])),
      ],
    };
  },
};

/** The router of the site fails, which is the far anchor of both Locations. */
export const farAnchorFails: Scene = {
  shows:
    'the router of the site, an anchor of A and B, fails: one message from each about it, none about the 20 devices behind it, which are Unknown; what fails before it is Down',
  fixture: { scale: 6, controllers: 1, hasHomes: true },
  async play(fixture): Promise<Expected> {
    const { network, truth, note, targets } = fixture;
    const everyName = fixture.devices.map(({ name }) => name);
    const before = await setAnchors(fixture, ['A', 'B']);
    await intervals(fixture, 1);
    network.cutRouter();
    for (const name of siteNames) truth.begin(name, 'unknown', 'site');
    network.cut('w');
    targets.stopHome(1);
    const down = ['router', 'web', 'home-1'];
    for (const name of down) truth.begin(name, 'down', 'self');
    note('the router of the site, the web server and home-1 fail');
    const during = await expectStatus(
      fixture,
      new Map([...allAre('Unknown', siteNames), ...allAre('Down', down), ['home-0', 'Up']]),
    );
    const failing = await expectAnchors(fixture, [
      'gateway-A Up',
      'site-A Down',
      'gateway-B Up',
      'site-B Down',
    ]);
    await intervals(fixture, 3);
    network.healRouter();
    for (const name of siteNames) truth.end(name, 'unknown', 'site');
    network.heal('w');
    targets.startHome(1);
    for (const name of down) truth.end(name, 'down', 'self');
    note('all is well again');
    const after = await expectStatus(fixture, allAre('Up', everyName));
    const answering = await expectAnchors(fixture, ['site-A Up', 'site-B Up']);
    await intervals(fixture, 2);
    return {
      messages: new Map([
        ...once(['anchor.down', 'anchor.up'], ['site-A', 'site-B']),
        ...once(['device.down', 'device.up'], down),
      ]),
      differences: [
        ...before,
        ...during,
        ...failing,
        ...after,
        ...answering,
        ...(await recordDifferences(
          fixture,
          siteNames,
          /^anchor site-[AB] \(10\.213\.4\.2\) does not answer/,
        )),
        ...(await eventDifferences(fixture, ['A', 'B'])),
      ],
    };
  },
};
