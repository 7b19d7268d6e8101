import { describe, expect, it } from 'vitest';
import { createKumaDatabase } from '../testing/fake-kuma-database.ts';
import { withFile } from '../testing/with-file.ts';
import { readStatuses } from './status-readers.ts';

describe('statuses of other tools', () => {
  it("Kuma's last heartbeat counts, since the last important one", () => {
    using database = createKumaDatabase(1);
    database.insert('monitor', { id: 1, name: 'Shop', type: 'http' });
    database.insert('monitor', { id: 2, name: 'Paused', type: 'http', active: 0 });
    database.insert('monitor', { id: 3, name: 'New', type: 'http' });
    database.insert('heartbeat', { monitor_id: 1, status: 1, important: 1, time: '2026-03-01 10:00:00.000' });
    database.insert('heartbeat', {
      monitor_id: 1,
      status: 0,
      important: 1,
      time: '2026-03-01 11:00:00.500',
      msg: 'timeout',
    });
    database.insert('heartbeat', {
      monitor_id: 1,
      status: 0,
      important: 0,
      time: '2026-03-01 11:01:00.500',
      msg: 'refused',
    });
    expect(readStatuses('uptime-kuma', database.file)).toEqual([
      {
        ids: ['kuma-1'],
        name: 'Shop',
        verdict: 'Down',
        sinceMs: Date.parse('2026-03-01T11:00:00.500Z'),
        why: 'refused',
      },
      { ids: ['kuma-2'], name: 'Paused', verdict: 'Unknown', sinceMs: undefined, why: '' },
      { ids: ['kuma-3'], name: 'New', verdict: 'Unknown', sinceMs: undefined, why: '' },
    ]);
  });

  it.each([
    [
      'prometheus' as const,
      '{"status": "success", "data": {"resultType": "vector", "result": [{"metric": {"__name__": "probe_success", "instance": "https://a.example.org/", "job": "web"}, "value": [1772360000.1, "0"]}]}}',
      [
        {
          ids: ['https://a.example.org/'],
          name: 'https://a.example.org/',
          verdict: 'Down',
          sinceMs: undefined,
          why: 'probe_success 0',
        },
      ],
    ],
    [
      'nagios' as const,
      'info {\n\tcreated=1\n\t}\n\nhoststatus {\n\thost_name=web\n\thas_been_checked=1\n\tcurrent_state=1\n\tlast_hard_state_change=1772360000\n\tplugin_output=CRITICAL - no answer\n\t}\n\nservicestatus {\n\thost_name=web\n\tservice_description=SSH\n\thas_been_checked=1\n\tcurrent_state=1\n\tscheduled_downtime_depth=0\n\tplugin_output=slow\n\t}\n',
      [
        {
          ids: ['web'],
          name: 'web',
          verdict: 'Down',
          sinceMs: 1_772_360_000_000,
          why: 'CRITICAL - no answer',
        },
        { ids: ['web/SSH'], name: 'web SSH', verdict: 'Up', sinceMs: undefined, why: 'slow' },
      ],
    ],
    [
      'csv' as const,
      'Name,Status,Since,Reason\nShop,offline,2026-03-01T11:00:00Z,refused\nRouter,OK,,\n',
      [
        {
          ids: [],
          name: 'Shop',
          verdict: 'Down',
          sinceMs: Date.parse('2026-03-01T11:00:00Z'),
          why: 'refused',
        },
        { ids: [], name: 'Router', verdict: 'Up', sinceMs: undefined, why: '' },
      ],
    ],
  ])('of %s are read', async (format, text, statuses) => {
    expect(await withFile(text, async (file) => readStatuses(format, file))).toEqual(statuses);
  });

  it.each([
    ['prometheus' as const, '{"status": "error"}', /has no data\.result; accepted is the answer/],
    ['nagios' as const, 'hello', /accepted is status\.dat/],
    ['csv' as const, 'Name,Status\nShop,sideways', /:2 has the status "sideways"; accepted are up, down/],
  ])('in a wrong file of %s are refused', async (format, text, message) => {
    await expect(withFile(text, async (file) => readStatuses(format, file))).rejects.toThrow(message);
  });
});
