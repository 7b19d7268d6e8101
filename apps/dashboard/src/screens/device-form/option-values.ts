import { Unsent } from './device-draft.ts';
import { deviceFormTexts as say } from './device-form-texts.ts';
import type { OptionSchema } from './method-schemas.ts';

/** The kinds of fields for Options. */
type OptionKind =
  | 'choice'
  | 'yesNo'
  | 'number'
  | 'secret'
  | 'text'
  | 'area'
  | 'list'
  | 'lines'
  | 'pairs'
  | 'steps'
  | 'requests'
  | 'json';

/** Texts of at least this maximum length may have several lines. */
const longText = 8_192;

/** The kind of field for the schema of an Option. */
export function kindOf(schema: OptionSchema): OptionKind {
  const { type, enum: choices, format, items, additionalProperties } = schema;
  if (choices !== undefined) return 'choice';
  if (type === 'boolean') return 'yesNo';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string') {
    // A password field drops the line breaks of a key.
    if ((schema.maxLength ?? 0) >= longText) return 'area';
    return format === 'password' ? 'secret' : 'text';
  }
  if (type === 'array' && items?.type === 'object') return holdsMore(items) ? 'requests' : 'steps';
  if (type === 'array' && items?.type === 'string') return items.pattern === undefined ? 'lines' : 'list';
  if (typeof additionalProperties === 'object' && additionalProperties.type === 'string') return 'pairs';
  return 'json';
}

/** Whether a part of the rows is a list or an object, which one line cannot hold. */
const holdsMore = ({ properties = {} }: OptionSchema) =>
  Object.values(properties).some(({ type }) => type === 'array' || type === 'object');

const patternsOf = ({ pattern, allOf = [] }: OptionSchema) =>
  [pattern, ...allOf.map((part) => part.pattern)].filter((each) => each !== undefined);

/** Whether a text fits the patterns of a schema. */
const fits = (text: string, schema: OptionSchema) =>
  patternsOf(schema).every((pattern) => new RegExp(pattern, 'u').test(text));

const exampleOf = ({ examples: [example] = [] }: OptionSchema) =>
  typeof example === 'string' ? example : Array.isArray(example) ? example.join(', ') : undefined;

/** Reads a number. */
export function readNumber(text: string, { type, minimum, maximum }: OptionSchema): unknown {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const value = Number(trimmed);
  const isGood =
    Number.isFinite(value) &&
    (type !== 'integer' || Number.isInteger(value)) &&
    value >= (minimum ?? Number.NEGATIVE_INFINITY) &&
    value <= (maximum ?? Number.POSITIVE_INFINITY);
  return isGood ? value : new Unsent(text, say.noNumber(type === 'integer', minimum, maximum));
}

/** Reads a text. */
export function readText(text: string, schema: OptionSchema): unknown {
  if (text === '') return undefined;
  return fits(text, schema) ? text : new Unsent(text, say.notFitting(exampleOf(schema)));
}

/** Reads a list: one item per line, or items separated by commas if none of them can hold one. */
export function readList(text: string, schema: OptionSchema): unknown {
  const items = text
    .split(kindOf(schema) === 'list' ? /[\n,]/ : '\n')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  if (items.length === 0) return undefined;
  const bad = items.find((item) => !fits(item, schema.items ?? {}));
  return bad === undefined ? items : new Unsent(text, say.wrongItem(bad, exampleOf(schema)));
}

export function listText(value: unknown, schema: OptionSchema): string {
  return Array.isArray(value) ? value.join(kindOf(schema) === 'list' ? ', ' : '\n') : '';
}

/** The rows of names and values. */
export type Pairs = readonly (readonly [name: string, value: string])[];

