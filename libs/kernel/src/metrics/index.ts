export { createProcessMetrics, type ProcessMetrics } from './process-metrics.ts';
export { type MetricsPort, serveMetrics } from './serve-metrics.ts';
export { watchDisk } from './watch-disk.ts';
