import { createSchedule } from '../contacts.ts';
import { type LabFixture, until } from '../lab-fixture.ts';
import {
  allAre,
  type Expected,
  everyName,
  expectStatus,
  once,
  type Scene,
  startDevice,
  stopDevice,
} from '../scene.ts';

const Timezone = 'Europe/Berlin';
const controllers = 1;
const scale = 6;
/**
 * The installation starts this long before the change of the clocks at most; its start takes less than half of that.
 */
const leadSeconds = 150;
/** A message may arrive this long after its step opened. */
const maxLateMs = 5000;

/** A night of the scene. */
interface Night {
  /** The moment at which the wall clock jumps. */
  readonly change: string;
  /** Hours of the steps that the two contacts of dev-0 have. */
  readonly hook: { readonly From: string; readonly To: string };
  readonly mail: { readonly From: string; readonly To: string };
  /** Whether the e-mail contact's step opens at the change too; else it opens later. */
  readonly mailOpens: boolean;
}

const spring: Night = {
  change: '2027-03-28T01:00:00Z',
  hook: { From: '03:00', To: '23:00' },
  mail: { From: '02:30', To: '05:00' },
  mailOpens: true,
};

const autumn: Night = {
  change: '2027-10-31T01:00:00Z',
  hook: { From: '02:00', To: '02:30' },
  mail: { From: '03:00', To: '05:00' },
  mailOpens: false,
};

/** dev-0 fails before the change, within its quiet hours; dev-1 has no quiet hours. Both return after it. */
async function play(fixture: LabFixture, night: Night): Promise<Expected> {
  const { api, contacts, devices, hooks, mail, note } = fixture;
  const changeMs = Date.parse(night.change);
  await api.ok('PUT', '/account', { Timezone });
  const schedule = await createSchedule(api, 'Night', [
    { DelayMinutes: 0, Contacts: [contacts.hook], ...night.hook },
    { DelayMinutes: 0, Contacts: [contacts.mail], ...night.mail },
  ]);
  const quiet = devices.find(({ name }) => name === 'dev-0');
  await api.ok('PUT', `/devices/${quiet?.id}`, { nschedule_id: schedule });
  stopDevice(fixture, 0);
  stopDevice(fixture, 1);
  const during = await expectStatus(fixture, allAre('Down', ['dev-0', 'dev-1']));
  const isEarly = Date.now() < changeMs - 1000;
  const arrivals = () => [
    ...hooks.hooks.filter(({ about }) => about === 'dev-0').map(({ atMs }) => atMs),
    ...mail.mails.filter(({ subject }) => subject.includes('dev-0')).map(({ atMs }) => atMs),
  ];
  await until(async () => Date.now() >= changeMs + maxLateMs, leadSeconds * 1000);
  note(`the clocks have changed: ${localTime(Date.now())}`);
  const arrived = arrivals();
  startDevice(fixture, 0);
  startDevice(fixture, 1);
  const after = await expectStatus(fixture, allAre('Up', everyName));
  const both = ['device.down', 'device.up'];
  return {
    messages: new Map(once(both, ['dev-0', 'dev-1'])),
    mails: new Map(once(both, night.mailOpens ? ['dev-0', 'dev-1'] : ['dev-1'])),
    facts: {
      'clocks change at': localTime(changeMs),
      'messages about dev-0 at': arrived.map(localTime).join(', '),
    },
    differences: [
      ...(isEarly ? [] : ['the devices were Down only after the clocks had changed']),
      ...arrived.flatMap((atMs) =>
        atMs >= changeMs && atMs <= changeMs + maxLateMs ? [] : [`a message arrived at ${localTime(atMs)}`],
      ),
      ...during,
      ...after,
    ],
  };
}

function localTime(ms: number): string {
  const format = { timeZone: Timezone, timeStyle: 'long', hourCycle: 'h23' } as const;
  return new Intl.DateTimeFormat('en-GB', format).format(ms);
}

const startOf = ({ change }: Night) => new Date(Date.parse(change) - leadSeconds * 1000).toISOString();

/** 02:00 to 03:00 does not exist. */
export const springNight: Scene = {
  shows: 'the clocks go forward: what waits for 03:00, or for 02:30 that does not exist, arrives at 03:00',
  fixture: { scale, controllers },
  startsAt: startOf(spring),
  play: (fixture) => play(fixture, spring),
};

/** 02:00 to 03:00 comes twice. */
export const autumnNight: Scene = {
  shows:
    'the clocks go back: hours from 02:00 to 02:30 open twice, hours from 03:00 wait for the second 03:00',
  fixture: { scale, controllers },
  startsAt: startOf(autumn),
  play: (fixture) => play(fixture, autumn),
};
