import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { NetSnmp, PrivEngine } from 'net-snmp';

const block = 8;
/** OpenSSL 3 has no DES alone. Triple DES with the same key three times is the same. */
const algorithm = 'des-ede3-cbc';

/** Replaces the library's DES-CBC (RFC 3414 section 8), which the OpenSSL of Node refuses. */
export function installDes({ Authentication, Encryption, PrivProtocols }: NetSnmp): void {
  const derive = (password: string, authProtocol: number, { engineID }: PrivEngine) => {
    const localized = Authentication.passwordToKey(authProtocol, password, engineID);
    const key = localized.subarray(0, block);
    return { key: Buffer.concat([key, key, key]), preIv: localized.subarray(block, 2 * block) };
  };
  const ivOf = (preIv: Buffer, salt: Buffer) => Buffer.from(preIv.map((byte, at) => byte ^ (salt[at] ?? 0)));
  Encryption.algorithms[PrivProtocols.des] = {
    ...Encryption.algorithms[PrivProtocols.des],
    encryptPdu(scopedPdu, _protocol, password, authProtocol, engine) {
      const { key, preIv } = derive(password, authProtocol, engine);
      const salt = randomBytes(block);
      const padded = Buffer.alloc(Math.ceil(scopedPdu.length / block) * block);
      scopedPdu.copy(padded);
      const cipher = createCipheriv(algorithm, key, ivOf(preIv, salt)).setAutoPadding(false);
      return {
        encryptedPdu: Buffer.concat([cipher.update(padded), cipher.final()]),
        msgPrivacyParameters: salt,
      };
    },
    decryptPdu(encryptedPdu, _protocol, salt, password, authProtocol, engine) {
      const { key, preIv } = derive(password, authProtocol, engine);
      const decipher = createDecipheriv(algorithm, key, ivOf(preIv, salt)).setAutoPadding(false);
      return Buffer.concat([decipher.update(encryptedPdu), decipher.final()]);
    },
  };
}
