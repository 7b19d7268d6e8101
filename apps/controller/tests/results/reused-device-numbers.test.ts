import { createFixtures } from '@vantage/testing/fixtures';
import { expect, test } from 'vitest';
import {
  batchOf,
  minuteUs,
  result,
  useIngestFixture,
} from '../../src/results/ingest/testing/ingest-fixture.ts';

const fixture = useIngestFixture();

/** A device that was created and assigned a moment ago, under a number that another one had before a restore. */
async function givenAgain() {
  const { sender, db } = fixture;
  const createdUs = Date.now() * 1000;
  const rows = createFixtures(db.kysely);
  const deviceNo = await rows.device(sender.accountNo, [sender.locationNo], { created_us: createdUs });
  await rows.hold({ deviceNo, agentNo: sender.agentNo, locationNo: sender.locationNo, fromUs: createdUs });
  return { deviceNo, createdUs };
}

test('results and diagnostics of the device that had the number before a restore never reach the present device', async () => {
  const { deviceNo, createdUs } = await givenAgain();
  const before = { deviceCreatedUs: BigInt(createdUs - 60 * minuteUs) };
  const diagnostics = { deviceNo, extendedJson: '{"Traceroute": {}}', ...before };
  const outcome = await fixture
    .ingestWith()
    .accept(
      fixture.sender,
      batchOf(
        result(deviceNo, createdUs - 40_000_000, before),
        result(deviceNo, createdUs + 10_000_000, before),
        { case: 'diagnostics', value: { ...diagnostics, startUs: BigInt(createdUs + 10_000_000) } },
        result(deviceNo, createdUs - 40_000_000),
        result(deviceNo, createdUs + 11_000_000, { deviceCreatedUs: BigInt(createdUs) }),
      ),
    );
  expect(outcome).toEqual({ inserted: 1, repeated: 0, quarantined: 4 });
  expect((await fixture.stored()).map(({ start_us }) => start_us)).toEqual([createdUs + 11_000_000]);
  expect((await fixture.quarantined()).map(({ reason }) => reason).toSorted()).toEqual([
    ...Array.from({ length: 3 }, () => 'another device had this number'),
    'the device did not exist then',
  ]);
});
