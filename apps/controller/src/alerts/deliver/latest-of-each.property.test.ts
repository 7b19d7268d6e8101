import fc from 'fast-check';
import { expect, test } from 'vitest';
import { latestOfEach } from './latest-of-each.ts';

const row = (alert_no: number | null, order_key: string, kind: string) => ({ alert_no, order_key, kind });

test('a device that came back stands once, as Up; other news of it stand beside', () => {
  const [down, other, up, certificate] = [
    row(1, 'device:1', 'device.down'),
    row(2, 'device:2', 'device.down'),
    row(1, 'device:1', 'device.up'),
    row(3, 'device:1', 'certificate.expiring'),
  ];
  expect(latestOfEach([down, other, up, certificate])).toEqual([other, up, certificate]);
});

test('a Location and each of its anchors stand once; messages of no alert stand each', () => {
  const rows = [
    row(1, 'location:1', 'location.offline'),
    row(2, 'location:1', 'anchor.down'),
    row(3, 'location:1', 'anchor.down'),
    row(2, 'location:1', 'anchor.up'),
    row(1, 'location:1', 'location.online'),
    row(4, 'account:1', 'contact.failing'),
    row(4, 'account:1', 'contact.failing'),
  ] as const;
  const test_ = row(null, 'test', 'device.down');
  expect(latestOfEach([...rows, test_, { ...test_ }]).map(({ kind }) => kind)).toEqual([
    'anchor.down',
    'anchor.up',
    'location.online',
    'contact.failing',
    'device.down',
    'device.down',
  ]);
});

test('whatever is merged: as many devices Down and Up as there are in truth, each once', () => {
  const steps = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 100, size: 'max' });
  const property = fc.property(steps, (changes) => {
    const truth = new Map<number, string>();
    const rows = changes.map((device) => {
      const kind = truth.get(device) === 'device.down' ? 'device.up' : 'device.down';
      truth.set(device, kind);
      return row(device, `device:${device}`, kind);
    });
    const [first, ...rest] = rows;
    if (first === undefined) return;
    const said = latestOfEach([first, ...rest]).map(({ alert_no, kind }) => [alert_no, kind] as const);
    expect(said).toHaveLength(truth.size);
    expect(new Map(said)).toEqual(truth);
  });
  fc.assert(property, { numRuns: 1_000 });
});
