import { createLog } from '@vantage/kernel';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { second, startUs } from '../../results/status/testing/scenario.ts';
import { createAlertFixture } from './testing/alert-fixture.ts';
import { createZoneReport } from './unknown-zones.ts';

let fixture: Awaited<ReturnType<typeof createAlertFixture>>;

beforeAll(async () => {
  fixture = await createAlertFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

test('a schedule in a time zone that this version of Node does not know notifies by UTC', async () => {
  // The scenario begins at 22:13:20 UTC.
  expect(new Date(startUs / 1_000).toISOString()).toContain('T22:13:20');
  const place = await fixture.location('Oslo');
  await fixture.everybody({ From: '22:30', To: '23:00' });
  await sql`update nschedules set timezone = 'Mars/Base'`.execute(fixture.kysely);
  const device = await fixture.device([place]);
  const { agentNo: agent } = place;
  await fixture.take([{ device, agent, at: 10, code: 1 }]);
  for (const attempt of [0, 1, 2])
    await fixture.take([{ device, agent, at: 100 + attempt, code: 3, attempt }]);
  await fixture.decide(110);
  expect(await fixture.messages(device)).toEqual([]);
  const opensAt = (Date.parse('2023-11-14T22:30:00Z') * 1_000 - startUs) / second;
  await fixture.decide(opensAt);
  expect(await fixture.messages(device)).toEqual(['device.down']);
});

test('time zones that are not known are logged once, with what has them, and when they are known again', async () => {
  const { kysely } = fixture;
  await fixture.everybody();
  await sql`update nschedules set timezone = 'Mars/Base'`.execute(kysely);
  const lines: string[] = [];
  const log = createLog('zones test', 'info', { write: (line: string) => void lines.push(line) });
  const zones = createZoneReport(log);
  for (let i = 0; i < 2; i += 1) await zones.report(kysely);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('Mars/Base (notification schedule Everybody)');
  await sql`update nschedules set timezone = 'Europe/Oslo'`.execute(kysely);
  for (let i = 0; i < 2; i += 1) await zones.report(kysely);
  expect(lines).toHaveLength(2);
});
