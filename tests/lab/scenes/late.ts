import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { addContacts, countsOf, messagesTo, minutes } from '../cast.ts';
import { type LabFixture, until } from '../lab-fixture.ts';
import { connected } from '../rest.ts';
import { allAre, everyName, expectStatus, once, type Scene, startDevice, stopDevice } from '../scene.ts';

/** Devices that fail and return while no controller runs, by the Location that checks them. */
const past = { A: [2, 6, 14], B: [3] } as const;
/** It fails meanwhile, and still does when the controller is back. */
const lasting = 10;
const backMs = 60_000;

const summary = z.looseObject({
  data: z.looseObject({
    Since: z.string(),
    Count: z.number(),
    Outages: z.array(z.object({ ShortName: z.string(), Start: z.string(), End: z.string() })),
  }),
});

/** The process that starts the controller again. */
function supervisorOf(pid: number): number {
  const [, ppid = ''] = /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(ppid);
}

interface PastOutage {
  readonly name: string;
  readonly fromMs: number;
  readonly toMs: number;
}

async function pastOutage(fixture: LabFixture, device: number, count: number): Promise<PastOutage> {
  const fromMs = Date.now();
  stopDevice(fixture, device);
  await minutes(fixture, count);
  startDevice(fixture, device);
  return { name: `dev-${device}`, fromMs, toMs: Date.now() };
}

/** The summary of a Location names each of its outages with its times, and Since is the earliest one. */
function summaryDifferences(
  fixture: LabFixture,
  location: string,
  wanted: readonly PastOutage[],
): readonly string[] {
  const [hook] = fixture.hooks.hooks.filter(
    ({ type, about }) => type === 'late.summary' && about === location,
  );
  if (hook === undefined) return [];
  const { Since, Count, Outages } = summary.parse(JSON.parse(hook.text)).data;
  const maxMs = fixture.intervalMs + 3000;
  const isNear = (shown: string, trueMs: number) => Math.abs(Date.parse(shown) - trueMs) <= maxMs;
  const named = Outages.map(({ ShortName }) => ShortName)
    .sort()
    .join(', ');
  const expected = wanted
    .map(({ name }) => name)
    .sort()
    .join(', ');
  const first = Math.min(...wanted.map(({ fromMs }) => fromMs));
  const texts = {
    mail: fixture.mail.mails.filter(({ subject }) => / that (?:is|are) over/.test(subject)),
    chat: messagesTo(fixture, { contact: 'chat', what: 'late.summary' }),
    text: messagesTo(fixture, { contact: 'text', what: 'late.summary' }),
  };
  return [
    ...(Count === wanted.length ? [] : [`${location}: ${Count} outages instead of ${wanted.length}`]),
    ...(named === expected ? [] : [`${location}: the summary names ${named} instead of ${expected}`]),
    ...(isNear(Since, first)
      ? []
      : [`${location}: Since is ${Since}, the first began ${new Date(first).toISOString()}`]),
    ...Outages.flatMap(({ ShortName, Start, End }) => {
      const truth = wanted.find(({ name }) => name === ShortName);
      if (truth === undefined || (isNear(Start, truth.fromMs) && isNear(End, truth.toMs))) return [];
      return [`${location}: ${ShortName} was down ${Start} to ${End}, which is wrong`];
    }),
    ...wanted.flatMap(({ name }) =>
      Object.entries(texts).flatMap(([contact, all]) =>
        all.some(({ text }) => new RegExp(`${name}, .* to `).test(text))
          ? []
          : [`${location}: ${contact} does not name ${name} and its times`],
      ),
    ),
  ];
}

/** Outages that no controller could report in time. */
export const lateOutages: Scene = {
  shows:
    'outages begin and end while the controller is away: one summary for each Location with number, names and times; what still lasts alerts by itself',
  fixture: { scale: 20, controllers: 1 },
  isPlainOnly: true,
  limitSeconds: 300,
  async play(fixture) {
    const { system, api, note } = fixture;
    const id = await addContacts(fixture, { chat: 'slack', text: 'sms' });
    const Contacts = [fixture.contacts.hook, fixture.contacts.mail, id('chat'), id('text')];
    await api.ok('PUT', `/nschedules/${fixture.contacts.schedule}`, {
      Steps: [{ DelayMinutes: 0, Contacts }],
    });
    await api.ok('PUT', '/account', { Timezone: 'Europe/Berlin' });
    const { controller } = system.quickstart().pids;
    const supervisor = supervisorOf(controller);
    process.kill(supervisor, 'SIGSTOP');
    process.kill(controller, 'SIGKILL');
    note('the controller is away');
    await minutes(fixture, 1);
    const all = Promise.all([
      ...past.A.map(async (device, i) => {
        await minutes(fixture, i);
        return pastOutage(fixture, device, 3 + i);
      }),
      ...past.B.map((device) => pastOutage(fixture, device, 4)),
    ]);
    const outages = await all;
    stopDevice(fixture, lasting);
    await minutes(fixture, 6);
    process.kill(supervisor, 'SIGCONT');
    const isBack = await until(async () => (await connected(api)) >= 3, backMs);
    note('the controller is back');
    const down = await expectStatus(fixture, allAre('Down', [`dev-${lasting}`]));
    const arrived = await until(
      async () => fixture.hooks.hooks.filter(({ type }) => type === 'late.summary').length >= 2,
      30_000,
    );
    await minutes(fixture, 3);
    startDevice(fixture, lasting);
    const up = await expectStatus(fixture, allAre('Up', everyName));
    const still = once(['device.down', 'device.up'], [`dev-${lasting}`]);
    const of = (names: readonly number[]) =>
      outages.filter(({ name }) => names.some((i) => name === `dev-${i}`));
    return {
      messages: new Map([...once(['late.summary'], ['A', 'B']), ...still]),
      others: countsOf(
        ['chat', 'text'].flatMap((contact) => [
          [[contact], 'late.summary', String(past.A.length), 1] as const,
          [[contact], 'late.summary', String(past.B.length), 1] as const,
          [[contact], 'device.down', `dev-${lasting}`, 1] as const,
          [[contact], 'device.up', `dev-${lasting}`, 1] as const,
        ]),
      ),
      mails: new Map([...once(['late.summary'], [String(past.A.length), String(past.B.length)]), ...still]),
      differences: [
        ...(isBack ? [] : ['the agents did not connect again']),
        ...(arrived ? [] : ['there are not two summaries']),
        ...down,
        ...up,
        ...summaryDifferences(fixture, 'A', of(past.A)),
        ...summaryDifferences(fixture, 'B', of(past.B)),
      ],
    };
  },
};
