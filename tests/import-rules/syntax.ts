import { parseSync } from 'oxc-parser';
import type { Source } from './sources.ts';

/** A node of the syntax tree (ESTree with TypeScript's nodes); `start` and `end` are offsets in the text. */
export type Node = { readonly type: string; readonly start: number; readonly end: number } & Readonly<
  Record<string, unknown>
>;

const parsed = new WeakMap<Source, Node>();

/** The syntax tree of a TypeScript or JavaScript source, parsed once. Throws when it does not parse. */
export function parse(source: Source): Node {
  const root = parsed.get(source) ?? parseNew(source);
  parsed.set(source, root);
  return root;
}

function parseNew({ file, text }: Source): Node {
  const { program, errors } = parseSync(file, text);
  if (errors[0] !== undefined) throw new Error(`${file} does not parse: ${errors[0].message}`);
  const root: unknown = program;
  if (!isNode(root)) throw new TypeError(`${file} has no syntax tree`);
  return root;
}

/** Calls `visit` for a node and all nodes below it. */
export function walk(node: Node, visit: (node: Node) => void): void {
  visit(node);
  for (const child of childrenOf(node)) walk(child, visit);
}

export function childrenOf(node: Node): Node[] {
  // Millions of nodes come by here: lists in between would take half of the time of all rules.
  const children: Node[] = [];
  for (const value of Object.values(node))
    if (Array.isArray(value)) {
      for (const child of value) if (isNode(child)) children.push(child);
    } else if (isNode(value)) children.push(value);
  return children;
}

/** The nodes of a list; everything else in it is left out. */
export function nodesOf(value: unknown): Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

export function nodeOf(value: unknown): Node | undefined {
  return isNode(value) ? value : undefined;
}

/** The name of an identifier. */
export function nameOf(value: unknown): string | undefined {
  const name = nodeOf(value)?.['name'];
  return typeof name === 'string' ? name : undefined;
}

/** The text of a string literal. */
export function stringOf(value: unknown): string | undefined {
  const node = nodeOf(value);
  const text = node?.type === 'Literal' ? node['value'] : undefined;
  return typeof text === 'string' ? text : undefined;
}

/**
 * Every text of a source with its node: string literals, and template literals with ` ? ` for each expression in them.
 */
export function textsOf(program: Node): { readonly text: string; readonly node: Node }[] {
  const texts: { text: string; node: Node }[] = [];
  walk(program, (node) => {
    const text = node.type === 'TemplateLiteral' ? templateText(node) : stringOf(node);
    if (text !== undefined) texts.push({ text, node });
  });
  return texts;
}

/** The line of an offset, from 1. */
export function lineCounter(text: string): (offset: number) => number {
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index);
  return (offset) => {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}

function templateText(template: Node): string {
  return nodesOf(template['quasis'])
    .map(({ value }) =>
      typeof value === 'object' && value !== null && 'cooked' in value ? String(value.cooked) : '',
    )
    .join(' ? ');
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}
