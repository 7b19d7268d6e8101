import { expect, test } from 'vitest';
import type { FoundCheck } from '../found-check.ts';
import { writeApplyFile } from './apply-file.ts';
import { buildApplyFile } from './build-apply-file.ts';

function reading(options: FoundCheck['options']) {
  const check: FoundCheck = { at: 'line 1', name: 'shop', method: 'HTTP', url: 'https://shop.example.org/' };
  return { things: 'checks', checks: [{ ...check, options }], refused: [] };
}

test.each([
  ['{"user":"me","password":"geheim"}', true],
  ['token=abc', true],
  ['{"query":"up"}', false],
])('a body that may contain a secret is named: %s', async (Body, isNamed) => {
  const { lost } = await buildApplyFile(reading({ Method: 'POST', Body }), 'table');
  const text = 'its Body may contain a secret, which is in the file in clear';
  expect(lost).toEqual(isNamed ? [{ at: 'line 1', name: 'shop', text }] : []);
});

test('the text of the file repeats equal lists, because people edit it', () => {
  const Tags = ['a', 'b'];
  const device = { Method: 'TCP', URL: 'a:1', ShortName: 'a', Tags } as const;
  const text = writeApplyFile({
    source: 'table',
    tags: [],
    devices: [
      { ...device, Key: 'a' },
      { ...device, Key: 'b' },
    ],
  });
  expect(text).not.toMatch(/[&*]a\d/);
});
