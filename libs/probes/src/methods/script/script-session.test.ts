import { createFakeClock } from '@vantage/kernel/testing';
import { expect, test } from 'vitest';
import type { CheckFunctions } from '../../contract/probe.ts';
import { createStopwatch } from '../../engine/stopwatch.ts';
import type { Guest } from './sandbox.ts';
import { runSession } from './script-session.ts';

/** A guest that sends these lines; `sent` holds the lines that it was sent. */
function guestOf(said: readonly string[]): Guest & { readonly sent: string[] } {
  const sent: string[] = [];
  const lines = async function* () {
    yield* said;
  };
  return { sent, lines: lines(), pid: 1, send: (line) => void sent.push(line), [Symbol.dispose]: () => {} };
}

const functions: CheckFunctions = new Map([
  ['ping', { method: 'PING', description: 'Pings.', target: 'host' }],
]);

function run(guest: Guest) {
  const clock = createFakeClock();
  const context = {
    clock,
    signal: new AbortController().signal,
    stopwatch: createStopwatch(clock),
    runStep: async () => ({ ok: false as const, message: 'no' }),
    addDetail: () => {},
  };
  return runSession(context, guest, { text: 'log(1)', secrets: new Map([['own', 's3cret']]), functions });
}

const ready = '{"kind":"ready"}';

test('script and secrets are sent once, however often a guest says that it is ready', async () => {
  const guest = guestOf(Array.from({ length: 1000 }, () => ready));
  const { end } = await run(guest);
  expect(guest.sent).toEqual(['{"script":"log(1)","secrets":{"own":"s3cret"},"functions":{"ping":"host"}}']);
  expect(end).toMatchObject({ how: 'error', text: 'the script broke the functions it was given' });
});

test.each(['{"kind":"ready","more":1}', '[]', 'null', '{"kind":"call"}', 'x', '{"kind":"log","text":1}'])(
  'a guest that says %s has ended, and nothing more is heard of it',
  async (line) => {
    const guest = guestOf([ready, line, '{"kind":"end","how":"done","text":""}']);
    expect(await run(guest)).toMatchObject({ end: { how: 'error', text: expect.stringContaining('broke') } });
    expect(guest.sent).toHaveLength(1);
  },
);
