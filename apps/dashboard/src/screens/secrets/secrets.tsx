import { briefly } from '../../model/format.ts';
import { AccountWideScreen, SettingList, SettingRow } from '../../parts/setting-list.tsx';
import { useRead } from '../../parts/use-read.ts';
import { api, take } from '../../store/api.ts';
import { minute, secondsSince } from '../../store/clock.ts';
import { SecretDialog } from './secret-dialog.tsx';
import { secretTexts as say } from './secret-texts.ts';

const ageOf = (at: string) => briefly(secondsSince(Date.parse(at)));

function Secrets() {
  const read = useRead(() => take(api.GET('/secrets')), [], [minute.value]);
  return (
    <SettingList
      kind="secrets"
      say={say}
      read={read}
      list={(secrets, open) => (
        <ul>
          {secrets.map((secret) => (
            <SettingRow
              key={secret.secret_id}
              name={secret.Name}
              label={secret.Name}
              more={<code>{say.reference(secret.Name)}</code>}
              state={<span class="mute">{say.changed(ageOf(secret.UpdatedAt))}</span>}
              onChange={() => open(secret)}
            />
          ))}
        </ul>
      )}
      dialog={(secret, close) => <SecretDialog secret={secret} onChanged={read.again} onClose={close} />}
    />
  );
}

/** The secrets of the account by name. Their values are never shown. */
export function SecretsScreen() {
  return (
    <AccountWideScreen say={say}>
      <Secrets />
    </AccountWideScreen>
  );
}
