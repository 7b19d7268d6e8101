import type { Schemas } from '@vantage/client';
import { useState } from 'preact/hooks';
import { briefly } from '../../model/format.ts';
import { Heading } from '../../parts/heading.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { CsvLink, SettingHead, SettingRow } from '../../parts/setting-list.tsx';
import { useRead } from '../../parts/use-read.ts';
import { api, take } from '../../store/api.ts';
import { minute, secondsSince } from '../../store/clock.ts';
import { mayWrite, session } from '../../store/credential.ts';
import { SecretDialog } from './secret-dialog.tsx';
import { secretTexts as say } from './secret-texts.ts';

type Secret = Schemas['Secret'];

function SecretList({
  secrets,
  onChange,
}: {
  readonly secrets: readonly Secret[];
  readonly onChange: (secret: Secret) => void;
}) {
  return (
    <ul>
      {secrets.map((secret) => (
        <SettingRow
          key={secret.secret_id}
          name={secret.Name}
          more={<code>{say.reference(secret.Name)}</code>}
          state={<span class="mute">{say.changed(briefly(secondsSince(Date.parse(secret.UpdatedAt))))}</span>}
        >
          {mayWrite.value && (
            <button
              type="button"
              class="button"
              aria-label={say.changeOf(secret.Name)}
              onClick={() => onChange(secret)}
            >
              {say.change}
            </button>
          )}
        </SettingRow>
      ))}
    </ul>
  );
}

function Secrets() {
  const all = useRead(() => take(api.GET('/secrets')), [], [minute.value]);
  const [opened, setOpened] = useState<Secret | 'new'>();
  const { data } = all;
  return (
    <>
      <SettingHead title={data === undefined ? say.name : say.title(data.length)} about={say.about}>
        <CsvLink kind="secrets" words={say.csv} />
        {mayWrite.value && (
          <button type="button" class="button main" onClick={() => setOpened('new')}>
            {say.add}
          </button>
        )}
      </SettingHead>
      <ReadState read={all} />
      {data?.length === 0 && <p class="mute section">{say.none}</p>}
      {data !== undefined && <SecretList secrets={data} onChange={setOpened} />}
      {opened !== undefined && (
        <SecretDialog
          secret={opened === 'new' ? undefined : opened}
          onChanged={all.again}
          onClose={() => setOpened(undefined)}
        />
      )}
    </>
  );
}

/** The secrets of the account by name. Their values are never shown. */
export function SecretsScreen() {
  const isLimited = session.value?.tags !== null;
  return (
    <div class="page">
      {isLimited ? (
        <>
          <Heading>{say.name}</Heading>
          <p>{say.noRights}</p>
        </>
      ) : (
        <Secrets />
      )}
    </div>
  );
}
