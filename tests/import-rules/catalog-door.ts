import { isTestFile, type Source } from './sources.ts';
import { childrenOf, type Node, nameOf, nodeOf, nodesOf, parse, walk } from './syntax.ts';
import { writesIn } from './table-writers.ts';

/** The rooms whose nouns people change. */
const catalog = /^apps\/controller\/src\/(?:resources|catalog|access|reading\/(?:status-pages|reports))\//;
/** The only file that opens a transaction on the catalog; it knows the actor and records the changes. */
const door = 'apps/controller/src/resources/change.ts';
/**
 * Files whose columns no actor sets: agents and controllers report them, enrolment signs them, a new key seals them, or
 * a sign-in and its use write them.
 */
const reportedColumns = /\/(?:presence|enrolment|visibility|reseal|keys-in-force|session)-store\.ts$/;
const functionTypes = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);
const managerWrites = new Set([
  'assign',
  'begin',
  'create',
  'flush',
  'insert',
  'insertMany',
  'nativeDelete',
  'nativeUpdate',
  'persist',
  'remove',
  'transactional',
  'upsert',
  'upsertMany',
]);

/** One sentence for each function that writes the catalog past `resources/change.ts`, where no actor is known. */
export function writesPastTheDoor(source: Source, entities: ReadonlyMap<string, string>): string[] {
  const { file } = source;
  if (isTestFile(file) || !file.startsWith('apps/controller/src/') || file === door) return [];
  const program = parse(source);
  const opened =
    file.startsWith('libs/storage/src/') || !callsOf(program).includes('catalogTransaction')
      ? []
      : [`${file} opens a transaction on the catalog, which only resources/change.ts does`];
  if (!catalog.test(file) || reportedColumns.test(file)) return opened;
  const past = outermostFunctions(program).filter(
    (node) => isWrite(node, entities) && !takesChange(node, source.text),
  );
  return [
    ...opened,
    ...past.map(
      (node) =>
        `${file}: ${nameOf(node['id']) ?? 'a function'} writes the catalog and takes no ChangeTransaction`,
    ),
  ];
}

/** The names of the called functions. */
function callsOf(program: Node): string[] {
  const names: string[] = [];
  walk(program, (node) => {
    if (node.type === 'CallExpression') names.push(nameOf(node['callee']) ?? '');
  });
  return names;
}

/** The functions of a source that are inside no other function. */
function outermostFunctions(node: Node): Node[] {
  return functionTypes.has(node.type) ? [node] : childrenOf(node).flatMap(outermostFunctions);
}

function isWrite(node: Node, entities: ReadonlyMap<string, string>): boolean {
  let writes = writesIn(node, entities).length > 0;
  walk(node, ({ type, callee }) => {
    if (type !== 'CallExpression') return;
    const target = nodeOf(callee);
    const object = target?.['object'];
    const owner = nameOf(object) ?? nameOf(nodeOf(object)?.['property']);
    writes ||= owner === 'em' && managerWrites.has(nameOf(target?.['property']) ?? '');
  });
  return writes;
}

/** Whether a parameter of the function has the type `ChangeTransaction`. */
function takesChange(node: Node, text: string): boolean {
  return nodesOf(node['params']).some(({ start, end }) =>
    /:\s*ChangeTransaction\b/.test(text.slice(start, end)),
  );
}
