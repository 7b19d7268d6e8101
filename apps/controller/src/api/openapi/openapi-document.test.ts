import { createConfig, lintFromString } from '@redocly/openapi-core';
import { methods } from '@vantage/domain';
import { newId } from '@vantage/kernel';
import { registry } from '@vantage/probes';
import type { Route } from '@vantage/rest-kit/route';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDocumentReader, type DocumentReader } from '../../testing/document.ts';
import { createRestFixture, type RestFixture, triedWell } from '../../testing/rest-fixture.ts';
import {
  createSampleAccount,
  type SampleAccount,
  sampleContact,
  sampleHook,
  sampleMschedule,
  samplePage,
} from '../../testing/sample-account.ts';

const goodQueries: Readonly<Record<string, string>> = { 'PUT /devices': '?ExternalKey=new' };
const goodBodies: Readonly<Record<string, object>> = {
  'POST /devices': { Method: 'TCP', URL: 'example.org:80', ShortName: 'new' },
  'PUT /devices': { Method: 'TCP', URL: 'example.org:80', ShortName: 'new' },
  'POST /batch': { Operations: [{ Method: 'GET', Path: '/tags' }] },
  'POST /tags': { Name: 'new' },
  'POST /devices/change': { Filter: {}, Set: { Timeout: 7 } },
  'POST /users': { Name: 'new', Email: 'new@example.org', Level: 'UR' },
  'POST /keys': { Name: 'new', Level: 'UR' },
  'POST /contacts': { ...sampleContact, Name: 'new' },
  'POST /hooks': { ...sampleHook, Name: 'new' },
  'POST /pages': { ...samplePage, Name: 'new', Path: 'new' },
  'POST /reports': { Name: 'new', Contacts: ['key:reader'] },
  'POST /mschedules': { ...sampleMschedule, Name: 'new' },
  'POST /nschedules': { Name: 'new', Steps: [] },
  'POST /nschedules/preview': { Steps: [] },
  'POST /checks/trial': { Method: 'TCP', URL: 'example.org:9' },
  'POST /checks/offer': { Method: 'SNMP', URL: '192.0.2.2' },
  'POST /mschedules/preview': { Start: '2026-01-04T02:30', Duration: '02:00' },
  'POST /locations': { Name: 'new' },
  'POST /agents/invitations': { Location: 'local' },
  'PUT /agents/{agent_id}/upgrade': { Version: '0.3.0' },
  'POST /agents/upgrade': { Version: '0.3.0', Preview: true },
  'POST /imports/plan': { Format: 'csv', Files: [{ Name: 'a.csv', Text: 'URL\nhttps://a.example/' }] },
  'PUT /agents/{agent_id}/retry-quarantine': { Reason: 'too old' },
  'PUT /tags/{tag_id}': { Name: 'other' },
  'POST /marks': { Kind: 'Note', Text: 'new', Tags: ['other'] },
  'POST /installation/settings/test': { MailServer: { Host: 'mail.example.org' }, To: 'noc@example.org' },
  'POST /secrets': { Name: 'new', Value: 'v' },
  'PUT /alerts/{alert_id}/snooze': { Duration: '01:00' },
  'PUT /alerts/acknowledge': { Filter: {} },
  'PUT /alerts/snooze': { Filter: {}, Duration: '01:00' },
};

