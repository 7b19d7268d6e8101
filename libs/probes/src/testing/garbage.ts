import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/** Runs a full garbage collection. */
export function collectGarbage(): void {
  if (!collect) {
    setFlagsFromString('--expose-gc');
    const found: unknown = runInNewContext('gc');
    collect = () => void (typeof found === 'function' && found());
  }
  collect();
}

/** The live bytes of this process, after a garbage collection. */
export function liveBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
