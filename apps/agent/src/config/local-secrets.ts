import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { boundedText, messageOf, parseJson, Secret } from '@vantage/kernel';
import { z } from 'zod';

/** Secrets that only this machine has, by the NAME of `${local:NAME}`. */
export type LocalSecrets = ReadonlyMap<string, Secret>;

/**
 * The secrets of the file, with a mark that changes with the file; or the problem with it, without any of its content.
 */
export type LocalSecretsResult =
  | { readonly ok: true; readonly secrets: LocalSecrets; readonly mark: string }
  | { readonly ok: false; readonly problem: string };

/** The secrets as they are now. */
export interface LocalSecretsFile {
  readonly current: LocalSecrets;
  /** Reads the file again if it changed. While the file is not acceptable, the secrets read before stay in force. */
  refresh(): void;
}

const maxBytes = 1024 * 1024;
/** A shorter value occurs in too many texts: masking it would mask half of them. */
const shortest = 3;
const schema = z.record(boundedText(100).regex(/^[A-Za-z0-9_.-]+$/), boundedText(64 * 1024, shortest));

/** Reads the file that VANTAGE_AGENT_SECRETS_FILE names: a JSON object NAME → text, readable by its owner only. */
export function readLocalSecrets(file: string): LocalSecretsResult {
  const refuse = (why: string): LocalSecretsResult => ({
    ok: false,
    problem: `VANTAGE_AGENT_SECRETS_FILE ${why}`,
  });
  let descriptor: number | undefined;
  try {
    // Non-blocking: opening a pipe would wait for its writer.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = fstatSync(descriptor);
    if (!found.isFile()) return refuse(`must be a regular file: ${file}`);
    if ((found.mode & 0o177) !== 0)
      return refuse(
        `must be readable by its owner only, its mode is ${modeOf(found.mode)}: chmod 600 ${file}`,
      );
    if (found.size > maxBytes) return refuse('is larger than 1 MiB');
    const parsed = schema.safeParse(parseJson(readFileSync(descriptor, 'utf8')));
    if (!parsed.success)
      return refuse(
        `must hold a JSON object of names (letters, digits, _ . -) and texts of at least ${shortest} characters`,
      );
    const secrets = new Map(Object.entries(parsed.data).map(([name, value]) => [name, new Secret(value)]));
    return { ok: true, secrets, mark: markOf(found) };
  } catch (error) {
    return refuse(`cannot be read: ${messageOf(error)}`);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Keeps the secrets up to date. Without a file there are none. */
export function createLocalSecrets(deps: {
  /** Absolute; undefined: no file is set. */
  readonly file: string | undefined;
  /** Receives the problem with the file, once for each problem. */
  readonly onFault: (problem: string) => void;
  readonly onChange: (count: number) => void;
}): LocalSecretsFile {
  const { file } = deps;
  let current: LocalSecrets = new Map();
  let mark: string | undefined;
  let reported: string | undefined;
  const refresh = () => {
    if (file === undefined) return;
    const result = readLocalSecrets(file);
    if (!result.ok) {
      if (result.problem !== reported) deps.onFault(result.problem);
      reported = result.problem;
      return;
    }
    reported = undefined;
    if (result.mark === mark) return;
    if (mark !== undefined) deps.onChange(result.secrets.size);
    mark = result.mark;
    current = result.secrets;
  };
  refresh();
  return {
    get current() {
      return current;
    },
    refresh,
  };
}

function markOf(found: { ino: number; size: number; mtimeMs: number; ctimeMs: number }): string {
  return [found.ino, found.size, found.mtimeMs, found.ctimeMs].join('/');
}

function modeOf(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, '0');
}
