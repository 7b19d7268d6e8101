import type { MessageKind } from '@vantage/alerts';
import { cleanLine, type Json } from '@vantage/domain';
import { z } from 'zod';
import type { Notice } from './channel.ts';
import { clockText, durationText, factText, nameIn } from './fact-text.ts';
import { headlineOf, longestWhy, sinceOf, titleOf, whyOf } from './headline.ts';

/** The questions of a person whom a message wakes, in the order in which they are asked. */
export type Question = 'what' | 'why' | 'where' | 'else' | 'next';

/** A line of a message. */
export interface AnswerLine {
  readonly question: Question;
  readonly label: string;
  readonly text: string;
}

/** A link of a message with what it does. */
export interface MessageLink {
  readonly label: string;
  readonly url: string;
}

/** A message about one notice, without the limits and the markup of any channel. */
export interface Answers {
  /** What, why and since, in one line. */
  readonly headline: string;
  /** The first sentence of the headline, without a full stop. */
  readonly title: string;
  /** `Down for 3 min, since 08:28:06 CET`; undefined: the facts do not say it. */
  readonly since: string | undefined;
  /** The answers beside the headline, sorted by question. */
  readonly lines: readonly AnswerLine[];
  readonly links: readonly MessageLink[];
}

const name = z.string().min(1);
const names = z.array(name).min(1);
const count = z.number().int().positive();
const behind = z.object({
  Count: count,
  Suppressed: z.number().int().nonnegative().default(0),
  Names: z.array(name).default([]),
});
const nearby = z.object({ Count: count, What: name, Name: name });
const trace = z.object({
  Hops: z.number(),
  LastHop: name,
  Reached: z.boolean().default(false),
  Location: name.optional(),
});
const undelivered = z.array(z.object({ Contact: name, Reason: name })).min(1);

/** A line about one fact; undefined: the fact is absent, or has another form. */
type LineOf = (notice: Notice) => string | undefined;

const lineRules: readonly (readonly [question: Question, label: string, text: LineOf])[] = [
  ['what', 'What', whatText],
  ['why', 'Why', (notice) => longWhy(notice)],
  ['why', 'Cause', causeText],
  ['why', 'Reason', ({ kind, data }) => (kind === 'closed' ? undefined : factText(data['Reason']))],
  ['where', 'From where', whereText],
  ['where', 'Trace', ({ data }) => textOf(trace, data['Trace'], traceText)],
  ['else', 'Behind it', ({ data }) => textOf(behind, data['Behind'], behindText)],
  [
    'else',
    'Not checked now',
    ({ kind, data }) => (kind === 'location.offline' ? notChecked(data) : undefined),
  ],
  ['else', 'At the same time', nearbyText],
  ['else', 'Devices behind it', ({ kind }) => (kind === 'anchor.down' ? anchorEffect : undefined)],
  ['else', 'Master', ({ data }) => factText(data['Master'])],
  ['else', 'Waited', ({ data }) => waitedText(data['Waited'])],
  ['next', 'Acknowledged by', ({ data }) => name.safeParse(data['AcknowledgedBy']).data],
  [
    'next',
    'Not notified',
    ({ data }) =>
      textOf(undelivered, data['Undelivered'], (all) =>
        all.map(({ Contact, Reason }) => `${Contact} (${Reason})`).join(', '),
      ),
  ],
  ['next', 'What to do', ({ kind, data }) => nextByKind.get(kind)?.(data)],
];

/** Anchors are hosts on the way from a Location to its devices. */
const anchorEffect = 'their errors from this Location do not count until the anchor answers again';

/** The actions of a person besides the links. */
const over = () => 'nothing; the alert is closed';

