import { createHmac, timingSafeEqual } from 'node:crypto';
import { dayUs } from '@vantage/domain';
import { isId } from '@vantage/kernel';
import { z } from 'zod';
import { type LinkAction, linkActions } from './link-places.ts';

/** What a link permits to the person who has it. */
export interface Link {
  readonly action: LinkAction;
  readonly accountNo: number;
  readonly alertId: string;
  readonly alertNo: number;
  /** The contact that got the message. */
  readonly contactNo: number;
  /** Microseconds since 1970. */
  readonly expiresUs: number;
}

/** Signs the links of messages and reads them again. */
export interface Links {
  /** The text after `/links/`. */
  sign(link: Link): string;
  /** Undefined: not signed by this system, changed, or expired. */
  read(text: string, nowUs: number): Link | undefined;
}

/** A link permits its action for so long after the first attempt of its message. */
export const linkLifeUs = 7 * dayUs;

const content = z.tuple([z.enum(linkActions), z.int(), z.string(), z.int(), z.int(), z.int()]);
const longest = 400;

/**
 * Makes the signer. A link is the base64url of its content and of the content's HMAC-SHA256. `keys` are the current key and older ones, which
 * only read. Several controllers with one sealing key read each other's links.
 */
export function createLinks(keys: readonly Uint8Array[]): Links {
  const macOf = (key: Uint8Array, text: string) => createHmac('sha256', key).update(text).digest('base64url');
  return {
    sign({ action, accountNo, alertId, alertNo, contactNo, expiresUs }) {
      const [key] = keys;
      if (key === undefined) throw new RangeError('links need a key');
      const text = encode(JSON.stringify([action, accountNo, alertId, alertNo, contactNo, expiresUs]));
      return `${text}.${macOf(key, text)}`;
    },
    read(signed, nowUs) {
      const [text = '', mac = '', more] = signed.length > longest ? [] : signed.split('.');
      const given = Buffer.from(mac);
      const isOurs = keys.some((key) => {
        const expected = Buffer.from(macOf(key, text));
        return given.length === expected.length && timingSafeEqual(given, expected);
      });
      if (!isOurs || more !== undefined) return undefined;
      const parsed = content.safeParse(parse(Buffer.from(text, 'base64url').toString('utf8')));
      if (!parsed.success) return undefined;
      const [action, accountNo, alertId, alertNo, contactNo, expiresUs] = parsed.data;
      if (!isId(alertId) || expiresUs < nowUs) return undefined;
      return { action, accountNo, alertId, alertNo, contactNo, expiresUs };
    },
  };
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
