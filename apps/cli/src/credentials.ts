import { createHash, randomBytes, scrypt } from 'node:crypto';

/** A new API key or agent token: 256 random bits as 64 hex characters. */
export function newCredential(): string {
  return randomBytes(32).toString('hex');
}

/** What is kept of a credential: the SHA-256 of its text. */
export function hashOf(credential: string): Buffer {
  return createHash('sha256').update(credential).digest();
}

const cost = { N: 16_384, r: 8, p: 1 } as const;

/** The text kept for a Basic password: `scrypt$N$r$p$salt$hash`, salt and hash in base64url. */
export function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  return new Promise((resolve, reject) => {
    scrypt(password, salt, 32, { ...cost, maxmem: 64 * 1024 * 1024 }, (error, key) =>
      error
        ? reject(error)
        : resolve(
            ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), key.toString('base64url')].join(
              '$',
            ),
          ),
    );
  });
}
