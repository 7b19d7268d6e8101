import type { Schemas } from '@vantage/client';
import { useState } from 'preact/hooks';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { problemWords } from '../../parts/problem-words.ts';
import { ReadState } from '../../parts/read-state.tsx';
import { Moment } from '../../parts/time.tsx';
import { useRead } from '../../parts/use-read.ts';
import { api, take, takeAnswer } from '../../store/api.ts';
import { minute } from '../../store/clock.ts';
import { mayWrite } from '../../store/credential.ts';
import { alertTexts } from '../../texts/alert-texts.ts';
import { contactTexts } from './contact-texts.ts';
import css from './contacts.module.css';

const say = contactTexts;
type Delivery = Schemas['Delivery'];
const pageSize = 25;

const icons: Readonly<Record<Delivery['State'], IconName>> = {
  Pending: 'Planned',
  Delivered: 'Delivered',
  Failed: 'Failed',
  Withdrawn: 'Other',
  Shadow: 'Other',
};

/** Reads the newest `pages` pages of messages. */
async function readDeliveries(contact_id: string, pages: number) {
  const rows: Delivery[] = [];
  let hasMore = true;
  for (let page = 0; page < pages && hasMore; page += 1) {
    const before = rows.at(-1)?.delivery_id;
    const query = { Limit: pageSize, ...(before === undefined ? {} : { Before: before }) };
    const params = { path: { contact_id }, query };
    const answer = await takeAnswer(api.GET('/contacts/{contact_id}/deliveries', { params }));
    rows.push(...answer.data);
    ({ hasMore } = answer);
  }
  return { rows, hasMore };
}

/** The kind of a message in words: `router is Down`. */
function wordsOfDelivery({ Kind, ShortName }: Delivery): string {
  const words = alertTexts.messageKind(Kind);
  return ShortName === null ? words : `${ShortName} ${words}`;
}

function DeliveryRow({ delivery, onRepeat }: { readonly delivery: Delivery; readonly onRepeat: () => void }) {
  const { State, At, Ended, Attempts, alert_id, MergedInto } = delivery;
  const words = wordsOfDelivery(delivery);
  const last = Attempts.at(-1);
  const mayRepeat = mayWrite.value && (State === 'Delivered' || State === 'Failed');
  return (
    <li>
      <div class={css['delivery']}>
        <Icon name={icons[State]} />
        <span class={css['what']}>
          {alert_id === null ? (
            <bdi>{words}</bdi>
          ) : (
            <a href={`/alerts/${alert_id}`}>
              <bdi>{words}</bdi>
            </a>
          )}
        </span>
        <span class="mute">
          {say.states[State]}, {Ended === null && say.decided} <Moment at={Ended ?? At} />
        </span>
        {mayRepeat && (
          <button type="button" class="button" aria-label={say.repeatOf(words)} onClick={onRepeat}>
            {say.repeat}
          </button>
        )}
      </div>
      {last === undefined ? (
        <p class={`hint ${css['attempts']}`}>{MergedInto === null ? say.noAttempt : say.merged}</p>
      ) : (
        <details class={css['attempts']}>
          <summary>
            {say.attempts(Attempts.length)}: <bdi>{last.Answer}</bdi>
          </summary>
          <ol>
            {Attempts.map((attempt, index) => (
              <li key={index}>
                <Moment at={attempt.At} /> <bdi>{attempt.Answer}</bdi>
              </li>
            ))}
          </ol>
        </details>
      )}
    </li>
  );
}

/** The messages to a contact, newest first, each with its attempts and the receiver's answers. */
export function DeliveryList({ id, round }: { readonly id: string; readonly round: number }) {
  const [pages, setPages] = useState(1);
  const [notice, setNotice] = useState<string>();
  const all = useRead(() => readDeliveries(id, pages), [id], [pages, round, minute.value]);
  const { data, again } = all;
  const repeat = async (delivery_id: string) => {
    const params = { path: { contact_id: id, delivery_id } };
    try {
      await take(api.POST('/contacts/{contact_id}/deliveries/{delivery_id}/repeat', { params }));
      setNotice(say.repeated);
      again();
    } catch (error) {
      setNotice(problemWords(error));
    }
  };
  const waiting = data?.rows.filter(({ State }) => State === 'Pending').length ?? 0;
  return (
    <section class="section">
      <h2>{say.deliveries}</h2>
      <p role="status">{notice ?? (waiting > 0 ? say.waiting(waiting) : '')}</p>
      <ReadState read={all} rows={0} />
      {data?.rows.length === 0 && <p class="mute">{say.noDeliveries}</p>}
      {data !== undefined && (
        <ul class={css['deliveries']}>
          {data.rows.map((delivery) => (
            <DeliveryRow
              key={delivery.delivery_id}
              delivery={delivery}
              onRepeat={() => void repeat(delivery.delivery_id)}
            />
          ))}
        </ul>
      )}
      {data?.hasMore === true && (
        <button type="button" class="button" onClick={() => setPages(pages + 1)}>
          {say.more}
        </button>
      )}
    </section>
  );
}
