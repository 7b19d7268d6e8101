import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { entriesOf, mergeLogs, runLogs, sinceMs } from './run-logs.ts';

const lineOf = (n: number, name: string, more: object = {}) =>
  JSON.stringify({ level: 30, time: new Date(n * 1000).toISOString(), name, msg: `m${n}`, ...more });

describe('--since', () => {
  const nowMs = Date.UTC(2026, 2, 1, 12);
  test.each([
    ['30m', nowMs - 1_800_000],
    ['2h', nowMs - 7_200_000],
    ['7d', nowMs - 604_800_000],
    ['2026-03-01T10:00:00Z', Date.UTC(2026, 2, 1, 10)],
    ['2026-03-01T10:00:00+02:00', Date.UTC(2026, 2, 1, 8)],
  ])('%s', (text, atMs) => {
    expect(sinceMs(text, nowMs)).toBe(atMs);
  });
  test.each(['', '5', '5w', 'yesterday', '2026-13-01', '-5m'])('%j is refused', (text) => {
    expect(() => sinceMs(text, nowMs)).toThrow(/accepted are for example 30m/);
  });
});

test('logs are merged by time, whole, and each keeps its own order', () => {
  const times = fc.array(fc.nat(50), { maxLength: 30 }).map((all) => all.toSorted((a, b) => a - b));
  fc.assert(
    fc.property(times, times, fc.nat(60), fc.integer({ min: 1, max: 80 }), (a, b, from, maxLines) => {
      const logs = [a, b].map((all, which) =>
        entriesOf(all.map((n, i) => lineOf(n, `${which}`, { i })).join('\n')),
      );
      const merged = mergeLogs(logs, { fromMs: from * 1000, maxLines });
      const expected = [...a, ...b].filter((n) => n >= from).toSorted((x, y) => x - y);
      expect(merged.map(({ atMs }) => atMs / 1000)).toEqual(expected.slice(-maxLines));
      for (const which of ['0', '1']) {
        const order = merged
          .filter(({ fields }) => fields['name'] === which)
          .map(({ fields }) => fields['i']);
        expect(order).toEqual(order.toSorted((x, y) => Number(x) - Number(y)));
      }
    }),
  );
});

describe('vantage logs', () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'vantage-logs-'));
  beforeAll(() => {
    mkdirSync(path.join(dataDir, 'log'));
    const write = (name: string, lines: readonly string[]) =>
      writeFileSync(path.join(dataDir, 'log', name), `${lines.join('\n')}\n`);
    write('controller.log.1', [lineOf(1, 'controller')]);
    write('controller.log', [lineOf(3, 'controller'), 'Error: x', '    at y', lineOf(5, 'controller')]);
    write('agent.log', [lineOf(2, 'agent'), lineOf(4, 'agent')]);
  });
  afterAll(() => rmSync(dataDir, { recursive: true }));
  const shown = async (more: Partial<Parameters<typeof runLogs>[0]>) => {
    const print = vi.spyOn(console, 'log').mockImplementation(() => {});
    try {
      const all = { fromMs: 0, maxLines: 99, device: undefined, asJson: false };
      await runLogs({ dataDir, parts: ['controller', 'agent'], ...all, ...more });
      return print.mock.calls.map(([text]) => String(text));
    } finally {
      print.mockRestore();
    }
  };

  test('shows both logs and the one that was rotated away in the order of time, stacks with their line', async () => {
    const texts = (await shown({})).map((text) => text.replace(/^.{23}/, ''));
    expect(texts).toEqual([
      ' INFO  controller: m1',
      ' INFO  agent: m2',
      ' INFO  controller: m3\nError: x\n    at y',
      ' INFO  agent: m4',
      ' INFO  controller: m5',
    ]);
  });

  test('shows one log since a moment, as it is', async () => {
    expect(await shown({ parts: ['agent'], fromMs: 3_000, asJson: true })).toEqual([lineOf(4, 'agent')]);
  });

  test('says where logs are when this folder has none', async () => {
    await expect(shown({ dataDir: path.join(dataDir, 'log') })).rejects.toThrow(/journalctl -u vantage/);
  });
});
