import { useState } from 'preact/hooks';
import { inFull } from '../../model/format.ts';
import { OutageDialog } from '../../parts/outage-dialog.tsx';
import { ScrollSection } from '../../parts/scroll-section.tsx';
import { Moment } from '../../parts/time.tsx';
import { mayWrite } from '../../store/credential.ts';
import type { AccountOutage } from '../../store/read-outages.ts';
import { outageTexts } from '../../texts/outage-texts.ts';
import css from './outages.module.css';
import { outagesTexts as say } from './outages-texts.ts';

const { columns } = say;
const step = 100;

function OutageRow({ outage, onEdit }: { readonly outage: AccountOutage; readonly onEdit: () => void }) {
  const { Start, End, Seconds, CheckResult, Note, Behind, Locations, device_id, alert_id } = outage;
  const name = outage.FullName ?? outage.ShortName;
  const facts = [
    ...(Locations.length > 0 ? [Locations.join(', ')] : []),
    ...(Behind > 0 ? [say.behind(Behind)] : []),
    ...(outage.Acknowledged ? [say.acknowledged] : []),
    ...(outage.Excluded ? [say.excluded] : []),
  ];
  return (
    <tr>
      <td class={css['moment']}>
        <Moment at={Start} />
      </td>
      <td class={css['moment']}>
        <span class={css['length']}>{inFull(Seconds, 2)}</span>
        {End === null && <span class={css['now']}> {say.isOpen}</span>}
      </td>
      <th scope="row">
        <a class="clamp" href={`/devices/${device_id}`} title={name}>
          <bdi>{name}</bdi>
        </a>
      </th>
      <td class={css['cause']}>
        <bdi>{CheckResult ?? say.noCause}</bdi>
        {facts.map((fact) => (
          <span key={fact} class="mute">
            {' '}
            · {fact}
          </span>
        ))}
        {Note !== null && (
          <p class="mute">
            “<bdi>{Note}</bdi>”
          </p>
        )}
      </td>
      <td class={css['act']}>
        <span class="buttons">
          {alert_id !== null && (
            <a class="button" href={`/alerts/${alert_id}`} aria-label={say.alertOf(name)}>
              {say.alert}
            </a>
          )}
          {mayWrite.value && (
            <button type="button" class="button" aria-label={outageTexts.editOf(name)} onClick={onEdit}>
              {outageTexts.edit}
            </button>
          )}
        </span>
      </td>
    </tr>
  );
}

/** The outages, newest first, with their notes. */
export function OutageList({
  outages,
  again,
}: {
  readonly outages: readonly AccountOutage[];
  /** Reads them again, after a change. */
  readonly again: () => void;
}) {
  const [shown, setShown] = useState(step);
  const [edited, setEdited] = useState<AccountOutage>();
  const rest = outages.length - shown;
  return (
    <ScrollSection label={say.list} class={`section ${css['table']}`}>
      <h2>{say.list}</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">{columns.began}</th>
            <th scope="col">{columns.lasted}</th>
            <th scope="col">{columns.device}</th>
            <th scope="col">{columns.cause}</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {outages.slice(0, shown).map((outage) => (
            <OutageRow key={outage.outage_id} outage={outage} onEdit={() => setEdited(outage)} />
          ))}
        </tbody>
      </table>
      {rest > 0 && (
        <p>
          <button type="button" class="button" onClick={() => setShown(shown + step)}>
            {say.more(Math.min(step, rest))}
          </button>
        </p>
      )}
      {edited !== undefined && (
        <OutageDialog
          key={edited.outage_id}
          outage={edited}
          onClose={() => setEdited(undefined)}
          onDone={again}
        />
      )}
    </ScrollSection>
  );
}
