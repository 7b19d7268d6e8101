import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { boundedText, messageOf, parseJson, Secret } from '@vantage/kernel';
import { z } from 'zod';

/** Secrets that only this host has, by the NAME of `${local:NAME}`. */
export type LocalSecrets = ReadonlyMap<string, Secret>;

/**
 * The secrets of the file and its version, which changes with the file; or the problem with the file, without any of
 * its content.
 */
export type LocalSecretsResult =
  | { readonly ok: true; readonly secrets: LocalSecrets; readonly version: string }
  | { readonly ok: false; readonly problem: string };

export interface LocalSecretsFile {
  readonly current: LocalSecrets;
  /** Reads the file again if it changed. While the file is invalid, the secrets read before stay in force. */
  refresh(): void;
}

const maxBytes = 1024 * 1024;

/** Masking a shorter value would mask half of many texts. */
const minLength = 3;

const schema = z.record(boundedText(100).regex(/^[A-Za-z0-9_.-]+$/), boundedText(64 * 1024, minLength));

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
        `must contain a JSON object of names (letters, digits, _ . -) and texts of at least ${minLength} characters`,
      );
    const secrets = new Map(Object.entries(parsed.data).map(([name, value]) => [name, new Secret(value)]));
    return { ok: true, secrets, version: versionOf(found) };
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
  /** Receives each problem with the file once. */
  readonly onFault: (problem: string) => void;
  readonly onChange: (count: number) => void;
}): LocalSecretsFile {
  const { file } = deps;
  let current: LocalSecrets = new Map();
  let version: string | undefined;
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
    if (result.version === version) return;
    if (version !== undefined) deps.onChange(result.secrets.size);
    version = result.version;
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

function versionOf(found: { ino: number; size: number; mtimeMs: number; ctimeMs: number }): string {
  return [found.ino, found.size, found.mtimeMs, found.ctimeMs].join('/');
}

function modeOf(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, '0');
}
