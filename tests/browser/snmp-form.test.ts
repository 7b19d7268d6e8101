import { agentObject, serveSnmp, systemObjects, upTime } from '@vantage/probes/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { violationsInBothThemes } from './browser.ts';
import { useBrowser } from './system.ts';

// The form of an SNMP device: interfaces and objects are rows with choices and numbers, and a trial reads the device.

const its = useBrowser();
const created = z.object({ device_id: z.string() });

test('interfaces and objects are added as rows, tried at the device and saved with their types', async () => {
  await using agent = await serveSnmp({
    objects: [
      ...systemObjects,
      upTime(() => 123_456),
      agentObject('1.3.6.1.2.1.2.2.1.8.7', 'integer', 1),
      agentObject('1.3.6.1.2.1.31.1.1.1.1.7', 'text', 'Gi0/7'),
      agentObject('1.3.6.1.2.1.33.1.2.4.0', 'integer', 42),
    ],
  });
  const { api } = its.system;
  const device = { Method: 'SNMP', URL: agent.url, ShortName: 'switch-1', Frequency: 60 };
  const { device_id } = created.parse(await api.ok('POST', '/devices', device));
  const page = await its.open();
  await its.signIn(page);
  await page.goto(`${its.base}devices/${device_id}/edit?field=Options.Interfaces`);
  const interfaces = page.getByRole('group', { name: 'Interfaces to watch' });
  await interfaces.getByRole('button', { name: 'Add one' }).click();
  await interfaces.getByLabel('Name', { exact: true }).fill('Gi0/7');
  await interfaces.getByLabel('Status is').selectOption('Up');
  await interfaces.getByLabel('Utilisation at most, %').fill('80');
  await interfaces.getByLabel('Else the device is Down').selectOption('yes');
  const values = page.getByRole('group', { name: 'Objects to read' });
  await values.getByRole('button', { name: 'Add one' }).click();
  await values.getByLabel('or known object').fill('upsEstimatedChargeRemaining');
  await values.getByLabel('At least').fill('none');
  await page.getByRole('button', { name: /^Save/ }).click();
  await page.getByText('A number').first().waitFor();
  await values.getByLabel('At least').fill('20');
  expect(await violationsInBothThemes(page)).toBe('');
  const trial = page.getByRole('region', { name: 'Try it' });
  await trial.getByRole('button', { name: 'Try it' }).click();
  await trial.getByText('core-1 answers, interfaces up: 1 of 1').first().waitFor();
  await page.getByRole('button', { name: /^Save/ }).click();
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  expect(await api.ok('GET', `/devices/${device_id}`)).toMatchObject({
    Options: {
      Interfaces: [{ Name: 'Gi0/7', ExpectStatus: 'Up', MaxUtilisation: 80, DeviceDown: true }],
      Values: [{ Name: 'upsEstimatedChargeRemaining', Min: 20 }],
    },
  });
});
