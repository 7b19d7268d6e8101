import { expect, test } from 'vitest';
import { bundleAgent } from './bundle-agent.ts';
import { root } from './root.ts';

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

test('the bundle has the licences of its packages', async () => {
  const { licences } = await bundleAgent();
  for (const name of ['zod', 'pino', 'ssh2', '@jitl/quickjs-wasmfile-release-sync'])
    expect(licences).toMatch(new RegExp(`^${name}$`, 'm'));
});
