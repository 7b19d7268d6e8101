// The REST API on a database of a benchmark, in a process of its own. Usage: rest-process.ts starts it with the URL of
// the database, the time in microseconds since 1970 and the number of an account. It sends its address and a key of the
// account, and ends when its parent does.
import { randomBytes } from 'node:crypto';
import { createFakeClock } from '@vantage/kernel/testing';
import { createSealer } from '@vantage/storage/secrets/seal';
import { recordEvents } from '../../apps/controller/src/results/events/record-events.ts';
import { createRestHealth } from '../../apps/controller/src/results/status/index.ts';
import { createRestFixture } from '../../apps/controller/src/testing/rest-fixture.ts';

const [url = '', nowUs, accountNo] = process.argv.slice(2);
const rest = await createRestFixture({
  beside: {
    database: { url, [Symbol.asyncDispose]: async () => {} },
    clock: createFakeClock(Number(nowUs)),
    sealer: createSealer(randomBytes(32)),
  },
  health: (_, clock) => createRestHealth({ clock, recordEvents }),
});
const { key } = await rest.key(Number(accountNo), 'UR');
process.on('disconnect', () => void rest[Symbol.asyncDispose]());
process.send?.({ baseUrl: rest.baseUrl, key });
