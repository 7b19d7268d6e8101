import type { Http2Session, ServerHttp2Session } from 'node:http2';
import type { Clock, Logger } from '@vantage/kernel';

const everyMs = 10_000;
const deadAfterMs = 15_000;

/**
 * Pings the peer of an HTTP/2 session every 10 s and destroys the session when a ping is not answered within 15 s.
 * Without pings the controller would not notice a link that is cut in the middle. Ends with the session.
 */
export function keepPinging(
  session: ServerHttp2Session,
  { clock, log }: { clock: Clock; log: Logger },
): void {
  const closed = new AbortController();
  session.once('close', () => closed.abort());
  const ping = async () => {
    while (!session.destroyed) {
      await clock.sleep(everyMs, closed.signal);
      using _deadline = clock.timer(deadAfterMs, () => {
        log.info({ peer: session.socket?.remoteAddress }, 'a ping went unanswered: connection cut');
        session.destroy();
      });
      await pong(session);
    }
  };
  ping().catch(() => {}); // rejects only when the session ends
}

/** Whether the peer answers a ping that is sent now, within this time. */
export async function answersPing(
  session: Http2Session,
  { clock, withinMs }: { readonly clock: Clock; readonly withinMs: number },
): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  using _deadline = clock.timer(withinMs, () => late.resolve(false));
  return Promise.race([
    pong(session).then(
      () => true,
      () => false,
    ),
    late.promise,
  ]);
}

function pong(session: Http2Session): Promise<void> {
  return new Promise((resolve, reject) => {
    session.ping((error) => (error ? reject(error) : resolve()));
  });
}
