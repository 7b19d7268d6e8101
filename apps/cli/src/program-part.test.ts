import { expect, test } from 'vitest';
import { startOf } from './program-part.ts';

test('Node runs the agent with a small heap and two arenas, unless the environment names another number', () => {
  const { args, env } = startOf('agent', { PATH: '/bin' });
  expect(args.slice(0, -1)).toEqual([
    '--max-semi-space-size=4',
    '--max-old-space-size=512',
    '--no-parallel-scavenge',
  ]);
  expect(env).toEqual({ PATH: '/bin', MALLOC_ARENA_MAX: '2' });
  expect(startOf('agent', { MALLOC_ARENA_MAX: '4' }).env).toEqual({ MALLOC_ARENA_MAX: '4' });
});

test('the controller runs with a small young generation, and a heap that grows with its devices', () => {
  expect(startOf('controller', {})).toEqual({
    args: ['--max-semi-space-size=8', expect.stringMatching(/main\.ts$/)],
    env: { MALLOC_ARENA_MAX: '2' },
  });
});
