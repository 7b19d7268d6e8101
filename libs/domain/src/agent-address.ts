/** The operator's settings of addresses. */
interface AddressSettings {
  /** VANTAGE_AGENT_URL. */
  readonly agentUrl: string | undefined;
  /** VANTAGE_PUBLIC_URL. */
  readonly publicUrl: string | undefined;
  /** VANTAGE_LISTEN. */
  readonly listen: string | undefined;
  /** VANTAGE_TLS_NAMES. */
  readonly tlsNames: readonly string[];
}

const everywhere = new Set(['0.0.0.0', '::', '127.0.0.1', '::1']);

/**
 * The address of the agents' port for invitations, `https://host:port`: VANTAGE_AGENT_URL, else the most public name
 * that the operator gave, else this machine's name. Pure.
 */
export function agentAddress(
  { agentUrl, publicUrl, listen, tlsNames }: AddressSettings,
  { port, hostName }: { readonly port: number; readonly hostName: string },
): string {
  if (agentUrl !== undefined) return agentUrl;
  const own = listen === undefined || everywhere.has(listen) ? undefined : listen;
  const host =
    (publicUrl === undefined ? undefined : new URL(publicUrl).hostname) ?? tlsNames[0] ?? own ?? hostName;
  return `https://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`;
}
