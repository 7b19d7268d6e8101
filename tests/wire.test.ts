import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { resultCode } from '@vantage/domain';
import { ResultCodeSchema } from '@vantage/proto';
import { afterAll, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
const buf = path.join(root, 'node_modules/.bin/buf');
const released = path.join(root, 'proto/released.binpb');
const folder = mkdtempSync(path.join(tmpdir(), 'vantage-wire-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * The complaints of `buf breaking` after a change of the wire's text; empty: old agents and controllers understand the
 * new wire.
 */
function breaks(file: string, from: string, to: string): string {
  for (const name of ['buf.yaml', 'proto'])
    cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
  const text = readFileSync(path.join(folder, file), 'utf8');
  expect(text).toContain(from);
  writeFileSync(path.join(folder, file), text.replace(from, to));
  const { stdout, stderr } = spawnSync(buf, ['breaking', '--against', released], {
    cwd: folder,
    encoding: 'utf8',
  });
  return stdout + stderr;
}

test('the wire of this commit is compatible with the last release', () => {
  expect(execFileSync(buf, ['breaking', '--against', released], { cwd: root, encoding: 'utf8' })).toBe('');
});

const agent = 'proto/vantage/v1/agent.proto';
const checks = 'proto/vantage/v1/checks.proto';

test.each([
  ['a field with another number', agent, 'int64 to_us = 2;', 'int64 to_us = 4;'],
  ['a field of another type', agent, 'int64 covered_to_us = 11;', 'string covered_to_us = 11;'],
  ['a removed field', agent, '  string gap_id = 1; // the agent may send the same gap twice\n', ''],
  ['an option with another name', checks, 'string url = 1;', 'string address = 1;'],
])('buf refuses %s', (_what, file, from, to) => {
  expect(breaks(file, from, to)).toMatch(/(agent|checks)\.proto:\d+:\d+:.*[Ff]ield/);
});

test('buf accepts a new field and a renamed field of the stream, because the wire carries numbers', () => {
  expect(breaks(agent, 'int64 to_us = 2;', 'int64 to_us = 2;\n  string more = 99;')).toBe('');
  expect(breaks(agent, 'uint32 inserted = 2;', 'uint32 new_rows = 2;')).toBe('');
});

test("the wire's ResultCode has the names and numbers of libs/domain", () => {
  const onWire = ResultCodeSchema.values.map(({ localName, number }) => [localName.toLowerCase(), number]);
  expect(Object.fromEntries(onWire)).toEqual({ unspecified: 0, ...resultCode });
});
