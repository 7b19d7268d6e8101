import { readFileSync } from 'node:fs';
import type { AgentPolicy } from '../policy/agent-policy.ts';
import { loadPolicy } from '../policy/policy-file.ts';
import { type AgentConfig, loadConfig } from './agent-config.ts';
import { readLocalSecrets } from './local-secrets-file.ts';

/** The settings with the files that they name, or all their problems. */
export type AgentSettings =
  | { readonly ok: true; readonly config: AgentConfig; readonly policy: AgentPolicy }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Reads the settings of this process, the policy file and the file of secrets. */
export function loadSettings(): AgentSettings {
  const { env } = process;
  const settings = loadConfig({ env, cwd: process.cwd(), readText: (file) => readFileSync(file, 'utf8') });
  if (!settings.ok) return settings;
  const { config } = settings;
  const policy = loadPolicy(config.policyText);
  const secrets = config.secretsFile === undefined ? undefined : readLocalSecrets(config.secretsFile);
  const problems = [
    ...(policy.ok ? [] : policy.problems),
    ...(secrets === undefined || secrets.ok ? [] : [secrets.problem]),
  ];
  return policy.ok && problems.length === 0
    ? { ok: true, config, policy: policy.policy }
    : { ok: false, problems };
}
