import {
  type Document,
  isAlias,
  isCollection,
  isPair,
  isScalar,
  type LineCounter,
  parseDocument,
} from 'yaml';

/** Aliases may add so many nodes to a file, besides as many again as it has itself. */
const maxAdded = 100_000;

/**
 * Parses a YAML document, JSON included, whose aliases stay small: 200 KB of them can stand for gigabytes. The faults
 * of the text are in `errors` of the document; too many nodes by aliases throw a RangeError.
 */
export function parseYamlDocument(text: string, lineCounter: LineCounter): Document.Parsed {
  const document = parseDocument(text, { lineCounter, merge: true, prettyErrors: false });
  if (document.errors.length > 0) return document;
  const { own, expanded } = countNodes(document);
  if (expanded > 2 * own + maxAdded)
    throw new RangeError(
      `its aliases stand for ${expanded} values, and the file itself has ${own}; write out what is repeated, or use fewer aliases`,
    );
  return document;
}

/** The nodes of a document as it is written, and with each alias as what it stands for. Pure. */
function countNodes(document: Document): { readonly own: number; readonly expanded: number } {
  let own = 0;
  /** By anchor; an alias stands for the last one before it (YAML 1.2.2, section 7.1). */
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
