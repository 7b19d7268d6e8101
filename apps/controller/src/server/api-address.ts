import type { PortCertificates } from './certificates.ts';

/** The address of the REST API, which is known when its port is open. */
export interface ApiAddress {
  /**
   * The address at which people reach the API, without a trailing slash: the operator's address, else the name of the
   * certificate with the port.
   */
  readonly url: () => string;
  /** undefined: this process does not serve the API. */
  opened(port: number | undefined): void;
}

/** `publicUrl` is the operator's address (VANTAGE_PUBLIC_URL). */
export function createApiAddress(publicUrl: string | undefined, host: string): ApiAddress {
  let address = `https://${inUrl(host)}`;
  return {
    url: () => publicUrl ?? address,
    opened(port) {
      if (port !== undefined) address = `https://${inUrl(host)}:${port}`;
    },
  };
}

/**
 * Sends the addresses and trust files to the supervisor, if there is one. Only controllers with both ports have one.
 */
export function announceReady(
  { certificates, databaseUrl }: { readonly certificates: PortCertificates; readonly databaseUrl: string },
  {
    httpsPort,
    agentPort,
  }: { readonly httpsPort: number | undefined; readonly agentPort: number | undefined },
): void {
  if (httpsPort === undefined || agentPort === undefined) return;
  const { apiHost, gatewayHost, apiTrustFile, caFile } = certificates;
  process.send?.({
    type: 'ready',
    base_url: `https://${inUrl(apiHost)}:${httpsPort}/v1.1`,
    agent_endpoint: `https://${inUrl(gatewayHost)}:${agentPort}`,
    ca_file: apiTrustFile,
    agent_ca_file: caFile,
    database_url: databaseUrl,
  });
}

function inUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
