import { expect, it } from 'vitest';
import type { IcmpSocket } from './icmp-socket.ts';
import { createSharedIcmp } from './shared.ts';

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
