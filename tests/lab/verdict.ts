import { z } from 'zod';
import { mailAddress } from './contacts.ts';
import { decisionsOf, readAlerts } from './decisions.ts';
import { acceptedTwice, falseEnds, openIncidents } from './ends.ts';
import { withFolded } from './folded.ts';
import {
  type Counts,
  type DeviceOutcome,
  deviceDifferences,
  messageDifferences,
  sequenceDifferences,
  unlessCounted,
} from './judge.ts';
import type { LabFixture } from './lab-fixture.ts';
import { loggedErrors } from './log-lines.ts';
import { leftOutOf, messagesOf } from './mail-content.ts';
import { statuses, uptimeOf } from './rest.ts';
import type { Expected } from './scene.ts';
import { mailMessages, type ServiceMessage, serviceMessages } from './service-messages.ts';

const text = z.object({ expected: z.string(), got: z.string() });
const number = z.object({ expected: z.number(), got: z.number() });
const verdict = z.object({
  messages: z.array(z.object({ name: z.string(), expected: z.number(), sent: z.number() })),
  devices: z.array(
    z.object({
      name: z.string(),
      status: text,
      outages: number,
      downSeconds: number,
      maintenanceSeconds: number,
      unknownSeconds: number,
      sumSeconds: number,
    }),
  ),
  facts: z.record(z.string(), z.union([z.string(), z.number()])),
  /** The decisions about each device or Location; see decisions.ts. */
  decisions: z.record(z.string(), z.array(z.string()).readonly()),
  /** Empty where everything is as expected. */
  differences: z.array(z.string()),
});

/** The result of a scene. */
export type Verdict = z.infer<typeof verdict>;

/** Reads the line that scene-host.ts printed. */
export function parseVerdict(line: string): Verdict {
  return verdict.parse(JSON.parse(line));
}

/** Compares what was sent and recorded with what the scene did. */
export async function judge(fixture: LabFixture, expected: Expected): Promise<Verdict> {
  const period = { fromMs: wholeSecond(fixture.fromMs), toMs: wholeSecond(Date.now()) };
  const devices = await outcomes(fixture, expected, period);
  const alerts = await readAlerts(fixture.api);
  const wanted = expectedCounts(expected);
  const sent = sentCounts(fixture);
  const names = [...new Set([...wanted.keys(), ...sent.keys()])].sort();
  const tolerance = tolerances(fixture);
  return {
    messages: names.map((name) => ({ name, expected: wanted.get(name) ?? 0, sent: sent.get(name) ?? 0 })),
    devices,
    facts: { ...expected.facts, ...loggedErrors(fixture.system.dataDir) },
    decisions: decisionsOf(alerts, fixture.contacts),
    differences: [
      ...(expected.differences ?? []),
      ...unlessCounted(messageDifferences(wanted, sent), leftOut(fixture)),
      ...devices.flatMap((device) => deviceDifferences(device, tolerance)),
      ...sequenceDifferences(
        'hook',
        firsts(fixture.hooks.hooks.map(({ id, type, about }) => [id, `${type} ${about}`])),
      ),
      ...sequenceDifferences(
        'mail',
        firsts(toldByMail(fixture).map(({ id, message }) => [`${id} ${message}`, message])),
      ),
      ...(expected.mayRepeat ? [] : repeated(fixture)),
      ...fixture.hooks.faults.map((fault) => `a webhook that a receiver must refuse: ${fault}`),
      ...shadowDifferences(fixture, alerts),
      ...serviceDifferences(fixture, expected),
    ],
  };
}

const wholeSecond = (ms: number) => Math.floor(ms / 1000) * 1000;

/**
 * An outage is noticed by the next check and ends by the next check; a cut line is noticed by a ping that is not
 * answered.
 */
function tolerances({ intervalMs }: LabFixture) {
  const intervalSeconds = intervalMs / 1000;
  return {
    downSeconds: intervalSeconds + 5,
    unknownSeconds: 2 * intervalSeconds + 35,
    maintenanceSeconds: 2,
  };
}

async function outcomes(
  { api, devices, truth }: LabFixture,
  { statuses: special, deleted }: Expected,
  period: { readonly fromMs: number; readonly toMs: number },
): Promise<DeviceOutcome[]> {
  const shown = await statuses(api);
  return Promise.all(
    devices
      .filter(({ name }) => deleted?.has(name) !== true)
      .map(async ({ name, id }) => {
        const uptime = await uptimeOf(api, id, period);
        const seconds = truth.seconds(name, period);
        const sum = uptime.UpSeconds + uptime.DownSeconds + uptime.MaintenanceSeconds + uptime.UnknownSeconds;
        return {
          name,
          status: { expected: special?.get(name) ?? 'Up', got: shown.get(name) ?? 'none' },
          outages: { expected: truth.outages(name, period), got: uptime.Outages },
          downSeconds: { expected: seconds.down, got: uptime.DownSeconds },
          maintenanceSeconds: { expected: seconds.maintenance, got: uptime.MaintenanceSeconds },
          unknownSeconds: { expected: seconds.unknown, got: uptime.UnknownSeconds },
          sumSeconds: { expected: (period.toMs - period.fromMs) / 1000, got: sum },
        };
      }),
  );
}

