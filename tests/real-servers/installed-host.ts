import { expect } from 'vitest';
import type { CleanRoot } from '../harness/clean-root.ts';

/** Removes the agent and expects the files from before, and the accounts. */
export async function removeAll(
  host: CleanRoot,
  before: { files: readonly string[]; users: string },
  command = 'vantage-agent uninstall --yes',
) {
  const removed = await host.run(command);
  expect(removed.status, removed.output).toBe(0);
  expect(await host.files()).toEqual(before.files);
  expect(
    (
      await host.run(
        'cat /etc/passwd /etc/group; grep -al "[v]antage-agent" /proc/[0-9]*/cmdline 2>/dev/null',
      )
    ).output,
  ).toBe(before.users);
}

/** The files and accounts of a host. */
export async function stateOf(host: CleanRoot) {
  // The first user that useradd makes leaves copies of the files of users (passwd-, …); a host of an operator has them.
  await host.run('useradd --system first && userdel first');
  return { files: await host.files(), users: (await host.run('cat /etc/passwd /etc/group')).output };
}
