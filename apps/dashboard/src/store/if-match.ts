import { frameTexts } from '../texts/frame-texts.ts';
import { ApiProblem } from './api.ts';

const conflict = 1005;

/** The header of a change that is refused if the thing has changed since it was read; none without an ETag. */
export function ifMatch(etag: string | undefined) {
  return etag === undefined ? {} : { 'If-Match': etag };
}

/** The parameters of a change to a device that is refused if the device has changed since it was read. */
export function unchangedDevice(device_id: string, etag: string | undefined) {
  return { path: { device_id }, header: ifMatch(etag) };
}

/** Runs a change that compares an ETag. `words` are the message if the thing has changed meanwhile. */
export async function ifUnchanged<Done>(
  change: () => Promise<Done>,
  words: string = frameTexts.changedMeanwhile,
): Promise<Done> {
  try {
    return await change();
  } catch (error) {
    if (error instanceof ApiProblem && error.code === conflict && error.fields.length === 0)
      throw new ApiProblem(conflict, words);
    throw error;
  }
}
