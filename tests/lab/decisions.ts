import { z } from 'zod';
import type { Api } from '../harness/api.ts';
import type { Contacts } from './contacts.ts';

/**
 * The decisions about each device or Location, in the order of the alerts: `device.down, its master router is Down:
 * hook device.down`.
 */
export type Decisions = Readonly<Record<string, readonly string[]>>;

const alert = z.object({
  alert_id: z.string(),
  Kind: z.string(),
  ShortName: z.string().nullable(),
  Location: z.string().nullable(),
  Reason: z.string().nullable(),
  Notifications: z.array(z.object({ contact_id: z.string(), Kind: z.string(), State: z.string() })),
});
type Alert = z.output<typeof alert>;
const pageSize = 100;

/** Reads all alerts of the account, as `GET /alerts` shows them, the first one first. */
export async function readAlerts(api: Api): Promise<readonly Alert[]> {
  const all: Alert[] = [];
  let page: readonly Alert[];
  do {
    const last = all.at(-1);
    const before = last === undefined ? '' : `&Before=${last.alert_id}`;
    page = z.array(alert).parse(await api.ok('GET', `/alerts?Limit=${pageSize}${before}`));
    all.push(...page);
  } while (page.length === pageSize);
  return all.reverse();
}

/** The content of the alerts, apart from the state of their messages: it is the same for contacts in shadow. Pure. */
export function decisionsOf(
  alerts: readonly Alert[],
  { hook, mail }: Pick<Contacts, 'hook' | 'mail'>,
): Decisions {
  const nameOf = new Map([
    [hook, 'hook'],
    [mail, 'mail'],
  ]);
  const about = Map.groupBy(alerts, ({ ShortName, Location }) => ShortName ?? Location ?? '');
  const text = ({ Kind, Reason, Notifications }: Alert) => {
    // Both contacts of a step are notified in one transaction; which of them stands first says nothing.
    const messages = [...new Set(nameOf.values())].flatMap((name) =>
      Notifications.filter((one) => nameOf.get(one.contact_id) === name).map((one) => `${name} ${one.Kind}`),
    );
    return `${Kind}${Reason === null ? '' : `, ${Reason}`}: ${messages.join(', ') || 'no message'}`;
  };
  return Object.fromEntries([...about].map(([name, of]) => [name, of.map(text)]));
}

/** One line for each device or Location about which two plays of a scene decided differently. Pure. */
export function decisionDifferences(plain: Decisions, shadow: Decisions): string[] {
  const names = [...new Set([...Object.keys(plain), ...Object.keys(shadow)])].sort();
  const shown = (decisions: Decisions, name: string) => (decisions[name] ?? ['nothing']).join(' | ');
  return names.flatMap((name) => {
    const [sent, recorded] = [shown(plain, name), shown(shadow, name)];
    return sent === recorded ? [] : [`${name}: decided ${sent}; in shadow ${recorded}`];
  });
}
