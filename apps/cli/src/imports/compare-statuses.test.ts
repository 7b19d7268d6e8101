import type { ReportedStatus } from '@vantage/imports/status';
import { describe, expect, it } from 'vitest';
import { type ComparedDevice, compareStatuses, comparisonText } from './compare-statuses.ts';

const device = (fields: Partial<ComparedDevice>): ComparedDevice => ({
  device_id: 'd',
  ShortName: 'x',
  FullName: null,
  ExternalKey: null,
  URL: 'x.example.org',
  Status: 'Up',
  Enabled: true,
  StatusSince: '2026-03-01T12:00:00+01:00',
  LastCheckResult: '200 OK',
  ...fields,
});
const reported = (fields: Partial<ReportedStatus>): ReportedStatus => ({
  ids: [],
  name: 'x',
  verdict: 'Up',
  sinceMs: undefined,
  why: '',
  ...fields,
});

describe('a comparison', () => {
  it('finds devices by key, address and name; each check of both tools is in one list', () => {
    const comparison = compareStatuses(
      [
        reported({
          ids: ['kuma-1'],
          name: 'Shop',
          verdict: 'Down',
          why: 'timeout',
          sinceMs: Date.parse('2026-03-01T11:30:00Z'),
        }),
        reported({ ids: ['https://a.example.org/'], name: 'https://a.example.org/' }),
        reported({ name: 'Router' }),
        reported({ name: 'Paused' }),
        reported({ name: 'Twin' }),
        reported({ name: 'Gone', verdict: 'Down' }),
      ],
      [
        device({ device_id: '1', ExternalKey: 'kuma-1', FullName: 'Renamed' }),
        device({ device_id: '2', URL: 'https://a.example.org/', FullName: 'A' }),
        device({ device_id: '3', FullName: 'ROUTER', Status: 'Maint' }),
        device({ device_id: '4', FullName: 'Paused', Enabled: false, Status: 'Unknown' }),
        device({ device_id: '5', FullName: 'Twin', ShortName: 't' }),
        device({ device_id: '6', FullName: 'twin', ShortName: 't' }),
      ],
    );
    expect(comparison).toEqual({
      Agree: 1,
      Disagree: [
        {
          Device: 'ROUTER',
          device_id: '3',
          Since: null,
          There: 'Up',
          ThereBecause: '',
          Here: 'Maint',
          HereBecause: '200 OK',
        },
        {
          Device: 'Renamed',
          device_id: '1',
          Since: '2026-03-01T11:30:00.000Z',
          There: 'Down',
          ThereBecause: 'timeout',
          Here: 'Up',
          HereBecause: '200 OK',
        },
      ],
      Undecided: ['Paused (there Up, here paused)'],
      OnlyThere: ['Twin', 'Gone'],
      OnlyHere: ['Twin', 'twin'],
    });
    expect(comparisonText(comparison)).toContain(
      '  Renamed: there Down (timeout), here Up (200 OK), since 2026-03-01T11:30:00.000Z',
    );
  });
});
