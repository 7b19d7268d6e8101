import type { Source } from './sources.ts';
import { lineCounter, type Node, nameOf, nodeOf, nodesOf, parse, walk } from './syntax.ts';

/** A machine may be ten times slower than ours, so a test that limits less than this is a test of the machine. */
const minLimitMs = 20_000;
/** These measure the machine on purpose. */
const timed = /^tests\/(attacks|bench|chaos|lab)\/|\.timed\.test\.ts$/;

/**
 * One sentence for each wait of a test that has only vitest's second, and for each elapsed time of the machine's clock
 * with a limit that a busy machine may pass. A test that `retryBecause` repeats may have such limits.
 */
export function hurriedWaits(source: Source): string[] {
  const { file, text } = source;
  if (!/\bvi\.wait|\.toBeLess/.test(text)) return [];
  const mayLimit = timed.test(file) || text.includes('retryBecause(');
  const elapsed = elapsedNames(source);
  const lineOf = lineCounter(text);
  const faults: string[] = [];
  walk(parse(source), (node) => {
    if (node.type !== 'CallExpression') return;
    if (isShortWait(node))
      faults.push(`${file}: line ${lineOf(node.start)} waits for a second: give a limit`);
    if (!mayLimit && isShortLimit(node, elapsed))
      faults.push(`${file}: line ${lineOf(node.start)} asserts speed: stop the clock, or count`);
  });
  return faults;
}

/** `vi.waitFor(…)` or `vi.waitUntil(…)` without a second argument. */
function isShortWait(call: Node): boolean {
  const [object, method] = memberOf(call['callee']);
  return (
    nameOf(object) === 'vi' && /^wait(For|Until)$/.test(method ?? '') && nodesOf(call['arguments']).length < 2
  );
}

/** `expect(performance.now() - from).toBeLessThan(2_000)`, and the same of a name of such a time. */
function isShortLimit(call: Node, elapsed: ReadonlySet<string>): boolean {
  const [subject, matcher] = memberOf(call['callee']);
  if (!matcher?.startsWith('toBeLess')) return false;
  const expectation = nodeOf(subject);
  const [value] = nodesOf(expectation?.['arguments']);
  if (nameOf(expectation?.['callee']) !== 'expect' || value === undefined) return false;
  if (!isElapsed(value) && !elapsed.has(nameOf(value) ?? '')) return false;
  const limit = nodesOf(call['arguments'])[0]?.['value'];
  return typeof limit !== 'number' || limit < minLimitMs;
}

/** Names that a source gives to an elapsed time: `const tookMs = performance.now() - from`. */
function elapsedNames(source: Source): ReadonlySet<string> {
  const names = new Set<string>();
  walk(parse(source), (node) => {
    const name = nameOf(node['id']);
    if (node.type === 'VariableDeclarator' && name !== undefined && isElapsed(nodeOf(node['init'])))
      names.add(name);
  });
  return names;
}

/** `performance.now() - from`, and the same of the clock of the kernel. */
function isElapsed(value: Node | undefined): boolean {
  if (value?.type !== 'BinaryExpression') return false;
  const [clock, read] = memberOf(nodeOf(value['left'])?.['callee']);
  return ['performance.now', 'systemClock.monoMs'].includes(`${nameOf(clock)}.${read}`);
}

/** Object and name of a member expression. */
function memberOf(value: unknown): readonly [object: unknown, name: string | undefined] {
  const member = nodeOf(value);
  return member?.type === 'MemberExpression'
    ? [member['object'], nameOf(member['property'])]
    : [undefined, undefined];
}
