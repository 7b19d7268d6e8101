import { expect, test } from 'vitest';
import { judgeReadiness } from './judge-readiness.ts';
import type { ControllerAnswer } from './query-controller.ts';

const answer = (text: string, status = 200): ControllerAnswer => ({ kind: 'answer', status, text, ms: 3.4 });

test("each line of the controller's report is a finding", () => {
  expect(judgeReadiness(answer('ready\n'))).toMatchObject([{ level: 'ok' }]);
  expect(judgeReadiness(answer('ready\nwarning: the clock is wrong\nwarning: the disk\n'))).toMatchObject([
    { level: 'warning', text: 'the clock is wrong' },
    { level: 'warning', text: 'the disk' },
  ]);
  const found = 'fault: the key file is missing\n  Put it back.\nwarning: no backup\n  Make one.\n';
  const [key, backup] = [
    { level: 'fault', text: 'the key file is missing', remedy: 'Put it back.' },
    { level: 'warning', text: 'no backup', remedy: 'Make one.' },
  ];
  expect(judgeReadiness(answer(`ready\n${found}`))).toMatchObject([key, backup]);
  expect(judgeReadiness(answer(`not ready: the database does not answer\n${found}`, 503))).toMatchObject([
    { level: 'fault', text: 'not ready: the database does not answer' },
    key,
    backup,
  ]);
});

test('a missing report is a fault', () => {
  const none: ControllerAnswer = { kind: 'none', reason: 'connect ECONNREFUSED' };
  expect(judgeReadiness(none)).toMatchObject([{ level: 'fault', step: 'readiness' }]);
});
