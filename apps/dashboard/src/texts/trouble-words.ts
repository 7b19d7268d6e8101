import { count } from '../model/format.ts';
import type { Trouble } from '../model/headline.ts';
import { devicesOf } from './counted.ts';

const isOrAre = (n: number) => (n === 1 ? 'is' : 'are');

const troubles: Readonly<Record<Trouble, (n: number) => string>> = {
  offline: (n) => (n === 1 ? '1 Location is offline' : `${count(n)} Locations are offline`),
  Unknown: (n) => `${devicesOf(n)} ${isOrAre(n)} Unknown`,
  Partial: (n) => `${devicesOf(n)} ${n === 1 ? 'fails' : 'fail'} from some Locations only`,
  Retrying: (n) => `${devicesOf(n)} ${isOrAre(n)} Retrying`,
  open: (n) => (n === 1 ? '1 open alert' : `${count(n)} open alerts`),
  handled: (n) => `${count(n)} ${n === 1 ? 'alert' : 'alerts'} acknowledged, snoozed or suppressed`,
};

/** The troubles of an account in one sentence. */
export const troubleWords = (all: readonly (readonly [trouble: Trouble, count: number])[]): string =>
  all.map(([trouble, n]) => troubles[trouble](n)).join(', ');
