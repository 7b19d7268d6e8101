import { readFileSync } from 'node:fs';
import process from 'node:process';
import { createLog, messageOf, shutdownSignal, systemClock } from '@vantage/kernel';
import { runAgent } from './agent.ts';
import { loadConfig } from './config.ts';
import { holdFolder } from './folder-lock.ts';
import { readLocalSecrets } from './local-secrets.ts';
import { loadPolicy } from './policy.ts';

const signal = shutdownSignal();
const settings = loadConfig({
  env: process.env,
  cwd: process.cwd(),
  readText: (file) => readFileSync(file, 'utf8'),
});
const policy = settings.ok
  ? loadPolicy(settings.config.policyText)
  : { ok: true as const, policy: undefined };
const problems = [...(settings.ok ? [] : settings.problems), ...(policy.ok ? [] : policy.problems)];
if (settings.ok && settings.config.secretsFile !== undefined) {
  const secrets = readLocalSecrets(settings.config.secretsFile);
  if (!secrets.ok) problems.push(secrets.problem);
}
if (problems.length === 0 && settings.ok && policy.ok && policy.policy) {
  const { config } = settings;
  const log = createLog('agent', config.logLevel);
  try {
    await using _lock = await holdFolder(config.dataDir, systemClock, signal);
    await runAgent({ config, policy: policy.policy, clock: systemClock, random: Math.random, log, signal });
    process.exitCode = 0;
  } catch (error) {
    if (!signal.aborted) {
      log.fatal(messageOf(error));
      process.exitCode = 1;
    }
  }
} else {
  for (const problem of problems) console.error(`vantage agent: ${problem}`);
  process.exitCode = 2;
}
process.exit();
