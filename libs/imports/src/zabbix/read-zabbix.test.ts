// biome-ignore-all lint/suspicious/noTemplateCurlyInString: steps and references are written so
import { describe, expect, it } from 'vitest';
import { buildApplyFile } from '../apply-file/build-apply-file.ts';
import { withFile } from '../testing/with-file.ts';
import { zabbixExport } from '../testing/zabbix-sample.ts';
import { readZabbix } from './read-zabbix.ts';

describe('Zabbix', () => {
  it('simple checks and web scenarios of a host and its templates are devices', async () => {
    const outcome = await withFile(zabbixExport, (file) => buildApplyFile(readZabbix(file), 'z'));
    expect([outcome.read, outcome.file.devices.length, outcome.refused.length]).toEqual([6, 4, 2]);
    const [ssh, page, ping, port] = outcome.file.devices;
    expect(ssh).toMatchObject({
      Key: 'web/net.tcp.service[ssh,,2222]',
      Method: 'SSH',
      URL: '192.0.2.2:2222',
      Frequency: 2,
      Tags: ['Linux/Berlin'],
    });
    expect(page).toMatchObject({
      Method: 'HTTP',
      URL: 'https://shop.example.org/cart',
      Frequency: 5,
      Attempts: 3,
      Options: { ExpectStatus: ['200', '302'], ExpectRegex: 'Welcome', TLS: { Verify: false } },
    });
    expect(ping).toMatchObject({
      Method: 'PING',
      URL: '192.0.2.2',
      FrequencySeconds: 30,
      Options: { Count: 5 },
    });
    expect(port).toMatchObject({ Method: 'TCP', URL: 'tcp://192.0.2.2:8443', Enabled: false });
    expect(outcome.refused.map(({ name }) => name)).toEqual(['Web server: Load', 'Empty']);
  });

  it('a web scenario of several steps has Steps, with values that are taken from answers', async () => {
    const scenario = `
zabbix_export:
  hosts:
    - host: web
      interfaces: [{ ip: 192.0.2.2 }]
      httptests:
        - name: Login
          authentication: DIGEST
          http_user: me
          http_password: geheim
          verify_peer: YES
          variables: [{ name: '{lang}', value: de }]
          headers: [{ name: X-Lang, value: '{lang}' }]
          steps:
            - name: form
              url: 'https://shop.example.org/form'
              required: 'Sign in'
              variables: [{ name: '{csrf}', value: 'regex:name="csrf" value="([^"]+)"' }]
            - name: form
              url: 'https://shop.example.org/login'
              posts: [{ name: user, value: a b }, { name: token, value: '{csrf}' }]
              status_codes: '200,302'
              variables: [{ name: '{id}', value: 'jsonpath:$.id' }, { name: '{x}', value: 'xmlxpath://x' }]
            - { name: page, url: 'https://shop.example.org/{id}', posts: 'id={id}' }
`;
    const outcome = await withFile(scenario, (file) => buildApplyFile(readZabbix(file), 'z'));
    const [device] = outcome.file.devices;
    expect(device).toMatchObject({ Method: 'HTTP', URL: 'https://shop.example.org/form' });
    expect(device?.Options).toEqual({
      Auth: 'Digest',
      User: 'me',
      Password: expect.stringContaining('${secret:'),
      Steps: [
        {
          Name: 'form',
          Headers: { 'X-Lang': 'de' },
          ExpectRegex: 'Sign in',
          Extract: [{ Name: 'csrf', Regex: 'name="csrf" value="([^"]+)"' }],
        },
        {
          Name: 'form 2',
          URL: 'https://shop.example.org/login',
          Method: 'POST',
          Headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'X-Lang': 'de' },
          Body: 'user=a%20b&token=${csrf}',
          ExpectStatus: ['200', '302'],
          Extract: [{ Name: 'id', JSONPath: '$.id' }],
        },
        {
          Name: 'page',
          URL: 'https://shop.example.org/${id}',
          Method: 'POST',
          Headers: { 'X-Lang': 'de' },
          Body: 'id=${id}',
        },
      ],
    });
    expect(JSON.stringify(outcome)).toContain('the variable x, an XPath');
  });

  it.each([
    [
      '<?xml version="1.0"?><zabbix_export/>',
      /is XML; accepted is an export of hosts by Zabbix as YAML or JSON/,
    ],
    ['zabbix_export: { version: "7.0" }', /has no zabbix_export\.hosts/],
  ])('a file that is none is refused %#', async (text, message) => {
    await expect(withFile(text, async (file) => readZabbix(file))).rejects.toThrow(message);
  });
});
