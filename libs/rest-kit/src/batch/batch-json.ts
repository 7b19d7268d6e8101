import type { OperationResult } from './perform.ts';

/** The JSON of bodies, which is measured and then sent. Many results may share one body object. */
const jsonOfBodies = new WeakMap<object, Buffer>();

/** The body of a result as JSON. */
export function bodyBytes({ Body }: OperationResult): Buffer {
  if (typeof Body !== 'object' || Body === null) return Buffer.from(JSON.stringify(Body) ?? 'null');
  const bytes = jsonOfBodies.get(Body) ?? Buffer.from(JSON.stringify(Body));
  jsonOfBodies.set(Body, bytes);
  return bytes;
}

/**
 * The answer to a batch as bytes: a text of several megabytes would be copied three times more, which blocks the event
 * loop.
 */
export function resultsJson(results: readonly OperationResult[]): Buffer {
  const parts = results.flatMap((result, at) => [
    Buffer.from(`${at === 0 ? '' : ','}{"Status":${result.Status},"Body":`),
    bodyBytes(result),
    Buffer.from(result.ETag === undefined ? '}' : `,"ETag":${JSON.stringify(result.ETag)}}`),
  ]);
  return Buffer.concat([Buffer.from('{"Results":['), ...parts, Buffer.from(']}\n')]);
}
