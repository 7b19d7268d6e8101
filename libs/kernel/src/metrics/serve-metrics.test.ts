import { request } from 'node:http';
import { promtoolComplaints } from '@vantage/testing/promtool';
import { expect, test } from 'vitest';
import { createProcessMetrics } from './process-metrics.ts';
import { serveMetrics } from './serve-metrics.ts';

function get(port: number, path: string, host = `127.0.0.1:${port}`) {
  return new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    request({ port, path, host: '127.0.0.1', headers: { host } }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, text }));
    })
      .on('error', reject)
      .end();
  });
}

function sample() {
  const metrics = createProcessMetrics({ program: 'test', version: '1' });
  metrics.gauge('vantage_sample_ratio', 'A gauge.', () => 0.5);
  metrics.gauge('vantage_absent_ratio', 'A gauge without a value.', () => undefined);
  metrics.counter('vantage_sample_total', 'A counter.', 'kind', () => ({ a: 1, b: 2 }));
  metrics.durations('vantage_sample_seconds', 'Durations.', 'kind')('a', 30);
  return metrics;
}

test('the port shows the series of the process, and again the same counters', async () => {
  await using port = await serveMetrics(sample(), 0);
  await get(port.port, '/metrics');
  const { status, text } = await get(port.port, '/metrics');
  expect(status).toBe(200);
  expect(text).toContain('\nvantage_sample_total{kind="b"} 2\n');
  expect(text).toContain('\nvantage_sample_ratio 0.5\n');
  expect(text).not.toMatch(/^vantage_absent_ratio/m);
  expect(text).toContain('\nvantage_sample_seconds_bucket{le="0.05",kind="a"} 1\n');
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
  expect(text).toMatch(/^nodejs_heap_size_used_bytes /m);
});

test('other paths, and a Host that a web page could choose, get nothing', async () => {
  await using port = await serveMetrics(sample(), 0);
  expect((await get(port.port, '/')).status).toBe(404);
  expect((await get(port.port, '/metrics', 'attacker.example')).status).toBe(400);
});

test('what runs before a scrape may fail', async () => {
  const metrics = sample();
  metrics.beforeScrape(() => Promise.reject(new Error('the database is away')));
  expect(await metrics.text()).toContain('vantage_sample_ratio 0.5');
});

test('promtool finds nothing to complain about', async ({ skip }) => {
  const complaints = promtoolComplaints(['check', 'metrics'], await sample().text());
  skip(complaints === undefined, 'promtool is missing (Debian: prometheus)');
  expect(complaints).toBe('');
});
