import { Heading } from '../../parts/heading.tsx';
import { StateWord } from '../../parts/icon.tsx';
import { WaitingRows } from '../../parts/notice.tsx';
import { Since } from '../../parts/time.tsx';
import { early } from '../../store/account-state.ts';
import { andMore } from '../../texts/counted.ts';
import css from './overview.module.css';
import { overviewTexts as say } from './overview-texts.ts';

const maxRows = 15;

/**
 * The overview before all devices are read: the counts of the server and the devices that are Down. The causes among
 * them are not known yet.
 */
export function EarlyState() {
  const facts = early.value;
  if (facts === undefined)
    return (
      <div class="page">
        <WaitingRows rows={8} />
      </div>
    );
  const causes = facts.rows.filter(({ downBecause }) => downBecause === null);
  return (
    <div class="page">
      <Heading>
        {facts.down > 0 ? <span class="bad">{say.down(facts.down)}</span> : say.readingAll(facts.total)}
      </Heading>
      <p class="mute" role="status">
        {facts.down > 0 ? say.readingAll(facts.total) : say.noneDown}
      </p>
      <ul class={css['list']}>
        {causes.slice(0, maxRows).map((row) => (
          <li key={row.id} class={`${css['early']} tapRow`}>
            <StateWord state={row.state}>
              <Since at={row.sinceMs} />
            </StateWord>
            <a class={css['name']} href={`/devices/${row.id}`}>
              <bdi>{row.name}</bdi>
            </a>
          </li>
        ))}
      </ul>
      {facts.down > Math.min(maxRows, causes.length) && (
        <p class="hint">
          <a class="link" href="/devices?q=status:down">
            {andMore(facts.down - Math.min(maxRows, causes.length))}
          </a>
        </p>
      )}
    </div>
  );
}
