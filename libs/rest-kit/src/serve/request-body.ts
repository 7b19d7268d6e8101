import type { IncomingMessage } from 'node:http';
import { type FieldFault, isRecord, jsonShape } from '@vantage/kernel';
import { storedTextFault } from '../forms/field.ts';
import { invalid, malformed, type Problem } from './problem.ts';
import { repeatedKey } from './repeated-key.ts';

/** The limits of a body. */
export interface BodyLimits {
  readonly bytes: number;
  /** Lists and objects within one another. */
  readonly depth: number;
  /** Members of lists and objects; each costs time for which other accounts wait. */
  readonly values: number;
}

/** The limits of one resource. Its lists and maps have a few hundred members. */
const resourceLimits: BodyLimits = { bytes: 1024 * 1024, depth: 32, values: 5_000 };
/** The limits of a body without a key. It is read before its sender has a slot. */
export const strangerLimits: BodyLimits = { ...resourceLimits, bytes: 16 * 1024 };
/** At most this much of an unwanted body is drained before the connection is closed. */
const awayBytes = 64 * resourceLimits.bytes;

/**
 * Reads a request's body as a JSON object; `{}` when there is none. Throws a Problem: 1000, or 1004 for text that no
 * field can hold.
 */
export async function readBody(
  request: IncomingMessage,
  limits: BodyLimits = resourceLimits,
): Promise<Readonly<Record<string, unknown>>> {
  const text = await readText(request, limits.bytes);
  if (text === undefined) return {};
  checkShape(text, limits);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw malformed(`The body is not valid JSON${positionOf(error)}.`);
  }
  const repeated = repeatedKey(text);
  if (repeated !== undefined)
    throw malformed(
      `The body holds the field ${repeated.join('.').slice(0, 200)} twice. Send each field once.`,
    );
  if (!isRecord(value)) throw malformed('The body must be a JSON object, for example {"Name": "web"}.');
  // A batch is no resource; the bodies of its operations are checked one by one.
  return limits.bytes <= resourceLimits.bytes ? withoutBadText(value) : value;
}

/**
 * Reads the body before the transaction, so that a slow caller keeps no connection. A fault of it comes up where the
 * body is judged; `sent` is undefined then.
 */
export async function readAhead<Body>({
  body,
}: {
  readonly body: () => Promise<Body>;
}): Promise<{ readonly body: () => Promise<Body>; readonly sent: Body | undefined }> {
  try {
    const sent = await body();
    return { sent, body: async () => sent };
  } catch (error) {
    return {
      sent: undefined,
      body: async () => {
        throw error;
      },
    };
  }
}

/** Judges a body that came as a part of another one, like the body of a request of its own. Throws a Problem. */
export function judgeBody(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const text = JSON.stringify(body);
  if (Buffer.byteLength(text) > resourceLimits.bytes) throw tooLong(resourceLimits.bytes);
  checkShape(text, resourceLimits);
  return withoutBadText(body);
}

function withoutBadText(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const fault = findBadText(body);
  if (fault !== undefined) throw fault;
  return body;
}

/** The position at which the parser stopped, where its error names one. */
function positionOf(error: unknown): string {
  const position = error instanceof Error ? /line (\d+) column (\d+)/.exec(error.message) : null;
  return position === null ? '' : ` (line ${position[1]}, column ${position[2]})`;
}

/**
 * Reads the rest of a body away, for a request that is answered before all of it came: a client that sends first and
 * reads later would lose the answer to a reset connection. Bounded by size here and by the server's `requestTimeout`.
 */
export function readAway(request: IncomingMessage): void {
  let left = awayBytes;
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.destroy();
  });
  request.resume();
}

async function readText(request: IncomingMessage, most: number): Promise<string | undefined> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > most) throw tooLong(most);
  if (announced === 0 && request.headers['transfer-encoding'] === undefined) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    size += bytes.length;
    if (size > most) throw tooLong(most);
    chunks.push(bytes);
  }
  if (size === 0) return undefined;
  validateContentType(request.headers['content-type'], request.headers['content-encoding']);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw malformed('The body is not valid UTF-8.');
  }
}

function validateContentType(type: string | undefined, encoding: string | undefined): void {
  const [media = '', ...parameters] = (type ?? '').split(';').map((part) => part.trim().toLowerCase());
  if (media !== 'application/json')
    throw malformed('A body must be JSON with the header Content-Type: application/json.');
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  if (charset !== undefined && !['utf-8', 'utf8'].includes(charset.replaceAll('"', '')))
    throw malformed('A JSON body must be encoded in UTF-8.');
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw malformed('A compressed body is not accepted.');
}

function tooLong(most: number): Problem {
  return malformed(`The body is longer than ${most} bytes.`, 'body_too_large');
}

/** Refuses nesting and numbers of values that no resource has, before the text is parsed. */
function checkShape(text: string, most: BodyLimits): void {
  const { depth, values } = jsonShape(text);
  if (depth > most.depth)
    throw malformed(`The body is nested deeper than ${most.depth} levels.`, 'body_too_large');
  if (values > most.values)
    throw malformed(`The body holds more than ${most.values} values.`, 'body_too_large');
}

/** Finds text that PostgreSQL cannot hold (NUL, halves of surrogate pairs), and `__proto__`. */
function findBadText(root: Readonly<Record<string, unknown>>): Problem | undefined {
  const faults: FieldFault[] = [];
  const waiting: { value: unknown; path: readonly string[] }[] = [{ value: root, path: [] }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, path } = next;
    const fault = typeof value === 'string' ? storedTextFault(path.join('.'), value) : undefined;
    if (fault !== undefined) faults.push(fault);
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      const name = key.toWellFormed().replaceAll('\0', '');
      if (name !== key || key === '__proto__')
        faults.push({ field: [...path, name].join('.'), message: 'is not a possible name of a field' });
      waiting.push({ value: inner, path: [...path, name] });
    }
  }
  return faults.length === 0 ? undefined : invalid(faults);
}
