import { expect, test } from 'vitest';
import { httpOptions } from './http-options.ts';
import { judge } from './judge-response.ts';
import { maxBodyStart, type ResponseBody } from './response-body.ts';

const answer = { version: '1.1', status: 200, reason: 'OK', headers: {} } as const;
const bodyOf = (start: Buffer): ResponseBody => ({
  start: start.subarray(0, maxBodyStart),
  size: start.length,
  wire: start.length,
  sha256: undefined,
  overflow: false,
  unknownCoding: undefined,
});
const phases = { dns: 5, connect: 5, ssl: 5, ttfb: 3, ttlb: 2 };
const { signal } = new AbortController();

test.each([
  [20, 2, undefined],
  [20, 2.001, 'took 20 ms, at most 20 ms are expected'],
  [19, 2, 'took 20 ms, at most 19 ms are expected'],
])('MaxTimeMs %i is the most that all phases may take together (ttlb %d)', async (MaxTimeMs, ttlb, text) => {
  const seen = { phases: { ...phases, ttlb }, refusal: undefined, redirects: 0, signal };
  const fault = await judge(answer, bodyOf(Buffer.from('')), httpOptions.parse({ MaxTimeMs }), seen);
  expect(fault?.message).toBe(text);
});

test('a JSONPath reads a body of 1 MiB, and refuses a longer one, of which the end is not known', async () => {
  const wanted = httpOptions.parse({ ExpectJSONPath: '$.a' });
  const seen = { phases, refusal: undefined, redirects: 0, signal };
  for (const [bytes, text] of [
    [maxBodyStart, undefined],
    [maxBodyStart + 1, 'body is over 1 MiB: too long for a JSONPath'],
  ] as const) {
    const fault = await judge(answer, bodyOf(Buffer.from('{"a":1}'.padEnd(bytes))), wanted, seen);
    expect(fault?.message).toBe(text);
  }
});
