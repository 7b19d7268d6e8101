import { readFileSync } from 'node:fs';
import path from 'node:path';
import { allEnded, identify, tell } from './processes.ts';

/**
 * Ends the embedded database below `dir` when its controller could not (it was killed): orderly, and after half a second at once.
 * Nothing happens when none runs.
 */
export async function endDatabase(dir: string): Promise<void> {
  const pid = Number(readText(path.join(dir, 'cluster', 'postmaster.pid')).split('\n')[0]);
  if (!Number.isInteger(pid) || pid < 2) return;
  const postmaster = identify(pid);
  if (!readText(`/proc/${pid}/cmdline`).includes('cluster_name=vantage-')) return;
  tell(postmaster, 'SIGINT');
  if (await allEnded([postmaster], 500)) return;
  tell(postmaster, 'SIGQUIT');
  await allEnded([postmaster], 500);
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
