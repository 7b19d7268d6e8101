import { spawnSync } from 'node:child_process';

/** Runs promtool with a text as its input; returns what it complains about ('' when nothing), undefined when this machine has no promtool. */
export function promtoolComplaints(args: readonly string[], input = ''): string | undefined {
  const { error, status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  if (error !== undefined) return undefined;
  return status === 0 && stderr === '' ? '' : `${stdout}${stderr}`;
}
