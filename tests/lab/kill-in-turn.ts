import { setTimeout as delay } from 'node:timers/promises';
import { type LabFixture, until } from './lab-fixture.ts';

/**
 * Kills one of two controllers after the other, until `signal`: the next one when both have worked for 6 to 10 s.
 * Resolves with the number of kills.
 */
export async function killInTurn(fixture: LabFixture, signal: AbortSignal): Promise<number> {
  const { system, second, areBothReady, note } = fixture;
  let kills = 0;
  while (!signal.aborted && second !== undefined && areBothReady !== undefined) {
    if (!(await until(async () => signal.aborted || (await areBothReady()), 60_000)))
      note('a killed controller was not ready again within 60 s');
    await delay(6000 + Math.random() * 4000, undefined, { signal }).catch(() => {});
    if (signal.aborted) break;
    kills += 1;
    if (kills % 2 === 0) endFast(system.quickstart().pids.controller);
    else {
      await second.kill();
      await delay(1000);
      second.start();
    }
  }
  return kills;
}

/** SIGKILL; the supervisor may not have started it again yet. */
function endFast(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
