import { expect, test } from 'vitest';
import { z } from 'zod';
import { boundedText } from '../bounded-text.ts';
import { faultSentence, faultsOf } from './field-faults.ts';

const schema = z.strictObject({
  Count: z.int().min(1).max(9).nullable().meta({ example: 5 }),
  Kind: z.enum(['A', '4']).optional(),
  Name: boundedText(5, 1)
    .regex(/^[a-z]+$/, 'must be letters')
    .optional(),
  Password: boundedText(5).optional(),
  List: z.array(z.boolean()).max(2).optional(),
  Map: z.record(z.string().regex(/^x/, 'must begin with x'), z.number()).optional(),
  Either: z.union([z.boolean(), z.null()]).optional(),
  Tag: z.union([z.string().max(9), z.strictObject({ id: z.string() })]).optional(),
});

test.each([
  [{}, 'Count', 'is required: a whole number from 1 to 9 or null, for example 5'],
  [
    { Count: 10 },
    'Count',
    'must be a whole number from 1 to 9 or null, for example 5, but the number 10 was sent',
  ],
  [
    { Count: '3' },
    'Count',
    'must be a whole number from 1 to 9 or null, for example 5, but the text "3" was sent; write it without quotes: 3',
  ],
  [{ Kind: 4 }, 'Kind', 'must be one of "4", "A", but the number 4 was sent; write it in quotes: "4"'],
  [{ Kind: 'a' }, 'Kind', 'must be one of "4", "A", but "a" was sent; did you mean "A"?'],
  [{ Name: 'A' }, 'Name', 'must be letters, but "A" was sent'],
  [
    { Name: '\u200b\u202e\u{e0001}\u00a0 a' },
    'Name',
    String.raw`must be letters, but "\u200b\u202e\udb40\udc01\u00a0 a" was sent`,
  ],
  [{ Name: [] }, 'Name', 'must be letters, but an empty list was sent'],
  [
    { Password: 'a secret' },
    'Password',
    'must be a text of at most 5 characters, but a text of 8 characters was sent',
  ],
  [{ Password: 12345 }, 'Password', 'must be a text of at most 5 characters, but a number was sent'],
  [{ List: [true, 'no'] }, 'List.1', 'must be true or false, but the text "no" was sent'],
  [{ List: [true, true, true] }, 'List', 'must be a list of at most 2 entries, but a list of 3 was sent'],
  [{ Map: { a: 1 } }, 'Map.a', 'is not a possible name: it must begin with x'],
  [{ Map: { x: {} } }, 'Map.x', 'must be a number, but an object was sent'],
  [{ Either: 5 }, 'Either', 'must be of another form, but the number 5 was sent'],
  [{ Tag: 5 }, 'Tag', 'must be a text of at most 9 characters, or an object, but the number 5 was sent'],
  [{ Tag: {} }, 'Tag.id', 'is required: a text'],
  [{ Tag: { id: 'a', ID: 1 } }, 'Tag.ID', 'is not a known field; did you mean Tag.id?'],
  [{ Kind: '' }, 'Kind', 'must be one of "4", "A", but an empty text was sent'],
  [{ name: 'a' }, 'name', 'is not a known field; did you mean Name?'],
])('%j gets the message: %s %s', (sent, field, message) => {
  const { error } = schema.safeParse(
    { ...('Count' in sent || field === 'Count' ? {} : { Count: 1 }), ...sent },
    { reportInput: true },
  );
  expect(error && faultsOf(error, schema)).toMatchObject([{ field, message }]);
});

test('a fault has the word for programs that belongs to it', () => {
  const reasons = (sent: object) =>
    faultsOf(schema.safeParse(sent, { reportInput: true }).error ?? new z.ZodError([]), schema).map(
      ({ reason }) => reason,
    );
  expect(reasons({})).toEqual(['missing_field']);
  expect(reasons({ Count: 1, name: 'a' })).toEqual(['unknown_field']);
  expect(reasons({ Count: 'a' })).toEqual([undefined]);
});

test('a message that begins with a capital letter needs no name of its field', () => {
  expect(faultSentence({ field: 'Tags', message: 'There is no tag "a"' })).toBe('There is no tag "a".');
  expect(faultSentence({ field: 'Tags', message: 'must be a list' })).toBe('Tags must be a list.');
  expect(faultSentence({ field: '', message: 'the account is full' })).toBe('the account is full.');
});
