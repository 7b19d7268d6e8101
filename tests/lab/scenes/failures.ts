import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../lab-fixture.ts';
import { allAre, everyName, expectStatus, once, type Scene, startDevice, stopDevice } from '../scene.ts';

const victims = [0, 2, 3, 7, 9];
const names = victims.map((i) => `dev-${i}`);
/** The first controller must be back within this time after a kill. */
const restartMs = 30_000;

/** One controller is killed while devices fail, the other one while they recover. */
export const controllerKilled: Scene = {
  shows: 'each of two controllers is killed in the middle of an outage: each message arrives, under one id',
  fixture: { scale: 6, controllers: 2 },
  async play(fixture) {
    const { system, second, api, note } = fixture;
    for (const i of victims) stopDevice(fixture, i);
    note(`${victims.length} devices die`);
    await delay(fixture.intervalMs / 2);
    await second?.kill();
    note('the second controller is killed');
    const during = await expectStatus(fixture, allAre('Down', names));
    second?.start();
    await delay(5000);
    process.kill(system.quickstart().pids.controller, 'SIGKILL');
    note('the first controller is killed');
    for (const i of victims) startDevice(fixture, i);
    const isBack = await until(async () => (await api.call('GET', '/hello')).status === 200, restartMs);
    note('the first controller is back');
    const after = await expectStatus(fixture, allAre('Up', everyName));
    return {
      messages: new Map(once(['device.down', 'device.up'], names)),
      mayRepeat: true,
      differences: [...during, ...(isBack ? [] : ['the first controller did not start again']), ...after],
    };
  },
};

/** Further attempts come within this time after the mail server is back: two real minutes at most. */
const retryMs = 120_000;

/** No mail can be delivered while devices are down; the webhooks are not delayed by it. */
export const mailServerDown: Scene = {
  shows:
    'the mail server is down for the whole outage: webhooks arrive at once, each e-mail afterwards, Down before Up',
  fixture: { scale: 6, controllers: 1 },
  async play(fixture) {
    const { hooks, mail, note } = fixture;
    const wanted = once(['device.down', 'device.up'], ['dev-0', 'web']);
    await mail.stop();
    stopDevice(fixture, 0);
    fixture.network.cut('w');
    fixture.truth.begin('web', 'down', 'self');
    note('the mail server, dev-0 and web die');
    const during = await expectStatus(fixture, allAre('Down', ['dev-0', 'web']));
    await until(async () => hooks.hooks.length >= 2, 10_000);
    startDevice(fixture, 0);
    fixture.network.heal('w');
    fixture.truth.end('web', 'down', 'self');
    const after = await expectStatus(fixture, allAre('Up', everyName));
    const prompt = await until(async () => hooks.hooks.length === wanted.length, 10_000);
    const early = mail.mails.length;
    await mail.start();
    note('the mail server is back');
    const arrived = await until(async () => mail.mails.length >= wanted.length, retryMs);
    note(`${mail.mails.length} e-mails arrived`);
    return {
      messages: new Map(wanted),
      differences: [
        ...during,
        ...after,
        ...(prompt ? [] : [`${hooks.hooks.length} webhooks arrived during the outage of the mail server`]),
        // In shadow nothing waits for the mail server.
        ...(early === 0 || fixture.shadow !== undefined
          ? []
          : ['an e-mail arrived while the mail server was down']),
        ...(arrived ? [] : [`only ${mail.mails.length} e-mails arrived after the mail server was back`]),
      ],
    };
  },
};
