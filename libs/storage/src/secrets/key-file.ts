import { randomBytes } from 'node:crypto';
import { Fault, makeFile, messageOf, readIfPresent } from '@vantage/kernel';
import { sealKeyBytes } from './seal.ts';

/** The keys of the key file. The first one seals; each of them opens what it sealed. */
export type SecretKeys = readonly [current: Buffer, ...older: Buffer[]];

/**
 * The keys for secrets at rest, lines of 32 bytes in base64. Undefined when the file does not exist. Throws a Fault
 * when it contains anything else or cannot be read.
 */
export async function readSecretKeys(file: string): Promise<SecretKeys | undefined> {
  const found = await readIfPresent(file).catch((cause: unknown) => {
    const why = `the key file ${file} cannot be read: ${messageOf(cause)} (VANTAGE_SECRET_KEY_FILE)`;
    throw new Fault('stop', 'secret_key', why, { cause });
  });
  if (found === undefined) return undefined;
  const lines = found
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const [current, ...older] = lines.map((line) => Buffer.from(line, 'base64'));
  const isGood = (key: Buffer, n: number) =>
    key.length === sealKeyBytes && key.toString('base64') === lines[n];
  if (current === undefined || ![current, ...older].every(isGood))
    throw new Fault(
      'stop',
      'secret_key',
      `${file} must hold ${sealKeyBytes} bytes as base64, a key a line (VANTAGE_SECRET_KEY_FILE); without the right key the stored secrets cannot be read`,
    );
  return [current, ...older];
}

/** Creates the key file (0600) with a new key. Controllers that start together use the file that was created first. */
export async function makeSecretKeys(file: string): Promise<SecretKeys> {
  await makeFile(file, `${randomBytes(sealKeyBytes).toString('base64')}\n`);
  const keys = await readSecretKeys(file);
  if (keys === undefined)
    throw new Fault('stop', 'secret_key', `the key file ${file} vanished after its creation`);
  return keys;
}
