import { berBoolean, berTag, berText, element } from './ber.ts';

/** Nested filters; RFC 4511 sets no limit. */
const maxDepth = 20;

const attributeName = /^[A-Za-z0-9][A-Za-z0-9.-]*(;[A-Za-z0-9-]+)*$/;

/** The bytes of a filter, or its fault. */
export type FilterReading =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly message: string };

/** Reads a filter in the form of RFC 4515, such as `(&(objectClass=person)(uid=a*))`. Pure. */
export function readFilter(text: string): FilterReading {
  try {
    const [bytes, end] = filterAt(text, 0, 0);
    if (end !== text.length) throw new Error(`something follows the filter at character ${end + 1}`);
    return { ok: true, bytes };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : 'unreadable' };
  }
}

const lists: Readonly<Record<string, number>> = { '&': 0xa0, '|': 0xa1 };

function filterAt(text: string, at: number, depth: number): readonly [Buffer, number] {
  if (depth > maxDepth) throw new Error(`more than ${maxDepth} filters are nested`);
  expectAt(text, at, '(');
  const sign = text[at + 1] ?? '';
  const list = lists[sign];
  if (list !== undefined) {
    const parts: Buffer[] = [];
    let next = at + 2;
    while (text[next] === '(') {
      const [part, end] = filterAt(text, next, depth + 1);
      parts.push(part);
      next = end;
    }
    expectAt(text, next, ')');
    return [element(list, ...parts), next + 1];
  }
  if (sign === '!') {
    const [part, end] = filterAt(text, at + 2, depth + 1);
    expectAt(text, end, ')');
    return [element(0xa2, part), end + 1];
  }
  const end = text.indexOf(')', at);
  if (end < 0) throw new Error('a ) is missing');
  return [itemOf(text.slice(at + 1, end)), end + 1];
}

function expectAt(text: string, at: number, sign: string): void {
  if (text[at] !== sign) throw new Error(`a ${sign} is missing at character ${at + 1}`);
}

const comparisons: Readonly<Record<string, number>> = { '>=': 0xa5, '<=': 0xa6, '~=': 0xa8 };

/** `name=value`, `name=*`, `name=a*b`, `name>=value`, `name:dn:rule:=value`. */
function itemOf(item: string): Buffer {
  const [, left = '', operator = '', right = ''] = /^([^=<>~]*)(:=|>=|<=|~=|=)(.*)$/s.exec(item) ?? [];
  if (operator === '') throw new Error(`${JSON.stringify(item.slice(0, 80))} is no comparison`);
  if (left.endsWith(':') && operator === '=') return extensible(left.slice(0, -1), right);
  if (!attributeName.test(left)) throw new Error(`${JSON.stringify(left.slice(0, 80))} is no attribute`);
  const comparison = comparisons[operator];
  if (comparison !== undefined) return element(comparison, berText(left), berText(bytesOf(right)));
  if (right === '*') return berText(left, 0x87);
  const parts = right.split('*');
  if (parts.length === 1) return element(0xa3, berText(left), berText(bytesOf(right)));
  const last = parts.length - 1;
  const substrings = parts.flatMap((part, index) => {
    if (part === '') return [];
    const tag = index === 0 ? 0x80 : index === last ? 0x82 : 0x81;
    return [berText(bytesOf(part), tag)];
  });
  if (substrings.length === 0) throw new Error('a value holds nothing but asterisks');
  return element(0xa4, berText(left), element(berTag.sequence, ...substrings));
}

function extensible(left: string, value: string): Buffer {
  const [name = '', ...others] = left.split(':');
  const isDn = others[0]?.toLowerCase() === 'dn';
  const [rule, ...rest] = isDn ? others.slice(1) : others;
  const names = [name, rule].filter((each) => each !== undefined && each !== '');
  if (rest.length > 0 || names.length === 0 || names.some((each) => !attributeName.test(each ?? '')))
    throw new Error(`${JSON.stringify(left.slice(0, 80))} is no matching rule`);
  return element(
    0xa9,
    ...(rule === undefined || rule === '' ? [] : [berText(rule, 0x81)]),
    ...(name === '' ? [] : [berText(name, 0x82)]),
    berText(bytesOf(value), 0x83),
    ...(isDn ? [element(0x84, berBoolean(true).subarray(2))] : []),
  );
}

/** The bytes of a value; `\\28` is a parenthesis. */
function bytesOf(text: string): Buffer {
  if (/[(*]/.test(text))
    throw new Error(`${JSON.stringify(text.slice(0, 80))} has a sign that must be escaped`);
  const parts = text.split(/\\(.{0,2})/s);
  return Buffer.concat(
    parts.map((part, index) => {
      if (index % 2 === 0) return Buffer.from(part, 'utf8');
      if (!/^[0-9a-fA-F]{2}$/.test(part)) throw new Error('a \\ is not followed by two hexadecimal digits');
      return Buffer.from(part, 'hex');
    }),
  );
}
