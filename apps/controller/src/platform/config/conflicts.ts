import { allRoles, type Role } from './roles.ts';

/** Settings that do not go together, a sentence for each. */
export function conflictsOf({
  signInHeader,
  trustedProxies,
  httpsPort,
  agentPort,
  databaseUrl,
  roles,
}: {
  readonly signInHeader: string | undefined;
  readonly trustedProxies: readonly string[];
  readonly httpsPort: number;
  readonly agentPort: number;
  readonly databaseUrl: string | undefined;
  readonly roles: ReadonlySet<Role>;
}): readonly string[] {
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
