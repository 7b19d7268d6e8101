import type { Source } from './sources.ts';
import { childrenOf, type Node, nameOf, nodeOf, nodesOf, parse } from './syntax.ts';
import { untrackedState } from './untracked-state.ts';

/** Programs that run for long, and their libraries. `libs/imports` runs only in commands, which end soon. */
const programs = /^(?:apps\/(?:agent|controller)|libs\/(?!imports\/)[a-z-]+)\/src\//;
const collections = new Set(['Map', 'Set']);
const additions = new Set(['add', 'push', 'set', 'splice', 'unshift']);
const functionTypes = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);
/** Methods that call their function before they return. */
const callNow = new Set([
  'every',
  'filter',
  'find',
  'findIndex',
  'flatMap',
  'forEach',
  'from',
  'map',
  'reduce',
  'replace',
  'some',
  'sort',
]);

/** A function around a node. `outer` is the one around it; null: the module. */
interface Scope {
  readonly outer: Scope | null;
  readonly callsNow: boolean;
}

/**
 * One sentence for each collection that outlives the call in which it began (a later call adds to it) and is not passed
 * to `track`. `untracked-state.ts` lists the collections that cannot grow.
 */
export function untrackedCollections(source: Source): string[] {
  if (!programs.test(source.file)) return [];
  return rememberedNames(source).flatMap((name) =>
    untrackedState.has(`${source.file} ${name}`)
      ? []
      : [
          `${source.file}: ${name} outlives a call and has no bound: declare one with declareState, or name in untracked-state.ts why it cannot grow`,
        ],
  );
}

/** Entries of `untracked-state.ts` that no source needs. */
export function needlessExemptions(sources: readonly Source[]): string[] {
  const found = new Set(
    sources.flatMap((source) => rememberedNames(source).map((name) => `${source.file} ${name}`)),
  );
  const files = new Set(sources.map(({ file }) => file));
  return [...untrackedState.keys()]
    .filter((entry) => files.has(entry.split(' ')[0] ?? '') && !found.has(entry))
    .map((entry) => `tests/import-rules/untracked-state.ts: nothing needs the entry ${entry}`);
}

function rememberedNames(source: Source): string[] {
  const declared: { readonly name: string; readonly scope: Scope | null }[] = [];
  const changed: { readonly name: string; readonly scope: Scope | null }[] = [];
  const visit = (node: Node, scope: Scope | null, callsNow: boolean) => {
    const inner = functionTypes.has(node.type) ? { outer: scope, callsNow } : scope;
    const isProperty = node.type === 'PropertyDefinition' || node.type === 'Property';
    const name = nameOf(isProperty ? node['key'] : node['id']);
    const value = nodeOf(isProperty ? node['value'] : node['init']);
    // An object is handed on, so whatever adds to its collections may do so later.
    if (name !== undefined && isEmptyCollection(value))
      declared.push({ name, scope: isProperty ? null : inner });
    const added = addedTo(node);
    if (added !== undefined) changed.push({ name: added, scope: inner });
    const isNow = node.type === 'CallExpression' && callNow.has(methodOf(node) ?? '');
    for (const child of childrenOf(node)) visit(child, inner, isNow);
  };
  visit(parse(source), null, false);
  return [
    ...new Set(
      declared
        .filter((one) =>
          changed.some((change) => change.name === one.name && isLater(change.scope, one.scope)),
        )
        .map(({ name }) => name),
    ),
  ];
}

/** Whether code in `scope` may run after the call of `home` has returned. */
function isLater(scope: Scope | null, home: Scope | null): boolean {
  if (home === null) return true;
  let later = false;
  for (let at = scope; at !== null && at !== home; at = at.outer) {
    later ||= !at.callsNow;
    if (at.outer === home) return later;
  }
  return false;
}

/** `new Map()`, `new Set()` and `[]`, also with values to begin with. */
function isEmptyCollection(value: Node | undefined): boolean {
  if (value === undefined) return false;
  const wrapped = nodeOf(value['expression']);
  if (wrapped !== undefined) return isEmptyCollection(wrapped);
  if (value.type === 'ArrayExpression') return nodesOf(value['elements']).length === 0;
  return value.type === 'NewExpression' && collections.has(nameOf(value['callee']) ?? '');
}

/** The variable that a node adds to, or gives another value. */
function addedTo(node: Node): string | undefined {
  if (node.type === 'AssignmentExpression') {
    const left = nodeOf(node['left']);
    return left?.type === 'MemberExpression' && left['computed'] === true
      ? nameOf(left['object'])
      : nameOf(left);
  }
  if (node.type !== 'CallExpression' || !additions.has(methodOf(node) ?? '')) return undefined;
  const object = nodeOf(nodeOf(node['callee'])?.['object']);
  return nameOf(object) ?? nameOf(object?.['property']);
}

function methodOf(call: Node): string | undefined {
  const callee = nodeOf(call['callee']);
  return callee?.type === 'MemberExpression' ? nameOf(callee['property']) : undefined;
}
