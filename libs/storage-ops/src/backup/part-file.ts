import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';

/** The name under which this process writes a backup until it is complete. */
export function partFile(file: string): string {
  return `${file}.${process.pid}.part`;
}

/**
 * Removes the parts that killed backups to this file left. A part stays while a process with its number runs, because
 * that process may be writing it. A folder that cannot be read or changed is ignored: the backup itself will fail.
 */
export async function removeDeadParts(file: string): Promise<void> {
  const folder = path.dirname(file);
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const pid = pidOfPart(path.basename(file), name);
    if (pid !== undefined && !isRunning(pid))
      await rm(path.join(folder, name), { force: true }).catch(() => {});
  }
}

/** The process that writes this part of `base`; undefined: the file is no part of it. Pure. */
function pidOfPart(base: string, name: string): number | undefined {
  const middle = name.startsWith(`${base}.`) ? name.slice(base.length + 1) : '';
  const digits = /^([1-9]\d{0,9})\.part$/.exec(middle)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
