import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { Clock, Logger } from '@vantage/kernel';
import { type MetricsPort, serveMetrics } from '@vantage/kernel/metrics';
import type { ControllerConfig } from '../config/controller-config.ts';
import { createAgentPort } from './agent-port.ts';
import { createApiPort } from './api-port.ts';
import type { PortCertificates } from './certificates.ts';
import { listenOn } from './listen-on.ts';

/** The ports of a controller; undefined: its roles do not need the port. */
interface OpenPorts {
  readonly httpsPort: number | undefined;
  readonly agentPort: number | undefined;
  /** Sets the certificates of new connections. */
  renew(next: PortCertificates): void;
  close(): Promise<void>;
}

/** Opens the port of the REST API and the port of the agents, as the roles of this process need them. */
export async function openPorts({
  config,
  clock,
  log,
  certificates,
  gateway,
  agentPortHandlers,
  api,
  handler,
}: {
  readonly config: Pick<ControllerConfig, 'httpsPort' | 'agentPort' | 'listen' | 'roles'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly certificates: PortCertificates;
  readonly gateway: Parameters<typeof createAgentPort>[0]['gateway'] & { start(): Promise<void> };
  /** Answers everything on the agents' port. */
  readonly agentPortHandlers: {
    readonly handler: (
      request: IncomingMessage | Http2ServerRequest,
      response: ServerResponse | Http2ServerResponse,
    ) => void;
  };
  readonly api: Pick<Parameters<typeof createApiPort>[0], 'clientError' | 'isTrustedProxy'>;
  /** Answers requests to the REST API. */
  readonly handler: RequestListener;
}): Promise<OpenPorts> {
  const { listen, roles } = config;
  const apiPort = createApiPort({ certificate: certificates.api, clock, log, ...api, handler });
  const agents = createAgentPort({
    certificate: certificates.gateway,
    authorities: certificates.authorities.trusted,
    gateway,
    handler: agentPortHandlers.handler,
  });
  if (roles.has('gateway')) await gateway.start();
  const httpsPort = roles.has('api')
    ? await listenOn('VANTAGE_HTTPS_PORT', config.httpsPort, () => apiPort.listen(config.httpsPort, listen))
    : undefined;
  const agentPort = roles.has('gateway')
    ? await listenOn('VANTAGE_AGENT_PORT', config.agentPort, () => agents.listen(config.agentPort, listen))
    : undefined;
  return {
    httpsPort,
    agentPort,
    renew(next) {
      apiPort.renew(next.api);
      agents.renew(next.gateway, next.authorities.trusted);
    },
    close() {
      // Does not wait, because the gateway ends its connections.
      void agents.close();
      return apiPort.close(1_000);
    },
  };
}

/** Serves the metrics of this process if the operator has set a port for them. */
export async function openMetricsPort(
  { metricsPort }: Pick<ControllerConfig, 'metricsPort'>,
  metrics: Parameters<typeof serveMetrics>[0],
): Promise<MetricsPort | undefined> {
  if (metricsPort === undefined) return undefined;
  return listenOn('VANTAGE_METRICS_PORT', metricsPort, () => serveMetrics(metrics, metricsPort));
}
