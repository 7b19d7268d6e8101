import { afterAll, expect, test } from 'vitest';
import { createScriptTrial } from '../../../testing/script-trial.ts';

const trial = createScriptTrial();
afterAll(() => trial[Symbol.dispose]());
const run = (text: string) => trial.run(text, { timeoutMs: 60_000 });

test('a script reports values; of a label the last one counts', async () => {
  const seen = await run("value('queue', 3); value('disk', 81.5, '%'); value('queue', 4, 'jobs');");
  expect(seen).toMatchObject({ code: 1 });
  expect(seen.values).toEqual([
    { Label: 'queue', Value: 4, Unit: 'jobs' },
    { Label: 'disk', Value: 81.5, Unit: '%' },
  ]);
});

test('the values of a script that fails after them are kept', async () => {
  const seen = await run("value('queue', 300); expect(false, 'the queue is long');");
  expect(seen).toMatchObject({
    code: 4,
    text: 'the queue is long',
    values: [{ Label: 'queue', Value: 300 }],
  });
});

test('a script without values has none', async () => {
  expect(await run('log(1)')).not.toHaveProperty('values');
});

test.each([
  ["value('', 1)", 'a label is one line of 1 to 100 characters'],
  ["value('x'.repeat(101), 1)", 'a label is one line of 1 to 100 characters'],
  ["value('a\\nb', 1)", 'a label is one line of 1 to 100 characters'],
  ["value('a', '1')", 'takes a finite number'],
  ["value('a', NaN)", 'takes a finite number'],
  ["value('a', 1 / 0)", 'takes a finite number'],
  ["value('a', 1, 'x'.repeat(21))", 'a unit is one line of at most 20 characters'],
])('%s is an error of the script', async (text, fault) => {
  const seen = await run(text);
  expect(seen.code).toBe(4);
  expect(seen.text).toContain(fault);
});

test('200 labels are the most', async () => {
  const reports = (count: number) => `for (let n = 0; n < ${count}; n += 1) value('v' + n, n);`;
  expect((await run(reports(200))).values).toHaveLength(200);
  expect(await run(reports(201))).toMatchObject({
    code: 4,
    text: 'the script reported more than 200 values',
  });
});

test('a changed prototype changes no value', async () => {
  const seen = await run(
    "Number.isFinite = () => true; RegExp.prototype.exec = () => null; try { value('a', NaN) } catch {} value('b', 2);",
  );
  expect(seen.values).toEqual([{ Label: 'b', Value: 2, Unit: '' }]);
});
