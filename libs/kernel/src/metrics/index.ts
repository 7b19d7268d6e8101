export { createProcessMetrics, type ProcessMetrics, watchDisk } from './process-metrics.ts';
export { type MetricsPort, serveMetrics } from './serve-metrics.ts';
