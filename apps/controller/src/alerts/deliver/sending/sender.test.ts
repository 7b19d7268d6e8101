import { createLog, whenAborted } from '@vantage/kernel';
import { advanceUntilEnded, createFakeClock } from '@vantage/kernel/testing';
import { expect, test, vi } from 'vitest';
import type { TakenSlots } from './due-receivers.ts';
import { createSender, type SenderSource } from './sender.ts';
import type { Due } from './slots.ts';

const soon = { timeout: 60_000, interval: 1 };
const limits = { total: 8, account: 8, host: 8, receiver: 1 };
const slots = { all: limits, slow: { ...limits, total: 2 }, failing: limits };
const dueOf = (receiver: string, accountNo = 1): Due => ({
  accountNo,
  receiver,
  host: receiver,
  isSlow: false,
  isFailing: false,
});

/** A sender on a stopped clock until it is disposed of. */
function start(sending: SenderSource<Due>, clock = createFakeClock()) {
  const ending = new AbortController();
  const sender = createSender({
    clock,
    log: createLog('sender', 'silent'),
    slots,
    sending,
    texts: { failed: 'no', recovered: 'yes' },
    track: (attempts) => attempts,
  });
  const done = sender.run(ending.signal);
  /** Time goes on until it is so. */
  const until = (isSo: () => void, stepMs = 100) =>
    vi.waitFor(async () => {
      await clock.advance(stepMs);
      isSo();
    }, soon);
  return {
    sender,
    clock,
    until,
    async [Symbol.asyncDispose]() {
      ending.abort();
      await advanceUntilEnded(clock, 500, done);
    },
  };
}

test('a receiver whose attempt took longer than 2 s counts as slow while it runs and after it, until one is quick', async () => {
  const asked: TakenSlots[] = [];
  let isWaiting = false;
  let end = () => {};
  await using run = start({
    due: async (taken) => {
      asked.push(taken);
      return isWaiting ? [dueOf('a')] : [];
    },
    claim: async () => {
      isWaiting = false;
      return [
        () =>
          new Promise<void>((resolve) => {
            end = resolve;
          }),
      ];
    },
  });
  const begin = async () => {
    isWaiting = true;
    run.sender.wake();
    await run.until(() => expect(run.sender.running).toBe(1));
  };
  await begin();
  await run.until(() => expect(asked.at(-1)?.slow).toEqual(['a']));
  expect(asked.at(-1)?.full).toEqual(expect.arrayContaining(['all receiver a', 'slow receiver a']));
  end();
  await run.until(() => expect(run.sender.running).toBe(0));
  await run.until(() => expect(asked.at(-1)).toEqual({ full: [], slow: ['a'] }));
  await begin();
  end();
  await run.until(() => expect(run.sender.running).toBe(0), 1);
  await run.until(() => expect(asked.at(-1)).toEqual({ full: [], slow: [] }));
});

test('a round with long claims ends, and the next one begins with what became due meanwhile', async () => {
  const clock = createFakeClock();
  const claimed: string[] = [];
  let waiting = ['a', 'b', 'c', 'd', 'e'].map((name, n) => dueOf(name, n));
  await using run = start(
    {
      due: async () => waiting,
      claim: async (due) => {
        claimed.push(due.receiver);
        waiting = waiting.filter((one) => one !== due);
        if (claimed.length === 1) waiting.unshift(dueOf('new', 9));
        clock.spend(300);
        return [whenAborted];
      },
    },
    clock,
  );
  await run.until(() => expect(claimed).toHaveLength(6), 20);
  expect(claimed.indexOf('new')).toBeLessThan(4);
});

test('a receiver whose claim fails stops no other one, and the round counts', async () => {
  const claimed: string[] = [];
  await using run = start({
    due: async () => [dueOf('bad'), ...(claimed.length === 0 ? [dueOf('good')] : [])],
    claim: async ({ receiver }) => {
      if (receiver === 'bad') throw new Error('damaged');
      claimed.push(receiver);
      return [];
    },
  });
  await run.until(() => expect(claimed).toEqual(['good']));
  expect(run.sender.rounds).toBe(1);
});

test('receivers that cannot be claimed hide no other one, however many they are, and are tried again later', async () => {
  const damaged = Array.from({ length: 450 }, (_, n) => dueOf(`bad ${n}`, n + 2));
  let claimed = 0;
  let tries = 0;
  await using run = start({
    due: async ({ full }, limit) =>
      [...damaged, ...(claimed === 0 ? [dueOf('good')] : [])]
        .filter(({ receiver }) => !full.includes(`all receiver ${receiver}`))
        .slice(0, limit),
    claim: async ({ receiver }) => {
      if (receiver === 'bad 0') tries += 1;
      if (receiver !== 'good') throw new Error('damaged');
      claimed += 1;
      return [];
    },
  });
  await run.until(() => expect(claimed).toBe(1));
  const before = tries;
  expect(before).toBeLessThan(5);
  await run.until(() => expect(tries).toBeGreaterThan(before));
});
