import { createHmac, timingSafeEqual } from 'node:crypto';
import { dayUs } from '@vantage/domain';
import { isId, parseJson } from '@vantage/kernel';
import { z } from 'zod';

/**
 * Actions of links in messages. `acknowledge-all`: all alerts that the message names; `details`: a page that only
 * shows.
 */
export const linkActions = ['acknowledge', 'snooze', 'acknowledge-all', 'details'] as const;

export type LinkAction = (typeof linkActions)[number];

/** The rights of a link. */
export interface ActionLink {
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
export interface ActionLinks {
  /** The text after `/links/`. */
  sign(link: ActionLink): string;
  /** Undefined: not signed by this system, changed, or expired. */
  read(text: string, nowUs: number): ActionLink | undefined;
}

/** A link permits its action for this time after the first attempt of its message. */
export const linkLifeUs = 7 * dayUs;

/** Bytes of a link's content: action 1, account 4, alert 6, contact 4, expiry 8, id of the alert 24. */
const contentBytes = 47;
/**
 * An HMAC of half its length (RFC 2104 section 5). With the content it has 84 characters, which fit into an SMS.
 */
const macBytes = 16;
const linkLength = ((contentBytes + macBytes) * 4) / 3;

/**
 * Signs with the first of `keys` and reads with all of them. A link is the base64url of its content and of the
 * content's HMAC-SHA256. Several controllers with one sealing key read each other's links.
 */
export function createLinks(keys: readonly Uint8Array[]): ActionLinks {
  return {
    sign(link) {
      const [key] = keys;
      if (key === undefined) throw new RangeError('links need a key');
      const content = contentOf(link);
      return Buffer.concat([content, macOf(key, content).subarray(0, macBytes)]).toString('base64url');
    },
    read(signed, nowUs) {
      const link = signed.includes('.') ? readLong(keys, signed) : readShort(keys, signed);
      return link === undefined || !isId(link.alertId) || link.expiresUs < nowUs ? undefined : link;
    },
  };
}

function macOf(key: Uint8Array, content: Uint8Array | string): Buffer {
  return createHmac('sha256', key).update(content).digest();
}

function contentOf({ action, accountNo, alertId, alertNo, contactNo, expiresUs }: ActionLink): Buffer {
  const content = Buffer.alloc(contentBytes);
  content.writeUInt8(linkActions.indexOf(action), 0);
  content.writeUInt32BE(accountNo, 1);
  content.writeUIntBE(alertNo, 5, 6);
  content.writeUInt32BE(contactNo, 11);
  content.writeBigUInt64BE(BigInt(expiresUs), 15);
  content.write(alertId, 23, 'hex');
  return content;
}

function readShort(keys: readonly Uint8Array[], signed: string): ActionLink | undefined {
  if (signed.length !== linkLength || !/^[\w-]+$/.test(signed)) return undefined;
  const bytes = Buffer.from(signed, 'base64url');
  const [content, mac] = [bytes.subarray(0, contentBytes), bytes.subarray(contentBytes)];
  if (!keys.some((key) => timingSafeEqual(mac, macOf(key, content).subarray(0, macBytes)))) return undefined;
  const action = linkActions[content.readUInt8(0)];
  return (
    action && {
      action,
      accountNo: content.readUInt32BE(1),
      alertNo: content.readUIntBE(5, 6),
      contactNo: content.readUInt32BE(11),
      expiresUs: Number(content.readBigUInt64BE(15)),
      alertId: content.toString('hex', 23),
    }
  );
}

const longContent = z.tuple([z.enum(linkActions), z.int(), z.string(), z.int(), z.int(), z.int()]);
const maxLongLinkLength = 400;

/** Reads links of versions before 0.3.0, which are still in mailboxes: JSON, a dot, and the whole HMAC. */
function readLong(keys: readonly Uint8Array[], signed: string): ActionLink | undefined {
  const [text = '', mac = '', more] = signed.length > maxLongLinkLength ? [] : signed.split('.');
  const sentMac = Buffer.from(mac);
  const isOurs = keys.some((key) => {
    const expected = Buffer.from(macOf(key, text).toString('base64url'));
    return sentMac.length === expected.length && timingSafeEqual(sentMac, expected);
  });
  if (!isOurs || more !== undefined) return undefined;
  const parsed = longContent.safeParse(parseJson(Buffer.from(text, 'base64url').toString('utf8')));
  if (!parsed.success) return undefined;
  const [action, accountNo, alertId, alertNo, contactNo, expiresUs] = parsed.data;
  return { action, accountNo, alertId, alertNo, contactNo, expiresUs };
}
