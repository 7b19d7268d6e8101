import { newId } from '@vantage/kernel';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { useAccountPerTest } from '../../testing/account-per-test.ts';

describe('maintenance schedules', () => {
  const api = useAccountPerTest('Europe/Berlin');
  const { send, create, message } = api;

  const nightly = { Name: 'Night', Start: '2026-10-01T02:30', Duration: '02:00', Recurrence: 'FREQ=DAILY' };

  it("are stored as they are shown, in the account's zone unless they name one", async () => {
    const id = await create('/mschedules', { ...nightly, ExternalKey: 'n' });
    const shown = {
      ...nightly,
      mschedule_id: id,
      Timezone: 'Europe/Berlin',
      EndOnFirstOk: false,
      ExternalKey: 'n',
      Source: null,
      CreatedAt: expect.any(String),
      UpdatedAt: expect.any(String),
    };
    expect((await send('GET', `/mschedules/${id}`)).json).toEqual(shown);
    expect((await send('GET', '/mschedules?ExternalKey=n')).json).toEqual([shown]);
    const change = { Duration: '99:59', Recurrence: null, EndOnFirstOk: true, Timezone: 'Asia/Tokyo' };
    expect((await send('PUT', `/mschedules/${id}`, change)).json).toEqual({ ...shown, ...change });
    expect((await send('GET', `/audit?Id=${id}&Limit=1`)).json).toMatchObject([
      {
        Kind: 'mschedule',
        Changes: expect.arrayContaining([{ Field: 'Duration', Old: '02:00', New: '99:59' }]),
      },
    ]);
  });

  it.each([
    [{ Start: '2026-02-29T02:00' }, 'Start must be a local time from the years 2000 to 2099'],
    [{ Start: '2026-03-01T02:00Z' }, 'Start must be a local time from the years 2000 to 2099'],
    [{ Start: '1970-01-01T00:00' }, 'Start must be a local time from the years 2000 to 2099'],
    [{ Duration: '00:00' }, 'Duration must be hours and minutes as HH:MM from 00:01 to 99:59'],
    [{ Recurrence: 'FREQ=MINUTELY' }, 'Recurrence must have DAILY, WEEKLY, MONTHLY or YEARLY as FREQ'],
    [
      { Recurrence: `FREQ=DAILY;BYDAY=${'MO,'.repeat(200)}MO` },
      'Recurrence must be a text of 1 to 500 characters',
    ],
    [{ Recurrence: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' }, 'Recurrence never occurs within 30 years'],
    [{ Recurrence: 'FREQ=DAILY;UNTIL=20260901T000000Z' }, 'Recurrence never occurs within 30 years'],
    [{ Timezone: 'CET+1' }, 'Timezone must be the IANA name of a time zone'],
    [{ EndOnFirstOk: 'yes' }, 'EndOnFirstOk must be true, false or null'],
  ])('%j is refused: %s', async (more, reason) => {
    const said = await message('POST', '/mschedules', { ...nightly, ...more });
    expect(said.slice(0, 5 + reason.length)).toBe(`1004 ${reason}`);
  });

  it('a preview has the next ten windows, and says what a change of the clocks does', async () => {
    // Today is 2026-09-21; the clocks go back on 2026-10-25.
    const id = await create('/mschedules', { ...nightly, Start: '2026-10-24T02:30' });
    const preview = z
      .array(z.record(z.string(), z.unknown()))
      .parse((await send('GET', `/mschedules/${id}/preview`)).json);
    expect(preview).toHaveLength(10);
    const unsaved = { Start: '2026-10-24T02:30', Duration: '02:00', Recurrence: 'FREQ=DAILY' };
    expect((await send('POST', '/mschedules/preview', unsaved)).json).toEqual(preview);
    const from = await send('GET', `/mschedules/${id}/preview?From=2027-03-28T00:00:00&Limit=1`);
    expect(from.json).toMatchObject([
      { LocalStart: '2027-03-28T02:30', Start: null, Note: expect.stringContaining('does not exist') },
      { LocalStart: '2027-03-29T02:30', Start: '2027-03-29T02:30:00+02:00', Note: null },
    ]);
    for (const bad of ['soon', '2036-01-01T00:00:00'])
      expect(await message('GET', `/mschedules/${id}/preview?From=${bad}`)).toMatch(/^1004 From must/);
    expect(await message('POST', '/mschedules/preview', { ...unsaved, Duration: '00:00' })).toMatch(
      /^1004 Duration/,
    );
    expect(preview.slice(0, 2)).toEqual([
      {
        LocalStart: '2026-10-24T02:30',
        Note: null,
        Start: '2026-10-24T02:30:00+02:00',
        End: '2026-10-24T04:30:00+02:00',
      },
      {
        LocalStart: '2026-10-25T02:30',
        Start: '2026-10-25T02:30:00+02:00',
        End: '2026-10-25T03:30:00+01:00',
        Note: '02:30 comes twice on 2026-10-25 in Europe/Berlin, because the clocks go back: the window begins at the first one (+02:00).',
      },
    ]);
    await send('PUT', `/mschedules/${id}`, { Start: '2027-03-27T02:30', Recurrence: 'FREQ=DAILY;COUNT=2' });
    expect((await send('GET', `/mschedules/${id}/preview`)).json).toMatchObject([
      { LocalStart: '2027-03-27T02:30' },
      {
        LocalStart: '2027-03-28T02:30',
        Start: null,
        End: null,
        Note: '02:30 does not exist on 2027-03-28 in Europe/Berlin, because the clocks go forward: there is no window.',
      },
      { LocalStart: '2027-03-29T02:30' },
    ]);
    await send('PUT', `/mschedules/${id}`, { Start: '2027-03-28T01:00', Recurrence: null });
    expect((await send('GET', `/mschedules/${id}/preview`)).json).toMatchObject([
      {
        Note: 'The clocks change within the window: it lasts 02:00 of elapsed time and ends at 04:00 local time.',
      },
    ]);
  });

  it('one that a device uses is not deleted; the refusal names the device', async () => {
    const id = await create('/mschedules', nightly);
    const device = { Method: 'TCP', URL: 'a.example:1', ShortName: 'web' };
    const deviceId = await create('/devices', { ...device, mschedule_id: id });
    expect(await message('DELETE', `/mschedules/${id}`)).toBe(
      `1005 Maintenance schedule Night cannot be deleted while these use it: device web (${deviceId}).`,
    );
    await send('PUT', `/devices/${deviceId}`, { mschedule_id: null });
    expect((await send('DELETE', `/mschedules/${id}`)).json).toEqual({ mschedule_id: id });
  });

  it('an account has at most 200 of them', async () => {
    const row = { account_no: api.accountNo, name: 'n', start_local: '2026-01-01T00:00', duration_s: 60 };
    await api.rest.db.kysely
      .insertInto('mschedules')
      .values(Array.from({ length: 200 }, () => ({ ...row, mschedule_id: newId() })))
      .execute();
    expect(await message('POST', '/mschedules', nightly)).toContain(
      '1004 The account has 200 maintenance schedules',
    );
  });
});
