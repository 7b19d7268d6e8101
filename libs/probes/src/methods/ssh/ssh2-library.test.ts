import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

const program = `
import { createRequire } from 'node:module';
const isLoaded = () => Object.keys(createRequire(import.meta.url).cache).some((file) => file.includes('/node_modules/ssh2/'));
await import('${new URL('../../index.ts', import.meta.url).href}');
const atFirst = isLoaded();
const { loadSsh2 } = await import('${new URL('ssh2-library.ts', import.meta.url).href}');
await loadSsh2();
process.stdout.write(JSON.stringify([atFirst, isLoaded()]));
`;

test('the probes come without ssh2, until a check asks for it', () => {
  const args = ['--no-warnings', '--input-type=module', '-e', program];
  expect(execFileSync(process.execPath, args, { encoding: 'utf8' })).toBe('[false,true]');
});
