import { startCpuTimer } from '@vantage/kernel/testing';
import { z } from 'zod';

/** A text somewhere in a schema, and the value of the schema that has nothing but this text. */
export interface TextField {
  /** `Steps.0.Expect`; the key of a record is `Headers.{name}`. */
  readonly name: string;
  readonly schema: z.ZodString;
  put(text: string): unknown;
}

/** Every text that a schema takes, found by walking it: a new field is found without a change here. */
export function textFields(schema: z.core.$ZodType, name = ''): readonly TextField[] {
  const inside = (part: string) => (name === '' ? part : `${name}.${part}`);
  const within = (fields: readonly TextField[], put: (inner: unknown) => unknown): readonly TextField[] =>
    fields.map((field) => ({ ...field, put: (text) => put(field.put(text)) }));
  if (schema instanceof z.ZodString) return [{ name, schema, put: (text) => text }];
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape).flatMap(([key, inner]) =>
      within(textFields(inner, inside(key)), (value) => ({ [key]: value })),
    );
  }
  if (schema instanceof z.ZodArray)
    return within(textFields(schema.element, inside('0')), (value) => [value]);
  if (schema instanceof z.ZodRecord) {
    return [
      ...within(textFields(schema.keyType, inside('{name}')), (key) => ({ [String(key)]: 'a' })),
      ...within(textFields(schema.valueType, inside('a')), (value) => ({ a: value })),
    ];
  }
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((each) => textFields(each, name));
  if (schema instanceof z.ZodPipe) return textFields(schema.in, name);
  const wrapped =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault;
  return wrapped ? textFields(schema.unwrap(), name) : [];
}

/** Is the length of this text judged first, and is nothing else judged when it is too long? */
export function isBounded(schema: z.ZodString): boolean {
  const [first] = schema._zod.def.checks ?? [];
  const def: unknown = first?._zod.def;
  return (
    typeof def === 'object' &&
    def !== null &&
    'check' in def &&
    def.check === 'max_length' &&
    'abort' in def &&
    def.abort === true
  );
}

/** Texts of which each field accepts at least one: what pumped texts are built around. */
const examples: readonly string[] = [
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'word',
  '200-299',
  'NOERROR',
  '#a3123f',
  '#ff8fab',
  '01:30',
  'Europe/Berlin',
  '2026-01-02T03:04:05.678+01:00',
  'All',
  '12',
  '192.0.2.1',
  '192.0.2.1:443',
  '10.0.0.0/8',
  'ab'.repeat(32),
  'ab'.repeat(24),
  `SHA256:${'aB3/'.repeat(10)}abc=`,
  '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
  'http://user:password@host.example:8080',
  "$.store['book'][0:1,*]..price",
  'name@host.example',
  '00 ff 1a',
  '^(a+)+$',
  'server.example:53',
  `whsec_${'QUJD'.repeat(10)}`,
  '/devices?Limit=5',
  '2026-01-02T03:04',
  'FREQ=MONTHLY;INTERVAL=2;BYDAY=-1FR,1SU;BYHOUR=1,2;UNTIL=20301231T000000Z',
];

/** The repeated parts: those that patterns repeat, too. */
const pumps = [
  ' ',
  '\t',
  '\r\n',
  "'",
  '"',
  '[',
  '](',
  '{',
  '1',
  '1,',
  'a',
  'A',
  '\\',
  '\\"',
  '*,',
  '.',
  '..',
  ':',
];
const morePumps = [
  '/',
  '@',
  '-',
  '-----',
  '=',
  '%41',
  '%',
  '${',
  '${secret:',
  'ü',
  '漢',
  '😀',
  '\u0301',
  '\u0000',
  '<',
  '&',
];

const pumpedLength = 20_000;

/**
 * Texts around an accepted one: pumped up at its begin, within and at its end, over the field's limit and just within
 * it.
 */
export function pumpedTexts(accepted: string, most: number): readonly string[] {
  const cuts = [0, accepted.length, ...placesWithin(accepted)];
  const lengths = [pumpedLength, Math.min(most, pumpedLength)].map((each) => Math.max(1, each));
  return [...pumps, ...morePumps, accepted].flatMap((pump) =>
    [...new Set(lengths)].flatMap((length) =>
      [...new Set(cuts)].flatMap((cut) => {
        const room = Math.max(0, length - accepted.length);
        const body = pump.repeat(Math.ceil(room / pump.length)).slice(0, room);
        const [head, tail] = [accepted.slice(0, cut), accepted.slice(cut)];
        return [head + body + tail, `${head}${body}\u0001`];
      }),
    ),
  );
}

/** After the first of each sign that means something, where patterns change from one part to the next. */
function placesWithin(accepted: string): readonly number[] {
  const signs = [...accepted.matchAll(/[^\p{L}\p{N}]/gu)];
  const first = signs.filter(({ 0: sign, index }) => accepted.indexOf(sign) === index);
  return first.slice(0, 8).map(({ index }) => index + 1);
}

/** The examples that a field accepts. Throws for a field that accepts none: such a one needs an example above. */
export function acceptedExamples(field: TextField): readonly string[] {
  const found = examples.filter((each) => field.schema.safeParse(each).success);
  if (found.length === 0) throw new Error(`no example is accepted by ${field.name}`);
  // The first and the most particular ones: a field without a form of its own accepts them all.
  return [...new Set([...found.slice(0, 1), ...found.slice(-2)])];
}

/** The input of a field, and the processor time of this thread that it cost, milliseconds. */
export interface Cost {
  readonly name: string;
  readonly text: string;
  readonly cpuMs: number;
}

/**
 * Runs an action on every text twice where it seems dear, so that a collection of garbage is not blamed on it; returns
 * the dearest.
 */
export function dearest(name: string, texts: readonly string[], run: (text: string) => void): Cost {
  let worst: Cost = { name, text: '', cpuMs: 0 };
  for (const text of texts) {
    const cpuMs = cpuOf(() => run(text));
    if (cpuMs <= worst.cpuMs) continue;
    const again =
      cpuMs < 5
        ? cpuMs
        : Math.min(
            cpuMs,
            cpuOf(() => run(text)),
          );
    if (again > worst.cpuMs) worst = { name, text: `${text.slice(0, 60)}… (${text.length})`, cpuMs: again };
  }
  return worst;
}

function cpuOf(action: () => void): number {
  const elapsed = startCpuTimer();
  action();
  return elapsed().thread;
}
