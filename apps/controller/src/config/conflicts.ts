import type { Config } from './config.ts';
import { allRoles } from './roles.ts';

/** Settings that do not go together, a sentence for each. */
export function conflictsOf({
  signInHeader,
  trustedProxies,
  httpsPort,
  agentPort,
  databaseUrl,
  roles,
}: Config): readonly string[] {
  const problems: string[] = [];
  if (signInHeader !== undefined && trustedProxies.length === 0)
    problems.push(
      'VANTAGE_SIGN_IN_HEADER counts from trusted proxies only: set VANTAGE_TRUSTED_PROXIES, too',
    );
  if (roles.size < allRoles.length && databaseUrl === undefined)
    problems.push(
      'VANTAGE_ROLES needs VANTAGE_DATABASE_URL: the embedded PostgreSQL is for one process with all roles',
    );
  if (httpsPort !== 0 && httpsPort === agentPort)
    problems.push('VANTAGE_HTTPS_PORT and VANTAGE_AGENT_PORT must differ');
  return problems;
}
