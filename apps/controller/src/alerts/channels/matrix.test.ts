import { expect, test } from 'vitest';
import { sentinels } from '../deliver/testing/channel-contract.ts';
import { type HttpReceiver, httpContract, requestOf } from '../deliver/testing/http-contract.ts';
import { createMatrix } from './matrix.ts';

/** Answers as spec.matrix.org describes them. */
const receiver: HttpReceiver = {
  channel: () => createMatrix({ allowPrivate: true }),
  address: (base) => `${base}/!room:example.org`,
  secret: sentinels[2],
  answers: {
    delivers: [200, '{"event_id":"$YUwRidLecu:example.com"}'],
    'refuses the message for now': [502, ''],
    'asks to wait an hour': [429, '{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":3600000}'],
    'is gone': [403, '{"errcode":"M_FORBIDDEN"}'],
  },
};
httpContract('matrix', receiver);

test('the request is a PUT with the id of the notification as transaction, so that a repeat makes no second message', async () => {
  const { method, path, headers, json } = await requestOf(receiver);
  expect(method).toBe('PUT');
  expect(path).toBe(`/_matrix/client/v3/rooms/!room%3Aexample.org/send/m.room.message/${'e'.repeat(48)}`);
  expect(headers).toMatchObject({ authorization: `Bearer ${sentinels[2]}` });
  expect(json).toEqual({
    msgtype: 'm.text',
    body: expect.stringMatching(/^web is Down: HTTP 500\. Down for 3 min[^\n]*\n/),
  });
});

test('a later message of an alert names the event that it answers', async () => {
  expect((await requestOf(receiver)).outcome).toMatchObject({ messageId: '$YUwRidLecu:example.com' });
  const { json } = await requestOf(receiver, undefined, '$YUwRidLecu:example.com');
  expect(json).toMatchObject({
    'm.relates_to': { 'm.in_reply_to': { event_id: '$YUwRidLecu:example.com' } },
  });
});

test('an event id that is no line of at most 255 characters is not kept', async () => {
  for (const id of ['', '$a\n', '$'.repeat(256)]) {
    const delivers = [200, JSON.stringify({ event_id: id })] as const;
    const { outcome } = await requestOf({ ...receiver, answers: { ...receiver.answers, delivers } });
    expect(outcome).toEqual({ kind: 'delivered', text: 'HTTP 200 OK' });
  }
});
