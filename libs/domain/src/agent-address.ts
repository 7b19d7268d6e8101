/** The operator's settings of addresses. */
interface AddressSettings {
  /** VANTAGE_AGENT_URL; empty: it is not set. */
  readonly agentUrls: readonly string[];
  /** VANTAGE_PUBLIC_URL. */
  readonly publicUrl: string | undefined;
  /** VANTAGE_LISTEN. */
  readonly listen: string | undefined;
  /** VANTAGE_TLS_NAMES. */
  readonly tlsNames: readonly string[];
}

const everywhere = new Set(['0.0.0.0', '::', '127.0.0.1', '::1']);

/**
 * The addresses of the agents' ports for invitations, `https://host:port`: those of VANTAGE_AGENT_URL, else the most
 * public name that the operator gave, else this machine's name. Pure.
 */
export function agentAddresses(
  { agentUrls, publicUrl, listen, tlsNames }: AddressSettings,
  { port, hostName }: { readonly port: number; readonly hostName: string },
): readonly [string, ...string[]] {
  const [first, ...others] = agentUrls;
  if (first !== undefined) return [first, ...others];
  const own = listen === undefined || everywhere.has(listen) ? undefined : listen;
  const host =
    (publicUrl === undefined ? undefined : new URL(publicUrl).hostname) ?? tlsNames[0] ?? own ?? hostName;
  return [`https://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`];
}

/** The addresses of a list with commas, without slashes at their ends. */
export function addressesOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((each) => each.trim().replace(/\/$/, ''))
    .filter((each) => each !== '');
}
