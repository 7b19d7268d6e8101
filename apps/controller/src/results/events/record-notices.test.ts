import { create } from '@bufbuild/protobuf';
import { NoticeRecord_Kind, NoticeRecordSchema } from '@vantage/proto';
import { expect, test } from 'vitest';
import { batchOf, useIngestFixture, type WireRecord } from '../ingest/testing/ingest-fixture.ts';
import { recordEvents } from './record-events.ts';
import { createRecordNotices, maxAnHour } from './record-notices.ts';

const fixture = useIngestFixture();
const recordNotices = createRecordNotices(recordEvents);
const nowUs = () => Date.now() * 1000;

function notice(
  deviceNo: number,
  text: string,
  more: { atUs?: number; isSyslog?: boolean } = {},
): WireRecord {
  const kind = more.isSyslog === true ? NoticeRecord_Kind.SYSLOG : NoticeRecord_Kind.TRAP;
  return {
    case: 'notice',
    value: create(NoticeRecordSchema, { deviceNo, atUs: BigInt(more.atUs ?? nowUs()), kind, text }),
  };
}

const accept = (...records: readonly WireRecord[]) =>
  fixture.ingestWith(undefined, { recordNotices }).accept(fixture.sender, batchOf(...records));

function events() {
  return fixture.db.kysely
    .selectFrom('events')
    .select(['device_no', 'type', 'message', 'location_no', 'late', 'status'])
    .where('account_no', '=', fixture.sender.accountNo)
    .orderBy('event_no')
    .execute();
}

test('a trap and a line of syslog are events of their device; a repeated batch adds none', async () => {
  const [first = 0, second = 0] = fixture.deviceNos;
  const records = [
    notice(first, 'linkDown: ifIndex 3'),
    notice(first, 'error: fan\n2 failed', { isSyslog: true }),
    notice(second, 'coldStart', { atUs: nowUs() - 3_600_000_000 }),
  ];
  await accept(...records);
  await accept(...records);
  const about = { type: 'Trap', location_no: fixture.sender.locationNo, late: false };
  expect(await events()).toMatchObject([
    { ...about, device_no: first, message: 'Trap linkDown: ifIndex 3' },
    { ...about, device_no: first, message: 'Syslog error: fan 2 failed' },
    { ...about, device_no: second, message: 'Trap coldStart', late: true },
  ]);
});

test('notices of devices that the agent did not hold are dropped, those without a text are quarantined', async () => {
  const [device = 0] = fixture.deviceNos;
  await accept(notice(2_000_000, 'x'), notice(device, 'early', { atUs: nowUs() - 9 * 86_400_000_000 }));
  expect(await events()).toEqual([]);
  expect(await accept(notice(device, ' '))).toMatchObject({ quarantined: 1 });
});

test('a device has a bounded number of them in an hour', async () => {
  const [device = 0, other = 0] = fixture.deviceNos;
  const base = nowUs() - 60_000_000;
  const many = Array.from({ length: maxAnHour + 40 }, (_, at) =>
    notice(device, `n${at}`, { atUs: base + at }),
  );
  await accept(...many.slice(0, 50), notice(other, 'coldStart'));
  await accept(...many.slice(50));
  const found = await events();
  expect(found.filter(({ device_no }) => device_no === device)).toHaveLength(maxAnHour);
  expect(found.filter(({ device_no }) => device_no === other)).toHaveLength(1);
});