function expectedCounts({ messages, mails = messages, others = new Map() }: Expected): Counts {
  const counts = new Map<string, number>(others);
  for (const [name, count] of messages) counts.set(`hook ${name}`, count);
  for (const [name, count] of mails) counts.set(`mail ${name}`, count);
  return counts;
}

/**
 * The messages that arrived. A webhook counts once for its id; an e-mail that names several devices counts for each.
 */
function sentCounts(fixture: LabFixture): Counts {
  const { hooks } = fixture;
  const counts = new Map<string, number>();
  const add = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  const distinct = new Map(hooks.hooks.map((hook) => [hook.id, hook]));
  for (const { type, about } of distinct.values()) add(`hook ${type} ${about}`);
  for (const { message } of toldByMail(fixture)) add(`mail ${message}`);
  const others = otherMessages(fixture).map(
    (one) => [`${one.contact} ${one.what} ${one.about} ${one.id}`, one] as const,
  );
  for (const { contact, what, about } of new Map(others).values()) add(`${contact} ${what} ${about}`);
  return counts;
}

/** The number of messages that all e-mails together count without a name. */
function leftOut(fixture: LabFixture): number {
  const mails = new Map(ownMails(fixture).map((one) => [one.messageId, one]));
  return [...mails.values()].reduce((sum, one) => sum + leftOutOf(one), 0);
}

/** The e-mails to the account's contact `mail`. What was recorded in shadow has no address. */
function ownMails({ mail }: LabFixture) {
  return mail.mails.filter(({ to }) => to === '' || to === mailAddress);
}

/** The messages of the contact `mail`, without repetitions of an e-mail. */
function toldByMail(fixture: LabFixture): { readonly id: string; readonly message: string }[] {
  const mails = [...new Map(ownMails(fixture).map((one) => [one.messageId, one])).values()];
  const all = mails.map((mail) => ({ messages: messagesOf(mail), atMs: mail.atMs }));
  const downs = fixture.hooks.hooks.filter(({ type }) => type === 'device.down');
  // A group waits for its minute, and what is grouped with it for the one before.
  const told = withFolded(all, { downs, maxMs: 2 * fixture.minuteMs });
  return mails.flatMap(({ messageId }, i) => (told[i] ?? []).map((message) => ({ id: messageId, message })));
}

/** The messages of the scene's contacts, in the order of arrival. */
export function otherMessages({ receivers, serviceTypes, mail }: LabFixture): readonly ServiceMessage[] {
  const mails = mail.mails.filter(({ to }) => to !== '' && to !== mailAddress);
  const all = [...serviceMessages(receivers.received, serviceTypes), ...mailMessages(mails)];
  return all.sort((a, b) => a.atMs - b.atMs);
}

/**
 * Faults in any scene: an end while the device is Down, an incident that stays open, the same
 * message twice.
 */
function serviceDifferences(fixture: LabFixture, { released, mayRepeat }: Expected): string[] {
  const { truth, hooks, minuteMs } = fixture;
  const others = otherMessages(fixture);
  const own = hooks.hooks.map(({ id, type: what, about, text, atMs }) => ({
    contact: 'hook',
    what,
    about,
    key: '',
    id,
    text,
    atMs,
  }));
  const mails = mailMessages(ownMails(fixture));
  return [
    ...falseEnds([...own, ...mails, ...others], {
      downForMs: (name, atMs) => truth.downForMs(name, atMs),
      maxMs: 2 * minuteMs,
      released: released ?? new Set(),
    }),
    ...openIncidents(others),
    ...(mayRepeat ? [] : acceptedTwice(others)),
  ];
}

/** The messages without repetitions of an id. */
function firsts(messages: readonly (readonly string[])[]): string[] {
  const distinct = new Map(messages.map(([id = '', message = '']) => [id, message]));
  return [...distinct.values()];
}

/** Nothing arrives at contacts in shadow, and the list of alerts shows every message that was recorded. */
function shadowDifferences(
  { shadow, hooks, mail }: LabFixture,
  alerts: Awaited<ReturnType<typeof readAlerts>>,
): string[] {
  if (shadow === undefined) return [];
  const states = alerts.flatMap(({ Notifications }) => Notifications.map(({ State }) => State));
  const recorded = hooks.hooks.length + mail.mails.length;
  const others = states.filter((state) => state !== 'Shadow');
  return [
    ...(shadow.arrived() === 0 ? [] : [`${shadow.arrived()} messages arrived at contacts in shadow`]),
    ...(others.length === 0 ? [] : [`the state of messages in shadow: ${[...new Set(others)].join(', ')}`]),
    ...(states.length === recorded
      ? []
      : [`GET /alerts shows ${states.length} messages, ${recorded} are recorded`]),
  ];
}

/** A message may arrive twice only where a program died between sending and recording. */
function repeated({ hooks, mail }: LabFixture): string[] {
  const ids = [...hooks.hooks.map(({ id }) => id), ...mail.mails.map(({ messageId }) => messageId)];
  const again = ids.filter((id, i) => ids.indexOf(id) !== i);
  return again.map((id) => `the message ${id} arrived more than once`);
}
