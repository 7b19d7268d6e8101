import type { Source } from './sources.ts';
import { lineCounter, type Node, nameOf, nodeOf, nodesOf, parse, walk } from './syntax.ts';

/** A machine may be ten times slower than ours, so a test that limits less than this is a test of the machine. */
const leastLimitMs = 20_000;
/** These measure the machine on purpose. */
const timed = /^tests\/(attacks|bench|chaos|lab|real-servers)\//;

/**
 * One sentence for each wait of a test that has only vitest's second, and for each elapsed time of the machine's clock
 * with a limit that a busy machine may pass. A test that `retryBecause` repeats may have such limits.
 */
export function hurriedWaits(source: Source): string[] {
  const { file, text } = source;
  if (!/\bvi\.wait|\.toBeLess/.test(text)) return [];
  const mayLimit = timed.test(file) || text.includes('retryBecause(');
  const lineOf = lineCounter(text);
  const faults: string[] = [];
  walk(parse(source), (node) => {
    if (node.type !== 'CallExpression') return;
    if (isShortWait(node))
      faults.push(`${file}: line ${lineOf(node.start)} waits for a second: give a limit`);
    if (!mayLimit && isShortLimit(node))
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

/** `expect(performance.now() - from).toBeLessThan(2_000)`, and the same of the clock of the kernel. */
function isShortLimit(call: Node): boolean {
  const [subject, matcher] = memberOf(call['callee']);
  if (!matcher?.startsWith('toBeLess')) return false;
  const expectation = nodeOf(subject);
  const [elapsed] = nodesOf(expectation?.['arguments']);
  if (nameOf(expectation?.['callee']) !== 'expect' || elapsed?.type !== 'BinaryExpression') return false;
  const [clock, read] = memberOf(nodeOf(elapsed['left'])?.['callee']);
  if (!['performance.now', 'systemClock.monoMs'].includes(`${nameOf(clock)}.${read}`)) return false;
  const limit = nodesOf(call['arguments'])[0]?.['value'];
  return typeof limit !== 'number' || limit < leastLimitMs;
}

/** Object and name of a member expression. */
function memberOf(value: unknown): readonly [object: unknown, name: string | undefined] {
  const member = nodeOf(value);
  return member?.type === 'MemberExpression'
    ? [member['object'], nameOf(member['property'])]
    : [undefined, undefined];
}