const nexts: Readonly<Partial<Record<MessageKind | 'test', (data: Notice['data']) => string | undefined>>> = {
  'certificate.expiring': () => 'renew the certificate; the next reminder comes nearer to its end',
  'agent.fenced': ({ Agent }) =>
    `end the copy, then release ${factText(Agent) ?? 'the agent'}: ./vantage agents list shows its id, ./vantage agents unfence ID releases it`,
  'contact.failing': ({ Recovered }) =>
    Recovered === true
      ? 'nothing; messages that waited are sent now'
      : "correct the contact's Address, then send a test: what waits leaves at once",
  'clock.wrong': ({ Recovered }) =>
    Recovered === true
      ? 'nothing; results that waited are judged again'
      : 'the operator corrects the clock that is named; checks and alerts go on meanwhile, and nothing is deleted',
  'disk.low': ({ Recovered }) =>
    Recovered === true
      ? 'nothing; what waited goes on'
      : 'the operator makes room; at the end of it results wait at their agents, and nothing is lost',
  'backup.old': ({ Recovered }) =>
    Recovered === true
      ? 'nothing'
      : 'the operator finds out why no backup was made since: ./vantage backup FILE --verify',
  'database.back': ({ Recovered }) =>
    Recovered === true
      ? 'nothing'
      : 'the operator looks for devices, contacts and keys that were changed in that time, and changes them again',
  'certificate.failing': ({ Recovered }) =>
    Recovered === true
      ? 'nothing'
      : 'the operator corrects the files of VANTAGE_TLS_CERT and VANTAGE_TLS_KEY; the controller reads them within a minute',
  'key.missing': ({ Recovered }) =>
    Recovered === true
      ? 'nothing'
      : 'the operator puts secret.key back before a controller is started again; until then all goes on',
  'late.summary': () => 'nothing; all of them are over',
  'location.offline': () =>
    'see whether its hosts run and reach the controller; on a host: vantage-agent logs',
  'device.up': over,
  'location.online': over,
  'anchor.up': over,
  acknowledged: () => 'nothing; nobody is notified again before the end',
  test: () => 'nothing; this contact works',
};

const nextByKind = new Map(Object.entries(nexts));

/** The message about one notice as answers to the questions of a person. Pure. */
export function answersOf(notice: Notice): Answers {
  const lines = lineRules.flatMap(([question, label, text]): AnswerLine[] => {
    const said = text(notice);
    return said === undefined || said === '' ? [] : [{ question, label, text: lineText(said) }];
  });
  return {
    headline: headlineOf(notice),
    title: titleOf(notice),
    since: sinceOf(notice),
    lines: [
      ...lines.filter(({ question }) => question !== 'next'),
      ...(notice.kind === 'late.summary' ? outageLines(notice) : []),
      ...lines.filter(({ question }) => question === 'next'),
    ],
    links: linksIn(notice),
  };
}

/** The links of one notice, the most useful one first. */
function linksIn({ links }: Notice): readonly MessageLink[] {
  if (links === null) return [];
  return [
    { label: 'Acknowledge', url: links.acknowledge },
    { label: 'Snooze', url: links.snooze },
    ...(links.details === undefined ? [] : [{ label: 'Details', url: links.details }]),
  ];
}

/** Upper limit of a line, characters. */
const longest = 1_000;

function lineText(text: string): string {
  return cleanLine(text).slice(0, longest).toWellFormed();
}

function textOf<T>(schema: z.ZodType<T>, value: Json | undefined, text: (parsed: T) => string) {
  const { data } = schema.safeParse(value);
  return data === undefined ? undefined : text(data);
}

/** The long name, the address and how bad it is. */
function whatText({ kind, data }: Notice): string | undefined {
  if (kind === 'test') return factText(data['Message']);
  const { FullName, ShortName, Method, URL: address, Severity, Target } = data;
  const full = factText(FullName);
  const called =
    full === undefined || full === factText(ShortName) ? nameIn(data) : `${full} (${nameIn(data)})`;
  const where = [factText(Method), factText(address) ?? factText(Target)].filter(
    (part) => part !== undefined,
  );
  const severity = factText(Severity);
  const parts = [
    called,
    where.length === 0 ? undefined : where.join(' '),
    severity === undefined ? undefined : `severity ${severity}`,
  ];
  // The headline has the name; it alone says nothing new.
  return ShortName === undefined && where.length === 0
    ? undefined
    : parts.filter((part) => part !== undefined).join(', ');
}

function longWhy(notice: Notice): string | undefined {
  const why = whyOf(notice);
  return why !== undefined && why.length > longestWhy ? why : undefined;
}

/** Why it was Down: the good result of the headline does not say it. */
function causeText({ kind, data }: Notice): string | undefined {
  return isEnd(kind) || data['Recovered'] === true ? factText(data['Cause']) : undefined;
}

function isEnd(kind: string): boolean {
  return kind === 'device.up' || kind === 'location.online' || kind === 'anchor.up';
}

