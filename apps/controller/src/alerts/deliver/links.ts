import { createHmac, timingSafeEqual } from 'node:crypto';
import { dayUs, type Json } from '@vantage/domain';
import { idForm, isId, parseJson } from '@vantage/kernel';
import { z } from 'zod';

/**
 * Actions of links in messages. `acknowledge-all`: all alerts that the message names; `details`: a page that only
 * shows.
 */
export const linkActions = ['acknowledge', 'snooze', 'acknowledge-all', 'details'] as const;

/** One of `linkActions`. */
export type LinkAction = (typeof linkActions)[number];

/** The rights of a link. */
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

/** Bytes of a link's content: action 1, account 4, alert 6, contact 4, expiry 8, id of the alert 24. */
const contentBytes = 47;
/**
 * An HMAC of half its length (RFC 2104 section 5). With the content it makes 84 characters, which an SMS has room for.
 */
const macBytes = 16;
const linkLength = ((contentBytes + macBytes) * 4) / 3;

/**
 * Signs with the first of `keys` and reads with all of them. A link is the base64url of its content and of the
 * content's HMAC-SHA256. Several controllers with one sealing key read each other's links.
 */
export function createLinks(keys: readonly Uint8Array[]): Links {
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

function contentOf({ action, accountNo, alertId, alertNo, contactNo, expiresUs }: Link): Buffer {
  const content = Buffer.alloc(contentBytes);
  content.writeUInt8(linkActions.indexOf(action), 0);
  content.writeUInt32BE(accountNo, 1);
  content.writeUIntBE(alertNo, 5, 6);
  content.writeUInt32BE(contactNo, 11);
  content.writeBigUInt64BE(BigInt(expiresUs), 15);
  content.write(alertId, 23, 'hex');
  return content;
}

function readShort(keys: readonly Uint8Array[], signed: string): Link | undefined {
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
const longestLong = 400;

/** Reads the form of versions before 0.3.0, whose messages people still have: JSON, a dot, and the whole HMAC. */
function readLong(keys: readonly Uint8Array[], signed: string): Link | undefined {
  const [text = '', mac = '', more] = signed.length > longestLong ? [] : signed.split('.');
  const given = Buffer.from(mac);
  const isOurs = keys.some((key) => {
    const expected = Buffer.from(macOf(key, text).toString('base64url'));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!isOurs || more !== undefined) return undefined;
  const parsed = longContent.safeParse(parseJson(Buffer.from(text, 'base64url').toString('utf8')));
  if (!parsed.success) return undefined;
  const [action, accountNo, alertId, alertNo, contactNo, expiresUs] = parsed.data;
  return { action, accountNo, alertId, alertNo, contactNo, expiresUs };
}

const place = new RegExp(`vantage-link:(${idForm}):(${linkActions.join('|')}):(${idForm}):(\\d{1,16})`, 'g');

/** The alert that a link is about; of `acknowledge-all` the notification under whose id the message leaves. */
interface LinkedAlert {
  readonly alertId: string;
  readonly alertNo: number;
}

/**
 * Placeholders for the links of a stored message. The links permit what they name, so they are signed for
 * each attempt and never stored. The notification's id, which nobody knows before, keeps other texts from containing
 * such a place.
 */
export function placeholders(notificationId: string, { alertId, alertNo }: LinkedAlert) {
  const of = (action: LinkAction) => `vantage-link:${notificationId}:${action}:${alertId}:${alertNo}`;
  return { acknowledge: of('acknowledge'), snooze: of('snooze'), details: of('details') };
}

/** As `placeholders`, for the link to all alerts of the message that leaves as this notification. */
export function placeholderOfAll(notificationId: string, notificationNo: number): string {
  return `vantage-link:${notificationId}:acknowledge-all:${notificationId}:${notificationNo}`;
}

/** The message with links in the places of its own notification. Pure. */
export function fillLinks(
  message: Json,
  notificationId: string,
  linkOf: (action: LinkAction, alert: LinkedAlert) => string,
): Json {
  if (typeof message === 'string')
    return message.replaceAll(place, (whole, id: string, action: string, alertId: string, alertNo: string) =>
      id === notificationId
        ? linkOf(linkActions.find((each) => each === action) ?? 'acknowledge', {
            alertId,
            alertNo: Number(alertNo),
          })
        : whole,
    );
  if (Array.isArray(message)) return message.map((each) => fillLinks(each, notificationId, linkOf));
  if (typeof message !== 'object' || message === null) return message;
  return Object.fromEntries(
    Object.entries(message).map(([name, value]) => [name, fillLinks(value, notificationId, linkOf)]),
  );
}
