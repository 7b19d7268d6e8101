import { isRecord } from '@vantage/kernel';

/** A segment of a path (RFC 9535 section 2.3). */
export interface JsonStep {
  /** Whether it also selects from all descendants (`..`). */
  readonly deep: boolean;
  readonly selectors: readonly Selector[];
}

type Selector =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'slice'; readonly from?: number; readonly to?: number; readonly by: number }
  | { readonly kind: 'any' };

/** `message` names the position of the fault. */
export type JsonPathResult =
  | { readonly ok: true; readonly steps: readonly JsonStep[] }
  | { readonly ok: false; readonly message: string };

const maxPathLength = 500;
const maxSelectors = 50;
/** The maximum of visited and found values in all steps of a search. It bounds the time. */
const maxVisited = 2_000_000;
/** The maximum of pending lists of values: a document of depth 2,000 with the longest path. It bounds the memory. */
const maxPending = 100_000;

/** The position in a path. */
interface Cursor {
  readonly text: string;
  at: number;
}

// Sticky: each matches only at the cursor. None can match the same text in two ways, so reading takes linear time.
const blanks = /\s*/y;
const integer = /-?\d+/y;
const plainName = /[\p{L}_$][\p{L}\p{N}_$-]*/uy;

/**
 * Reads a JSONPath with names, indexes, slices, lists of these, `*` and `..`, but without filters and scripts. The `$`
 * at the start is optional. At most 500 characters and 50 selectors.
 */
