import path from 'node:path';
import { useHere } from '../../apps/cli/src/testing/run-vantage.ts';
import { repositoryRoot } from './system.ts';

/** Runs an operator's command with these settings and reads its JSON; throws what it says where it fails. */
type Operate = (settings: Readonly<Record<string, string>>, ...args: readonly string[]) => Promise<unknown>;

/**
 * The operator's commands for the tests of a file, one at a time: they run in this process, and those with equal
 * settings share one process of the admin program.
 */
export function useOperator(): Operate {
  const run = useHere();
  // With a folder that is named, invitations do not make the agent's package first.
  const named = { VANTAGE_PARCELS: path.join(repositoryRoot, 'agent-installer/dist') };
  return async (settings, ...args) => {
    const { code, out, err } = await run([...args, '--json'], { ...named, ...settings });
    if (code !== 0) throw new Error(err);
    return JSON.parse(out);
  };
}
