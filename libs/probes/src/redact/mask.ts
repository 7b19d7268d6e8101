import { type Json, querySecrets } from '@vantage/domain';
import { printable } from '../contract/failure.ts';
import type { AnyProbe, Target } from '../contract/probe.ts';

/** Replaces secrets by `***` wherever they show. */
export interface Mask {
  /**
   * One more secret. It is found in any letter case, as it stands, escaped (percents, JSON, HTML, control characters as
   * a transcript writes them, UTF-8 read as Latin-1), in hex, and in Base64 also as a part of something longer. Where a
   * text was cut off within a secret, its beginning is masked too. Shorter than 3 characters: ignored.
   */
  add(secret: string): void;
  text(text: string): string;
  json(json: Json): Json;
}

/** The mask of a check without secrets. */
export const noMask: Pick<Mask, 'text' | 'json'> = { text: (text) => text, json: (json) => json };

/** Of a text without a sign that it was cut, the end is taken for a cut from this length on. */
const longText = 200;
const cutMark = '…';

/** Creates the mask of one check. */
export function createMask(secrets: Iterable<string>): Mask {
  const held = new Set<string>();
  let ready: { readonly pattern: RegExp; readonly beginnings: readonly string[] } | undefined;
  const add = (secret: string) => {
    if (secret.length < 3 || held.has(secret)) return;
    held.add(secret);
    ready = undefined;
  };
  /** Made when first needed: most checks have none, and few have many texts. */
  const made = () => {
    if (ready !== undefined) return ready;
    const forms = [...new Set([...held].flatMap(encodingsOf))].sort((a, b) => b.length - a.length);
    ready = {
      pattern: new RegExp(forms.map(literally).join('|'), 'gi'),
      beginnings: [...held].flatMap(prefixesOf),
    };
    return ready;
  };
  const text = (shown: string) => {
    if (held.size === 0) return shown;
    const { pattern, beginnings } = made();
    return maskCuts(shown.replace(pattern, '***'), beginnings);
  };
  const json = (value: Json): Json => {
    if (typeof value === 'string') return text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (isList(value)) return value.map(json);
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [text(key), json(each)]));
  };
  for (const secret of secrets) add(secret);
  return { add, text, json: (value) => (held.size === 0 ? value : json(value)) };
}

function maskCuts(shown: string, beginnings: readonly string[]): string {
  const isLong = shown.length >= longText;
  if (!isLong && !shown.includes(cutMark)) return shown;
  const parts = shown.split(cutMark);
  return parts
    .map((part, n) => (n < parts.length - 1 || isLong ? maskEnd(part, beginnings) : part))
    .join(cutMark);
}

const least = 4;
const most = 512;

/** A beginning of a secret (4 characters or more) at the end of a text. */
function maskEnd(part: string, beginnings: readonly string[]): string {
  const end = part.slice(-most).toLowerCase();
  for (const form of beginnings) {
    for (let length = Math.min(form.length - 1, end.length); length >= least; length -= 1) {
      if (end.endsWith(form.slice(0, length))) return `${part.slice(0, -length)}***`;
    }
  }
  return part;
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** Entities of HTML that have a name; the others are numbers. */
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/**
 * Above this length, only the text itself and its lines are searched, because programs repeat a key file unchanged or
 * not at all.
 */
const longest = 1024;
/** A shorter part of a Base64 text or a line reveals little, and masking it would hide much else. */
const leastPart = 6;
const leastLine = 16;

/**
 * The forms in which programs repeat what they were sent, the secret itself first. Letter case is left to who searches.
 * Plain texts, so that no answer can make the search slow.
 */
export function encodingsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const forms = [secret, ...spellings(secret), ...spellings(bytes.toString('latin1'))];
  if (secret.length > longest) return distinct([...forms, ...linesOf(secret)]);
  const whole = bytes.toString('base64');
  const parts = [1, 2, 0]
    .map((offset) => base64Core(bytes, offset))
    .filter((part) => part.length >= leastPart);
  const base64 = [whole, whole.replace(/=+$/, ''), ...parts].flatMap((each) => [
    each,
    each.replaceAll('+', '-').replaceAll('/', '_'),
    encodeURIComponent(each),
  ]);
  return distinct([...forms, ...base64, bytes.toString('hex'), ...linesOf(secret)]);
}

/** A text that was cut within a secret may end with a beginning of these, in small letters. */
function prefixesOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret.slice(0, longest), 'utf8');
  return [secret.slice(0, longest), ...[0, 1, 2].map((offset) => base64Core(bytes, offset))]
    .map((form) => form.toLowerCase())
    .filter((form) => form.length > leastPart);
}

