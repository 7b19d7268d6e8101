import { expect, it } from 'vitest';
import type { IcmpSocket } from './icmp-socket.ts';
import { createSharedIcmp } from './shared-icmp.ts';

function countingOpen() {
  const counts = { opened: 0, closed: 0 };
  const open = (): IcmpSocket => {
    counts.opened += 1;
    return {
      family: 4,
      kind: 'raw',
      inFlight: 0,
      ping: () => Promise.resolve({ kind: 'timeout' }),
      close: () => {
        counts.closed += 1;
      },
    };
  };
  return { counts, open };
}

it('opens one socket for all who use it at the same time and closes it after the last', () => {
  const { counts, open } = countingOpen();
  const shared = createSharedIcmp({ open });
  const [one, two] = [shared.use(4), shared.use(4)];
  if ('error' in one || 'error' in two) throw new Error('no socket');
  expect(one.socket).toBe(two.socket);
  one[Symbol.dispose]();
  one[Symbol.dispose]();
  expect(counts).toEqual({ opened: 1, closed: 0 });
  two[Symbol.dispose]();
  expect(counts).toEqual({ opened: 1, closed: 1 });
});

it('opens again for the next user', () => {
  const { counts, open } = countingOpen();
  const shared = createSharedIcmp({ open });
  for (let i = 0; i < 2; i += 1) {
    const lease = shared.use(4);
    if ('error' in lease) throw new Error(lease.error);
    lease[Symbol.dispose]();
  }
  expect(counts).toEqual({ opened: 2, closed: 2 });
});

it('passes on why there is no socket, and asks again the next time', () => {
  let asked = 0;
  const shared = createSharedIcmp({
    open: () => {
      asked += 1;
      return { error: 'no right' };
    },
  });
  expect(shared.use(6)).toEqual({ error: 'no right' });
  expect(shared.use(6)).toEqual({ error: 'no right' });
  expect(asked).toBe(2);
});

it('keeps an unused socket open for a while, and closes it when nobody used it meanwhile', () => {
  const { counts, open } = countingOpen();
  const waiting: (() => void)[] = [];
  const pass = () => {
    for (const fn of waiting.splice(0)) fn();
  };
  const shared = createSharedIcmp({ open, later: (fn) => void waiting.push(fn) });
  const use = () => {
    const lease = shared.use(4);
    if ('error' in lease) throw new Error(lease.error);
    return lease;
  };
  for (let i = 0; i < 3; i += 1) use()[Symbol.dispose]();
  expect(counts).toEqual({ opened: 1, closed: 0 });
  pass();
  use()[Symbol.dispose]();
  pass();
  const openSockets = use();
  pass();
  pass();
  expect(counts).toEqual({ opened: 1, closed: 0 });
  openSockets[Symbol.dispose]();
  pass();
  expect(counts).toEqual({ opened: 1, closed: 1 });
  expect(waiting).toEqual([]);
  use()[Symbol.dispose]();
  expect(counts).toEqual({ opened: 2, closed: 1 });
});
