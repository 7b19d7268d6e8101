import type { z } from 'zod';
import { nearestName } from '../nearest-name.ts';
import { acceptedValue, expectsText, namesOf, schemaAt, whenMissing } from './accepted-value.ts';
import type { RefusalReason } from './refusal-reason.ts';

/**
 * The issues of zod in words for the caller, one fault for each field. `schema` is the one that was applied; `prefix`
 * (`Options`) precedes the field names. A schema's own message begins with `must`. The sent value is added to it,
 * unless the issue has the parameter `isWhole`.
 */
export function faultsOf(error: z.ZodError, schema: z.core.$ZodType, prefix = ''): FieldFault[] {
  const faults = new Map<string, FieldFault>();
  for (const issue of error.issues)
    for (const fault of faultsOfIssue(issue, schema, prefix))
      if (!faults.has(fault.field)) faults.set(fault.field, fault);
  return [...faults.values()];
}

/** A fault for people. A message that begins with a capital letter needs no field name. */
export function faultText({ field, message }: Pick<FieldFault, 'field' | 'message'>): string {
  return field === '' || /^\p{Lu}/u.test(message) ? message : `${field} ${message}`;
}

export function faultSentence(fault: Pick<FieldFault, 'field' | 'message'>): string {
  const text = faultText(fault);
  return /[.?!]$/.test(text) ? text : `${text}.`;
}

/** The fault of a sent text: `must` describes the accepted values, and the sent value follows. */
export function sentFault(field: string, must: string, value: unknown): FieldFault {
  return { field, message: `must be ${must}, but ${shownValue(value, field.split('.'), 'text')} was sent` };
}

/** The fault of a missing field; `accepted` describes its values, `wholeMessage` replaces the message. */
export function requiredField(field: string, accepted?: string, wholeMessage?: string): FieldFault {
  const message = wholeMessage ?? (accepted === undefined ? 'is required' : `is required: ${accepted}`);
  return { field, message, reason: 'missing_field' };
}

function faultsOfIssue(issue: z.core.$ZodIssue, schema: z.core.$ZodType, prefix: string): FieldFault[] {
  const path = [...(prefix === '' ? [] : [prefix]), ...issue.path.map((step) => String(step).slice(0, 100))];
  const field = path.join('.');
  const at = schemaAt(schema, issue.path);
  const accepted = at === undefined ? undefined : acceptedValue(at);
  const sent = `but ${shownValue(issue.input, path, expectsText(at) ? 'text' : 'other')} was sent`;
  const must = (phrase: string) => [{ field, message: `must be ${phrase}, ${sent}` }];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownField(key, namesOf(at), { parent: field }));
    case 'invalid_type':
    case 'invalid_value':
      if (issue.input === undefined)
        return [requiredField(field, accepted, at === undefined ? undefined : whenMissing(at))];
      return must(accepted ?? 'of another type').map((fault) => ({
        ...fault,
        message: `${fault.message}${hintFor(issue, path, expectsText(at))}`,
      }));
    case 'too_small':
    case 'too_big':
      return must(accepted ?? sized(issue));
    case 'invalid_key':
      return [
        { field, message: `is not a possible name: it ${issue.issues[0]?.message ?? 'must be another'}` },
      ];
    case 'invalid_union': {
      const nearest = issue.errors.find((inner) => inner.every(({ path: below }) => below.length > 0));
      if (nearest !== undefined)
        return nearest.flatMap((inner) =>
          faultsOfIssue({ ...inner, path: [...issue.path, ...inner.path] }, schema, prefix),
        );
      return [{ field, message: ownMessage(issue, accepted, sent) }];
    }
    case 'invalid_format':
    case 'not_multiple_of':
    case 'invalid_element':
    case 'custom':
      return [{ field, message: ownMessage(issue, accepted, sent) }];
  }
}

/**
 * Names the likely mistake: a number in quotes, a choice without them, one in another letter case, or a misspelt one.
 */
