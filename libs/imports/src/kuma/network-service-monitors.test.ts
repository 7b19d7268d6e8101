import { expect, test } from 'vitest';
import { buildApplyFile } from '../apply-file/build-apply-file.ts';
import { createKumaDatabase } from '../testing/fake-kuma-database.ts';
import { readKuma } from './read-kuma.ts';

test('a monitor of a RADIUS server, whose secrets get references', async () => {
  using database = createKumaDatabase(1);
  database.insert('monitor', {
    id: 1,
    name: 'Login',
    type: 'radius',
    hostname: 'radius.example.org',
    port: 1645,
    radius_secret: 'shared-1',
    radius_username: 'me',
    radius_password: 'sesame-1',
    radius_calling_station_id: '00-00-5E-00-53-01',
  });
  const outcome = await buildApplyFile(readKuma(database.file), 'kuma');
  expect(outcome.file.devices).toMatchObject([
    {
      Method: 'RADIUS',
      URL: 'radius.example.org:1645',
      Options: { User: 'me', CallingStationId: '00-00-5E-00-53-01', RequireMessageAuthenticator: false },
    },
  ]);
  expect(outcome.secrets.map(({ name }) => name)).toEqual(['kuma-1.Secret', 'kuma-1.Password']);
  expect(JSON.stringify(outcome.file)).not.toMatch(/shared-1|sesame-1/);
});

test('a monitor of a SIP server', async () => {
  using database = createKumaDatabase(2);
  database.insert('monitor', {
    id: 1,
    name: 'Phone',
    type: 'sip-options',
    hostname: 'sip.example.org',
    port: 5070,
  });
  expect(readKuma(database.file).checks).toMatchObject([
    { method: 'SIP', url: 'sip.example.org:5070', options: { ExpectStatus: ['200'] } },
  ]);
});

test('a monitor of a time server', async () => {
  using database = createKumaDatabase(2);
  database.insert('monitor', { id: 1, name: 'Time', type: 'ntp', hostname: 'ntp.example.org', port: 123 });
  expect(readKuma(database.file).checks).toMatchObject([
    {
      method: 'NTP',
      url: 'ntp.example.org',
      options: { MaxStratum: 4, MaxOffsetMs: 1000, MaxRootDispersionMs: 500 },
    },
  ]);
});
