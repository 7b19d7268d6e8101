import { resultCode } from '@vantage/domain';
import { LRUCache } from '@vantage/kernel';
import { Failure } from '../../contract/failure.ts';
import type { ProbeContext } from '../../contract/probe.ts';

/** Registries with a turn. A registry that was forgotten gets its next query at once. */
const maxRegistries = 500;

/** Spaces the requests of an agent to each registry. */
export interface RegistryTurns {
  /** Resolves when a request to this server may start; throws Failure 10 if that is after `limitMs`. */
  wait(context: Pick<ProbeContext, 'clock' | 'signal'>, server: string, limitMs: number): Promise<void>;
  readonly size: number;
}

export function createRegistryTurns(spacingMs: number): RegistryTurns {
  const nextMs = new LRUCache<string, number>({ max: maxRegistries });
  return {
    get size() {
      return nextMs.size;
    },
    async wait({ clock, signal }, server, limitMs) {
      const nowMs = clock.monoMs();
      const atMs = Math.max(nowMs, nextMs.get(server) ?? nowMs);
      if (atMs - nowMs > limitMs)
        throw new Failure(
          resultCode.agent,
          `this agent asks ${server} at most every ${spacingMs / 1000} s, and other domains are first`,
        );
      nextMs.set(server, atMs + spacingMs);
      if (atMs > nowMs) await clock.sleep(atMs - nowMs, signal);
    },
  };
}
