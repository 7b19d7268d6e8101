import { createHmac, timingSafeEqual } from 'node:crypto';

const actions = ['confirm', 'end'] as const;
/** The action behind a link of a mail about a status page. */
export type SubscriptionAction = (typeof actions)[number];

/** Signs the links of mails about status pages and reads them again. */
export interface SubscriptionLinks {
  /** The text after the address of the page and the action. */
  sign(action: SubscriptionAction, subscriberNo: number, askedUs: number): string;
  /** Undefined: it is of another action, or not signed by this system. */
  read(
    action: SubscriptionAction,
    text: string,
  ): { readonly no: number; readonly askedUs: number } | undefined;
}

/** Signs with the first of `keys` and reads with all of them. A link is of one subscription, not of a later one. */
export function createSubscriptionLinks(keys: readonly Uint8Array[]): SubscriptionLinks {
  const macOf = (key: Uint8Array, action: SubscriptionAction, content: string) =>
    createHmac('sha256', key).update(`${action}.${content}`).digest('base64url').slice(0, 32);
  return {
    sign(action, subscriberNo, askedUs) {
      const [key] = keys;
      if (key === undefined) throw new RangeError('links need a key');
      const content = `${subscriberNo}.${askedUs}`;
      return `${content}.${macOf(key, action, content)}`;
    },
    read(action, text) {
      const [, content = '', mac = ''] = /^(\d{1,10}\.\d{1,16})\.([\w-]{32})$/.exec(text) ?? [];
      const isOurs = keys.some((key) => {
        const expected = Buffer.from(macOf(key, action, content));
        const found = Buffer.from(mac);
        return found.length === expected.length && timingSafeEqual(found, expected);
      });
      if (!isOurs) return undefined;
      const [no, askedUs] = content.split('.').map(Number);
      return { no: no ?? 0, askedUs: askedUs ?? 0 };
    },
  };
}