function hintFor(
  issue: z.core.$ZodIssueInvalidType | z.core.$ZodIssueInvalidValue,
  path: readonly string[],
  wantsText: boolean,
): string {
  const { input } = issue;
  if (typeof input === 'number' && issue.code === 'invalid_value' && issue.values.includes(String(input)))
    return `; write it in quotes: "${input}"`;
  if (typeof input !== 'string') return '';
  if (issue.code === 'invalid_type' && issue.expected === 'array')
    return input.length > maxShown || isSecret(path)
      ? ''
      : `; write it as a list: [${JSON.stringify(input)}]`;
  if (!wantsText && /^-?\d{1,15}(\.\d{1,15})?$/.test(input)) return `; write it without quotes: ${input}`;
  const choices =
    issue.code === 'invalid_value' ? issue.values.filter((value) => typeof value === 'string') : [];
  const near = nearestName(input, choices);
  return near === undefined ? '' : `; did you mean ${JSON.stringify(near)}?`;
}

function ownMessage(issue: z.core.$ZodIssue, accepted: string | undefined, sent: string): string {
  const { message, input } = issue;
  if (issue.code === 'custom' && issue.params?.['isWhole'] === true) return message;
  if (message.startsWith('must ')) return typeof input === 'object' ? message : `${message}, ${sent}`;
  return message.startsWith('Invalid ') ? `must be ${accepted ?? 'of another form'}, ${sent}` : message;
}

function sized(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig): string {
  return issue.code === 'too_small' ? `at least ${issue.minimum}` : `at most ${issue.maximum}`;
}

/**
 * One fault in a value from outside. `field` is dotted (`Options.Headers.Cookie`). `message` continues a sentence that
 * begins with the field's name (`faultSentence`): `must be a whole number from 1 to 120, but the text "30" was sent`.
 */
export interface FieldFault {
  readonly field: string;
  readonly message: string;
  /** Default: `bad_value`. */
  readonly reason?: RefusalReason;
}

/**
 * The fault of an unknown name, with the likely known one. `parent` (`Options`, or nothing) precedes the name.
 */
export function unknownField(
  name: string,
  known: Iterable<string>,
  {
    kind = 'field',
    reason = 'unknown_field',
    parent = '',
    otherNames = {},
  }: {
    readonly kind?: string;
    readonly reason?: RefusalReason;
    readonly parent?: string;
    /** Names that other systems use for known ones. */
    readonly otherNames?: Readonly<Record<string, string>>;
  } = {},
): FieldFault {
  const inside = (child: string) => (parent === '' ? child : `${parent}.${child}`);
  const names = [...known];
  const other = Object.hasOwn(otherNames, name) ? otherNames[name] : undefined;
  const near = other !== undefined && names.includes(other) ? other : nearestName(name, names);
  const hint = near === undefined ? '' : `; did you mean ${inside(near)}?`;
  return { field: inside(name.slice(0, 100)), message: `is not a known ${kind}${hint}`, reason };
}

/** Names of fields whose values may be or contain a secret. */
const secretName =
  /password|passphrase|secret|token|cookie|authorization|^(url|address|proxy|value|headers|body|send|sendhex|query|command|ca|clientcert|clientkey|.*-key)$/i;
/** Longer texts are not repeated. */
const maxShown = 60;

/** Characters that are invisible or move others; they are shown as escapes. */
const unseen = /[\p{Cf}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

/**
 * The sent value, for a sentence: `the text "30"`, `the number 4`, `a list`. Of a long text, or one that may be a
 * secret by the names on its `path`, only the length is shown. Where a text is `expected`, the quotes suffice.
 */
function shownValue(value: unknown, path: readonly string[], expected: 'text' | 'other'): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  switch (typeof value) {
    case 'string':
      return shownText(value, path, expected);
    case 'number':
      return isSecret(path) ? 'a number' : `the number ${value}`;
    case 'boolean':
      return String(value);
    case 'object':
      return 'an object';
    default:
      return 'nothing';
  }
}

function isSecret(path: readonly string[]): boolean {
  return path.some((name) => secretName.test(name));
}

function shownText(text: string, path: readonly string[], expected: 'text' | 'other'): string {
  if (text === '') return 'an empty text';
  if (text.length > maxShown || isSecret(path))
    return text.length === 1 ? 'a text of 1 character' : `a text of ${text.length} characters`;
  const quoted = JSON.stringify(text).replaceAll(unseen, escaped);
  return `${expected === 'text' ? '' : 'the text '}${quoted}`;
}

/** A character as JSON escapes, one for each unit of UTF-16. */
function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
