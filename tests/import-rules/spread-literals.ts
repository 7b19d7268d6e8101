import type { Source } from './sources.ts';
import { lineCounter, nodeOf, parse, walk } from './syntax.ts';

/** One sentence for the first literal of a source that is spread into another one: its parts belong there. */
export function spreadLiterals(source: Source): string[] {
  if (!/\.\.\.\s*[[{]/.test(source.text)) return [];
  const places: number[] = [];
  walk(parse(source), (node) => {
    const inner = node.type === 'SpreadElement' ? nodeOf(node['argument'])?.type : undefined;
    if (inner === 'ObjectExpression' || inner === 'ArrayExpression') places.push(node.start);
  });
  const [first] = places;
  if (first === undefined) return [];
  return [`${source.file}: line ${lineCounter(source.text)(first)} spreads a literal into another one`];
}
