import {
  type Document,
  isAlias,
  isCollection,
  isPair,
  isScalar,
  type LineCounter,
  parseDocument,
} from 'yaml';

/** Aliases may double the nodes of a file, and add at most this many more. */
const maxAdded = 100_000;

/**
 * Parses a YAML document, JSON included, and bounds its aliases: 200 KB can expand to gigabytes. Faults of the text are
 * in `errors` of the document. Throws a RangeError where aliases add too many nodes.
 */
export function parseYamlDocument(text: string, lineCounter: LineCounter): Document.Parsed {
  const document = parseDocument(text, { lineCounter, merge: true, prettyErrors: false });
  if (document.errors.length > 0) return document;
  const { own, expanded } = countNodes(document);
  if (expanded > 2 * own + maxAdded)
    throw new RangeError(
      `its aliases expand ${own} values to ${expanded}; accepted are at most ${2 * own + maxAdded}`,
    );
  return document;
}

/** Counts the nodes of a document as written, and with every alias expanded. Pure. */
function countNodes(document: Document): { readonly own: number; readonly expanded: number } {
  let own = 0;
  /** By anchor; an alias refers to the last one before it (YAML 1.2.2, section 7.1). */
  const counted = new Map<string, number>();
  const count = (node: unknown): number => {
    if (isPair(node)) return count(node.key) + count(node.value);
    own += 1;
    if (isAlias(node)) return 1 + (counted.get(node.source) ?? 0);
    const sum = isCollection(node) ? node.items.reduce<number>((total, item) => total + count(item), 1) : 1;
    if ((isCollection(node) || isScalar(node)) && node.anchor !== undefined) counted.set(node.anchor, sum);
    return sum;
  };
  return { expanded: count(document.contents), own };
}
