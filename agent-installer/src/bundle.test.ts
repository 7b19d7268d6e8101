import { expect, test } from 'vitest';
import { root } from './root.ts';
import { bundleAgent } from './tree.ts';

test('two bundles of the same sources are equal and name no folder of this machine', async () => {
  const first = await bundleAgent();
  const second = await bundleAgent();
  expect([...second.files.keys()]).toEqual([...first.files.keys()]);
  for (const [name, content] of first.files) {
    expect(second.files.get(name)?.equals(content), name).toBe(true);
    expect(content.includes(root), name).toBe(false);
    if (name.endsWith('.mjs'))
      expect(
        content.findIndex((byte) => byte > 127),
        `${name} is ASCII`,
      ).toBe(-1);
  }
  expect(second.licences).toBe(first.licences);
});

test('the licences of the packages inside go with the bundle', async () => {
  const { licences } = await bundleAgent();
  for (const name of ['zod', 'pino', 'ssh2', '@jitl/quickjs-wasmfile-release-sync'])
    expect(licences).toMatch(new RegExp(`^${name}$`, 'm'));
});
