import { importsOf } from './imports.ts';
import { isTestFile, type Source } from './sources.ts';

const maxLines = 350;
const maxCommentLength = 120;
/** Rows of tables, and what is indented in a comment, stay as they are. */
const commentLine = /^\s*(?:\/\/|\/\*\*?|\*)(?! {2}| \|)/;
/** Tests of rare faults: each failure is a finding, so they are never repeated. */
const neverRepeated = /property|ledger|leak|sentinel/;

/** A docstring that begins so names no subject. */
const weakDocstring = /\/\*\*\s+(?:\* )?(What|Makes) /;

/** Each connection has keepalives and a limit for its login. */
const bareClient = /new pg\.(?:Client|Pool)\((?!\{?\s*(?:\.\.\.)?(?:clientConfig\(|config\b))/;

/** One sentence for each rule about the text of a file that a source breaks. */
export function badFile(source: Source): string[] {
  const { file, text } = source;
  const problems: string[] = [];
  const lines = text.split('\n').length - 1;
  if (lines > maxLines) problems.push(`${file} has ${lines} lines, ${maxLines} is the most`);
  const weak = weakDocstring.exec(text)?.[1];
  if (weak !== undefined) problems.push(`${file}: a docstring begins with "${weak}"`);
  const longAt = text
    .split('\n')
    .findIndex((line) => line.length > maxCommentLength && commentLine.test(line));
  if (longAt >= 0)
    problems.push(`${file}: line ${longAt + 1}, a comment, is longer than ${maxCommentLength}`);
  if (new RegExp(`\\b(${['TO', 'DO'].join('')}|${['FIX', 'ME'].join('')})\\b`).test(text))
    problems.push(`${file} puts work off`);
  if (!isTestFile(file) && bareClient.test(text))
    problems.push(`${file} connects to PostgreSQL without the settings of clientConfig`);
  if (/^\s*export \* /m.test(text)) problems.push(`${file} exports everything`);
  if (new RegExp(`\\.(${['skip', 'run'].join('If|')}If)\\(`).test(text))
    problems.push(`${file} skips without a reason: skip(condition, 'why') of the test's context`);
  if (/(^|\/)(utils?|helpers?|common|manager)\.ts$/.test(file))
    problems.push(`${file} has a name that says nothing`);
  if (file !== 'tests/harness/retry.ts') problems.push(...wrongRetries(source));
  return problems;
}

function wrongRetries(source: Source): string[] {
  const { file, text } = source;
  if (!file.endsWith('.test.ts') && !/^vitest[^/]*\.ts$/.test(file)) return [];
  if (/[{,] retry: \d|^\s+retry: \d+,? \S/m.test(text))
    return [`${file} repeats a test without a reason: retryBecause('why')`];
  const usesProperties = importsOf(source).some(({ name }) => name === 'fast-check');
  return (usesProperties || neverRepeated.test(file)) && text.includes('retryBecause(')
    ? [`${file} repeats a test of properties, ledgers, leaks or sentinels: each failure is a finding`]
    : [];
}
