import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isVersion, readReleaseKey, readStatement } from '@vantage/domain';
import { readIfPresent } from '@vantage/kernel';
import { type LastStart, selectVersion, trialS } from './select-version.ts';
import { digestOfFolder, openVersionsFolder, statementName, type VersionsFolder } from './versions-folder.ts';

/** The program that the launcher starts. */
export interface LaunchPlan {
  /** The folder of the program. */
  readonly program: string;
  /** Time limit of a version on trial: it is ended unless `trialFile` is gone by then; 0: no trial. */
  readonly seconds: number;
  readonly trialFile: string;
  /** For the log; undefined: nothing to report. */
  readonly text: string | undefined;
}

/**
 * Plans the next start and stores what follows from the last one. A version from an upgrade is started only while its
 * files are the ones that the release key signed, because the agent's own user may write them. Otherwise the installed
 * program is started.
 */
export async function planLaunch(deps: {
  /** Folder of the installed program. */
  readonly home: string;
  readonly dataDir: string;
  readonly releaseKeyFile: string | undefined;
  readonly outcome: LastStart;
}): Promise<LaunchPlan> {
  const { home, releaseKeyFile, outcome } = deps;
  const versions = openVersionsFolder(deps.dataDir);
  const { trialFile } = versions;
  const installed = await installedVersion(home);
  const [current, trial] = [await versions.current(), await versions.trial()];
  const selection = selectVersion({ installed, current, trial, outcome });
  const programOf = async (version: string): Promise<Verified> =>
    version === installed ? { program: home } : verified(versions, version, releaseKeyFile);
  const start = async (version: string, text?: string): Promise<LaunchPlan> => {
    const { program, fault } = await programOf(version);
    const parts = [text, fault === undefined ? undefined : `${fault}; the installed program is started`];
    const log = parts.filter((part) => part !== undefined).join('; ');
    return { program: program ?? home, seconds: 0, trialFile, text: log === '' ? undefined : log };
  };
  switch (selection.kind) {
    case 'installed':
      return start(installed);
    case 'replaced':
      return start(
        installed,
        'another program was installed here: the versions of earlier upgrades are not used',
      );
    case 'current':
      return start(selection.version);
    case 'back': {
      const { upgradeId, version, previous } = selection.trial;
      await versions.keepFailure({ upgradeId, version, text: selection.text });
      await versions.endTrial();
      return start(previous, `${selection.text}: back to version ${previous}`);
    }
    case 'try': {
      const { upgradeId, version, previous, starts } = selection.trial;
      const { program, fault = '' } = await programOf(version);
      if (program === undefined) {
        await versions.keepFailure({ upgradeId, version, text: fault });
        await versions.endTrial();
        return start(previous, fault);
      }
      await versions.keepTrial(selection.trial);
      return { program, seconds: trialS, trialFile, text: `version ${version} on trial, start ${starts}` };
    }
  }
}

/** The version of the installed program. */
export async function installedVersion(home: string): Promise<string> {
  return (await readFile(path.join(home, 'VERSION'), 'utf8')).trim();
}

/** The folder of a version whose files are the signed ones, or the reason why they are not. */
interface Verified {
  readonly program?: string;
  readonly fault?: string;
}

async function verified(
  { folder }: VersionsFolder,
  version: string,
  releaseKeyFile: string | undefined,
): Promise<Verified> {
  const program = path.join(folder, version);
  if (!isVersion(version)) return { fault: 'a damaged file names no version' };
  const line = releaseKeyFile === undefined ? undefined : await readIfPresent(releaseKeyFile);
  const key = readReleaseKey(line ?? '');
  if (key === undefined) return { fault: `version ${version} cannot be verified without a release key` };
  const text = await readIfPresent(path.join(folder, statementName(version)));
  const read = readStatement(text ?? '', key);
  if (!read.ok) return { fault: `the statement about version ${version} ${read.fault}` };
  const tree = await digestOfFolder(program).catch(() => '');
  return read.statement.version === version && read.statement.tree === tree
    ? { program }
    : { fault: `the files of version ${version} are not the signed ones` };
}
