import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { FakeMailServer } from './fake-mail-server.ts';
import type { FakeWebhookReceiver } from './fake-webhook-receiver.ts';

/** The messages of a scene's contacts. */
export interface MessageReceivers {
  readonly hooks: FakeWebhookReceiver;
  readonly mail: FakeMailServer;
}

/** The receivers of a scene whose contacts are in shadow. */
export interface ShadowReceivers extends MessageReceivers, AsyncDisposable {
  /** The number of messages that arrived nevertheless. */
  arrived(): number;
}

/** A message that the controller recorded for a contact in shadow. Times are microseconds since 1970. */
interface RecordedMessage {
  readonly id: string;
  readonly contactType: string;
  readonly kind: string;
  readonly about: string;
  readonly atUs: number;
}

const pollMs = 300;

/**
 * Reads what the controllers record for contacts in shadow, and gives it the form of messages that arrive, so that
 * scenes and verdicts treat both alike. `real` are the receivers at which nothing may arrive.
 */
export async function startShadowReceivers(
  databaseUrl: string,
  real: MessageReceivers,
): Promise<ShadowReceivers> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  /** By id, in the order in which they became visible. */
  const seen = new Map<string, RecordedMessage>();
  const ending = new AbortController();
  const poll = async () => {
    while (!ending.signal.aborted) {
      for (const message of await readRecorded(client)) seen.set(message.id, message);
      await delay(pollMs, undefined, { signal: ending.signal }).catch(() => {});
    }
  };
  const polling = poll();
  const ofType = (type: string) => [...seen.values()].filter(({ contactType }) => contactType === type);
  return {
    hooks: {
      ...real.hooks,
      get hooks() {
        return ofType('webhook').map(({ id, kind: type, about, atUs }) => ({
          id,
          type,
          about,
          atMs: atUs / 1000,
          text: '',
        }));
      },
    },
    mail: {
      ...real.mail,
      get mails() {
        return ofType('email').map(({ id: messageId, kind, about, atUs }) => {
          const recorded = `${kind} ${about}`;
          return { messageId, recorded, subject: recorded, to: '', text: '', html: '', atMs: atUs / 1000 };
        });
      },
    },
    arrived: () => real.hooks.hooks.length + real.hooks.faults.length + real.mail.mails.length,
    async [Symbol.asyncDispose]() {
      ending.abort();
      await polling;
      await client.end();
    },
  };
}

async function readRecorded(client: pg.Client): Promise<readonly RecordedMessage[]> {
  const { rows } = await client.query<RecordedMessage>(
    `select n.notification_id as id, c.type as "contactType", n.kind, n.created_us::float8 as "atUs",
       coalesce(n.data ->> 'ShortName', n.data ->> 'Name', n.data ->> 'Location', '') as about
     from notifications n join contacts c using (contact_no) where n.state = 'Shadow' order by n.notification_no`,
  );
  return rows;
}
