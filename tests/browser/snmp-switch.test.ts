import { agentObject, createSwitch, serveSnmp } from '@vantage/probes/testing';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { violationsInBothThemes } from './browser.ts';
import { useBrowser } from './system.ts';

// A switch with 48 ports is added from its address, its interfaces are chosen from what it offers, and one is shut.

const its = useBrowser();
const events = z.array(z.object({ Type: z.string(), Message: z.string(), check_id: z.string().nullable() }));
const checks = z.array(z.object({ check_id: z.string(), Timestamp: z.string() }));
const devices = z.array(z.object({ device_id: z.string() }));

/** Saves a picture where `VANTAGE_TEST_PICTURES` names a folder, so that people can look at the page. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['VANTAGE_TEST_PICTURES'];
  if (folder === undefined) return;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `${folder}/${name}-${colorScheme}.png`, fullPage: true });
  }
  await page.emulateMedia({ colorScheme: null });
}

test('an SNMP switch is added from its address, and an interface that is shut is seen at the next check', async () => {
  const simulated = createSwitch(() => Date.now() / 1000, { random: Math.random });
  const [, second] = simulated.ports;
  if (second === undefined) throw new Error('no port');
  await using agent = await serveSnmp({
    objects: [...simulated.objects(), agentObject('1.3.6.1.2.1.25.3.3.1.2.1', 'integer', 14)],
  });
  const { api } = its.system;
  const page = await its.open({ width: 1280 });
  await its.signIn(page);
  await page.goto(`${its.base}devices/new?address=${encodeURIComponent(agent.url)}`);
  const offer = page.getByRole('region', { name: 'What does it offer?' });
  await offer.getByRole('button', { name: 'What does it offer?' }).click();
  await offer.getByText('switch-1 has 48 interfaces and 2 known values.').waitFor();
  await offer.getByLabel('Name, alias or label contains').fill('Gi1/0/');
  expect(await offer.getByRole('checkbox', { name: /^Watch Gi/ }).count()).toBe(48);
  for (let at = 1; at <= 12; at += 1)
    await offer.getByRole('checkbox', { name: `Watch Gi1/0/${at}`, exact: true }).check();
  await offer.getByRole('heading', { name: 'Interfaces, 12 chosen' }).waitFor();
  await offer.getByLabel('Name, alias or label contains').fill('');
  await offer.getByRole('checkbox', { name: 'Watch CPU 1' }).check();
  expect(await violationsInBothThemes(page)).toBe('');
  await picture(page, 'offer');
  await page.getByLabel('Short name').fill('switch-1');
  await page.getByRole('button', { name: /^Add|^Create|^Save/ }).click();
  await page.getByRole('button', { name: 'Pause' }).waitFor();

  const [device] = devices.parse(await api.ok('GET', '/devices?Search=switch-1'));
  if (device === undefined) throw new Error('no device');
  const path = `/devices/${device.device_id}`;
  const shown = z.object({
    Options: z.object({ Interfaces: z.array(z.unknown()), Values: z.array(z.unknown()) }),
  });
  const { Options } = shown.parse(await api.ok('GET', path));
  expect(Options.Interfaces).toEqual(Array.from({ length: 12 }, (_, at) => ({ Name: `Gi1/0/${at + 1}` })));
  expect(Options.Values).toEqual([{ Name: 'hrProcessorLoad.1', Label: 'CPU 1', Unit: '%' }]);

  // Rates need two checks.
  await expect
    .poll(async () => checks.parse(await api.ok('GET', `${path}/checks`)).length, { timeout: 60_000 })
    .toBeGreaterThan(2);
  const ports = page.getByRole('region', { name: '12 interfaces' });
  await ports.getByText('12 up').waitFor();
  await page.reload();
  await ports
    .getByRole('button', {
      name: /^Gi1\/0\/1 “desk 1”: Up, in .*bit\/s, out .*bit\/s, \d+ % of 10\sGbit\/s$/,
    })
    .waitFor();

  second.isShut = true;
  const shutAt = Date.now();
  await ports.getByRole('button', { name: /^Gi1\/0\/2 “desk 2”: Down/ }).waitFor();
  await ports.getByText('11 up · 1 not as expected').waitFor();
  const [down] = events.parse(await api.ok('GET', `${path}/events?Type=InterfaceDown`));
  expect(down?.Message).toBe('Gi1/0/2 “desk 2” is Down');
  // The first check that began after it found it: a second is the resolution of its Timestamp.
  const later = checks
    .parse(await api.ok('GET', `${path}/checks`))
    .filter(({ Timestamp }) => Date.parse(Timestamp) > shutAt)
    .map(({ check_id }) => check_id);
  expect(later.slice(0, -1)).not.toContain(down?.check_id);
  await page.getByText('Gi1/0/2 “desk 2” is Down').first().waitFor();

  await ports.getByRole('button', { name: /^Gi1\/0\/2/ }).click();
  const values = page.getByRole('region', { name: 'Values', exact: true });
  await values.locator('figure svg').getByText('Gi1/0/2 in bit/s', { exact: true }).waitFor();
  await ports.getByText('All 12 as a table').click();
  await ports.getByRole('row', { name: /Gi1\/0\/2 desk 2 Down/ }).waitFor();
  expect(await violationsInBothThemes(page)).toBe('');
  await picture(page, 'ports');
  await page.setViewportSize({ width: 390, height: 844 });
  await picture(page, 'ports-phone');
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  second.isShut = false;
  await ports.getByText('12 up').waitFor();
  expect(its.problems.join('\n')).toBe('');
});
