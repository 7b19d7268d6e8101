import { descriptorLimit, type Logger } from '@vantage/kernel';
import type { AgentConfig } from '../config/agent-config.ts';

/** Descriptors for the agent itself: its files, the stream, the spawner of scripts, resolvers, and a reserve. */
const ownDescriptors = 48;

/** A check may race two connections; a redirect or a data channel is another one. */
const perCheck = 2;

/** The number of checks that may run concurrently and leave the agent its own file descriptors; at least 1. */
export function checksWithin(limit: number, configured: number): number {
  return Math.max(1, Math.min(configured, Math.floor((limit - ownDescriptors) / perCheck)));
}

/** The number of checks that may run concurrently: fewer than configured if the process may not open enough files. */
export function concurrencyOf(config: Pick<AgentConfig, 'concurrency'>, log: Logger): number {
  const limit = descriptorLimit();
  const concurrency = checksWithin(limit, config.concurrency);
  if (concurrency < config.concurrency) {
    const text = `only ${limit} files may be open at once (ulimit -n): at most ${concurrency} checks run at the same time`;
    log.warn({ configured: config.concurrency }, text);
  }
  return concurrency;
}
