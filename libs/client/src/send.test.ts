import { expect, test } from 'vitest';
import { createSender, ifUnchanged } from './send.ts';

/** Answers in turn; a text is a failure on the way. */
function server(answers: readonly (Response | string)[]) {
  const seen: { method: string; key: string | null; once: string | null; body: string }[] = [];
  const waits: number[] = [];
  const send = createSender({
    key: 'k',
    sleep: async (ms) => void waits.push(ms),
    async fetch(request) {
      const answer = answers[seen.length];
      const { method, headers } = request;
      const body = await request.text();
      seen.push({ method, key: headers.get('Service-API-Key'), once: headers.get('Idempotency-Key'), body });
      if (answer === undefined || typeof answer === 'string')
        throw new TypeError(answer ?? 'no more answers');
      return answer;
    },
  });
  return { send, seen, waits };
}
const post = () => new Request('https://h/v1.1/tags', { method: 'POST', body: '{"Name":"a"}' });

test('a POST without an answer is sent again with the same Idempotency-Key and body', async () => {
  const busy = new Response('', { status: 503, headers: { 'Retry-After': '7' } });
  const { send, seen, waits } = server(['reset', busy, new Response('{}')]);
  expect((await send(post())).status).toBe(200);
  expect(seen.map(({ body, key }) => [body, key])).toEqual(
    Array.from({ length: 3 }, () => ['{"Name":"a"}', 'k']),
  );
  expect(new Set(seen.map(({ once }) => once)).size).toBe(1);
  expect(seen[0]?.once).toMatch(/^[0-9a-f-]{36}$/);
  expect(waits[1]).toBe(7_000);
});

test('a refusal is answered at once; after five attempts the failure is', async () => {
  const refused = server([new Response('{"code":1004}', { status: 400 })]);
  expect((await refused.send(post())).status).toBe(400);
  expect(refused.seen).toHaveLength(1);
  const dead = server(['a', 'b', 'c', 'd', 'e', 'f']);
  await expect(dead.send(new Request('https://h/'))).rejects.toThrow('e');
  expect(dead.seen.map(({ once }) => once)).toEqual([null, null, null, null, null]);
  const busy = server(Array.from({ length: 6 }, () => new Response('', { status: 503 })));
  expect((await busy.send(new Request('https://h/'))).status).toBe(503);
  expect(busy.seen).toHaveLength(5);
});

test('a request whose signal aborts is not sent again', async () => {
  const ending = new AbortController();
  const send = createSender({
    sleep: async () => ending.abort(new Error('enough')),
    fetch: async () => {
      throw new TypeError('reset');
    },
  });
  await expect(send(new Request('https://h/', { signal: ending.signal }))).rejects.toThrow('enough');
});

test('what was read is the condition of a write', () => {
  expect(ifUnchanged(new Response('', { headers: { ETag: '"7"' } }))).toEqual({ 'If-Match': '"7"' });
  expect(ifUnchanged(new Response(''))).toEqual({});
});
