import { expect, test } from 'vitest';
import { push } from './push.ts';

test.each(['', 'push:'])('the URL %j is accepted', (url) => {
  expect(push.parseTarget(url)).toMatchObject({ ok: true, target: { display: 'push:' } });
});

test('another URL is refused', () => {
  expect(push.parseTarget('https://www.example.org/')).toMatchObject({
    ok: false,
    message: expect.stringMatching(/accepted is push:/),
  });
});

test.each([
  [{ Cron: '30 2 * *' }, 'five fields'],
  [{ Cron: '61 2 * * *' }, 'minute'],
  [{ Timezone: 'Mars/Base' }, 'time zone'],
  [{ GraceSeconds: 0 }, 'GraceSeconds'],
  [{ MaxRunSeconds: 2_592_001 }, 'MaxRunSeconds'],
])('the Options %j are refused', (options, text) => {
  const parsed = push.options.safeParse(options);
  expect(JSON.stringify(parsed.error?.issues)).toContain(text);
});

test('Options have defaults', () => {
  expect(push.options.parse({ Cron: '@daily' })).toEqual({ Cron: '@daily', GraceSeconds: 300 });
});
