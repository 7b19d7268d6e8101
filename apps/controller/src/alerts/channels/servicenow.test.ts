import { expect, test } from 'vitest';
import { fullNotice, sentinels } from '../deliver/testing/channel-contract.ts';
import { type HttpReceiver, httpContract, requestOf } from '../deliver/testing/http-contract.ts';
import { createServiceNow } from './servicenow.ts';

/** Answers as docs.servicenow.com describes them. */
const receiver: HttpReceiver = {
  channel: () => createServiceNow({ allowPrivate: true }),
  address: (base) => `${base.replace('://', `://me:${sentinels[0]}@`)}/`,
  secret: null,
  answers: {
    delivers: [200, '{"result":{"Default Bulk Endpoint":"1 events were inserted"}}'],
    'refuses the message for now': [500, ''],
    'is gone': [401, '{"error":{"message":"User Not Authenticated"}}'],
  },
};
httpContract('servicenow', receiver);

test('the request is one event with the alert as message key', async () => {
  const { path, json } = await requestOf(receiver);
  expect(path).toBe('/api/global/em/jsonv2');
  expect(json).toEqual({
    records: [
      {
        source: 'Vantage',
        node: 'web',
        type: 'device.down',
        message_key: 'a'.repeat(48),
        severity: '1',
        description: expect.stringContaining('web is Down'),
        time_of_event: '2026-11-22 07:00:00',
      },
    ],
  });
});

test.each(['device.up', 'closed'])('%s clears what the begin opened', async (kind) => {
  const { json } = await requestOf(receiver, [{ ...fullNotice, kind }]);
  expect(json).toMatchObject({
    records: [{ message_key: 'a'.repeat(48), severity: '0', resolution_state: 'Closing' }],
  });
});
