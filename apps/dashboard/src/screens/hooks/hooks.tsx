import { briefly } from '../../model/format.ts';
import { Icon } from '../../parts/icon.tsx';
import { AccountWideScreen, SettingList, SettingRow } from '../../parts/setting-list.tsx';
import { useRead } from '../../parts/use-read.ts';
import { api, take } from '../../store/api.ts';
import { minute, secondsSince } from '../../store/clock.ts';
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

function Hooks() {
  const read = useRead(() => take(api.GET('/hooks')), [], [minute.value]);
  return (
    <SettingList
      kind="hooks"
      say={say}
      read={read}
      list={(hooks, open) => (
        <ul>
          {hooks.map((hook) => (
            <SettingRow
              key={hook.hook_id}
              name={hook.Name}
              label={<bdi>{hook.Name}</bdi>}
              more={
                <>
                  <p>
                    <bdi>{hook.Address}</bdi>
                  </p>
                  <p class="mute">{eventWords(hook)}</p>
                </>
              }
              state={<DeliveryState hook={hook} />}
              onChange={() => open(hook)}
            />
          ))}
        </ul>
      )}
      dialog={(hook, close) => <HookDialog hook={hook} onChanged={read.again} onClose={close} />}
    />
  );
}

/** All hooks with the events that they get, and the state of their deliveries. */
export function HooksScreen() {
  return (
    <AccountWideScreen say={say}>
      <Hooks />
    </AccountWideScreen>
  );
}
