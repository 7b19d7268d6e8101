import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createVantageClient, fillPath } from './index.ts';

const template = '/tags/{tag_id}/devices/{device_id}';

test('a value is one segment of the path, whatever it holds', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (text) => {
      fc.pre(text !== '.' && text !== '..' && text.isWellFormed());
      const url = new URL(`https://h/v1.1${fillPath(template, { tag_id: 'a', device_id: text })}`);
      expect(url.pathname.split('/').map(decodeURIComponent)).toEqual([
        '',
        'v1.1',
        'tags',
        'a',
        'devices',
        text,
      ]);
      expect(url.search + url.hash).toBe('');
    }),
  );
});

test.each(['.', '..', '', undefined, null, {}])(
  '%j is refused, with the name of the placeholder',
  (value) => {
    expect(() => fillPath(template, { device_id: 'a', tag_id: value })).toThrow(/^tag_id must be/);
  },
);

test.each(['.', '..', ''])('the client sends no request with %j in its path', async (tag_id) => {
  const sent: string[] = [];
  const client = createVantageClient({
    baseUrl: 'https://h/v1.1',
    fetch: async ({ url }) => {
      sent.push(url);
      return Response.json({});
    },
  });
  const asked = async (): Promise<unknown> =>
    client.DELETE('/tags/{tag_id}/devices/{device_id}', { params: { path: { device_id: 'a', tag_id } } });
  await expect(asked()).rejects.toThrow('tag_id must be');
  expect(sent).toEqual([]);
});
