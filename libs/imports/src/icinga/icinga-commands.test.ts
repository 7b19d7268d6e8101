import { expect, test } from 'vitest';
import { pluginCheck } from '../plugins/plugin-check.ts';
import { icingaPlugin } from './icinga-commands.ts';

test.each([
  ['udp', { udp_port: 27_015, udp_send: 'a', udp_expect: 'b' }, 'UDP', '192.0.2.2:27015', { Send: 'a' }],
  [
    'ntp_time',
    { ntp_address: 'ntp.example.org', ntp_critical: 0.5 },
    'NTP',
    'ntp.example.org',
    { MaxOffsetMs: 500 },
  ],
  ['ntp_peer', { ntp_critical: 1, ntp_cstratum: 3 }, 'NTP', '192.0.2.2', { MaxStratum: 3 }],
  ['ldap', { ldap_base: 'dc=x', ldap_ssl: true }, 'LDAP', 'ldaps://192.0.2.2', { Base: 'dc=x' }],
  ['radius', { radius_username: 'me', radius_port: 1645 }, 'RADIUS', '192.0.2.2:1645', { User: 'me' }],
])('the command %s with %j', (name, vars, method, url, options) => {
  const [program, words] = icingaPlugin(name, vars, undefined);
  expect(pluginCheck(program, words, '192.0.2.2').target).toMatchObject({ method, url, options });
});
