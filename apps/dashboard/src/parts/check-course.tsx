import type { Schemas } from '@vantage/client';
import { certificatesOf, courseOf, dnsRecordsOf } from '../model/check-transcript.ts';
import { count } from '../model/format.ts';
import { checkTexts } from '../texts/check-texts.ts';
import css from './check-course.module.css';
import { Icon } from './icon.tsx';

const say = checkTexts.course;

/** An offset with one decimal, so that the column is read from above to below. */
const offsetWords = (ms: number | null) => (ms === null ? '' : `${ms.toFixed(1)}\u00a0ms`);
const yearDays = 365;

function leftWords(days: number): string {
  if (days < 0) return say.expired(count(-days));
  return days >= 2 * yearDays ? say.yearsLeft(Math.floor(days / yearDays)) : say.daysLeft(count(days));
}

/** A check as a person reads it: its course with offsets, its chain of certificates and the answers of DNS. */
export function CheckCourse({
  check,
  extended,
}: {
  readonly check: Omit<Schemas['Check'], 'check_id'>;
  readonly extended: Readonly<Record<string, unknown>>;
}) {
  const lines = courseOf(check, extended);
  const certificates = certificatesOf(extended);
  const records = dnsRecordsOf(extended);
  return (
    <div class={css['columns']}>
      {lines.length > 0 && (
        <section>
          <h3>{say.transcript}</h3>
          <ol class={css['lines']}>
            {lines.map(({ offsetMs, words, side }, at) => (
              <li key={at}>
                <span class={css['offset']}>{offsetWords(offsetMs)}</span>
                <span class={css[side]}>
                  {side === 'sent' && <span class="hidden">{say.sent}</span>}
                  {side === 'received' && <span class="hidden">{say.received}</span>}
                  {words}
                </span>
              </li>
            ))}
          </ol>
        </section>
      )}
      {certificates.length > 0 && (
        <section>
          <h3>{say.chain}</h3>
          <ul class={css['rows']}>
            {certificates.map(({ name, names, issuer, daysLeft, ends }, at) => (
              <li key={at}>
                <Icon
                  name={daysLeft < 0 ? 'Failed' : 'Delivered'}
                  word={daysLeft < 0 ? say.isExpired : say.isValid}
                />
                <span title={names.join(', ')}>
                  {name}
                  {names.length > 0 && (
                    <span class="mute"> {say.andNames(names[0] ?? '', names.length - 1)}</span>
                  )}
                  {at === certificates.length - 1 && issuer !== '' && issuer !== name && (
                    <span class="mute"> · {say.issuedBy(issuer)}</span>
                  )}
                </span>
                <span class="num" title={ends}>
                  {leftWords(daysLeft)}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {records.length > 0 && (
        <section>
          <h3>{say.answers}</h3>
          <ul class={css['rows']}>
            {records.map(({ name, type, data, ttl }, at) => (
              <li key={at}>
                <Icon name="Delivered" />
                <code class={css['data']}>
                  {name} {type} {data}
                </code>
                <span class="num">{ttl === undefined ? '' : say.ttl(count(ttl))}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
