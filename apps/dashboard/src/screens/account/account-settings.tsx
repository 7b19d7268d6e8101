import type { Schemas } from '@vantage/client';
import { useId, useState } from 'preact/hooks';
import { readWarningDays, warningDaysText } from '../../model/warning-days.ts';
import { FormRefusal, SubmitButton } from '../../parts/form-end.tsx';
import { FormField } from '../../parts/form-field.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { Chips, SearchChoice } from '../../parts/search-choice.tsx';
import { SelectField } from '../../parts/select-field.tsx';
import { KeptNotice, useDraft } from '../../parts/use-draft.tsx';
import { useSending } from '../../parts/use-sending.ts';
import { locations, readLists } from '../../store/account-state.ts';
import { api, take } from '../../store/api.ts';
import { showZone } from '../../store/clock.ts';
import { mayWrite, session } from '../../store/credential.ts';
import { createDrafts } from '../../store/drafts.ts';
import { formTexts } from '../../texts/form-texts.ts';
import css from './account.module.css';
import { accountTexts as say } from './account-texts.ts';

type Account = Schemas['Account'];
const shown = ['Timezone', 'DefaultLocations', 'ExpiryWarningDays'];

/** The settings that only the operator changes. */
function FixedSettings({ account }: { readonly account: Account }) {
  return (
    <dl class={css['facts']}>
      <div>
        <dt>{say.name}</dt>
        <dd>
          <bdi>{account.Name}</bdi>
        </dd>
      </div>
      <div>
        <dt>{say.retention}</dt>
        <dd title={say.retentionHint}>{say.days(account.RetentionDays)}</dd>
      </div>
    </dl>
  );
}

interface AccountDraft {
  readonly zone: string;
  /** Null: the Location named local. */
  readonly locations: readonly string[] | null;
  readonly schedule: string;
  readonly expiryDays: string;
}

function bodyOf({ zone, locations, schedule, expiryDays }: AccountDraft) {
  return {
    Timezone: zone.trim(),
    DefaultLocations: locations === null ? null : [...locations],
    nschedule_id: schedule === '' ? null : schedule,
    // A text that is no list goes as it is: the API says what it accepts.
    ExpiryWarningDays: readWarningDays(expiryDays) as number[] | null,
  };
}

/** The Locations of devices that name none. */
function DefaultLocations({
  chosen,
  problem,
  onChoose,
}: {
  readonly chosen: AccountDraft['locations'];
  readonly problem: string | undefined;
  readonly onChoose: (chosen: AccountDraft['locations']) => void;
}) {
  const names = chosen ?? [];
  const choose = (next: readonly string[]) => onChoose(next.length === 0 ? null : next);
  const remove = (name: string) => choose(names.filter((each) => each !== name));
  const hint = chosen?.length === 0 ? say.defaultsNone : say.defaultsHint;
  return (
    <FormField name={say.defaults} problem={problem} hint={hint}>
      {(id, hintId) => (
        <>
          <Chips chosen={names.map((name) => ({ id: name, words: name }))} onRemove={remove} />
          <SearchChoice
            field={{ id, 'aria-describedby': hintId, 'aria-invalid': problem !== undefined }}
            placeholder={formTexts.search.findLocation}
            options={locations.value
              .filter(({ Name }) => !names.includes(Name))
              .map(({ Name }) => ({ id: Name, words: Name }))}
            onPick={(name) => choose([...names, name])}
            onRemoveLast={() => choose(names.slice(0, -1))}
          />
        </>
      )}
    </FormField>
  );
}

const drafts = createDrafts<AccountDraft>();

function AccountForm({
  account,
  schedules,
}: {
  readonly account: Account;
  readonly schedules: readonly Schemas['NotificationSchedule'][];
}) {
  const form = useDraft(drafts, 'account', {
    zone: account.Timezone,
    locations: account.DefaultLocations,
    schedule: account.nschedule_id ?? '',
    expiryDays: warningDaysText(account.ExpiryWarningDays),
  });
  const { draft } = form;
  const [isSaved, setSaved] = useState(false);
  const sending = useSending();
  const zoneList = useId();
  const set = (change: Partial<AccountDraft>) => {
    setSaved(false);
    form.set(change);
  };
  const submit = (event: Event) =>
    sending.send(event, async () => {
      showZone((await take(api.PUT('/account', { body: bodyOf(draft) }))).Timezone);
      form.saved();
      setSaved(true);
      // The API writes times in the zone of the account, so the shown ones are in the previous zone.
      await readLists();
    });
  return (
    <form class={css['form']} onSubmit={(event) => void submit(event)} noValidate>
      <KeptNotice form={form} />
      <LineField
        name={say.zone}
        value={draft.zone}
        problem={sending.problemOf('Timezone')}
        hint={say.zoneHint}
        list={zoneList}
        onInput={(zone) => set({ zone })}
      />
      <datalist id={zoneList}>
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <DefaultLocations
        chosen={draft.locations}
        problem={sending.problemOf('DefaultLocations')}
        onChoose={(locations) => set({ locations })}
      />
      <SelectField
        name={say.schedule}
        problem={undefined}
        value={draft.schedule}
        choices={[
          ['', say.noSchedule] as const,
          ...schedules.map(({ nschedule_id, Name }) => [nschedule_id, Name] as const),
        ]}
        onChoose={(schedule) => set({ schedule })}
      />
      <LineField
        name={say.expiryDays}
        value={draft.expiryDays}
        problem={sending.problemOf('ExpiryWarningDays')}
        hint={say.expiryDaysHint}
        onInput={(expiryDays) => set({ expiryDays })}
      />
      <FormRefusal words={sending.words(shown)} />
      <div class="buttons">
        <SubmitButton isOff={sending.isBusy}>{say.save}</SubmitButton>
        <span role="status">{isSaved ? say.saved : ''}</span>
      </div>
    </form>
  );
}

/** The settings of the account. A key or person that can only view sees the zone. */
export function AccountSettings(props: Parameters<typeof AccountForm>[0]) {
  return (
    <section class="section" aria-labelledby="settings">
      <h2 id="settings">{say.settings}</h2>
      <FixedSettings account={props.account} />
      {mayWrite.value ? (
        <AccountForm key={session.value?.name} {...props} />
      ) : (
        <p>
          {say.zone}: {props.account.Timezone}
        </p>
      )}
    </section>
  );
}
