import path from 'node:path';
import { type Clock, createDiskWatch, type DiskWatch, Fault, type Logger, roomNeeds } from '@vantage/kernel';
import type { ControllerConfig } from '../config/controller-config.ts';

/** The disk of the controller's data. */
export interface DataDisk extends DiskWatch {
  /**
   * Refuses work that can wait (results, which agents keep) while the disk of the embedded database is full, because
   * PostgreSQL ends when it cannot write its write-ahead log.
   */
  whileRoom<Args extends readonly unknown[], T>(
    work: (...args: Args) => Promise<T>,
  ): (...args: Args) => Promise<T>;
}

/** Starts to watch the disk of the embedded database, or else of the data folder. */
export async function openDataDisk(deps: {
  readonly config: Pick<ControllerConfig, 'dataDir' | 'databaseUrl'>;
  readonly clock: Clock;
  readonly log: Logger;
}): Promise<DataDisk> {
  const { dataDir, databaseUrl } = deps.config;
  const isEmbedded = databaseUrl === undefined;
  const folder = isEmbedded ? path.join(dataDir, 'postgres') : dataDir;
  const effect = isEmbedded
    ? 'results wait at the agents until there is room'
    : 'files of the controller stay as they are until there is room';
  const watch = createDiskWatch({
    folder,
    effect,
    needs: roomNeeds.controller,
    clock: deps.clock,
    log: deps.log,
  });
  await watch.check();
  return {
    get space() {
      return watch.space;
    },
    get room() {
      return watch.room;
    },
    get problem() {
      return watch.problem;
    },
    check: () => watch.check(),
    run: (signal) => watch.run(signal),
    whileRoom:
      (work) =>
      async (...args) => {
        if (isEmbedded && watch.room === 'full') throw new Fault('retry', 'disk_full', watch.problem ?? '');
        return work(...args);
      },
  };
}
