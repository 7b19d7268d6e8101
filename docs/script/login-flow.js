/// <reference path="vantage-script.d.ts" />
// Logs in to a web application like a person: the form, its token, the password, the page behind it.
const base = 'https://shop.example';

const form = await step('form', () => http({ url: `${base}/login`, expectText: '<form' }));
const token = /name="csrf" value="([^"]+)"/.exec(form.body)?.[1];
expect(token, 'the login form has no csrf token');
const cookie = (form.headers['set-cookie'] ?? '').split(';')[0];

const entry = await step('password', () =>
  http({
    url: `${base}/login`,
    method: 'POST',
    headers: { Cookie: cookie, 'Content-Type': 'application/x-www-form-urlencoded' },
    body: `csrf=${encodeURIComponent(token)}&user=monitor&password=${encodeURIComponent(secret('SHOP_PASSWORD'))}`,
    maxRedirects: 0,
    expectStatus: ['302'],
  }),
);
expect(!entry.headers.location?.includes('/login'), 'the password was not taken');
const session = (entry.headers['set-cookie'] ?? cookie).split(';')[0];

await step('account', async () => {
  const page = await http({ url: `${base}/account`, headers: { Cookie: session } });
  expect(page.body.includes('Sign out'), 'the account page does not know us');
  expect(page.ms < 2000, `the account page took ${Math.round(page.ms)} ms`);
});
