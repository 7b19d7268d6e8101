import type { Schemas } from '@vantage/client';
import { ApiProblem, api, takeAnswer } from './api.ts';

/** The settings of the installation with the ETag for a change of them. */
export interface ReadSettings {
  readonly settings: Schemas['InstallationSettings'];
  readonly etag: string | undefined;
}

const denied = 1002;

/** The settings of the installation; undefined: the session may not see them. */
export async function readInstallationSettings(): Promise<ReadSettings | undefined> {
  try {
    const { data: settings, etag } = await takeAnswer(api.GET('/installation/settings'));
    return { settings, etag };
  } catch (problem) {
    if (problem instanceof ApiProblem && problem.code === denied) return undefined;
    throw problem;
  }
}
