import { startCitus } from '@vantage/testing/citus-cluster';
import { folderForData } from '@vantage/testing/memory-folder';
import type { TestProject } from 'vitest/node';
import setUpDatabase from './global-setup.ts';

/** Starts a Citus cluster for a run of vitest where VANTAGE_TEST_CITUS is `start`; else it names the coordinator. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (process.env['VANTAGE_TEST_CITUS'] !== 'start') return setUpDatabase(project);
  const cluster = await startCitus({ dataIn: folderForData() });
  if (typeof cluster === 'string') throw new Error(cluster);
  process.env['VANTAGE_TEST_CITUS'] = cluster.coordinator;
  const end = await setUpDatabase(project);
  return async () => {
    await end();
    await cluster[Symbol.asyncDispose]();
  };
}