function whereText({ kind, data }: Notice): string | undefined {
  const failing = names.safeParse(data['FailingLocations']).data ?? names.safeParse(data['Locations']).data;
  const good = names.safeParse(data['GoodLocations']).data;
  const said = [
    ...(failing === undefined ? [] : [`fails from ${failing.join(', ')}`]),
    ...(good === undefined ? [] : [`works from ${good.join(', ')}`]),
  ];
  if (said.length > 0) return said.join('; ');
  const place = factText(data['Location']);
  if (place === undefined || kind.startsWith('location.')) return undefined;
  if (kind === 'device.down' || kind === 'device.flapping') return `fails from ${place}`;
  if (kind === 'late.summary') return `seen from ${place}`;
  if (kind.startsWith('anchor.') || kind === 'agent.fenced') return `at Location ${place}`;
  return undefined;
}

function traceText({ Hops, LastHop, Reached, Location }: z.infer<typeof trace>): string {
  const from = Location === undefined ? '' : ` from ${Location}`;
  if (Reached) return `${Hops} hops${from}, it reaches ${LastHop}`;
  return `${Hops} hops${from}, the last that answers is ${LastHop}`;
}

function behindText({ Count, Suppressed, Names }: z.infer<typeof behind>): string {
  const devices = `${Count} ${Count === 1 ? 'device' : 'devices'}`;
  const rest = (Suppressed > 0 ? Suppressed : Count) - Names.length;
  const named = rest > 0 && Names.length > 0 ? [...Names, `${rest} more`] : Names;
  const list = named.length === 0 ? '' : ` (${named.join(', ')})`;
  if (Suppressed === 0) return `${devices}${list}`;
  const fail = Suppressed === 1 ? '1 of them fails too' : `${Suppressed} of them fail too`;
  return `${devices}; ${fail}, without a message of ${Suppressed === 1 ? 'its' : 'their'} own${list}`;
}

function notChecked({ Devices }: Notice['data']): string | undefined {
  if (typeof Devices !== 'number') return undefined;
  return Devices === 0
    ? 'none; other Locations check its devices'
    : `${Devices} ${Devices === 1 ? 'device' : 'devices'} that no other Location checks`;
}

function nearbyText({ data }: Notice): string | undefined {
  const parsed = z
    .union([z.array(nearby).min(1), nearby.transform((one) => [one])])
    .safeParse(data['Nearby']);
  if (!parsed.success) return undefined;
  const said = parsed.data.map(({ Count, What, Name }) => {
    const others = `${Count} ${Count === 1 ? 'other' : 'others'}`;
    return `${others} ${(nearbyWords.get(What) ?? ((of) => `with the ${What} ${of}`))(Name)}`;
  });
  return `${said.join('; ')} fell in the same minute`;
}

const nearbyWords: ReadonlyMap<string, (name: string) => string> = new Map([
  ['Location', (of: string) => `at ${of}`],
  ['master', (of: string) => `behind ${of}`],
  ['hop', (of: string) => `after the hop ${of}`],
]);

function waitedText(waited: Json | undefined): string | undefined {
  if (typeof waited !== 'number') return undefined;
  return `${durationText(waited)}, because this contact could not be reached`;
}

/** The outages of a summary, each with its device and its times. */
function outageLines(notice: Notice): readonly AnswerLine[] {
  const { Outages, Count } = notice.data;
  if (!Array.isArray(Outages)) return [];
  const lines = Outages.flatMap((outage): AnswerLine[] => {
    if (typeof outage !== 'object' || outage === null || Array.isArray(outage)) return [];
    const { FullName, ShortName, Start, End, Seconds, IsOver } = outage;
    const clock = (at: Json | undefined) => (typeof at === 'string' ? clockText(at, notice) : '?');
    const [short, full] = [factText(ShortName), factText(FullName)];
    const of =
      short === undefined || full === undefined || full === short
        ? (short ?? full ?? 'a device')
        : `${short} (${full})`;
    const lasted = typeof Seconds === 'number' ? `Down for ${durationText(Seconds)}, ` : '';
    const state =
      IsOver === false ? `since ${clock(Start)}, still Down` : `${clock(Start)} to ${clock(End)}, over`;
    return [{ question: 'else', label: 'Outage', text: lineText(`${of}: ${lasted}${state}`) }];
  });
  const more = typeof Count === 'number' ? Count - lines.length : 0;
  return more > 0 ? [...lines, { question: 'else', label: 'Outages', text: `${more} more` }] : lines;
}