/** Reads rows of names and values. Empty rows are dropped. */
export function readPairs(rows: Pairs, { propertyNames = {}, additionalProperties }: OptionSchema): unknown {
  const filled = rows.filter(([name, value]) => name.trim() !== '' || value !== '');
  if (filled.length === 0) return undefined;
  const seen = new Set<string>();
  const valueSchema = typeof additionalProperties === 'object' ? additionalProperties : {};
  for (const [name, value] of filled) {
    const key = name.trim();
    if (key === '') return new Unsent(filled, say.valueWithoutName(value));
    if (!fits(key, propertyNames)) return new Unsent(filled, say.wrongName(key));
    if (seen.has(key.toLowerCase())) return new Unsent(filled, say.repeatedName(key));
    if (!fits(value, valueSchema)) return new Unsent(filled, say.wrongValue(key));
    seen.add(key.toLowerCase());
  }
  return Object.fromEntries(filled.map(([name, value]) => [name.trim(), value]));
}

export function pairsOf(value: unknown): Pairs {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).map(([name, text]) => [name, String(text)]);
}

const escapes: readonly (readonly [string, string])[] = [
  ['\\', '\\\\'],
  ['\r', '\\r'],
  ['\n', '\\n'],
  ['\t', '\\t'],
];

/** A text in one line: line breaks are `\r` and `\n`. */
export function escaped(text: string): string {
  return text.replaceAll(
    /[\\\r\n\t]/g,
    (letter) => escapes.find(([plain]) => plain === letter)?.[1] ?? letter,
  );
}

/** The text of a line with escapes. An unknown escape stays as it is. */
export function unescaped(line: string): string {
  return line.replaceAll(
    /\\[\\rnt]/g,
    (written) => escapes.find(([, each]) => each === written)?.[0] ?? written,
  );
}

/** The texts of a dialogue's steps, by the names of their parts. */
export type Steps = readonly Readonly<Record<string, string>>[];

/** The parts of a step that are text as it is sent, with escapes. */
const isEscaped = (part: string) => part === 'Send' || part === 'Expect';

/** A part of a step as it is sent; Unsent if it cannot be. */
function readPart(name: string, text: string, schema: OptionSchema): unknown {
  const kind = kindOf(schema);
  if (kind === 'number') return readNumber(text, schema);
  if (kind === 'yesNo') return text === 'true';
  if (!fits(text, schema)) return new Unsent(text, say.wrongItem(text, exampleOf(schema)));
  return isEscaped(name) ? unescaped(text) : text;
}

/** Reads the steps of a dialogue, or the rows of another list of objects. */
export function readSteps(steps: Steps, { items }: OptionSchema): unknown {
  if (steps.length === 0) return undefined;
  const read: Record<string, unknown>[] = [];
  for (const step of steps) {
    const filled = Object.entries(step).filter(([, text]) => text !== '');
    if (filled.length === 0) return new Unsent(steps, say.emptyStep(read.length + 1));
    const parts = filled.map(
      ([name, text]) => [name, readPart(name, text, items?.properties?.[name] ?? {})] as const,
    );
    const bad = parts.map(([, part]) => part).find((part) => part instanceof Unsent);
    if (bad !== undefined) return new Unsent(steps, bad.fault);
    read.push(Object.fromEntries(parts));
  }
  return read;
}

export function stepsOf(value: unknown): Steps {
  if (!Array.isArray(value)) return [];
  return value.map((step: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(
      Object.entries(step).map(([name, text]) => [
        name,
        isEscaped(name) ? escaped(String(text)) : String(text),
      ]),
    ),
  );
}

/** Reads a value that has no control of its own. */
export function readJson(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return new Unsent(text, say.notJson);
  }
}

export const jsonText = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value));

const maxWords = 60;

/** A value in few words; `isSecret`: only that it is set. */
export function valueWords(value: unknown, isSecret = false): string {
  if (value === undefined || value === null || value === '') return say.unset;
  if (isSecret) return '***';
  const text = textOf(value);
  return text.length > maxWords ? `${text.slice(0, maxWords)}…` : text;
}

function textOf(value: unknown): string {
  if (value instanceof Unsent) return textOf(value.typed);
  if (typeof value === 'boolean') return value ? say.yes : say.no;
  if (typeof value === 'string' && value.includes('\n')) return say.lines(value.trimEnd().split('\n').length);
  if (Array.isArray(value))
    return value.every((each) => typeof each === 'string') ? value.join(', ') : say.items(value.length);
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([name, text]) => `${name}: ${textOf(text)}`)
      .join(', ');
  return String(value);
}
