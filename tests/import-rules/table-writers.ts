import { stepOf } from './controller-steps.ts';
import { isTestFile, type Source } from './sources.ts';
import { type Node, nameOf, nodeOf, nodesOf, parse, stringOf, textsOf, walk } from './syntax.ts';

/** The only step of the controller that writes each table. */
export type TableOwners = Readonly<Record<string, string | readonly string[]>>;

const kyselyWrites = new Set(['insertInto', 'updateTable', 'deleteFrom', 'mergeInto', 'replaceInto']);
const entityWrites = new Set([
  'create',
  'insert',
  'insertMany',
  'upsert',
  'upsertMany',
  'nativeUpdate',
  'nativeDelete',
]);
const sqlWrites =
  /\b(?:insert\s+into|delete\s+from|merge\s+into|copy(?=\s+"?\w+"?\s*\([^)]*\)\s+from\b)|truncate(?:\s+table)?|update(?:\s+only)?(?=\s+"?\w+"?\s+(?:as\s+)?(?:\w+\s+)?set\b))\s+"?(\w+)"?/gi;

/** The tables of the entities in a source: `Tag` is `tags`. */
export function entityTables(source: Source): ReadonlyMap<string, string> {
  const tables = new Map<string, string>();
  walk(parse(source), (node) => {
    const name = nameOf(node['id']);
    const [settings] = nodesOf(nodeOf(node['init'])?.['arguments']);
    const property = nodesOf(settings?.['properties']).find(({ key }) => nameOf(key) === 'tableName');
    const table = stringOf(property?.['value']);
    if (name !== undefined && table !== undefined) tables.set(name, table);
  });
  return tables;
}

/** One sentence for each table that a source writes and its folder does not own. */
export function foreignWrites(
  source: Source,
  owners: TableOwners,
  entities: ReadonlyMap<string, string>,
): string[] {
  const { file } = source;
  if (isTestFile(file) || !/^(?:apps\/|libs\/(?:storage|rest-kit)\/)/.test(file)) return [];
  const foreign = writesIn(parse(source), entities).filter(
    (table) => ![owners[table]].flat().includes(stepOf(file)),
  );
  return [...new Set(foreign)].map((table) => {
    const owner =
      owners[table] === undefined ? 'has no owner' : `belongs to ${[owners[table]].flat().join('/ and ')}/`;
    return `${file} writes the table ${table}, which ${owner}`;
  });
}

/**
 * The tables that code writes: by Kysely's calls, by MikroORM's calls with an entity, and by statements in SQL texts.
 */
export function writesIn(code: Node, entities: ReadonlyMap<string, string>): string[] {
  const writes: string[] = [];
  walk(code, (node) => {
    if (node.type !== 'CallExpression') return;
    const method = nameOf(nodeOf(node['callee'])?.['property']) ?? '';
    const [first] = nodesOf(node['arguments']);
    const table = kyselyWrites.has(method)
      ? stringOf(first)?.split(/\s/)[0]
      : entityWrites.has(method)
        ? entities.get(nameOf(first) ?? '')
        : undefined;
    if (table !== undefined) writes.push(table);
  });
  for (const { text: sql } of textsOf(code))
    for (const [, table = ''] of sql.matchAll(sqlWrites)) writes.push(table);
  return writes;
}
