import type { TestProject } from 'vitest/node';
import { startCitus } from './citus-cluster.ts';
import setUpDatabase from './global-setup.ts';
import { folderForData } from './memory-folder.ts';

/** Starts a Citus cluster for a run of vitest, unless VANTAGE_TEST_CITUS names one. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (process.env['VANTAGE_TEST_CITUS'] !== undefined) return setUpDatabase(project);
  const cluster = await startCitus({ dataIn: folderForData() });
  if (typeof cluster === 'string') throw new Error(cluster);
  process.env['VANTAGE_TEST_CITUS'] = cluster.coordinator;
  const end = await setUpDatabase(project);
  return async () => {
    await end();
    await cluster[Symbol.asyncDispose]();
  };
}
