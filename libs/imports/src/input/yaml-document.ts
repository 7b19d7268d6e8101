import {
  type Document,
  isAlias,
  isCollection,
  isPair,
  isScalar,
  type LineCounter,
  parseDocument,
} from 'yaml';

/** The nodes that aliases may add, besides doubling the nodes of the file. */
const maxAddedNodes = 100_000;

/**
 * Parses a YAML document, JSON included, and limits its aliases: 200 KB can expand to gigabytes. Syntax errors are in
 * `errors` of the document. Throws a RangeError when aliases add too many nodes.
 */
export function parseYamlDocument(text: string, lineCounter: LineCounter): Document.Parsed {
  const document = parseDocument(text, { lineCounter, merge: true, prettyErrors: false });
  if (document.errors.length > 0) return document;
  const { written, expanded } = countNodes(document);
  const maxExpanded = 2 * written + maxAddedNodes;
  if (expanded > maxExpanded)
    throw new RangeError(
      `its aliases expand ${written} values to ${expanded}; accepted are at most ${maxExpanded}`,
    );
  return document;
}

/** Counts the nodes of a document as written, and with every alias expanded. */
function countNodes(document: Document): { readonly written: number; readonly expanded: number } {
  let written = 0;
  /** By anchor. An alias refers to the last anchor of its name before it (YAML 1.2.2, section 7.1). */
  const sizes = new Map<string, number>();
  const count = (node: unknown): number => {
    if (isPair(node)) return count(node.key) + count(node.value);
    written += 1;
    if (isAlias(node)) return 1 + (sizes.get(node.source) ?? 0);
    const sum = isCollection(node) ? node.items.reduce<number>((total, item) => total + count(item), 1) : 1;
    if ((isCollection(node) || isScalar(node)) && node.anchor !== undefined) sizes.set(node.anchor, sum);
    return sum;
  };
  return { expanded: count(document.contents), written };
}
