import { cutRouter, healRouter, siteNames } from '../lab-fixture.ts';
import { listDevices } from '../rest.ts';
import { allAre, everyName, expectStatus, intervals, once, type Scene } from '../scene.ts';

/** The router dies for some minutes, with everything behind it. */
export const routerDies: Scene = {
  shows: 'the router dies: one message about the router, none about the 20 devices behind it',
  fixture: { scale: 6, controllers: 1 },
  async play(fixture) {
    cutRouter(fixture);
    const dead = ['router', ...siteNames];
    const during = await expectStatus(fixture, new Map([...allAre('Down', dead), ['web', 'Up']]));
    const { device_id: router } =
      (await listDevices(fixture.api)).find((one) => one.ShortName === 'router') ?? {};
    const because = (await listDevices(fixture.api)).filter(
      (one) => siteNames.includes(one.ShortName) && one.DownBecause !== router,
    );
    await intervals(fixture, 2);
    healRouter(fixture);
    const after = await expectStatus(fixture, allAre('Up', everyName));
    return {
      messages: new Map(once(['device.down', 'device.up'], ['router'])),
      differences: [
        ...during,
        ...because.map((one) => `${one.ShortName} does not name the router as the cause (DownBecause)`),
        ...after,
      ],
    };
  },
};
