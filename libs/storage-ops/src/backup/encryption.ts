import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { Fault, messageOf } from '@vantage/kernel';

/**
 * Encrypts a backup for a passphrase, or for these age recipients (`age1…`). Trying a passphrase takes 2 ^ `workFactor`
 * steps of scrypt; by default, as many as age uses.
 */
export type BackupLock =
  | { readonly passphrase: string; readonly workFactor?: number }
  | { readonly recipients: readonly string[] };

/** Opens encrypted backups: a passphrase, or age identities (`AGE-SECRET-KEY-1…`). */
export type BackupKey = { readonly passphrase: string } | { readonly identities: readonly string[] };

/** The start of an encrypted file (age-encryption.org/v1). */
const ageHeader = Buffer.from('age-encryption.org/');

/** Loaded on demand, because it has many modules and most runs encrypt nothing. */
const loadAge = () => import('age-encryption');

/**
 * Encrypts a stream in the format of age, which the tool `age` can decrypt. Throws a Fault for an invalid recipient.
 */
export async function* encrypted(plain: AsyncIterable<Buffer>, lock: BackupLock): AsyncGenerator<Uint8Array> {
  const { Encrypter } = await loadAge();
  const encrypter = new Encrypter();
  if ('passphrase' in lock) {
    encrypter.setPassphrase(lock.passphrase);
    if (lock.workFactor !== undefined) encrypter.setScryptWorkFactor(lock.workFactor);
  } else
    for (const recipient of lock.recipients) {
      try {
        encrypter.addRecipient(recipient);
      } catch (cause) {
        const why = `${recipient} is no recipient of age (age1…): ${messageOf(cause)}`;
        throw new Fault('drop', 'bad_recipient', why, { cause });
      }
    }
  yield* await encrypter.encrypt(ReadableStream.from<Uint8Array>(plain));
}

/**
 * Reads the file of a backup, decrypted with the key if there is one. Throws a Fault when the key is missing or wrong.
 * Also throws when there is a key and the file is not encrypted, because anyone who can write to the folder can put it
 * there.
 */
export async function readDecrypted(file: string, key: BackupKey | undefined): Promise<Readable> {
  const sealed = await isEncrypted(file).catch((cause: unknown) => {
    throw new Fault('drop', 'unreadable', `${file} cannot be read: ${messageOf(cause)}`, { cause });
  });
  if (!sealed && key === undefined) return createReadStream(file);
  if (!sealed)
    throw new Fault(
      'drop',
      'not_encrypted',
      `${file} is not encrypted, so it is not the backup that this passphrase or identity opens. Another person may have put it there. If you know that the file was never encrypted, omit --passphrase-file and --identity-file`,
    );
  if (key === undefined)
    throw new Fault(
      'drop',
      'encrypted',
      `${file} is encrypted: --passphrase-file or --identity-file opens it`,
    );
  const { Decrypter } = await loadAge();
  const decrypter = new Decrypter();
  const bytes = createReadStream(file);
  try {
    if ('passphrase' in key) decrypter.addPassphrase(key.passphrase);
    else for (const identity of key.identities) decrypter.addIdentity(identity);
    return Readable.from(await decrypter.decrypt(ReadableStream.from<Uint8Array>(bytes)), {
      objectMode: false,
    });
  } catch (cause) {
    bytes.destroy();
    const why = `${file} cannot be decrypted with this passphrase or identity: ${messageOf(cause)}`;
    throw new Fault('drop', 'wrong_key', why, { cause });
  }
}

async function isEncrypted(file: string): Promise<boolean> {
  await using handle = await open(file);
  const { buffer } = await handle.read(Buffer.alloc(ageHeader.length), 0, ageHeader.length, 0);
  return buffer.equals(ageHeader);
}
