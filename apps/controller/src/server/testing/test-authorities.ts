import { makeAuthority } from '../authority.ts';
import type { Authorities } from '../server-certificate.ts';

/** Authorities as the database gives them: one that is new at `nowMs`. */
export async function testAuthorities(nowMs = Date.now()): Promise<Authorities> {
  const signing = await makeAuthority(nowMs);
  return { signing, trusted: [signing.cert] };
}
