import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promtoolComplaints } from '@vantage/testing/promtool';
import { expect, test } from 'vitest';
import { z } from 'zod';

const folder = fileURLToPath(new URL('../../../../docs/monitoring', import.meta.url));
const read = (name: string) => readFileSync(path.join(folder, name), 'utf8');
const missing = 'promtool is missing (Debian: prometheus)';
const dashboard = z
  .object({
    panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })).optional() })),
  })
  .parse(JSON.parse(read('grafana-dashboard.json')));
const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

test('the alert rules pass promtool, and fire and rest as their own tests say', ({ skip }) => {
  const checked = promtoolComplaints(['check', 'rules', path.join(folder, 'alerts.yml')]);
  skip(checked === undefined, missing);
  expect(checked).toBe('');
  expect(promtoolComplaints(['test', 'rules', path.join(folder, 'alerts.test.yml')])).toBe('');
});

test('every query of the dashboard is valid PromQL', ({ skip }) => {
  expect(queries.length).toBeGreaterThan(20);
  const rules = queries.map((query, at) => ({
    record: `panel:${at}`,
    expr: query.replaceAll('$__rate_interval', '5m'),
  }));
  const scratch = mkdtempSync(path.join(tmpdir(), 'vantage-dashboard-'));
  try {
    const file = path.join(scratch, 'rules.json');
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules }] }));
    const complaints = promtoolComplaints(['check', 'rules', file]);
    skip(complaints === undefined, missing);
    expect(complaints).toBe('');
  } finally {
    rmSync(scratch, { recursive: true });
  }
});

test('dashboard and alerts use only series that docs/metrics.md describes', () => {
  const page = readFileSync(path.join(folder, '../metrics.md'), 'utf8');
  const described = new Set([...page.matchAll(/`(vantage_\w+)`/g)].map(([, name]) => name));
  const used = [...`${queries.join(' ')} ${read('alerts.yml')}`.matchAll(/\bvantage_\w+/g)].map(([name]) =>
    name.replace(/_(bucket|count|sum)$/, ''),
  );
  expect(used.filter((name) => !described.has(name))).toEqual([]);
});
