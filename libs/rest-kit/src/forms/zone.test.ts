import { isZoneName } from '@vantage/kernel';
import { describe, expect, it } from 'vitest';
import { createZone, timestampProblem } from './zone.ts';

const us = (iso: string) => Date.parse(iso) * 1000;

describe('a time zone', () => {
  const berlin = createZone('Europe/Berlin');

  it.each([
    ['Europe/Berlin', '2026-03-29T00:59:59Z', '2026-03-29T01:59:59+01:00'],
    ['Europe/Berlin', '2026-03-29T01:00:00Z', '2026-03-29T03:00:00+02:00'],
    ['Asia/Kathmandu', '2026-01-01T00:00:00Z', '2026-01-01T05:45:00+05:45'],
    ['America/St_Johns', '2026-07-01T00:00:00Z', '2026-06-30T21:30:00-02:30'],
    ['Australia/Lord_Howe', '2026-04-04T15:00:00Z', '2026-04-05T01:30:00+10:30'],
    ['UTC', '2038-01-19T03:14:08Z', '2038-01-19T03:14:08+00:00'],
  ])('%s shows %s', (name, at, shown) => {
    const zone = createZone(name);
    expect(zone.format(us(at))).toBe(shown);
    expect(zone.parse(shown)).toBe(us(at));
  });

  it.each([
    ['2026-07-01T12:00:00', '2026-07-01T10:00:00Z'],
    ['2026-07-01T12:00:00 02:00', '2026-07-01T10:00:00Z'],
    ['2026-07-01T12:00:00-05:30', '2026-07-01T17:30:00Z'],
    ['2026-07-01T12:00:00Z', '2026-07-01T12:00:00Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00Z'],
    ['2026-03-29T02:30:00', '2026-03-29T01:30:00Z'], // skipped: the offset before the change
    ['2026-10-25T02:30:00', '2026-10-25T00:30:00Z'], // shown twice: the earlier one
  ])('%s is %s', (text, at) => {
    expect(berlin.parse(text)).toBe(us(at));
  });

  it('shows the same text for all of a second, also again after many others', () => {
    const at = us('2026-10-25T00:59:59Z');
    const shown = '2026-10-25T02:59:59+02:00';
    expect([berlin.format(at), berlin.format(at + 999_999)]).toEqual([shown, shown]);
    expect(berlin.format(at + 1_000_000)).toBe('2026-10-25T02:00:00+01:00');
    for (let second = 0; second < 6_000; second += 1) berlin.format(at - second * 1_000_000);
    expect(berlin.format(at)).toBe(shown);
    expect(berlin.format(us('1969-12-31T23:59:59Z') + 1)).toBe('1970-01-01T00:59:59+01:00');
  });

  it('keeps microseconds', () => {
    expect(berlin.parse('2026-07-01T12:00:00.123456789Z')).toBe(us('2026-07-01T12:00:00Z') + 123_456);
    expect(berlin.formatFine(us('2026-07-01T12:00:00Z') + 12)).toBe('2026-07-01T14:00:00.000012+02:00');
  });

  it('refuses what is no timestamp', () => {
    for (const text of [
      '',
      'now',
      '2026-07-01',
      '2026-07-01 12:00:00',
      '2026-02-30T00:00:00Z',
      '2026-13-01T00:00:00Z',
      '2026-01-01T24:00:00Z',
      '2026-01-01T00:00:00+24:00',
      '1767225600',
      '0000-01-01T00:00:00Z',
      '2026-01-01T00:00:00z',
    ])
      expect([text, berlin.parse(text), timestampProblem(text)]).toEqual([
        text,
        undefined,
        expect.stringMatching(/^must be /),
      ]);
  });

  it('reads each microsecond that it writes', () => {
    for (let fraction = 0; fraction < 1_000_000; fraction += 37) {
      const at = us('2026-07-01T10:00:00Z') + fraction;
      expect(berlin.parse(berlin.formatFine(at))).toBe(at);
    }
    const texts = ['2026-07-01T10:00:00.5Z', '2026-07-01T10:00:00.0000019Z', '2026-07-01T10:00:00.29Z'];
    expect(texts.map((text) => (berlin.parse(text) ?? 0) % 1_000_000)).toEqual([500_000, 1, 290_000]);
  });

  it('is UTC where its name is not known', () => {
    const zone = createZone('Mars/Olympus');
    expect([zone.name, zone.format(0)]).toEqual(['UTC', '1970-01-01T00:00:00+00:00']);
  });

  it('knows the names of the time zone database', () => {
    for (const name of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires'])
      expect(isZoneName(name)).toBe(true);
    for (const name of ['', '+02:00', 'Mars/Olympus', 'Europe', '../etc'])
      expect(isZoneName(name)).toBe(false);
  });
});
