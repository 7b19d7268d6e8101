/** One step of a path (RFC 9535 section 2.3): what it picks from a value, and whether from all below it too (`..`). */
export interface JsonStep {
  readonly deep: boolean;
  readonly selectors: readonly Selector[];
}

type Selector =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'slice'; readonly from?: number; readonly to?: number; readonly by: number }
  | { readonly kind: 'any' };

/** A path read, or where it stops being one. */
export type JsonPathResult =
  | { readonly ok: true; readonly steps: readonly JsonStep[] }
  | { readonly ok: false; readonly message: string };

/** Values looked at in one search, over all steps: a foreign document must not hold this process up. */
const mostVisited = 1_000_000;

const dotted = /^(\.\.?)(?:(\*)|([\p{L}_$][\p{L}\p{N}_$-]*)|(?=\[))/u;
const inBrackets =
  /^\s*(?:(\*)|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(-?\d+)?\s*(?:(:)\s*(-?\d+)?\s*(?::\s*(-?\d+)?)?)?)\s*([,\]])/su;

/**
 * Reads a JSONPath: names, indexes, slices, lists of these, `*` and `..`, no filters and no scripts. The `$` in front may be left out.
 */
export function readJsonPath(path: string): JsonPathResult {
  const text = path.trim();
  const start = text.startsWith('$') ? text.slice(1) : /^[.[]/.test(text) ? text : `.${text}`;
  const steps: JsonStep[] = [];
  let rest = start;
  const stop = (): JsonPathResult => ({
    ok: false,
    message: `no JSONPath from ${JSON.stringify(rest.slice(0, 20))} on; names, ['names'], [0], [1:3], * and .. are known`,
  });
  while (rest !== '') {
    const dot = dotted.exec(rest);
    const deep = dot?.[1] === '..';
    if (dot) rest = rest.slice(dot[0].length);
    if (dot?.[2] !== undefined) steps.push({ deep, selectors: [{ kind: 'any' }] });
    else if (dot?.[3] !== undefined) steps.push({ deep, selectors: [{ kind: 'name', name: dot[3] }] });
    else if (rest.startsWith('[') && (dot === null || deep)) {
      const found = readBrackets(rest.slice(1));
      if (!found) return stop();
      steps.push({ deep, selectors: found.selectors });
      rest = found.rest;
    } else return stop();
  }
  return { ok: true, steps };
}

function readBrackets(
  text: string,
): { readonly selectors: readonly Selector[]; readonly rest: string } | undefined {
  const selectors: Selector[] = [];
  let rest = text;
  while (true) {
    const found = inBrackets.exec(rest);
    if (!found) return undefined;
    const [whole, any, single, double, first, colon, to, by, end] = found;
    const name = single ?? double;
    if (any !== undefined) selectors.push({ kind: 'any' });
    else if (name !== undefined) selectors.push({ kind: 'name', name: name.replace(/\\(.)/gs, '$1') });
    else if (colon !== undefined) {
      selectors.push({
        kind: 'slice',
        ...(first !== undefined && { from: Number(first) }),
        ...(to !== undefined && { to: Number(to) }),
        by: by === undefined ? 1 : Number(by),
      });
    } else if (first !== undefined) selectors.push({ kind: 'index', index: Number(first) });
    else return undefined;
    rest = rest.slice(whole.length);
    if (end === ']') return { selectors, rest };
  }
}

/** What a path finds in a parsed document, in the order of the document; undefined when that takes too long. */
export function findJson(json: unknown, steps: readonly JsonStep[]): readonly unknown[] | undefined {
  let visited = 0;
  let nodes: unknown[] = [json];
  for (const { deep, selectors } of steps) {
    const found: unknown[] = [];
    const waiting = nodes.reverse();
    while (waiting.length > 0) {
      const node = waiting.pop();
      visited += 1;
      if (visited > mostVisited) return undefined;
      for (const selector of selectors) for (const each of pick(node, selector)) found.push(each);
      visited += selectors.length;
      if (!deep) continue;
      const below = childrenOf(node);
      for (let at = below.length - 1; at >= 0; at -= 1) waiting.push(below[at]);
    }
    if (found.length > mostVisited) return undefined;
    nodes = found;
  }
  return nodes;
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
      // Not in the RFC, but what most JSONPaths in use take for granted.
      if (Array.isArray(node) && selector.name === 'length') return [node.length];
      const isObject = typeof node === 'object' && node !== null && !Array.isArray(node);
      if (!isObject || !Object.hasOwn(node, selector.name)) return [];
      return [Reflect.get(node, selector.name)];
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
  const place = (at: number) => (at < 0 ? length + at : at);
  const within = (at: number, least: number, most: number) => Math.min(Math.max(at, least), most);
  const found: unknown[] = [];
  if (by > 0) {
    const end = within(place(to ?? length), 0, length);
    for (let at = within(place(from ?? 0), 0, length); at < end; at += by) found.push(node[at]);
  } else if (by < 0) {
    const end = to === undefined ? -1 : within(place(to), -1, length - 1);
    for (let at = within(place(from ?? length - 1), -1, length - 1); at > end; at += by) found.push(node[at]);
  }
  return found;
}
