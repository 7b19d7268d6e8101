import fc from 'fast-check';
import { expect, test } from 'vitest';
import { afterRound, type DatabaseMove, decideCopy, decideUse, maxWriterWaitMs } from './decide-copy.ts';

const move = (state: DatabaseMove['state'], copyId = 'a'): DatabaseMove => ({ state, copyId, target: 'db' });

/** Two databases: their moves, and the number of writes of each. */
interface CopyWorld {
  source: DatabaseMove | undefined;
  target: DatabaseMove | undefined;
  written: number;
  inSource: number;
  inTarget: number;
}

/** One write by controllers that use what they may: never do two databases take writes. */
function write(world: CopyWorld): void {
  const use = decideUse(world.source, undefined);
  if (use === 'serve') {
    world.inSource += 1;
    world.written += 1;
  } else if (use === 'follow') {
    const useOfTarget = decideUse(world.target, world.source?.copyId);
    if (useOfTarget === 'finish') world.target = move('arrived', world.source?.copyId);
    expect(['finish', 'serve']).toContain(useOfTarget);
    world.inTarget += 1;
    world.written += 1;
  }
  // A controller that starts on the target by itself is refused as long as the source is in use.
  if (use === 'serve' && world.target !== undefined)
    expect(decideUse(world.target, undefined)).toBe('refuse');
}

/** The acts of one call, killed after `acts` of them; writes happen before each. Returns whether it came to its end. */
function call(world: CopyWorld, copyId: string, acts: number): boolean {
  const step = decideCopy(world.source, { isUsed: world.inTarget > 0, move: world.target });
  expect(step.step).not.toBe('refuse');
  const begin = [
    () => {
      world.target = move('unfinished', copyId);
      world.inTarget = 0;
    },
    () => {
      world.source = move('copying', copyId);
    },
    () => {
      world.inTarget = world.inSource;
    },
  ];
  // Writers wait between these two: no write comes between.
  const whileWritersWait = [
    () => {
      world.inTarget = world.inSource;
      world.target = move('prepared', copyId);
    },
    () => {
      world.source = move('moved', copyId);
    },
  ];
  const finish = () => {
    if (world.target?.state === 'prepared') world.target = move('arrived', world.source?.copyId);
  };
  let left = acts;
  const may = () => {
    left -= 1;
    return left >= 0;
  };
  if (step.step === 'begin') {
    for (const act of begin) {
      write(world);
      if (!may()) return false;
      act();
    }
    write(world);
    for (const act of whileWritersWait) {
      if (!may()) return false;
      act();
    }
  }
  write(world);
  if (!may()) return false;
  finish();
  return true;
}

test('however often a copy is killed and repeated, one database is in use, and no write is lost', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(7), { maxLength: 12 }), (kills) => {
      const world: CopyWorld = { source: undefined, target: undefined, written: 3, inSource: 3, inTarget: 0 };
      for (const [at, acts] of kills.entries()) {
        call(world, `try ${at}`, acts);
        write(world);
        if (world.source?.state !== 'moved') expect(world.inSource).toBe(world.written);
      }
      expect(call(world, 'last', 99)).toBe(true);
      write(world);
      expect(world.source?.state).toBe('moved');
      expect(world.inTarget).toBe(world.written);
    }),
    { numRuns: 500 },
  );
});

const free = { isUsed: false, move: undefined };
test.each([
  ['half a copy is no source', move('unfinished'), free, 'source_unfinished'],
  ['a source that was given up', move('moved'), free, 'moved'],
  [
    'a source that was given up for another copy',
    move('moved'),
    { isUsed: true, move: move('prepared', 'b') },
    'moved',
  ],
  ['a target in use', undefined, { isUsed: true, move: undefined }, 'not_empty'],
  ['a target that came by an earlier copy', undefined, { isUsed: true, move: move('arrived') }, 'not_empty'],
  [
    'a target that is a source at the moment',
    undefined,
    { isUsed: true, move: move('copying') },
    'not_empty',
  ],
  ['a target that was given up', undefined, { isUsed: true, move: move('moved') }, 'not_empty'],
])('%s is refused', (_what, source, target, code) => {
  expect(decideCopy(source, target)).toMatchObject({ step: 'refuse', code });
});

test('a copy that came to its end is told so again', () => {
  expect(decideCopy(move('moved'), { isUsed: true, move: move('arrived') })).toEqual({ step: 'done' });
});

test('the switch is tried after a quick round, later also after a slower one, and not for ever', () => {
  expect(afterRound({ count: 1, tookMs: 100 })).toBe('switch');
  expect(afterRound({ count: 1, tookMs: 9_000 })).toBe('again');
  expect(afterRound({ count: 20, tookMs: 9_000 })).toBe('switch');
  expect(afterRound({ count: 20, tookMs: maxWriterWaitMs })).toBe('again');
  expect(afterRound({ count: 200, tookMs: maxWriterWaitMs })).toBe('give up');
});
