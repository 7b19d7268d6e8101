import fc from 'fast-check';
import { expect, test } from 'vitest';
import { classifyCounter } from './classify-counter.ts';

test.each([
  [{ counter: 8, known: 7, answers: undefined }, 'open'],
  [{ counter: 7, known: 7, answers: undefined }, 'ask'],
  [{ counter: 6, known: 7, answers: undefined }, 'ask'],
  [{ counter: 6, known: 7, answers: false }, 'late'],
  [{ counter: 6, known: 7, answers: true }, 'copy'],
  [{ counter: 8, known: 7, answers: false }, 'open'],
] as const)('%o: %s', (hello, verdict) => {
  expect(classifyCounter(hello)).toBe(verdict);
});

interface Connection {
  readonly counter: number;
  isAlive: boolean;
}

/** An agent's folder and process: the number is on disk before it is used, one connection lives at a time. */
function createProcess(disk: { session: number }) {
  let present: Connection | undefined;
  const drop = () => {
    if (present) present.isAlive = false;
    present = undefined;
  };
  return {
    connect(): Connection {
      drop();
      disk.session += 1;
      present = { counter: disk.session, isAlive: true };
      return present;
    },
    drop,
  };
}

/** A controller that reads Hellos whenever they arrive, and asks who is suspect. */
function createJudge() {
  let known = 0;
  return (hello: Connection) => {
    const first = classifyCounter({ counter: hello.counter, known, answers: undefined });
    const verdict =
      first === 'ask' ? classifyCounter({ counter: hello.counter, known, answers: hello.isAlive }) : first;
    if (verdict === 'open') known = hello.counter;
    return verdict;
  };
}

const step = fc.oneof(
  fc.constant({ kind: 'connect' as const }),
  fc.constant({ kind: 'cut' as const }),
  fc.constant({ kind: 'kill' as const }),
  fc.record({ kind: fc.constant('arrive' as const), which: fc.nat() }),
);

test('property: an agent that reconnects, restarts or was killed is never taken for a copy, in whatever order its Hellos arrive', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const disk = { session: 0 };
      let process = createProcess(disk);
      const judge = createJudge();
      const underway: Connection[] = [];
      for (const one of steps) {
        if (one.kind === 'connect') underway.push(process.connect());
        else if (one.kind === 'arrive') {
          const [hello] = underway.splice(one.which % Math.max(1, underway.length), 1);
          if (hello) expect(judge(hello)).not.toBe('copy');
        } else {
          process.drop();
          if (one.kind === 'kill') process = createProcess(disk);
        }
      }
    }),
  );
});

test('property: of two processes with one identity that both go on connecting, one is noticed', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 40 }), fc.nat(1_000_000), (order, ahead) => {
      const own = createProcess({ session: 10 });
      const stolen = createProcess({ session: 10 + ahead });
      const judge = createJudge();
      const verdicts = order.map((isOwn) => judge((isOwn ? own : stolen).connect()));
      const lastOfEach = [own, stolen, own, stolen].map((process) => judge(process.connect()));
      expect([...verdicts, ...lastOfEach]).toContain('copy');
    }),
  );
});
