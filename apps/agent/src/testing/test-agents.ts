import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLog, Secret, systemClock } from '@vantage/kernel';
import { makeCertificate } from '@vantage/probes/testing';
import { afterAll } from 'vitest';
import { runAgent } from '../agent.ts';
import type { AgentConfig } from '../config/agent-config.ts';
import { loadPolicy } from '../policy/policy-file.ts';

/**
 * Starts whole agents in this process, each with a data folder of its own, for fake controllers with this certificate
 * and token.
 */
export function useTestAgents() {
  const certificate = makeCertificate();
  const token = 'a-token';
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-agent-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let folders = 0;
  const newFolder = () => path.join(folder, String(folders++));

  function startTestAgent(
    endpoints: readonly string[],
    dataDir = newFolder(),
    more: Partial<AgentConfig> = {},
  ) {
    const policy = loadPolicy(undefined);
    if (!policy.ok) throw new Error('no policy');
    const ending = new AbortController();
    const done = runAgent({
      config: {
        endpoints,
        token: new Secret(token),
        ca: certificate.cert,
        dataDir,
        proxy: undefined,
        policyFile: undefined,
        policyText: undefined,
        secretsFile: undefined,
        releaseKeyFile: undefined,
        concurrency: 50,
        outboxBytes: 64 * 1024 * 1024,
        logLevel: 'silent',
        metricsPort: undefined,
        testTimeScale: 1,
        ...more,
      },
      policy: policy.policy,
      clock: systemClock,
      random: Math.random,
      log: createLog('agent', 'silent'),
      signal: ending.signal,
    });
    return {
      dataDir,
      ended: done,
      async [Symbol.asyncDispose]() {
        ending.abort('test ends');
        await done;
      },
    };
  }

  return { certificate, token, newFolder, startTestAgent };
}
