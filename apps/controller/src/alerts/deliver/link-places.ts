import type { Json } from '@vantage/domain';
import { idForm } from '@vantage/kernel';

/**
 * Actions of links in messages. `acknowledge-all`: all alerts that the message names; `details`: a page that only
 * shows.
 */
export const linkActions = ['acknowledge', 'snooze', 'acknowledge-all', 'details'] as const;

/** One of `linkActions`. */
export type LinkAction = (typeof linkActions)[number];

const place = new RegExp(`vantage-link:(${idForm}):(${linkActions.join('|')}):(${idForm}):(\\d{1,16})`, 'g');

/** The alert that a link is about; of `acknowledge-all` the notification under whose id the message leaves. */
export interface LinkedAlert {
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
