import { expect, test } from 'vitest';
import { z } from 'zod';
import { useAccountPerTest } from '../../testing/account-per-test.ts';

const api = useAccountPerTest();
const types = z.array(
  z.object({
    Type: z.string(),
    Address: z.string(),
    Secret: z.object({ Required: z.boolean() }).nullable(),
    Options: z.array(z.object({ Name: z.string(), Required: z.boolean() })),
  }),
);

test('every Type is there, and a contact with what it asks for is refused for its values only, never for a field', async () => {
  const found = types.parse((await api.send('GET', '/contact-types')).json);
  expect(found.length).toBeGreaterThan(20);
  for (const { Type, Address, Secret, Options } of found) {
    const required = Options.filter(({ Required }) => Required).map(({ Name }) => [Name, '?'] as const);
    const body = {
      Name: Type,
      Type,
      Address,
      ...(Secret?.Required === true ? { Secret: '?' } : {}),
      ...(Options.length > 0 ? { Options: Object.fromEntries(required) } : {}),
    };
    const { json } = await api.send('POST', '/contacts', body);
    expect(JSON.stringify(json), Type).not.toMatch(/leave (?:it|them) out|is required|Address must/);
  }
});
