import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildApplyFile } from '../apply-file/build-apply-file.ts';
import { readTable } from './read-table.ts';

const read = async (text: string) => buildApplyFile(readTable(text, 'list.csv'), 'import/csv');

describe('a table', () => {
  it('150 rows of mixed Methods become devices; a broken row is named with its line', async () => {
    const addresses = [
      'https://www.example.org/',
      '10.0.0.1',
      'mail.example.org:25',
      'db.example.org:5432',
      'ssh://host.example.org',
      '2001:db8::1',
    ];
    const rows = Array.from(
      { length: 150 },
      (_, at) => `Device ${at},${addresses[at % addresses.length]},5,berlin/rack-${at % 3}`,
    );
    rows[41] = 'Device 41,10.0.0.1,soon,berlin';
    const outcome = await read(['Name,Address,Frequency,Tags', ...rows].join('\r\n'));
    expect(outcome.read).toBe(150);
    expect(outcome.file.devices.length).toBe(149);
    expect(outcome.refused).toEqual([
      {
        at: 'line 43',
        name: 'Device 41',
        text: 'Frequency must be a span such as 60, 30s or 5m, but is "soon"',
      },
    ]);
    expect(new Set(outcome.file.devices.map(({ Method }) => Method))).toEqual(
      new Set(['HTTP', 'PING', 'SMTP', 'PostgreSQL', 'SSH']),
    );
    expect(new Set(outcome.file.devices.map(({ ShortName }) => ShortName)).size).toBe(149);
  });

  it.each([
    [
      'tabs, as spreadsheets paste',
      'Host\tPort\nhost.example.org\t22',
      { Method: 'SSH', URL: 'host.example.org:22' },
    ],
    ['semicolons', 'URL;Interval\nhttps://a.example.org/;10', { Method: 'HTTP', Frequency: 10 }],
    ['seconds where a number is over 60', 'URL,Interval\nhttps://a.example.org/,300', { Frequency: 5 }],
    ['a unit in the header', 'URL,Interval (s)\nhttps://a.example.org/,60', { Frequency: 1 }],
    [
      'no headers',
      'Shop front,https://a.example.org/\nCore router,10.0.0.1',
      { Method: 'HTTP', FullName: 'Shop front' },
    ],
    [
      'a quote and a line break in a cell',
      'Name,URL\n"The ""big""\nshop",https://a.example.org/',
      { FullName: 'The "big" shop' },
    ],
    [
      'a byte order mark and words of other tools',
      '\uFEFFFriendly Name,Type,Target\nX,icmp,10.0.0.1',
      { Method: 'PING' },
    ],
    [
      'an option by its name',
      'Host,Options.Count,Options.MaxLossPercent\n10.0.0.1,5,20',
      { Options: { Count: 5, MaxLossPercent: 20 } },
    ],
    [
      'our own field names',
      'Key,Method,URL,ShortName,Retries,Enabled\nk,TCP,h.example.org:9,abc,5,no',
      { Key: 'k', ShortName: 'abc', Attempts: 6, Enabled: false },
    ],
  ])('is read with %s', async (_, text, device) => {
    const { file, refused } = await read(text);
    expect(refused).toEqual([]);
    expect(file.devices[0]).toMatchObject(device);
  });

  it('masters come before their dependents; a cycle is cut and reported', async () => {
    const { file, lost } = await read(
      'Name,Host,Master\nweb,10.0.0.3,switch\nswitch,10.0.0.2,router\nrouter,10.0.0.1,\na,10.0.0.4,b\nb,10.0.0.5,a\nc,10.0.0.6,gone',
    );
    expect(file.devices.map(({ Key, device_master_id }) => [Key, device_master_id])).toEqual([
      ['router', undefined],
      ['switch', 'router'],
      ['web', 'switch'],
      ['b', undefined],
      ['a', 'b'],
      ['c', undefined],
    ]);
    expect(lost).toEqual([
      { at: 'line 6', name: 'b', text: 'its master "a" depends on it, too' },
      { at: 'line 7', name: 'c', text: 'its master "gone" was not carried over' },
    ]);
  });

  it('columns that are not read are shown', async () => {
    const { shown } = await read('Name,URL,Owner,Spare\nx,https://a.example.org/,Ann,');
    expect(shown).toEqual([
      'separated by commas, with headers',
      '"Name" is FullName',
      '"URL" is URL',
      '"Owner" is not read',
      '"Spare" is not read (and empty)',
      'Method HTTP guessed by scheme, port or path: 1 rows',
    ]);
  });

  it.each([
    ['', /has no rows; accepted is a table/],
    [
      'Owner,Room\nAnn,4',
      /:1 has no column with the address to check: its headers are "Owner", "Room"; accepted is one of URL/,
    ],
    ['URL,Name\nhttps://a.example.org/,"open', /:2 has a quote \("\) that never closes/],
    [`URL\n${'x\n'.repeat(20_002)}`, /more than 20000 rows/],
  ])('that cannot be used is refused as a whole %#', async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });
});

const cell = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.constantFrom(
    '',
    'https://a.example.org/?token=0123456789',
    '10.0.0.1',
    'host:99999',
    'smtp://u:p@h.example.org',
    '5m',
    '0',
    'yes',
    'HTTP',
    'ping',
    'warp',
    '-x',
    '{"Count": 3}',
    '{}',
  ),
);
const header = fc.uniqueArray(
  fc.constantFrom(
    'Name',
    'Port',
    'Method',
    'Interval',
    'Timeout',
    'Retries',
    'Tags',
    'Master',
    'Enabled',
    'ShortName',
    'Key',
    'Options',
    'Options.Count',
    'Password',
    'Owner',
  ),
  { maxLength: 8 },
);
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

describe('random tables', () => {
  it('lead to as many devices and named refusals as they have rows, each device with a name of its own', async () => {
    await fc.assert(
      fc.asyncProperty(
        header,
        fc.array(fc.array(cell, { minLength: 9, maxLength: 9 }), { minLength: 1, maxLength: 30 }),
        async (names, rows) => {
          const width = names.length + 1;
          const table = [['URL', ...names], ...rows.map((row) => row.slice(0, width))];
          const outcome = await read(table.map((row) => row.map(quoted).join(',')).join('\n'));
          const filled = rows.filter((row) => row.slice(0, width).some((each) => each.trim() !== '')).length;
          expect(outcome.file.devices.length + outcome.refused.length).toBe(filled);
          expect(outcome.refused.every(({ at, text }) => /^line \d+$/.test(at) && text !== '')).toBe(true);
          for (const field of ['Key', 'ShortName', 'FullName'] as const) {
            const values = outcome.file.devices.flatMap(
              (device) => device[field]?.normalize('NFKC').toLowerCase() ?? [],
            );
            expect(new Set(values).size).toBe(values.length);
          }
          expect(outcome.file.devices.every(({ ShortName }) => /^[A-Za-z0-9-]{1,8}$/.test(ShortName))).toBe(
            true,
          );
        },
      ),
      { numRuns: 150 },
    );
  });

  it('of any text are read or refused with a reason', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 300 }), async (text) => {
        const isComplete = await read(text).then(
          ({ file, refused, read: count }) => file.devices.length + refused.length === count,
          (error: unknown) =>
            error instanceof Error &&
            error.name === 'Fault' &&
            /accepted|never closes|columns/.test(error.message),
        );
        expect(isComplete).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