describe('the OpenAPI document', () => {
  let rest: RestFixture;
  let sample: SampleAccount;
  let key: string;
  let text: string;
  let document: DocumentReader;
  /** Without those of sessions, which need a cookie: session-routes.test.ts. */
  let withKey: readonly Route[];

  beforeAll(async () => {
    rest = await createRestFixture({
      runTrial: triedWell,
      checkNow: async () => ({ kind: 'done', checkId: sample.ids['check_id'] ?? '' }),
    });
    const account = await rest.account('one');
    key = (await rest.key(account.accountNo, 'UA')).key;
    sample = await createSampleAccount(rest, account, key);
    const reply = await rest.send('GET', '/openapi.json');
    text = reply.text;
    document = createDocumentReader(reply.json);
    withKey = rest.routes.filter(({ tag }) => tag !== 'Sessions');
  });
  afterAll(() => rest[Symbol.asyncDispose]());

  /** The id of a Location that nothing names. */
  const newPushDevice = async () => {
    const body = { Method: 'Push', URL: 'push:', ShortName: 'job' };
    const { json } = await rest.send('POST', '/devices', { key, body });
    return String(document.record(json)['device_id']);
  };
  const newLocation = async () => {
    const { json } = await rest.send('POST', '/locations', { key, body: { Name: newId() } });
    return String(document.record(json)['location_id']);
  };
  const send = (route: Route, query: string, body: unknown, ids: Readonly<Record<string, string>>) =>
    rest.send(
      route.method,
      `${route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? newId())}${query}`,
      { key, ...(body === undefined ? {} : { body }) },
    );

  it('has no finding of the strictest rules of redocly', async () => {
    const config = await createConfig({ extends: ['recommended-strict'] });
    const found = await lintFromString({ source: text, absoluteRef: '/openapi.json', config });
    const shown = found.map(({ ruleId, message, location: [at] }) => [
      ruleId,
      message,
      at !== undefined && 'pointer' in at ? at.pointer : '',
    ]);
    expect(shown).toEqual([]);
    expect(text).toMatch(/^\{"openapi":"3\.1\.0","info":/);
  });

  it('names every route once, as people say it', () => {
    const ids = rest.routes.map((route) => document.operationOf(route).operationId);
    expect(ids.filter((id) => !/^[a-z][A-Za-z]*$/.test(id ?? ''))).toEqual([]);
    expect(new Set(ids).size).toBe(rest.routes.length);
    expect(document.operations.length).toBe(rest.routes.length);
    for (const id of [
      'createDevice',
      'listDevices',
      'getDevice',
      'updateDevice',
      'deleteDevice',
      'checkDeviceNow',
      'listDeviceChecks',
      'listDeviceEvents',
      'startMaintenance',
      'stopMaintenance',
      'getUptime',
      'attachTag',
      'detachTag',
      'startTagMaintenance',
      'updateAccount',
      'sayHello',
      'acknowledgeAlerts',
      'snoozeAlerts',
      'repeatDelivery',
    ])
      expect(ids).toContain(id);
  });

  it('shows one form of a good answer, so that a generated type is the resource itself', () => {
    for (const { operationId, responses } of document.operations)
      expect([operationId, Object.keys(responses['200']?.content ?? {}).length]).toEqual([operationId, 1]);
  });

  it('asks for a body where one is needed', () => {
    const optional = document.operations.filter(({ requestBody }) => requestBody?.required === false);
    expect(optional.map(({ operationId }) => operationId)).toEqual([
      'startMaintenance',
      'startTagMaintenance',
      'acknowledgeAlert',
      'inviteUserAgain',
    ]);
  });

  it('describes a device and its requests as one of the Methods, chosen by Method', () => {
    for (const name of ['Device', 'DeviceCreate', 'DeviceUpdate']) {
      const arms = methods.map((method) => [method, `#/components/schemas/${name}${method}`] as const);
      expect(document.schemas[name]).toMatchObject({
        oneOf: arms.map(([, $ref]) => ({ $ref })),
        discriminator: { propertyName: 'Method', mapping: Object.fromEntries(arms) },
      });
    }
  });

  it('has an example of every Method that creates a device, and the answer agrees', async () => {
    for (const method of methods) {
      const body = { Method: method, ...registry[method].example };
      expect([method, document.faultOf('DeviceCreate', body)]).toEqual([method, '']);
      const created = await rest.send('POST', '/devices', { key, body });
      expect([method, created.status, created.text]).toEqual([method, 200, created.text]);
      const { device_id = '' } = document.record(created.json);
      const device = await rest.send('GET', `/devices/${String(device_id)}`, { key });
      expect([method, document.faultOf('Device', device.json)]).toEqual([method, '']);
      expect([method, document.faultOf('DeviceUpdate', device.json)]).toEqual([method, '']);
    }
  });

  it('refuses what the service refuses: a wrong Method, unknown names, wrong values', () => {
    const good = { Method: 'TCP', URL: 'example.org:80', ShortName: 'a' };
    expect(document.faultOf('DeviceCreate', good)).toBe('');
    for (const wrong of [
      { ...good, Method: 'TPC' },
      { ...good, Frequency: 3 },
      { ...good, Nonsense: 1 },
      { ...good, HostData: { headers: {} } },
      { Method: 'TCP', URL: 'example.org:80' },
    ])
      expect([wrong, document.faultOf('DeviceCreate', wrong)]).not.toEqual([wrong, '']);
  });

  it('asks for no Option, fills none in, and leaves answers open', () => {
    for (const method of Object.keys(registry)) {
      const options = document.schemas[`Options${method}`];
      expect([method, options]).toEqual([
        method,
        expect.not.objectContaining({ required: expect.anything() }),
      ]);
      expect(JSON.stringify(options)).not.toContain('"default":');
    }
    for (const name of ['DeviceCommon', 'Event', 'Check', 'Problem', 'Uptime'])
      expect(document.schemas[name]).not.toHaveProperty('additionalProperties');
  });

  it('lists the members of what is one of a few', () => {
    const members = (schema: string, property: string) =>
      document.record(document.record(document.schemas[schema]?.['properties'])[property])['enum'];
    expect(members('DeviceCommon', 'Frequency')).toEqual([1, 2, 5, 10, 20, 30, 60]);
    expect(members('DeviceEntry', 'Status')).toEqual(['Up', 'Down', 'Maint', 'Unknown']);
    expect(members('Event', 'Type')).toContain('LocationOffline');
    expect(members('Check', 'ResultCode')).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(members('Problem', 'code')).toContain(1007);
  });

  it('describes every operation, parameter, header, schema and property, and shows an example', () => {
    expect(document.undescribed()).toEqual([]);
  });

  it('names the headers of a request where they have an effect', async () => {
    for (const route of withKey.filter(({ streams }) => streams === undefined)) {
      const { operationId, parameters } = document.operationOf(route);
      const named = parameters.filter((given) => given.in === 'header').map(({ name }) => name);
      const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => sample.ids[name] ?? '');
      const ask = (headers: Readonly<Record<string, string>>) =>
        rest.send(route.method, path, { key, headers: { 'X-Request-Id': operationId, ...headers } });
      expect([operationId, named]).toEqual([operationId, expect.arrayContaining(['X-Request-Id'])]);
      if (route.method === 'GET') {
        const reply = await ask({ 'If-None-Match': '*' });
        const known = [reply.headers.get('x-request-id'), reply.status === 304, reply.headers.has('etag')];
        const hasTag = named.includes('If-None-Match');
        expect([operationId, ...known]).toEqual([operationId, operationId, hasTag, hasTag]);
        expect(document.disagreement(route, reply)).toBe('');
      } else {
        const refused = await ask({ 'If-Match': '"other.settings"' });
        const code = named.includes('If-Match') ? 1005 : 1004;
        expect([operationId, refused.json]).toEqual([operationId, expect.objectContaining({ code })]);
      }
    }
  });

  it('agrees with every answer, good and bad', async () => {
    const order = [...withKey].sort(
      // What is deleted is not asked for later.
      (a, b) =>
        Number(a.method === 'DELETE') - Number(b.method === 'DELETE') || b.path.length - a.path.length,
    );
    for (const route of order) {
      const unknown = await send(route, '', undefined, {});
      const badForm = await send(route, '?fmt=yaml', undefined, {});
      const badBody = route.body === undefined ? [] : [await send(route, '', { Nonsense: 1 }, sample.ids)];
      const badQuery = await send(
        route,
        '?Limit=0&Timestamp=x&Timestamp1=x&Filter=x&Bucket=x',
        undefined,
        {},
      );
      for (const reply of [unknown, badForm, ...badBody, badQuery])
        expect(document.disagreement(route, reply)).toBe('');
      const ids =
        route.method === 'DELETE'
          ? { ...sample.ids, location_id: await newLocation() }
          : route.path.includes('/push/')
            ? { ...sample.ids, device_id: await newPushDevice() }
            : sample.ids;
      const name = `${route.method} ${route.path}`;
      const good = await send(route, goodQueries[name] ?? '', goodBodies[name], ids);
      expect([route.path, good.status, good.text.slice(0, 500)]).toEqual([
        route.path,
        200,
        expect.anything(),
      ]);
      expect(document.disagreement(route, good)).toBe('');
      expect(() =>
        route.response.parse(route.mediaType === 'text/plain' ? good.text : good.json),
      ).not.toThrow();
    }
  });
});
