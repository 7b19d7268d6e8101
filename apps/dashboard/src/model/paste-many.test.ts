import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maxLines, parsePasted } from './paste-many.ts';

const bodies = (text: string) => parsePasted(text).lines.map(({ body }) => body);

test('each line is an address, with a name and tags where it has them', () => {
  const text =
    '# routers\n192.0.2.1\n\nhttps://www.example.org/health; Shop ;web, berlin/rack-3,web\n192.0.2.1\n';
  expect(bodies(text)).toMatchObject([
    { Method: 'PING', URL: '192.0.2.1', FullName: '192.0.2.1', Tags: [] },
    {
      Method: 'HTTP',
      URL: 'https://www.example.org/health',
      FullName: 'Shop',
      Tags: ['web', 'berlin/rack-3'],
    },
  ]);
  expect(parsePasted(text).repeated).toBe(1);
});

test('whatever is pasted, no device comes twice, and lines above the maximum are counted', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (lines) => {
      const found = bodies(lines.join('\n')).map(({ Method, URL }) => `${Method} ${URL}`);
      expect(new Set(found).size).toBe(found.length);
    }),
  );
  const many = Array.from({ length: maxLines + 5 }, (_, at) => `host-${at}.example`).join('\n');
  expect(parsePasted(many)).toMatchObject({ unread: 5 });
  expect(parsePasted(many).lines.length).toBe(maxLines);
});

test('cells of a spreadsheet: columns by their heads, and what is not taken over is told', () => {
  const text =
    'Name\tHost\tEvery\tTimeout\tTags\tOwner\tParent\tKey\n' +
    'Edge\t192.0.2.2\t45s\t999\tberlin;core\tAda\tr1\te1\n' +
    'Router\t192.0.2.1:22\t5\t10\t\tBob\t\tr1\n' +
    'Nothing\t\t\t\t\t\t\tx';
  const { lines, ignored, refused, textOf } = parsePasted(text);
  expect(ignored).toEqual(['Owner']);
  expect(refused).toEqual([{ text: 'Nothing\t\t\t\t\t\t\tx', reason: 'has no address' }]);
  // The master comes first, because a device can only be behind one that exists.
  expect(lines.map(({ body }) => body)).toEqual([
    {
      Method: 'SSH',
      URL: '192.0.2.1:22',
      ShortName: '0-2-1',
      FullName: 'Router',
      Tags: [],
      ExternalKey: 'r1',
      Frequency: 5,
      Timeout: 10,
    },
    {
      Method: 'PING',
      URL: '192.0.2.2',
      ShortName: '0-2-2',
      FullName: 'Edge',
      Tags: ['berlin', 'core'],
      ExternalKey: 'e1',
      FrequencySeconds: 30,
      Timeout: 120,
      device_master_id: 'key:r1',
    },
  ]);
  expect(lines[1]?.notes).toEqual(['Timeout 999 became 120', 'Interval “45s” became 30 s']);
  expect(parsePasted(textOf([lines[1]?.text ?? ''])).lines.length).toBe(1);
});

test('CSV with quotes, and a cell of several lines', () => {
  const text =
    'URL,Method,FullName,Options\r\nexample.org,dns,"A ""big"", name\nof two lines","{""Type"": ""MX""}"\r\n';
  expect(bodies(text)).toEqual([
    {
      Method: 'DNS',
      URL: 'example.org',
      ShortName: 'example',
      FullName: 'A "big", name\nof two lines',
      Tags: [],
      Options: { Type: 'MX' },
    },
  ]);
});

test('an apply file in JSON: its keys become the keys of the devices', () => {
  const text = JSON.stringify({
    devices: [
      { Key: 'b', Method: 'PING', URL: '192.0.2.2', device_master_id: 'a', nschedule_id: 'Office' },
      { Key: 'a', Method: 'PING', URL: '192.0.2.1', ShortName: 'core', Timeout: 5 },
      { Key: 'c' },
    ],
  });
  const { lines, refused } = parsePasted(text);
  expect(lines.map(({ body }) => body)).toMatchObject([
    { ExternalKey: 'a', Timeout: 5, FullName: 'core' },
    { ExternalKey: 'b', device_master_id: 'key:a' },
  ]);
  expect(lines[1]?.notes).toEqual(['not taken over: nschedule_id']);
  expect(refused).toEqual([{ text: '{"Key":"c"}', reason: 'has no Method or no URL' }]);
});

test('masters in a circle are all kept, so that the API can refuse them', () => {
  const text = 'URL,Key,Master\nx.example,x,y\ny.example,y,x\n';
  expect(
    bodies(text)
      .map(({ URL }) => URL)
      .sort(),
  ).toEqual(['x.example', 'y.example']);
});
