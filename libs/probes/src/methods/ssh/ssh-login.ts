import { createHash } from 'node:crypto';
import { resultCode } from '@vantage/domain';
import { LRUCache } from '@vantage/kernel';
import type { ParsedKey } from 'ssh2';
import { Failure } from '../../contract/failure.ts';
import type { Target } from '../../contract/probe.ts';
import { looksLikeKey } from './private-key.ts';
import type { Ssh2 } from './ssh2-library.ts';

export interface SshLogin {
  readonly user: string;
  readonly password: string | undefined;
  /** The private key. */
  readonly key: ParsedKey | undefined;
}

/** The Options of a login. */
interface LoginSettings {
  readonly User?: string | undefined;
  readonly Password?: string | undefined;
  readonly PrivateKey?: string | undefined;
  readonly Passphrase?: string | undefined;
  readonly Command?: string | undefined;
}

/** The login, if there is one. Options take precedence over the URL. Throws Failure 8 for an incomplete login. */
export function loginOf(library: Ssh2, target: Target, settings: LoginSettings): SshLogin | undefined {
  const user = settings.User ?? target.user;
  const password = settings.Password ?? target.password?.reveal();
  const cannot = (why: string) => new Failure(resultCode.login, why);
  if (user === undefined || user === '') {
    if (password !== undefined || settings.PrivateKey !== undefined) {
      throw cannot('a password or key is set but no user name');
    }
    if (settings.Command !== undefined)
      throw cannot('a command needs a login: set User and Password or PrivateKey');
    return undefined;
  }
  if (password === undefined && settings.PrivateKey === undefined) {
    throw cannot('a user name is set but neither Password nor PrivateKey');
  }
  return { user, password, key: parseKey(library, settings) };
}

/** Parsed keys, by the hash of their text and passphrase. Opening an encrypted key takes a third of a second. */
const parsedKeys = new LRUCache<string, ParsedKeys>({ max: 100 });

type ParsedKeys = ReturnType<Ssh2['utils']['parseKey']>;

function readKey(library: Ssh2, text: string, passphrase: string | undefined): ParsedKeys {
  const id = createHash('sha256')
    .update(JSON.stringify([text, passphrase]))
    .digest('base64');
  const known = parsedKeys.get(id);
  if (known !== undefined) return known;
  const parsed = library.utils.parseKey(text, passphrase);
  parsedKeys.set(id, parsed);
  return parsed;
}

function parseKey(library: Ssh2, { PrivateKey, Passphrase }: LoginSettings): ParsedKey | undefined {
  if (PrivateKey === undefined) return undefined;
  const parsed = looksLikeKey(PrivateKey)
    ? readKey(library, PrivateKey, Passphrase)
    : new Error('no private key, or one that takes too long to open');
  const key = Array.isArray(parsed) ? parsed[0] : parsed;
  if (key === undefined || key instanceof Error || !key.isPrivateKey()) {
    const encrypted = key instanceof Error && /encrypted|passphrase|decrypt|integrity/i.test(key.message);
    const why = encrypted
      ? 'its passphrase is missing or wrong'
      : 'it is no private key in OpenSSH or PEM form';
    throw new Failure(resultCode.login, `the PrivateKey set for this device cannot be used: ${why}`);
  }
  return key;
}
