import type { DiskWatch } from '../disk/index.ts';
import type { ProcessMetrics } from './process-metrics.ts';

/** Adds the series of the disk that a process writes to. */
export function watchDisk({ gauge }: Pick<ProcessMetrics, 'gauge'>, disk: Pick<DiskWatch, 'space'>): void {
  const free = 'Bytes that are left on the disk of the data.';
  gauge('vantage_disk_free_bytes', free, () => disk.space?.freeBytes);
  gauge('vantage_disk_size_bytes', 'Size of the disk of the data.', () => disk.space?.totalBytes);
}