function spellings(text: string): readonly string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const percents = encodeURIComponent(text.toWellFormed());
  const path = encodeURI(text.toWellFormed());
  const allPercents = percents.replace(/[!'()*~]/g, percent);
  const html = text.replace(/[&<>"]/g, (each) => entities[each] ?? each);
  return [
    text,
    printable(text),
    // As a line for people.
    text.replace(/[\p{Cc}\s]+/gu, ' '),
    json,
    JSON.stringify(json).slice(1, -1),
    JSON.stringify(printable(text)).slice(1, -1),
    percents,
    path,
    allPercents,
    percents.replaceAll('%20', '+'),
    allPercents.replaceAll('%20', '+'),
    encodeURIComponent(percents),
    encodeURIComponent(allPercents),
    html,
    html.replaceAll("'", '&#39;'),
    html.replaceAll("'", '&#x27;'),
    html.replaceAll("'", '&apos;'),
    text.replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`),
    text.replace(/[^a-z0-9]/gi, (each) => `&#${each.charCodeAt(0)};`),
    text.replace(/[^a-z0-9]/gi, (each) => `&#x${each.charCodeAt(0).toString(16)};`),
  ];
}

function percent(char: string): string {
  return `%${char.charCodeAt(0).toString(16)}`;
}

/**
 * The characters of a Base64 text that depend on these bytes alone, when `offset` bytes stand before them in their
 * group of three.
 */
function base64Core(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}

function linesOf(secret: string): readonly string[] {
  return secret.split(/\r?\n/).filter((line) => line.length >= leastLine);
}

function distinct(forms: readonly string[]): readonly string[] {
  return [...new Set(forms)].filter((form) => form.length > 2);
}

/**
 * The dotted paths of the secrets that an Options object really holds, in its own spelling: `Password`,
 * `Headers.Authorization`. Letter case does not count in `secretOptions`, and `*` stands for any text. A URL without a
 * login in it (`Proxy`) hides nothing.
 */
export function secretPaths(probe: AnyProbe, options: unknown): readonly string[] {
  return secretLeaves(probe, options).map(([path]) => path);
}

type Leaf = readonly [path: string, value: string];

function secretLeaves(probe: AnyProbe, options: unknown): readonly Leaf[] {
  const patterns = patternsOf(probe);
  return leaves(options, '').filter(
    ([path, value]) => patterns.some((pattern) => pattern.test(path)) && !isOpenUrl(value),
  );
}

const patternsByProbe = new WeakMap<AnyProbe, readonly RegExp[]>();

/** Made once for a probe: every check asks. */
function patternsOf(probe: AnyProbe): readonly RegExp[] {
  const known = patternsByProbe.get(probe);
  if (known) return known;
  const made = probe.secretOptions.map(
    (path) => new RegExp(`^${path.split('*').map(literally).join('.*')}$`, 'i'),
  );
  patternsByProbe.set(probe, made);
  return made;
}

/** The Options as the API shows them: every secret replaced by `***`. */
export function maskOptions(probe: AnyProbe, options: unknown): unknown {
  const hidden = new Set(secretPaths(probe, options));
  const walk = (value: unknown, path: string): unknown => {
    if (hidden.has(path)) return '***';
    if (Array.isArray(value)) return value.map((each: unknown) => walk(each, path));
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, walk(each, path === '' ? key : `${path}.${key}`)]),
    );
  };
  return walk(options, '');
}

/** A shorter value in a query may be an ordinary word of a text, which must not be hidden: `?code=200`. */
const shortestQuerySecret = 8;

/** The secrets of one check in clear: the URL's password, credentials in its query, and those of the parsed Options. */
export function secretValues(probe: AnyProbe, target: Target, options: unknown): readonly string[] {
  const { password } = target;
  if (password === undefined && !target.path.includes('?')) return optionValues(probe, options);
  const own = password === undefined ? [] : [password.reveal()];
  if (target.path.includes('?'))
    own.push(...querySecrets(target.url).filter(({ length }) => length >= shortestQuerySecret));
  return [...own, ...optionValues(probe, options)];
}

/** By parsed Options, which never change; each check of a device has the same. */
const valuesByOptions = new WeakMap<
  object,
  { readonly probe: AnyProbe; readonly values: readonly string[] }
>();

function optionValues(probe: AnyProbe, options: unknown): readonly string[] {
  const known = isRecord(options) ? valuesByOptions.get(options) : undefined;
  if (known?.probe === probe) return known.values;
  const values = secretLeaves(probe, options).map(([, value]) => value);
  if (isRecord(options)) valuesByOptions.set(options, { probe, values });
  return values;
}

function leaves(value: unknown, path: string): readonly Leaf[] {
  if (typeof value === 'string') return [[path, value]];
  if (Array.isArray(value)) return value.flatMap((each: unknown) => leaves(each, path));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, each]) => leaves(each, path === '' ? key : `${path}.${key}`));
}

function isOpenUrl(value: string): boolean {
  return value.includes('://') && !value.includes('@');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
