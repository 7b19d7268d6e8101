import { cutRouter, healRouter, siteNames } from '../ground.ts';
import { listDevices } from '../rest.ts';
import { allAre, everyName, expectStatus, intervals, once, type Scene } from '../scene.ts';

/** The router dies for some minutes, with everything behind it. */
export const routerDies: Scene = {
  shows: 'the router dies: one message about the router, none about the 20 devices behind it',
  ground: { scale: 6, controllers: 1 },
  async play(ground) {
    cutRouter(ground);
    const dead = ['router', ...siteNames];
    const during = await expectStatus(ground, new Map([...allAre('Down', dead), ['web', 'Up']]));
    const { device_id: router } =
      (await listDevices(ground.api)).find((one) => one.ShortName === 'router') ?? {};
    const because = (await listDevices(ground.api)).filter(
      (one) => siteNames.includes(one.ShortName) && one.DownBecause !== router,
    );
    await intervals(ground, 2);
    healRouter(ground);
    const after = await expectStatus(ground, allAre('Up', everyName));
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
