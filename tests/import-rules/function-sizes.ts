import type { Source } from './sources.ts';
import { childrenOf, lineCounter, type Node, nameOf, nodeOf, parse } from './syntax.ts';

/** The most statements that a function may have. */
const maxFunctionStatements = 55;
/** The most statements that a factory may have; its inner functions count for themselves too. */
const maxFactoryStatements = 100;

const functionTypes = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);
/** Calls whose function only groups tests. */
const groups = new Set(['describe', 'describe.each', 'describe.concurrent', 'describe.concurrent.each']);

/** A function of a source with its size, inner functions included. */
export interface FunctionSize {
  /** Its name or that of the nearest named function, property or variable around it, else `(anonymous)`. */
  readonly name: string;
  /** A factory returns an object literal with a function in it. */
  readonly kind: 'function' | 'factory';
  /** From the first to the last. */
  readonly lines: number;
  /** Statements and declarations. Expressions count nothing: a literal of twenty lines is data. */
  readonly statements: number;
}

/** One sentence for each function of a source that is too long. */
export function longFunctions(source: Source): string[] {
  return functionSizes(source).flatMap(({ name, kind, statements }) => {
    const most = kind === 'factory' ? maxFactoryStatements : maxFunctionStatements;
    return statements > most
      ? [`${source.file}: the ${kind} ${name} has ${statements} statements, ${most} is the most`]
      : [];
  });
}

/** The sizes of all functions of a source, but of those that only group tests. */
export function functionSizes(source: Source): FunctionSize[] {
  const lineOf = lineCounter(source.text);
  const sizes: FunctionSize[] = [];
  const visit = (node: Node, outer: string, isGroup: boolean) => {
    const name = nameOf(node['id']) ?? nameOf(node['key']) ?? outer;
    if (functionTypes.has(node.type) && !isGroup) {
      const kind = isFactory(node) ? 'factory' : 'function';
      const lines = lineOf(node.end - 1) - lineOf(node.start) + 1;
      sizes.push({ name, kind, lines, statements: statementsIn(node) });
    }
    const groupsTests = node.type === 'CallExpression' && groups.has(calleeOf(node['callee']));
    for (const child of childrenOf(node)) visit(child, name, groupsTests && functionTypes.has(child.type));
  };
  visit(parse(source), '(anonymous)', false);
  return sizes;
}

function statementsIn(node: Node): number {
  const inner = childrenOf(node).reduce((sum, child) => sum + statementsIn(child), 0);
  return inner + Number(isStatement(node));
}

function isStatement(node: Node): boolean {
  if (node.type === 'BlockStatement' || node.type === 'EmptyStatement') return false;
  return node.type.endsWith('Statement') || node.type === 'VariableDeclaration';
}

/** Whether a function returns an object literal that holds a function, written there or declared in the function. */
function isFactory(outer: Node): boolean {
  const body = nodeOf(outer['body']);
  if (body === undefined) return false;
  const declared = new Set<string>();
  const returned: Node[] = body.type === 'BlockStatement' ? [] : [body];
  const visit = (node: Node) => {
    const name = nameOf(node['id']);
    const value = functionTypes.has(node.type) ? node : nodeOf(node['init']);
    if (name !== undefined && value !== undefined && functionTypes.has(value.type)) declared.add(name);
    if (functionTypes.has(node.type)) return;
    const answer = node.type === 'ReturnStatement' ? nodeOf(node['argument']) : undefined;
    if (answer !== undefined) returned.push(answer);
    childrenOf(node).forEach(visit);
  };
  childrenOf(body).forEach(visit);
  return returned.some((node) => holdsFunction(node, declared));
}

function holdsFunction(node: Node, declared: ReadonlySet<string>): boolean {
  const wrapped = nodeOf(node['expression']);
  if (wrapped !== undefined) return holdsFunction(wrapped, declared);
  if (node.type !== 'ObjectExpression') return false;
  return childrenOf(node).some((property) => {
    const value = nodeOf(property['value']);
    return value !== undefined && (functionTypes.has(value.type) || declared.has(nameOf(value) ?? ''));
  });
}

/** `describe`, and `describe.each` of `describe.each(rows)('…', …)`. */
function calleeOf(value: unknown): string {
  const node = nodeOf(value);
  if (node?.type === 'CallExpression') return calleeOf(node['callee']);
  const property = nameOf(node?.['property']);
  return property === undefined ? (nameOf(node) ?? '') : `${calleeOf(node?.['object'])}.${property}`;
}
