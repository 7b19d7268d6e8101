import { texts } from '../texts/index.ts';
import { ApiProblem } from './api.ts';

const conflict = 1005;

/** The parameters of a change to a device that must still be as it was read; without an ETag it is not compared. */
export function unchangedDevice(device_id: string, etag: string | undefined) {
  return { path: { device_id }, header: etag === undefined ? {} : { 'If-Match': etag } };
}

/** Does a change that compares an ETag. `words` say in a person's words that somebody else was faster. */
export async function ifUnchanged<Done>(
  change: () => Promise<Done>,
  words: string = texts.changedMeanwhile,
): Promise<Done> {
  try {
    return await change();
  } catch (error) {
    if (error instanceof ApiProblem && error.code === conflict && error.fields.length === 0)
      throw new ApiProblem(conflict, words);
    throw error;
  }
}
