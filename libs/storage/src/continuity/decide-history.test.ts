import { expect, test } from 'vitest';
import { decideHistory, type FoundEpoch } from './decide-history.ts';

const found = (position: number, isPresentServer = true): FoundEpoch => ({
  position,
  writtenUs: 1,
  isPresentServer,
});

test.each<[string, FoundEpoch | undefined, string]>([
  ['a backup from before this run of the controller', undefined, 'back'],
  ['a backup of this run, restored into the running server', found(4), 'back'],
  ['a backup, a snapshot or a replica that was behind', found(4, false), 'back'],
  ['a replica that was behind by less than a position', found(5, false), 'restarted'],
  ['a server that was started again', found(5, false), 'restarted'],
  ['the same server', found(5), 'same'],
  ['the same server, where the answer to the last write was lost', found(6), 'same'],
])('%s', (_what, epoch, verdict) => {
  expect(decideHistory({ position: 5, writtenUs: 1 }, epoch)).toBe(verdict);
});
