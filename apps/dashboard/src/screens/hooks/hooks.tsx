import { useState } from 'preact/hooks';
import { briefly } from '../../model/format.ts';
import { Heading } from '../../parts/heading.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { CsvLink, SettingHead, SettingRow } from '../../parts/setting-list.tsx';
import { useRead } from '../../parts/use-read.ts';
import { api, take } from '../../store/api.ts';
import { minute, secondsSince } from '../../store/clock.ts';
import { mayWrite, session } from '../../store/credential.ts';
import { HookDialog } from './hook-dialog.tsx';
import type { Hook } from './hook-draft.ts';
import { hookTexts as say } from './hook-texts.ts';

const ageOf = (at: string) => briefly(secondsSince(Date.parse(at)));

function eventWords({ Events, Tag }: Hook): string {
  const events = Events === null ? say.all : say.some(Events);
  return Tag === null ? events : say.of(events, Tag.Name);
}

/** The state of the deliveries: since when they fail, or when the last one was accepted. */
function DeliveryState({ hook }: { readonly hook: Hook }) {
  const { FailingSince, LastDelivered, LastAnswer, GivenUp } = hook;
  return (
    <>
      {FailingSince !== null ? (
        <p class="bad">
          <Icon name="Failed" /> {say.failing(ageOf(FailingSince))}
        </p>
      ) : (
        <p>
          {LastDelivered === null ? (
            <span class="mute">{say.never}</span>
          ) : (
            <>
              <Icon name="Delivered" /> {say.delivered(ageOf(LastDelivered))}
            </>
          )}
        </p>
      )}
      {FailingSince !== null && LastAnswer !== null && <p class="mute">{say.answer(LastAnswer)}</p>}
      {GivenUp > 0 && <p class="bad">{say.givenUp(GivenUp)}</p>}
    </>
  );
}

function HookList({
  hooks,
  onChange,
}: {
  readonly hooks: readonly Hook[];
  readonly onChange: (hook: Hook) => void;
}) {
  return (
    <ul>
      {hooks.map((hook) => (
        <SettingRow
          key={hook.hook_id}
          name={<bdi>{hook.Name}</bdi>}
          more={
            <>
              <p>
                <bdi>{hook.Address}</bdi>
              </p>
              <p class="mute">{eventWords(hook)}</p>
            </>
          }
          state={<DeliveryState hook={hook} />}
        >
          {mayWrite.value && (
            <button
              type="button"
              class="button"
              aria-label={say.changeOf(hook.Name)}
              onClick={() => onChange(hook)}
            >
              {say.change}
            </button>
          )}
        </SettingRow>
      ))}
    </ul>
  );
}

function Hooks() {
  const all = useRead(() => take(api.GET('/hooks')), [], [minute.value]);
  const [opened, setOpened] = useState<Hook | 'new'>();
  const { data } = all;
  return (
    <>
      <SettingHead title={data === undefined ? say.name : say.title(data.length)} about={say.about}>
        <CsvLink kind="hooks" words={say.csv} />
        {mayWrite.value && (
          <button type="button" class="button main" onClick={() => setOpened('new')}>
            {say.add}
          </button>
        )}
      </SettingHead>
      <ReadState read={all} />
      {data?.length === 0 && <p class="mute section">{say.none}</p>}
      {data !== undefined && <HookList hooks={data} onChange={setOpened} />}
      {opened !== undefined && (
        <HookDialog
          hook={opened === 'new' ? undefined : opened}
          onChanged={all.again}
          onClose={() => setOpened(undefined)}
        />
      )}
    </>
  );
}

/** All hooks with the events that they get, and how their deliveries go. */
export function HooksScreen() {
  const isLimited = session.value?.tags !== null;
  return (
    <div class="page">
      {isLimited ? (
        <>
          <Heading>{say.name}</Heading>
          <p>{say.noRights}</p>
        </>
      ) : (
        <Hooks />
      )}
    </div>
  );
}
