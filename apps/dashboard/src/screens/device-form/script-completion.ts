import type { ScriptTypes } from './script-types.ts';

/** A text that can be inserted at the cursor. */
export interface Completion {
  readonly name: string;
  /** Its type or signature. */
  readonly detail: string;
  readonly doc: string;
}

/** The texts that fit at the cursor, and where the typed beginning starts. */
export interface Completions {
  readonly from: number;
  readonly items: readonly Completion[];
}

/** An open bracket before the cursor. */
interface Bracket {
  readonly kind: string;
  readonly at: number;
}

/** The open brackets at an offset, and the opening quote if it is inside a text. */
interface Position {
  readonly brackets: readonly Bracket[];
  /** The offset of the quote; undefined: not in a text. */
  readonly quoteAt: number | undefined;
  readonly isInComment: boolean;
}

const quotes = new Set(["'", '"', '`']);
const closing: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** Scans a script up to an offset. */
function positionAt(text: string, offset: number): Position {
  const brackets: Bracket[] = [];
  for (let at = 0; at < offset; at += 1) {
    const letter = text[at] ?? '';
    const pair = text.slice(at, at + 2);
    if (pair === '//' || pair === '/*') {
      const end = text.indexOf(pair === '//' ? '\n' : '*/', at + 2);
      if (end === -1 || end >= offset) return { brackets, quoteAt: undefined, isInComment: true };
      at = end;
    } else if (quotes.has(letter)) {
      const start = at;
      at += 1;
      while (at < offset && text[at] !== letter && !(letter !== '`' && text[at] === '\n'))
        at += text[at] === '\\' ? 2 : 1;
      if (at >= offset) return { brackets, quoteAt: start, isInComment: false };
    } else if ('([{'.includes(letter)) brackets.push({ kind: letter, at });
    else if (closing[letter] !== undefined && brackets.at(-1)?.kind === closing[letter]) brackets.pop();
  }
  return { brackets, quoteAt: undefined, isInComment: false };
}

/** The type of the object or list that an open bracket begins; '': it is unknown. */
function typeOf(text: string, brackets: readonly Bracket[], types: ScriptTypes): string {
  const last = brackets.at(-1);
  if (last === undefined) return '';
  const before = text.slice(0, last.at).trimEnd();
  const outer = brackets.slice(0, -1);
  const called = last.kind === '{' ? /(\w+)\s*\($/.exec(before)?.[1] : undefined;
  if (called !== undefined) return types.functions.get(called)?.takes ?? '';
  const key = /(\w+)\s*:$/.exec(before)?.[1];
  if (key !== undefined) return memberType(typeOf(text, outer, types), key, types);
  return outer.at(-1)?.kind === '[' ? typeOf(text, outer, types) : '';
}

const memberType = (type: string, name: string, types: ScriptTypes) =>
  types.membersOf(type).find((member) => member.name === name)?.type ?? '';

/** The type of a variable: the result of the last call that was assigned to it. */
function variableType(text: string, name: string, types: ScriptTypes): string {
  const calls = [...text.matchAll(new RegExp(`\\b${name}\\s*=\\s*(?:await\\s+)?(\\w+)\\(`, 'g'))];
  const called = types.functions.get(calls.at(-1)?.[1] ?? '');
  if (called !== undefined) return called.gives;
  return new RegExp(`catch\\s*\\(\\s*${name}\\s*\\)`).test(text) ? 'CheckError' : '';
}

const keywords = ['const', 'let', 'await', 'for', 'if', 'else', 'try', 'catch', 'throw', 'return'];

const starting = (items: readonly Completion[], typed: string) => {
  const small = typed.toLowerCase();
  return items.filter(({ name }) => name.toLowerCase().startsWith(small) && name !== typed);
};

/** The texts that fit at an offset of a script. Pure. */
export function completionsAt(text: string, offset: number, types: ScriptTypes): Completions {
  const none = { from: offset, items: [] };
  const { brackets, quoteAt, isInComment } = positionAt(text, offset);
  if (isInComment) return none;
  const before = text.slice(0, offset);
  if (quoteAt !== undefined) {
    const key = /(\w+)\s*:\s*$/.exec(text.slice(0, quoteAt))?.[1] ?? '';
    const type = memberType(typeOf(text, brackets, types), key, types);
    const values = [...type.matchAll(/'([^']*)'/g)].map(([, name = '']) => ({ name, detail: '', doc: '' }));
    return { from: quoteAt + 1, items: starting(values, text.slice(quoteAt + 1, offset)) };
  }
  const typed = /\w*$/.exec(before)?.[0] ?? '';
  const from = offset - typed.length;
  const chain = /((?:\w+\.)+)$/.exec(before.slice(0, from))?.[1];
  if (chain !== undefined) {
    const [variable = '', ...path] = chain.split('.').slice(0, -1);
    const type = path.reduce(
      (found, name) => memberType(found, name, types),
      variableType(before, variable, types),
    );
    return { from, items: starting(membersFor(type, types), typed) };
  }
  const isKey = /[{,]\s*$/.test(before.slice(0, from)) && brackets.at(-1)?.kind === '{';
  const type = isKey ? typeOf(text, brackets, types) : '';
  const members = membersFor(type, types);
  if (members.length > 0) return { from, items: starting(members, typed) };
  if (typed === '') return none;
  const names = [
    ...[...types.functions.values()].map(({ name, signature, doc }) => ({ name, detail: signature, doc })),
    ...keywords.map((name) => ({ name, detail: '', doc: '' })),
  ];
  return { from, items: starting(names, typed) };
}

const membersFor = (type: string, types: ScriptTypes): readonly Completion[] =>
  types.membersOf(type).map(({ name, type: detail, doc }) => ({ name, detail, doc }));
