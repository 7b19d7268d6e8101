import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { compileAddon, nodeHeaders, sourceHash, targets } from '../native/compile.ts';
import { addonPath, loadAddon } from './addon.ts';

const folder = mkdtempSync(join(tmpdir(), 'vantage-icmp-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(targets)('the kept build for $arch', (target) => {
  const kept = addonPath('linux', target.arch);

  it('was made from the sources and flags that lie beside it', () => {
    expect(existsSync(kept)).toBe(true);
    // Stale? Run: node libs/icmp/native/build.ts
    expect(readFileSync(kept).includes(`vantage-icmp-source:${sourceHash()}`)).toBe(true);
  });

  const missing = spawnSync(target.compiler, ['--version']).error
    ? `no ${target.compiler} on this machine`
    : nodeHeaders() === undefined
      ? 'no headers of Node'
      : undefined;

  it('compiles without a warning, to the same bytes where the compiler is the same', ({ skip }) => {
    skip(missing !== undefined, missing);
    const output = join(folder, `${target.arch}.node`);
    const { ok, text } = compileAddon(target, output);
    expect({ ok, text }).toEqual({ ok: true, text: '' });
    const [built, repository] = [readFileSync(output), readFileSync(kept)];
    const compiler = compilerIn(repository);
    expect(compiler).toMatch(/^GCC/);
    if (compilerIn(built) === compiler) expect(built.equals(repository)).toBe(true);
    else console.log(`not compared to the byte: built by ${compilerIn(built)}, the kept one by ${compiler}`);
  });
});

/** The compiler's name and version, as it wrote them into the file. */
function compilerIn(file: Buffer): string | undefined {
  return /GCC: \([^)]*\) [0-9.]+/.exec(file.toString('latin1'))?.[0];
}

const reason =
  process.platform === 'linux' ? undefined : `the addon is for Linux, this is ${process.platform}`;

it('the addon for this machine loads and offers what addon.ts says', ({ skip }) => {
  skip(reason !== undefined, reason);
  const addon = loadAddon();
  if ('error' in addon) throw new Error(addon.error);
  expect(addon.source).toBe(`vantage-icmp-source:${sourceHash()}`);
  const exported: object = createRequire(import.meta.url)(addonPath());
  expect(Object.keys(exported).toSorted()).toEqual(
    [
      'close',
      'holdOpen',
      'open',
      'openTcp',
      'read',
      'send',
      'socketError',
      'source',
      'tcpFigures',
    ].toSorted(),
  );
});

it('a closed socket refuses instead of touching freed memory', ({ skip }) => {
  skip(reason !== undefined, reason);
  const addon = loadAddon();
  if ('error' in addon) throw new Error(addon.error);
  const { handle } = addon.open(2, false, () => undefined);
  addon.close(handle);
  addon.close(handle);
  expect(() => addon.read(handle, false)).toThrow('closed');
  expect(() => addon.holdOpen(handle, true)).toThrow('closed');
});
