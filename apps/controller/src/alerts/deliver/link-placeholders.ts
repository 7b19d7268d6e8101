import type { Json } from '@vantage/domain';
import { idForm } from '@vantage/kernel';
import { type LinkAction, linkActions } from './links.ts';

const placeholder = new RegExp(
  `vantage-link:(${idForm}):(${linkActions.join('|')}):(${idForm}):(\\d{1,16})`,
  'g',
);

/** The alert that a link is about; of `acknowledge-all` the notification under whose id the message leaves. */
interface LinkedAlert {
  readonly alertId: string;
  readonly alertNo: number;
}

/**
 * Placeholders for the links of a stored message. The links permit what they name, so they are signed for
 * each attempt and never stored. The notification's id is random, so that no other text contains such a
 * placeholder.
 */
export function placeholders(notificationId: string, { alertId, alertNo }: LinkedAlert) {
  const placeholderOf = (action: LinkAction) =>
    `vantage-link:${notificationId}:${action}:${alertId}:${alertNo}`;
  return {
    acknowledge: placeholderOf('acknowledge'),
    snooze: placeholderOf('snooze'),
    details: placeholderOf('details'),
  };
}

/** As `placeholders`, for the link to all alerts of the message that leaves as this notification. */
export function placeholderOfAll(notificationId: string, notificationNo: number): string {
  return `vantage-link:${notificationId}:acknowledge-all:${notificationId}:${notificationNo}`;
}

/** Replaces the placeholders of the message's own notification by links. Pure. */
export function fillLinks(
  message: Json,
  notificationId: string,
  linkOf: (action: LinkAction, alert: LinkedAlert) => string,
): Json {
  if (typeof message === 'string')
    return message.replaceAll(
      placeholder,
      (whole, id: string, action: string, alertId: string, alertNo: string) =>
        id === notificationId
          ? linkOf(linkActions.find((known) => known === action) ?? 'acknowledge', {
              alertId,
              alertNo: Number(alertNo),
            })
          : whole,
    );
  if (Array.isArray(message)) return message.map((member) => fillLinks(member, notificationId, linkOf));
  if (typeof message !== 'object' || message === null) return message;
  return Object.fromEntries(
    Object.entries(message).map(([name, value]) => [name, fillLinks(value, notificationId, linkOf)]),
  );
}
