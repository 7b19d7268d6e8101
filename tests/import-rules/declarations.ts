import path from 'node:path';
import type { Source } from './sources.ts';
import { childrenOf, type Node, nameOf, nodeOf, nodesOf, parse, stringOf } from './syntax.ts';

/** A name that a file has from another file. */
interface Imported {
  readonly file: string;
  /** Its name there; `*` for all of them. */
  readonly name: string;
}

/** The names at the top of a file. */
export interface Declarations {
  /** For each declared name, the names in its code; those in types do not count. */
  readonly uses: ReadonlyMap<string, ReadonlySet<string>>;
  /** Imported and re-exported names, without types. */
  readonly imported: ReadonlyMap<string, Imported>;
}

const found = new WeakMap<Source, Declarations>();

/** The declarations of a source; `entries` has the file behind each name of a workspace. */
export function declarationsOf(source: Source, entries: ReadonlyMap<string, string>): Declarations {
  const known = found.get(source);
  if (known !== undefined) return known;
  const uses = new Map<string, ReadonlySet<string>>();
  const imported = new Map<string, Imported>();
  for (const statement of nodesOf(parse(source)['body'])) {
    for (const [local, from] of importedBy(source.file, statement, entries)) imported.set(local, from);
    for (const [name, code] of declaredBy(statement)) uses.set(name, namesIn(code));
  }
  const declarations = { uses, imported };
  found.set(source, declarations);
  return declarations;
}

function importedBy(
  file: string,
  statement: Node,
  entries: ReadonlyMap<string, string>,
): (readonly [local: string, from: Imported])[] {
  const module = stringOf(statement['source']);
  if (module === undefined || isType(statement)) return [];
  const target = module.startsWith('.')
    ? path.posix.join(path.posix.dirname(file), module)
    : entries.get(module);
  if (target === undefined) return [];
  const isReExport = statement.type === 'ExportNamedDeclaration';
  return nodesOf(statement['specifiers'])
    .filter((specifier) => !isType(specifier))
    .map((specifier) => {
      const outer = nameOf(specifier[isReExport ? 'local' : 'imported']) ?? '*';
      const local = nameOf(specifier[isReExport ? 'exported' : 'local']) ?? outer;
      return [local, { file: target, name: outer }] as const;
    });
}

function isType(node: Node): boolean {
  return (node['importKind'] ?? node['exportKind']) === 'type';
}

function declaredBy(statement: Node): (readonly [name: string, code: Node])[] {
  const declaration = nodeOf(statement['declaration']) ?? statement;
  if (declaration.type === 'VariableDeclaration')
    return nodesOf(declaration['declarations']).flatMap((one) =>
      [...namesIn(one['id'])].map((name) => [name, one] as const),
    );
  const name = nameOf(declaration['id']);
  return name === undefined ? [] : [[name, declaration]];
}

/** The names in a piece of code, without those in types and those of members and keys. */
function namesIn(code: unknown): Set<string> {
  const names = new Set<string>();
  const collect = (node: Node) => {
    if (node.type.startsWith('TS') && !/^TS(As|Satisfies|NonNull)/.test(node.type)) return;
    const name = node.type === 'Identifier' ? nameOf(node) : undefined;
    if (name !== undefined) names.add(name);
    const isNamed = node['computed'] !== true;
    for (const child of childrenOf(node))
      if (!(isNamed && (child === node['property'] || (child === node['key'] && !node['shorthand']))))
        collect(child);
  };
  const root = nodeOf(code);
  if (root !== undefined) collect(root);
  return names;
}
