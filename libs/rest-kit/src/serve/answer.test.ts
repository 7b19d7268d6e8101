import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { answerReply } from './answer.ts';
import type { Reply } from './route.ts';
import { noSubject, route } from './route-factories.ts';

const texts = route({
  method: 'GET',
  path: '/texts',
  level: 'UR',
  tag: 'Texts',
  summary: 'Texts.',
  subject: noSubject,
  response: z.array(z.string()),
  names: { root: 'texts', row: 'text' },
  handler: async () => ({ body: [] }),
});

function bodyOf(reply: Reply<unknown>) {
  const parts = { route: texts, path: '/texts', query: new URLSearchParams() };
  return answerReply({ ...parts, reply, form: { format: 'json', filename: undefined } }).body;
}

test('an answer is the JSON of its body and a line break, whatever its length and characters', () => {
  const short = fc.string({ unit: 'grapheme', maxLength: 40 });
  const list = fc.array(short, { maxLength: 20 });
  fc.assert(
    fc.property(list, fc.integer({ min: 1, max: 200 }), (some, times) => {
      const body = Array.from({ length: times }, () => some);
      expect(Buffer.from(bodyOf({ body }) as string).toString()).toBe(`${JSON.stringify(body)}\n`);
    }),
  );
});

test('the JSON of a reply that several callers get is made once', () => {
  let made = 0;
  const toJSON = () => {
    made += 1;
    return 'a';
  };
  const reply = { body: [{ toJSON }], isShared: true } as const;
  expect([bodyOf(reply), bodyOf(reply)]).toEqual(['["a"]\n', '["a"]\n']);
  expect(made).toBe(1);
  expect(bodyOf({ body: [{ toJSON }] })).toBe('["a"]\n');
  expect(made).toBe(2);
});
