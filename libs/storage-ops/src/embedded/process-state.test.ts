import { expect, test } from 'vitest';
import { parsePostmasterPid, processState } from './process-state.ts';

test('a process with the argument on its command line is running, any other pid is dead', () => {
  const { argv0 } = process;
  expect(processState(process.pid, argv0.split('/').at(-1) ?? '')).toBe('running');
  expect(processState(process.pid, 'cluster_name=another')).toBe('dead');
  expect(processState(2 ** 22 + 1, 'x')).toBe('dead');
});

test('the state of a postmaster is read from its pid file', () => {
  expect(parsePostmasterPid('123\n/data\n1\n5432\n/s\n\n 1 2\nready   \n')).toEqual({
    pid: 123,
    ready: true,
  });
  expect(parsePostmasterPid('123\n/data\n')).toEqual({ pid: 123, ready: false });
  expect(parsePostmasterPid('')).toBeUndefined();
});