export function readJsonPath(path: string): JsonPathResult {
  if (path.length > maxPathLength)
    return { ok: false, message: `a JSONPath has at most ${maxPathLength} characters` };
  const text = path.trim();
  const start = text.startsWith('$') ? text.slice(1) : /^[.[]/.test(text) ? text : `.${text}`;
  const cursor: Cursor = { text: start, at: 0 };
  const steps: JsonStep[] = [];
  let selectors = 0;
  while (cursor.at < start.length) {
    const from = cursor.at;
    const step = readStep(cursor);
    if (step === undefined) {
      const shown = JSON.stringify(start.slice(from, from + 20));
      return {
        ok: false,
        message: `no JSONPath from ${shown} on; names, ['names'], [0], [1:3], * and .. are known`,
      };
    }
    selectors += step.selectors.length;
    if (selectors > maxSelectors)
      return { ok: false, message: `a JSONPath has at most ${maxSelectors} names, indexes, slices and *` };
    steps.push(step);
  }
  return { ok: true, steps };
}

function readStep(cursor: Cursor): JsonStep | undefined {
  const isDotted = skip(cursor, '.');
  const deep = isDotted && skip(cursor, '.');
  if ((deep || !isDotted) && skip(cursor, '[')) {
    const selectors = readList(cursor);
    return selectors && { deep, selectors };
  }
  if (!isDotted) return undefined;
  if (skip(cursor, '*')) return { deep, selectors: [{ kind: 'any' }] };
  const name = take(cursor, plainName);
  return name === undefined ? undefined : { deep, selectors: [{ kind: 'name', name }] };
}

/** The selectors in brackets. */
function readList(cursor: Cursor): readonly Selector[] | undefined {
  const selectors: Selector[] = [];
  while (true) {
    take(cursor, blanks);
    const selector = readSelector(cursor);
    if (selector === undefined) return undefined;
    selectors.push(selector);
    take(cursor, blanks);
    if (skip(cursor, ']')) return selectors;
    if (!skip(cursor, ',')) return undefined;
  }
}

function readSelector(cursor: Cursor): Selector | undefined {
  if (skip(cursor, '*')) return { kind: 'any' };
  for (const quote of ["'", '"']) {
    if (!skip(cursor, quote)) continue;
    const name = readQuoted(cursor, quote);
    return name === undefined ? undefined : { kind: 'name', name };
  }
  const bounds: (number | undefined)[] = [readInteger(cursor)];
  take(cursor, blanks);
  while (bounds.length < 3 && skip(cursor, ':')) {
    take(cursor, blanks);
    bounds.push(readInteger(cursor));
    take(cursor, blanks);
  }
  const [from, to, by] = bounds;
  if (bounds.some((bound) => Number.isNaN(bound))) return undefined;
  if (bounds.length === 1) return from === undefined ? undefined : { kind: 'index', index: from };
  return {
    kind: 'slice',
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    by: by ?? 1,
  };
}

/** A name up to its closing quote; a backslash escapes the next character. */
function readQuoted(cursor: Cursor, quote: string): string | undefined {
  const { text } = cursor;
  let name = '';
  while (cursor.at < text.length) {
    const char = text[cursor.at] ?? '';
    cursor.at += 1;
    if (char === quote) return name;
    if (char === '\\') {
      name += text[cursor.at] ?? '';
      cursor.at += 1;
    } else name += char;
  }
  return undefined;
}

/** undefined: there is none. NaN: it is not exact (RFC 9535 section 2.1). */
function readInteger(cursor: Cursor): number | undefined {
  const digits = take(cursor, integer);
  if (digits === undefined) return undefined;
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : Number.NaN;
}

function take(cursor: Cursor, pattern: RegExp): string | undefined {
  pattern.lastIndex = cursor.at;
  const found = pattern.exec(cursor.text)?.[0];
  cursor.at += found?.length ?? 0;
  return found;
}

function skip(cursor: Cursor, text: string): boolean {
  if (!cursor.text.startsWith(text, cursor.at)) return false;
  cursor.at += text.length;
  return true;
}

/** Values to which a step of the path must still be applied; `at` is the next of them. */
interface PendingValues {
  readonly values: readonly unknown[];
  readonly step: number;
  at: number;
}

/**
 * Calls `onFound` for each value that a path selects in a parsed document, in the order of the document. It stores no
 * list of them, so its memory does not grow with the document. False: it gave up, because it would visit more than two
 * million values, or because the document is too deep.
 */
export function findJson(
  json: unknown,
  steps: readonly JsonStep[],
  onFound: (value: unknown) => void,
): boolean {
  let left = maxVisited;
  const pending: PendingValues[] = [{ values: [json], step: 0, at: 0 }];
  for (let top = pending.at(-1); top !== undefined; top = pending.at(-1)) {
    if (top.at >= top.values.length) {
      pending.pop();
      continue;
    }
    const node = top.values[top.at];
    top.at += 1;
    const step = steps[top.step];
    if (step === undefined) {
      onFound(node);
      continue;
    }
    left -= 1;
    const next: PendingValues[] = [];
    for (const selector of step.selectors) {
      const values = pick(node, selector);
      // Counted before they are stored: many `*` on one long list would otherwise exhaust the memory.
      left -= values.length + 1;
      if (left < 0) return false;
      if (values.length > 0) next.push({ values, step: top.step + 1, at: 0 });
    }
    if (step.deep) next.push({ values: childrenOf(node), step: top.step, at: 0 });
    if (pending.length + next.length > maxPending) return false;
    pending.push(...next.reverse());
  }
  return true;
}

function childrenOf(node: unknown): readonly unknown[] {
  if (Array.isArray(node)) return node;
  return typeof node === 'object' && node !== null ? Object.values(node) : [];
}

function pick(node: unknown, selector: Selector): readonly unknown[] {
  switch (selector.kind) {
    case 'any':
      return childrenOf(node);
    case 'name': {
      // Not in the RFC, but many JSONPaths rely on it.
      if (Array.isArray(node) && selector.name === 'length') return [node.length];
      return isRecord(node) && Object.hasOwn(node, selector.name) ? [node[selector.name]] : [];
    }
    case 'index': {
      if (!Array.isArray(node)) return [];
      const at = selector.index < 0 ? node.length + selector.index : selector.index;
      return at >= 0 && at < node.length ? [node[at]] : [];
    }
    case 'slice':
      return Array.isArray(node) ? slice(node, selector) : [];
  }
}

/** RFC 9535 section 2.3.4.2. */
function slice(node: readonly unknown[], { from, to, by }: Extract<Selector, { kind: 'slice' }>): unknown[] {
  const { length } = node;
  const normal = (at: number) => (at < 0 ? length + at : at);
  const within = (at: number, min: number, max: number) => Math.min(Math.max(at, min), max);
  const found: unknown[] = [];
  if (by > 0) {
    const end = within(normal(to ?? length), 0, length);
    for (let at = within(normal(from ?? 0), 0, length); at < end; at += by) found.push(node[at]);
  } else if (by < 0) {
    const end = to === undefined ? -1 : within(normal(to), -1, length - 1);
    for (let at = within(normal(from ?? length - 1), -1, length - 1); at > end; at += by)
      found.push(node[at]);
  }
  return found;
}
