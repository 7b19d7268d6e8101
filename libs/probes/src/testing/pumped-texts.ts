import { startCpuTimer } from '@vantage/kernel/testing';
import { z } from 'zod';

/** A text in a schema. */
export interface SchemaText {
  /** `Steps.0.Expect`; the key of a record is `Headers.{name}`. */
  readonly name: string;
  readonly schema: z.ZodString;
  /** A value of the whole schema with only this text. */
  put(text: string): unknown;
}

/** All texts of a schema, including future ones. */
export function textFields(schema: z.core.$ZodType, name = ''): readonly SchemaText[] {
  const inside = (part: string) => (name === '' ? part : `${name}.${part}`);
  const within = (fields: readonly SchemaText[], put: (inner: unknown) => unknown): readonly SchemaText[] =>
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
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => textFields(option, name));
  if (schema instanceof z.ZodPipe) return textFields(schema.in, name);
  const wrapped =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault;
  return wrapped ? textFields(schema.unwrap(), name) : [];
}

/** Whether the length of this text is checked first, and a longer text not checked any further. */
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

/** The base of pumped texts. Each field accepts at least one of them. */
const examples: readonly string[] = [
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'word',
  '200-299',
  'NOERROR',
  '#a3123f',
  '#ff8fab',
  '01:30',
  '30 2 * * *',
  'Europe/Berlin',
  '2026-01-02T03:04:05.678+01:00',
  'All',
  '12',
  '1.3.6.1.2.1.1.3.0',
  'hrProcessorLoad.1',
  '192.0.2.1',
  '192.0.2.1:443',
  '10.0.0.0/8',
  'ab'.repeat(32),
  'ab'.repeat(24),
  `SHA256:${'aB3/'.repeat(10)}abc=`,
  '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
  'http://user:password@host.example:8080',
  'https://host.example:8444',
  "$.store['book'][0:1,*]..price",
  'name@host.example',
  '00 ff 1a',
  '^(a+)+$',
  'server.example:53',
  'sip:me@host.example',
  '(&(cn=a*b)(!(uid=c)))',
  `whsec_${'QUJD'.repeat(10)}`,
  '/devices?Limit=5',
  '2026-01-02T03:04',
  'FREQ=MONTHLY;INTERVAL=2;BYDAY=-1FR,1SU;BYHOUR=1,2;UNTIL=20301231T000000Z',
];

/** The parts to repeat, among them those that patterns repeat. */
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

/** An accepted text, pumped at its start, inside and at its end, up to the field's limit and beyond. */
export function pumpedTexts(accepted: string, maxLength: number): readonly string[] {
  const cuts = [0, accepted.length, ...indexesAfterSigns(accepted)];
  const lengths = [pumpedLength, Math.min(maxLength, pumpedLength)].map((length) => Math.max(1, length));
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

/** The indexes after the first of each special character, where patterns change from one part to the next. */
function indexesAfterSigns(accepted: string): readonly number[] {
  const signs = [...accepted.matchAll(/[^\p{L}\p{N}]/gu)];
  const first = signs.filter(({ 0: sign, index }) => accepted.indexOf(sign) === index);
  return first.slice(0, 8).map(({ index }) => index + 1);
}

/** The examples that a field accepts. Throws if there are none, in which case the field needs an example above. */
export function acceptedExamples(field: SchemaText): readonly string[] {
  const found = examples.filter((example) => field.schema.safeParse(example).success);
  if (found.length === 0) throw new Error(`no example is accepted by ${field.name}`);
  // The first and the most special ones. A field without a pattern accepts them all.
  return [...new Set([...found.slice(0, 1), ...found.slice(-2)])];
}

/** The processor time that this thread spent on a text. */
export interface TextCost {
  readonly name: string;
  readonly text: string;
  readonly cpuMs: number;
}

/** Runs an action on every text, twice if it is slow, because of garbage collection. Returns the costliest text. */
export function costliest(name: string, texts: readonly string[], run: (text: string) => void): TextCost {
  let worst: TextCost = { name, text: '', cpuMs: 0 };
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
