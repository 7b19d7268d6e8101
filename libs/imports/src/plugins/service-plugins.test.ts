import { probeFor } from '@vantage/probes';
import { describe, expect, test } from 'vitest';
import { shellWords } from './plugin-arguments.ts';
import { pluginCheck } from './plugin-check.ts';

/** The target of a command line, whose Options its Method accepts. */
function read(line: string) {
  const [program = '', ...words] = shellWords(line);
  const { target } = pluginCheck(program, words, '192.0.2.2');
  if (typeof target === 'string') return target;
  const options = JSON.parse(JSON.stringify(target.options ?? {}));
  expect(probeFor(target.method)?.options.safeParse(options).error).toBeUndefined();
  expect(probeFor(target.method)?.parseTarget(target.url)).toMatchObject({ ok: true });
  return { ...target, options };
}

describe('plugins of services', () => {
  test('check_ntp_time and check_ntp_peer', () => {
    expect(read('check_ntp_time -c 0.5 -w 0.1')).toEqual({
      method: 'NTP',
      url: '192.0.2.2',
      options: { MaxOffsetMs: 500 },
      lost: ['its warning limits'],
    });
    expect(read('check_ntp_peer -H ntp.example.org -p 1123 -4 -c 1 -C 3 -k 5')).toEqual({
      method: 'NTP',
      url: 'ntp.example.org:1123',
      options: { MaxOffsetMs: 1000, MaxStratum: 3, IPFamily: '4' },
      lost: ['its limits of the jitter'],
    });
  });

  test('check_ldap and check_ldaps', () => {
    expect(read("check_ldap -b dc=example -a '(uid=a)' -D cn=me -P secret -T -w 2 -c 5")).toEqual({
      method: 'LDAP',
      url: 'ldap://192.0.2.2',
      options: {
        User: 'cn=me',
        Password: 'secret',
        Base: 'dc=example',
        Filter: '(uid=a)',
        TLS: { Mode: 'StartTLS' },
        SlowMs: 2000,
      },
      lost: ['its critical time'],
    });
    expect(read('check_ldaps -H ldap.example.org -b dc=example -3')).toMatchObject({
      url: 'ldaps://ldap.example.org',
      options: { Base: 'dc=example' },
    });
  });

  test('check_radius', () => {
    expect(read('check_radius -P 1645 -u me -p sesame -F /etc/radiusclient.conf -n nas-1 -e fine')).toEqual({
      method: 'RADIUS',
      url: '192.0.2.2:1645',
      options: { User: 'me', Password: 'sesame', NASIdentifier: 'nas-1', RequireMessageAuthenticator: false },
      lost: [
        'its shared secret, which is in a file of its host (set Options.Secret)',
        'its expected reply message',
      ],
    });
  });

  test('check_sip', () => {
    expect(read('check_sip -u sip:100@example.org -H sip.example.org -p 5070 -w 1 -c 3')).toEqual({
      method: 'SIP',
      url: 'sip.example.org:5070',
      options: { User: '100', SlowMs: 1000 },
      lost: ['its critical time'],
    });
  });

  test('check_domain and check_whois', () => {
    expect(read('check_domain -d example.org -w 30 -c 14')).toEqual({
      method: 'Domain',
      url: 'domain:example.org',
      options: { MinDaysLeft: 14 },
      lost: ['its warning days'],
    });
    expect(read('check_whois -D example.net')).toMatchObject({ url: 'domain:example.net', options: {} });
    expect(read('check_domain -c 14')).toBe('has no domain (-d)');
  });

  test('check_udp', () => {
    expect(read("check_udp -p 27015 -E -s 'ping\\n' -e pong -e other -w 2")).toEqual({
      method: 'UDP',
      url: '192.0.2.2:27015',
      options: { Send: 'ping\n', ExpectText: 'pong', SlowMs: 2000 },
      lost: ['the further text expected "other"'],
    });
    expect(read('check_udp -s x -e y')).toBe('has no port (-p)');
  });
});
