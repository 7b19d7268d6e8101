import type { Json } from '@vantage/domain';
import { z } from 'zod';
import type { AnsweredQuestion } from './answer-line.ts';
import type { Notice } from './channel.ts';
import { factText, nameIn } from './fact-text.ts';
import { durationText } from './moment-text.ts';
import { maxReasonLength, whyOf } from './reason-text.ts';
import { nextByKind } from './what-to-do.ts';

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

export const lineRules: readonly (readonly [question: AnsweredQuestion, label: string, text: LineOf])[] = [
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
  return why !== undefined && why.length > maxReasonLength ? why : undefined;
}

/** Why it was Down: the good result of the headline does not say it. */
function causeText({ kind, data }: Notice): string | undefined {
  return isEnd(kind) || data['Recovered'] === true ? factText(data['Cause']) : undefined;
}

function isEnd(kind: string): boolean {
  return ['device.up', 'location.online', 'anchor.up', 'interface.up'].includes(kind);
}

function whereText({ kind, data }: Notice): string | undefined {
  const failing = names.safeParse(data['FailingLocations']).data ?? names.safeParse(data['Locations']).data;
  const good = names.safeParse(data['GoodLocations']).data;
  const parts = [
    ...(failing === undefined ? [] : [`fails from ${failing.join(', ')}`]),
    ...(good === undefined ? [] : [`works from ${good.join(', ')}`]),
  ];
  if (parts.length > 0) return parts.join('; ');
  const location = factText(data['Location']);
  if (location === undefined || kind.startsWith('location.')) return undefined;
  if (kind === 'device.down' || kind === 'device.flapping') return `fails from ${location}`;
  if (kind === 'late.summary') return `seen from ${location}`;
  if (kind.startsWith('anchor.') || kind === 'agent.fenced') return `at Location ${location}`;
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
  const groups = parsed.data.map(({ Count, What, Name }) => {
    const others = `${Count} ${Count === 1 ? 'other' : 'others'}`;
    return `${others} ${(nearbyWords.get(What) ?? ((noun) => `with the ${What} ${noun}`))(Name)}`;
  });
  return `${groups.join('; ')} fell in the same minute`;
}

const nearbyWords: ReadonlyMap<string, (name: string) => string> = new Map([
  ['Location', (location: string) => `at ${location}`],
  ['master', (master: string) => `behind ${master}`],
  ['hop', (hop: string) => `after the hop ${hop}`],
]);

function waitedText(waited: Json | undefined): string | undefined {
  if (typeof waited !== 'number') return undefined;
  return `${durationText(waited)}, because this contact could not be reached`;
}
