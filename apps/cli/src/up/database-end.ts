import { readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { readIfPresentSync } from '@vantage/kernel';
import { allEnded, identify, sendSignal } from './processes.ts';

/**
 * Ends the embedded database below `dir` when its controller was killed and could not end it: with a fast shutdown, and
 * after half a second with an immediate one. Does nothing when no database runs there, or when that cannot be found
 * out.
 */
export async function endDatabase(dir: string): Promise<void> {
  const pid = postmasterOf(path.join(dir, 'cluster'));
  if (pid === undefined) return;
  const postmaster = identify(pid);
  sendSignal(postmaster, 'SIGINT');
  if (await allEnded([postmaster], 500)) return;
  sendSignal(postmaster, 'SIGQUIT');
  await allEnded([postmaster], 500);
}

/** The process of the cluster's pid file, when it is a PostgreSQL of ours that works in that folder. */
function postmasterOf(cluster: string): number | undefined {
  try {
    const pid = Number(readIfPresentSync(path.join(cluster, 'postmaster.pid'))?.split('\n')[0]);
    if (!Number.isInteger(pid) || pid < 2) return undefined;
    const ours = readIfPresentSync(`/proc/${pid}/cmdline`)?.includes('cluster_name=vantage-') === true;
    return ours && readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster) ? pid : undefined;
  } catch {
    return undefined;
  }
}
