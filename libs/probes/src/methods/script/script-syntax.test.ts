import { describe, expect, it } from 'vitest';
import { probeFor } from '../../engine/registry.ts';
import { syntaxProblem } from './script-syntax.ts';

const problem = (program: string, method = 'Script') => {
  const probe = probeFor(method);
  if (probe === undefined) throw new Error(method);
  return syntaxProblem(probe, program);
};

describe('the syntax of a script', () => {
  it.each([
    ['const answer = 1;\nlet broken = ;\n', 'has a syntax error in line 2, column 14: '],
    ['if (', 'The script ends too early (line 1, column 5)'],
    ['await http("https://example.org/");\n\n  const const = 1;', 'has a syntax error in line 3, column '],
    ['return 1', 'has a syntax error in line 1, column 1: return not in a function'],
    ['import "fs";', 'cannot import anything'],
    ['/(/', 'has a syntax error in line 1'],
  ])('of %j is refused with line and column', async (program, text) => {
    expect(await problem(program)).toContain(text);
  });

  it.each([
    'await http("https://example.org/"); const { a = 1, ...rest } = {}; class A { #b = 2n; static { } }',
    'while (true) {} // is not run',
    'throw new Error("is not run")',
    '',
  ])('of %j is accepted', async (program) => {
    expect(await problem(program)).toBeUndefined();
  });

  it('of a program that nests as deeply as its size permits is judged, and of the next one too', async () => {
    for (const opening of ['(', '[', '{', '`${', 'a=>', '!'])
      expect(await problem(opening.repeat(Math.floor((64 * 1024) / opening.length)))).toBeDefined();
    expect(await problem('const a = 1;')).toBeUndefined();
  });

  it('concerns no other Method', async () => {
    expect(await problem('if (', 'TCP')).toBeUndefined();
  });
});
