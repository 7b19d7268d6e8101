import { cleanLine, type Json } from '@vantage/domain';
import { z } from 'zod';
import type { Notice } from './channel.ts';

const name = z.string().min(1);
const names = z.array(name).min(1);
const count = z.number().int().positive();
const behind = z.object({ Count: count, Names: z.array(name).default([]) });
const nearby = z.object({ Count: count, What: name, Name: name });
const trace = z.object({ Hops: z.number(), LastHop: name });
const undelivered = z.array(z.object({ Contact: name, Reason: name })).min(1);

/**
 * A fact about the surroundings of an outage: its label, and its text where the fact has the form that it should have.
 */
type ContextFact = readonly [fact: string, label: string, text: (value: Json) => string | undefined];

/** In the order in which people ask: why, from where, what else, what was done. */
const context: readonly ContextFact[] = [
  ['LastWords', 'Last words of the agent', (value) => name.safeParse(value).data],
  ['FailingLocations', 'Fails from', (value) => names.safeParse(value).data?.join(', ')],
  ['GoodLocations', 'Works from', (value) => names.safeParse(value).data?.join(', ')],
  ['Behind', 'Behind it', (value) => textOf(behind, value, behindText)],
  [
    'Nearby',
    'At the same time',
    (value) =>
      textOf(nearby, value, ({ Count, What, Name }) => `${Count} others failed (same ${What}: ${Name})`),
  ],
  [
    'Trace',
    'Trace at the failure',
    (value) =>
      textOf(trace, value, ({ Hops, LastHop }) => `${Hops} hops, the last that answered is ${LastHop}`),
  ],
  ['Number', 'Message', (value) => textOf(count.min(2), value, (number) => `number ${number} of this alert`)],
  ['AcknowledgedBy', 'Acknowledged by', (value) => name.safeParse(value).data],
  [
    'Undelivered',
    'Not notified',
    (value) =>
      textOf(undelivered, value, (all) =>
        all.map(({ Contact, Reason }) => `${Contact} (${Reason})`).join(', '),
      ),
  ],
];

/**
 * Lines about the surroundings of an outage: where it fails and where not, what is behind it, what fell with it, who
 * knows already. A fact that is absent, or has another form, has no line. Pure.
 */
export function contextLines(
  data: Notice['data'],
): readonly { readonly label: string; readonly text: string }[] {
  return context.flatMap(([fact, label, textFor]) => {
    const value = data[fact];
    const text = value === undefined ? undefined : textFor(value);
    return text === undefined ? [] : [{ label, text: cleanLine(text).slice(0, longest).toWellFormed() }];
  });
}

/** Upper limit of a fact in a message, characters. */
const longest = 1_000;

function textOf<T>(schema: z.ZodType<T>, value: Json, text: (parsed: T) => string): string | undefined {
  const { data } = schema.safeParse(value);
  return data === undefined ? undefined : text(data);
}

function behindText({ Count, Names }: z.infer<typeof behind>): string {
  const rest = Count - Names.length;
  const named = rest > 0 && Names.length > 0 ? [...Names, `${rest} more`] : Names;
  return `${Count} ${Count === 1 ? 'device' : 'devices'}${named.length === 0 ? '' : ` (${named.join(', ')})`}`;
}
