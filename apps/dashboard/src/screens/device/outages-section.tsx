import type { Schemas } from '@vantage/client';
import { useState } from 'preact/hooks';
import { briefly, count } from '../../model/format.ts';
import { CsvButton } from '../../parts/csv-button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { OlderButton } from '../../parts/older-button.tsx';
import { OutageDialog } from '../../parts/outage-dialog.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { Moment } from '../../parts/time.tsx';
import { usePages } from '../../parts/use-pages.ts';
import { api, takeAnswer } from '../../store/api.ts';
import { mayWrite } from '../../store/credential.ts';
import css from './device.module.css';
import { deviceTexts as say } from './device-texts.ts';

type Outage = Schemas['Outage'];
const pageSize = 20;

/** All outages of a device, newest first, with the notes of people. */
export function OutagesSection({
  deviceId,
  newest,
  onShow,
}: {
  readonly deviceId: string;
  readonly newest: string | undefined;
  readonly onShow: (outage: Outage) => void;
}) {
  const [noted, setNoted] = useState<Outage>();
  const list = usePages<Outage>(
    (before) => {
      const query = { Limit: pageSize, ...(before === undefined ? {} : { Before: before }) };
      return takeAnswer(
        api.GET('/devices/{device_id}/outages', { params: { path: { device_id: deviceId }, query } }),
      );
    },
    { key: deviceId, idOf: ({ outage_id }) => outage_id, triggers: [newest] },
  );
  return (
    <section class="section">
      <div class={css['bar']}>
        <h2>{say.outagesHead}</h2>
        <CsvButton list={`devices/${deviceId}/outages`} name="outages" query={{}} />
      </div>
      <ReadState read={list.first} rows={2} />
      {list.rows?.length === 0 && <p class="mute">{say.noOutages}</p>}
      <ul class={css['facts']}>
        {list.rows?.map((outage) => (
          <li key={outage.outage_id}>
            <button type="button" class={css['plain']} title={say.showOnAxis} onClick={() => onShow(outage)}>
              <Moment at={outage.Start} />
            </button>
            <Icon
              name={outage.End === null ? 'Down' : 'Other'}
              word={outage.End === null ? say.open : say.ended}
            />
            <span>
              <b>{briefly(outage.Seconds)}</b> {outage.CheckResult}
              {outage.Behind > 0 && <span class="mute"> · {say.behindOutage(count(outage.Behind))}</span>}
              {outage.Note !== null && <span class="mute"> · “{outage.Note}”</span>}
              {outage.Excluded && <span class="mute"> · {say.isExcluded}</span>}
            </span>
            {mayWrite.value && (
              <button type="button" class="button" onClick={() => setNoted(outage)}>
                {say.note}
              </button>
            )}
          </li>
        ))}
      </ul>
      <OlderButton list={list} />
      {noted !== undefined && (
        <OutageDialog outage={noted} onClose={() => setNoted(undefined)} onDone={list.first.again} />
      )}
    </section>
  );
}
