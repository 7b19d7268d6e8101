import type { Certificates } from './certificates.ts';

/** The address of the REST API, known when its port is open. */
export interface ApiAddress {
  /**
   * Where people reach the API, without a slash at the end: the operator's address, else the certificate's name and the
   * port.
   */
  readonly url: () => string;
  /** undefined: this process does not serve the API. */
  opened(port: number | undefined): void;
}

/** Creates the address. `publicUrl` is the operator's (VANTAGE_PUBLIC_URL). */
export function createApiAddress(publicUrl: string | undefined, host: string): ApiAddress {
  let own = `https://${inUrl(host)}`;
  return {
    url: () => publicUrl ?? own,
    opened(port) {
      if (port !== undefined) own = `https://${inUrl(host)}:${port}`;
    },
  };
}

/** Sends the addresses and trust files to the supervisor, if there is one; its controllers have both ports. */
export function announceReady(
  { certificates, databaseUrl }: { readonly certificates: Certificates; readonly databaseUrl: string },
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
