import { expect, test } from 'vitest';
import { useBrowser } from './system.ts';

// The work of a letter in the search of a long list, counted in elements.

const its = useBrowser();

/** 10,000 devices as the API lists them. */
const manyRows = () =>
  Array.from({ length: 10_000 }, (_, at) => ({
    device_id: at.toString(16).padStart(48, '0'),
    ShortName: `n${at}`,
    FullName: `switch ${at}`,
    Method: 'PING',
    Status: 'Up',
    StatusSince: '2026-02-25T23:38:03+01:00',
    Enabled: true,
    Retrying: false,
    Severity: 'critical',
    MaintenanceUntil: null,
    DownBecause: null,
    Tags: [],
    Locations: [],
    LastCheck: null,
    Day: 'U'.repeat(72),
  }));

test('a letter of the search creates no element for a row: rows take over those of rows that are gone', async () => {
  const page = await its.open();
  await its.signIn(page);
  const rows = manyRows();
  await page.route(/\/v1\.1\/states/, (route) => {
    const isPart = new URL(route.request().url()).searchParams.has('Search');
    return route.fulfill({ json: isPart ? [] : rows, headers: { 'Vantage-Revision': 'r-1' } });
  });
  await page.goto(`${its.base}devices`);
  await page.getByText('10,000 devices').first().waitFor();
  await page.evaluate(`{
    const table = document.querySelector('[role=table]');
    const known = new WeakSet(table.querySelectorAll('[data-slot]'));
    window.madeRows = 0;
    new MutationObserver((list) => {
      for (const { addedNodes } of list)
        for (const node of addedNodes)
          if (node instanceof HTMLElement && node.dataset.slot !== undefined && !known.has(node)) {
            known.add(node);
            window.madeRows += 1;
          }
    }).observe(table, { childList: true, subtree: true });
  }`);
  const field = page.getByRole('combobox');
  for (const [letters, found] of [
    ['4', '3,439 devices'],
    ['47', '299 devices'],
  ] as const) {
    await field.fill(letters);
    await page.getByText(found, { exact: true }).waitFor();
    await page.getByRole('link', { name: letters === '4' ? 'switch 4' : 'switch 47', exact: true }).waitFor();
  }
  expect(await page.evaluate('window.madeRows')).toBe(0);
  // Who has the focus on a row keeps it there; the row that is gone leaves no other device under the focus.
  await page.getByRole('link', { name: 'switch 47', exact: true }).focus();
  await page.evaluate(
    `history.replaceState(null, '', '/devices?q=470'); dispatchEvent(new PopStateEvent('popstate'));`,
  );
  await page.getByRole('link', { name: 'switch 470', exact: true }).waitFor();
  expect(await page.evaluate('document.activeElement.tagName')).toBe('BODY');
});
