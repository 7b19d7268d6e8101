import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { moveTo, painted, violationsInBothThemes } from './browser.ts';
import { useBrowser } from './system.ts';

// Texts of people and of targets that want to be scripts. Every text of every answer is made one, beside those that the
// page compares or computes with.

const its = useBrowser();
const created = z.object({ device_id: z.string() });
const hostile = `"'><img src=x onerror="throw 'ran'"><svg onload="throw 'ran'"><a href="javascript:throw 'ran'">`;
const computed =
  /_id$|^(?:Status|State|Type|Kind|Method|Level|Severity|Frequency|Timezone|Timestamp|Day|Start|End|Opened|Closed|Expires|Created|CreatedAt|StatusSince|Since|From|To|Until|CsrfToken|Action|Duration|MaintenanceUntil|DownBecause|OfflineReason)$/;
const moment = /^\d{4}-\d\d-\d\dT/;

/** The value with each of its texts made hostile. */
function spoil(value: unknown, name = ''): unknown {
  if (typeof value === 'string')
    return computed.test(name) || moment.test(value) ? value : `${value} ${hostile}`;
  if (Array.isArray(value)) return value.map((each: unknown) => spoil(each, name));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, spoil(each, key)]));
}

/** Diagnostics of a check of each kind: transcript, headers, certificates, answers, hops and the log of a script. */
const diagnostics = {
  Transcript: ['220 ready', 'EHLO vantage\n250 fine'],
  ResponseHeaders: { server: 'nginx', 'x-<b>': 'name' },
  Certificates: [{ Subject: 'CN=example.org', Issuer: 'CN=ca', Names: ['example.org'] }],
  DNSAnswers: [{ Name: 'example.org', Type: 'TXT', Value: 'text' }],
  Traceroute: { Reached: false, Hops: [{ TTL: 1, Address: '192.0.2.1', RTTMs: 1.2 }] },
  ScriptLog: 'first line\nsecond line',
  Body: '<!doctype html><title>down</title>',
};

/** The traced ways to the device of a check: that of the check, and a good one before. */
function waysOf(check_id: string) {
  const way = { Location: 'local', Agent: 'agent-1', CheckResult: 'no answer' };
  const hops = [
    { TTL: 1, Address: '192.0.2.1', RTTMs: 1.2, Text: null },
    { TTL: 2, Address: '198.51.100.7', RTTMs: 2.5, Text: 'connected' },
  ];
  return [
    { ...way, check_id, Timestamp: '2026-11-27T01:00:00Z', Reached: false, Hops: hops.slice(0, 1) },
    { ...way, check_id: 'before', Timestamp: '2026-11-27T00:00:00Z', Reached: true, Hops: hops },
  ];
}

let openedCheck = '';

/** Requests that have no answer yet. */
const under = new Set<Route>();

const spoilAnswer = async (route: Route) => {
  under.add(route);
  await spoilOne(route)
    .catch(() => {}) // the page went on to another screen
    .finally(() => under.delete(route));
};

const spoilOne = async (route: Route) => {
  const isRead = route.request().method() === 'GET';
  const { pathname, searchParams } = new URL(route.request().url());
  if (!isRead || searchParams.has('stream') || pathname.endsWith('/session')) return route.continue();
  const answer = await route.fetch();
  if (pathname.endsWith('/extended')) openedCheck = pathname.split('/').at(-2) ?? '';
  const body: unknown = pathname.endsWith('/extended')
    ? { Agent: 'agent-1', Extended: diagnostics }
    : pathname.endsWith('/traceroutes')
      ? waysOf(openedCheck)
      : await answer.json().catch(() => undefined);
  if (body === undefined) return route.fulfill({ response: answer });
  return route.fulfill({ response: answer, json: spoil(body) });
};

/** Elements that only a text could have made. */
const foreign = `document.querySelectorAll('img, svg[onload], a[href^="javascript"], [onerror]').length`;

/** Shows a screen, and waits until the answers that it asked for are in it. */
async function look(page: Page, path: string): Promise<number> {
  await moveTo(page, path);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  // It has asked; the last answer was given, and is drawn.
  await page.evaluate(painted);
  await expect.poll(() => under.size, { timeout: 60_000 }).toBe(0);
  await page.evaluate(painted);
  return z.number().parse(await page.evaluate(foreign));
}

/** A device with a hostile name that is Down; its id. */
async function createHostileDevice(): Promise<string> {
  const { device_id } = created.parse(
    await its.system.api.ok('POST', '/devices', {
      Method: 'TCP',
      URL: '127.0.0.1:9',
      ShortName: 'hostile',
      FullName: hostile,
      Frequency: 1,
      Attempts: 1,
    }),
  );
  await expect
    .poll(async () => JSON.stringify(await its.system.api.ok('GET', `/devices/${device_id}`)), {
      timeout: 60_000,
      interval: 200,
    })
    .toContain('"Status":"Down"');
  return device_id;
}

test('no text of a person or a target runs as a script, on any screen', async () => {
  const device_id = await createHostileDevice();
  const page = await its.open();
  await its.signIn(page);
  await page.route(/\/v1\.1\//, spoilAnswer);
  await page.goto(its.base);
  await page.getByRole('link', { name: 'Overview' }).waitFor();
  const screens = [
    '/',
    '/devices',
    '/devices?q=status:down',
    '/alerts',
    '/locations',
    '/schedules',
    '/reports',
  ];
  const others = [
    '/schedules/contacts',
    '/schedules/maintenance',
    '/status-pages',
    '/audit',
    '/account',
    '/wall',
  ];
  for (const screen of [...screens, ...others, `/devices/${device_id}/edit`])
    expect(await look(page, screen), screen).toBe(0);
  expect(await look(page, `/devices/${device_id}`)).toBe(0);
  // The opened check: every kind of diagnostics.
  const checks = page
    .locator('section', { has: page.getByRole('heading', { name: 'Checks', exact: true }) })
    .locator('button[aria-expanded=false]', { hasText: 'onerror' });
  // Equal checks are one row, which is opened first.
  await checks.last().click();
  await checks.last().click();
  await page.getByText('All diagnostics', { exact: true }).first().click();
  for (const text of ['second line', 'CN=example.org', '198.51.100.7', 'EHLO vantage', 'nginx'])
    await page.getByText(text).first().waitFor();
  await page.getByRole('heading', { name: 'Path to the device' }).waitFor();
  expect(await violationsInBothThemes(page)).toBe('');
  expect(await page.evaluate(foreign)).toBe(0);
  // What a person types, and what is dialogs and the palette.
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill(hostile);
  expect(await page.evaluate(foreign)).toBe(0);
  await page.keyboard.press('Escape');
  // The events have a choice of the same name.
  await page.locator('button:not([aria-pressed])', { hasText: 'Maintenance' }).click();
  await page.getByLabel('Reason').fill(hostile);
  await page.getByRole('button', { name: 'Start maintenance' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await moveTo(page, `/devices?q=${encodeURIComponent(hostile)}`);
  await page
    .getByText('No device matches')
    .or(page.getByRole('link', { name: /onerror/ }))
    .first()
    .waitFor();
  expect(await page.evaluate(foreign)).toBe(0);
  expect(its.problems).toEqual([]);
});
