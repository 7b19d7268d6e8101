import { type MetricsPort, serveMetrics } from '@vantage/kernel/metrics';
import type { Config } from '../config/config.ts';
import { listenOn } from './listen-on.ts';

/** Serves the process's own series, where the operator gave a port for them. */
export async function openMetricsPort(
  { metricsPort }: Pick<Config, 'metricsPort'>,
  metrics: Parameters<typeof serveMetrics>[0],
): Promise<MetricsPort | undefined> {
  if (metricsPort === undefined) return undefined;
  return listenOn('VANTAGE_METRICS_PORT', metricsPort, () => serveMetrics(metrics, metricsPort));
}
