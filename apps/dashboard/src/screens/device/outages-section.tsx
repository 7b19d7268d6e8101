import type { Schemas } from '@vantage/client';
import { useState } from 'preact/hooks';
import { briefly, count } from '../../model/format.ts';
import { Icon } from '../../parts/icon.tsx';
import { OutageDialog } from '../../parts/outage-dialog.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { Moment } from '../../parts/time.tsx';
import { api, takeAnswer } from '../../store/api.ts';
import { mayWrite } from '../../store/credential.ts';
import css from './device.module.css';
import { deviceTexts as say } from './device-texts.ts';
import { useOlderPages } from './older-pages.ts';

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
  const { read, rows, hasMore, more } = useOlderPages<Outage>(
    async (before) => {
      const query = { Limit: pageSize, ...(before === undefined ? {} : { Before: before.outage_id }) };
      const { data, hasMore: isCut } = await takeAnswer(
        api.GET('/devices/{device_id}/outages', { params: { path: { device_id: deviceId }, query } }),
      );
      return { rows: data, hasMore: isCut };
    },
    [deviceId],
    [newest],
  );
  return (
    <section class="section">
      <div class={css['bar']}>
        <h2>{say.outagesHead}</h2>
        <a class="link" href={`/v1.1/devices/${deviceId}/outages?fmt=csv&Limit=100`} download="outages.csv">
          {say.csv}
        </a>
      </div>
      <ReadState read={read} rows={2} />
      {read.data !== undefined && rows.length === 0 && <p class="mute">{say.noOutages}</p>}
      <ul class={css['facts']}>
        {rows.map((outage) => (
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
      {hasMore && (
        <button type="button" class={`button ${css['more']}`} onClick={more}>
          {say.more}
        </button>
      )}
      {noted !== undefined && (
        <OutageDialog outage={noted} onClose={() => setNoted(undefined)} onDone={read.again} />
      )}
    </section>
  );
}
