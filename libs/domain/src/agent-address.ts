interface AddressSettings {
  /** VANTAGE_AGENT_URL; empty if not set. */
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
 * public name among the operator's settings, else this machine's name. Pure.
 */
export function agentAddresses(
  { agentUrls, publicUrl, listen, tlsNames }: AddressSettings,
  { port, hostName }: { readonly port: number; readonly hostName: string },
): readonly [string, ...string[]] {
  const [first, ...others] = agentUrls;
  if (first !== undefined) return [first, ...others];
  const listenHost = listen === undefined || everywhere.has(listen) ? undefined : listen;
  const host =
    (publicUrl === undefined ? undefined : new URL(publicUrl).hostname) ??
    tlsNames[0] ??
    listenHost ??
    hostName;
  return [`https://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`];
}

/** The addresses of a comma-separated list, without trailing slashes. */
export function addressesOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((address) => address.trim().replace(/\/$/, ''))
    .filter((address) => address !== '');
}
