import { expect, test } from 'vitest';
import { readFormat } from '../format-readers.ts';
import { diskFiles, sentFiles } from './input-files.ts';

const prometheus = (pattern: string) => `
scrape_configs:
  - job_name: web
    metrics_path: /probe
    params: { module: [http_2xx] }
    file_sd_configs: [{ files: ['${pattern}'] }]
`;
const targets = '[{"targets": ["https://a.example/"], "labels": {}}]';

test('a configuration that was sent finds the files that were sent with it, by the last part of their paths', () => {
  const input = sentFiles(
    new Map([
      ['prometheus.yml', prometheus('/etc/prometheus/targets/*.json')],
      ['shop.json', targets],
      ['shop.yaml', targets],
    ]),
  );
  const { checks, ignored } = readFormat('prometheus', ['prometheus.yml'], {}, input);
  expect(checks.map(({ url }) => url)).toEqual(['https://a.example/']);
  expect(ignored).toEqual([]);
});

test.each(['/etc/passwd', '/etc/*', '../../etc/hostname'])(
  'no file of this machine is read, though a sent configuration names %s',
  (pattern) => {
    expect(
      diskFiles.matching(pattern.startsWith('/') ? pattern : '/etc/hostname', '/').length,
    ).toBeGreaterThan(0);
    const input = sentFiles(new Map([['prometheus.yml', prometheus(pattern)]]));
    const { checks, ignored } = readFormat('prometheus', ['prometheus.yml'], {}, input);
    expect(checks).toEqual([]);
    expect(ignored).toEqual([`no file matches ${pattern} of the job "web"`]);
  },
);

test('a folder of this machine is not read for Nagios, and a database not opened for Uptime Kuma', () => {
  const input = sentFiles(new Map());
  for (const [format, file] of [
    ['nagios', '/etc'],
    ['uptime-kuma', '/etc/hostname'],
    ['csv', '-'],
  ] as const)
    expect(() => readFormat(format, [file], {}, input)).toThrow(`${file} was not sent`);
});

test.each([
  ['*', 'a.json', true],
  ['*.json', 'a.json', true],
  ['*.json', 'a.yaml', false],
  ['t?.y*ml', 't1.yaml', true],
  ['t?.y*ml', 't12.yaml', false],
  ['*a*b*', 'xxaxxbxx', true],
  ['*a*b', 'xxaxxbxx', false],
  ['a.json', 'aXjson', false],
  ['', '', true],
])('the pattern %s and the name %s match: %s', (pattern, name, expected) => {
  const input = sentFiles(new Map([[name, '']]));
  expect(input.matching(`targets/${pattern}`, 'prometheus.yml').length > 0).toBe(expected);
});

test('a pattern of many stars takes no time', () => {
  const input = sentFiles(new Map([['a'.repeat(255), '']]));
  expect(input.matching(`${'*a'.repeat(200)}b`, '')).toEqual([]);
});
