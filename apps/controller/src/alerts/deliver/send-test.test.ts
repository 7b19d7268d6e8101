import { systemClock } from '@vantage/kernel';
import { expect, test } from 'vitest';
import { createChannels } from './channels/registry.ts';
import { sendTest } from './send-test.ts';
import { startSink } from './testing/sink.ts';
import { createWorkbench, type Workbench } from './testing/workbench.ts';

const channels = createChannels({ allowPrivate: true, smtpUrl: undefined, mailFrom: 'v@example.org' });

function send({ db, sealer }: Workbench, contactNo: number) {
  const deps = { db, sealer, channels, clock: systemClock, linkOf: () => '' };
  return sendTest(deps, contactNo, AbortSignal.timeout(9_000));
}

test('a test message is sent at once, with the answer of the receiver, beside notifications that wait', async () => {
  await using bench = await createWorkbench();
  let status = 200;
  await using sink = await startSink((response) => void response.writeHead(status).end());
  const contact = await bench.webhook(sink.url);
  await bench.add([contact, 'device:1', 'waits']);
  expect(await send(bench, contact)).toEqual({ isDelivered: true, answer: 'HTTP 200 OK' });
  status = 404;
  expect(await send(bench, contact)).toEqual({ isDelivered: false, answer: 'HTTP 404 Not Found' });
  expect(sink.requests.map(({ body }) => JSON.parse(body))).toMatchObject([
    { type: 'test', data: { Contact: 'contact', Message: 'This is a test message. Nothing has happened.' } },
    { type: 'test' },
  ]);
  expect(await bench.states()).toMatchObject([{ state: 'Pending', attempts: 0 }]);
  expect(await send(bench, 999)).toBeUndefined();
});
