import { secretReference } from '@vantage/domain';
import { describe, expect, it } from 'vitest';
import { buildApplyFile } from '../apply-file/build-apply-file.ts';
import { prometheusJobs } from '../testing/prometheus-sample.ts';
import { withFile } from '../testing/with-file.ts';
import { readPrometheus } from './read-prometheus.ts';

describe('Prometheus with the blackbox_exporter', () => {
  it('each target of jobs that probe is a device by its module, or refused by name', async () => {
    const outcome = await withFile(
      prometheusJobs.configuration,
      (file, folder) => buildApplyFile(readPrometheus(file, { modules: `${folder}/blackbox.yml` }), 'p'),
      { 'blackbox.yml': prometheusJobs.modules, 'targets-1.json': prometheusJobs.targets },
    );
    expect([outcome.read, outcome.file.devices.length, outcome.refused.length]).toEqual([10, 7, 3]);
    const [shop, bare, mail, ssh, soa, ping] = outcome.file.devices;
    expect(shop).toEqual({
      Key: 'web/login/https://shop.example.org/',
      Method: 'HTTP',
      URL: 'https://shop.example.org/',
      ShortName: 'shop',
      FullName: 'https://shop.example.org/',
      Frequency: 2,
      Timeout: 4,
      Tags: ['job/web', 'env/prod'],
      Options: {
        User: 'mon',
        Password: secretReference('secret', 'web-login-https-shop.example.org-.Password'),
        MaxRedirects: 0,
        ExpectStatus: ['200', '302'],
        ExpectRegex: 'Welcome',
        TLS: { Verify: false },
      },
    });
    expect(bare?.URL).toBe('http://example.org');
    expect(mail).toMatchObject({ Method: 'SMTP', FullName: 'Mail', Options: { TLS: { Mode: 'StartTLS' } } });
    expect(ssh).toMatchObject({ Method: 'TCP', Options: { Steps: [{ ExpectRegex: '(?:^|\\n)SSH-2.0-' }] } });
    expect(soa).toMatchObject({
      Method: 'DNS',
      URL: 'example.org',
      Options: { Server: '192.0.2.53', Type: 'SOA', Transport: 'TCP' },
    });
    expect(ping).toMatchObject({
      Method: 'PING',
      URL: '10.0.0.1',
      FrequencySeconds: 15,
      Options: { IPFamily: '4' },
      Tags: ['job/ping', 'site/berlin'],
    });
    expect(outcome.refused.map(({ at, name }) => [at, name])).toEqual([
      ['targets-1.json[3]', '/run/x.sock'],
      ['targets-1.json[4]', 'irc.example.org:6667'],
      ['targets-1.json[5]', 'a.example.org'],
    ]);
    expect(outcome.lost.filter(({ name }) => name === 'example.org').map(({ text }) => text)).toEqual([
      'http.fail_if_body_matches_regexp of its module',
    ]);
    expect(outcome.ignored.join('\n')).toMatch(/"node" reads metrics[\s\S]*dns_sd_configs of the job "ping"/);
  });

  it('a file of file_sd alone takes --module', async () => {
    const list = '[{"targets": ["10.0.0.1", "10.0.0.2"], "labels": {"rack": "1"}}]';
    const { file, refused } = await withFile(list, (name) =>
      buildApplyFile(readPrometheus(name, { module: 'icmp' }), 'p'),
    );
    expect(refused).toEqual([]);
    expect(file.devices.map(({ Method, URL, Tags }) => [Method, URL, Tags])).toEqual([
      ['PING', '10.0.0.1', ['rack/1']],
      ['PING', '10.0.0.2', ['rack/1']],
    ]);
    const without = await withFile(list, (name) => buildApplyFile(readPrometheus(name, {}), 'p'));
    expect(without.refused.map(({ text }) => text)).toEqual(
      Array(2).fill('names no module; --module NAME sets one for such targets'),
    );
  });
});
