import { existsSync } from 'node:fs';

/** libfaketime of Debian's package `libfaketime`, in its form for programs with threads. */
const libraries = ['x86_64', 'aarch64'].map(
  (machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`,
);

/**
 * The environment in which programs believe that it is `startsAt` now. The offset is the same in every program,
 * whenever it starts, and the monotonic clock stays true. `missing` is the reason why this machine cannot do it.
 */
export function fakeClock(startsAt: string | undefined): {
  readonly env: Readonly<Record<string, string>>;
  readonly missing?: string;
} {
  if (startsAt === undefined) return { env: {} };
  const library = libraries.find((file) => existsSync(file));
  if (library === undefined) return { env: {}, missing: 'libfaketime is missing (Debian: libfaketime)' };
  const seconds = Math.round((Date.parse(startsAt) - Date.now()) / 1000);
  return {
    env: {
      LD_PRELOAD: library,
      FAKETIME: `${seconds < 0 ? '' : '+'}${seconds}`,
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
    },
  };
}
