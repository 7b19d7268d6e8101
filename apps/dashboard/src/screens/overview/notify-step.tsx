import type { Schemas } from '@vantage/client';
import { useState } from 'preact/hooks';
import { FormRefusal, SubmitButton } from '../../parts/form-end.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { useRead } from '../../parts/use-read.ts';
import { useSending } from '../../parts/use-sending.ts';
import { api, take } from '../../store/api.ts';
import { notifyOfAll, readEverybody } from '../../store/everybody-schedule.ts';
import { readInstallationSettings } from '../../store/installation-settings.ts';
import css from './checklist.module.css';
import { checklistTexts } from './checklist-texts.ts';

const say = checklistTexts.notify;
const shown = ['Address', 'Name'];

/** The contact with this address. An earlier attempt may have made it. */
async function contactOf(Address: string): Promise<string> {
  const contacts = await take(api.GET('/contacts'));
  const known = contacts.find((contact) => contact.Type === 'email' && contact.Address === Address);
  if (known !== undefined) return known.contact_id;
  return (await take(api.POST('/contacts', { body: { Type: 'email', Name: Address, Address } }))).contact_id;
}

/** The settings of the mail server, and their form, which the first load does not have. */
async function readMailForm() {
  const [settings, { MailSettings }] = await Promise.all([
    readInstallationSettings(),
    import('../installation/mail-settings.tsx'),
  ]);
  return settings === undefined ? undefined : { settings, MailSettings };
}

/** Has an address notified of every alert, and sends it a test message. */
function AddressForm({ onChanged }: { readonly onChanged: () => void }) {
  const [address, setAddress] = useState('');
  const [tested, setTested] = useState<Schemas['ContactTest']>();
  const [isTaken, setTaken] = useState(false);
  const sending = useSending();
  const submit = (event: Event) =>
    sending.send(event, async () => {
      const contact_id = await contactOf(address.trim());
      const hasOther = (await readEverybody()) === null;
      setTaken(hasOther);
      if (!hasOther) await notifyOfAll(contact_id);
      setTested(await take(api.POST('/contacts/{contact_id}/test', { params: { path: { contact_id } } })));
      onChanged();
    });
  return (
    <form class={css['form']} onSubmit={(event) => void submit(event)} noValidate>
      <LineField
        name={say.email}
        value={address}
        problem={sending.problemOf('Address') ?? sending.problemOf('Name')}
        hint={say.emailHint}
        isFirst
        onInput={setAddress}
      />
      <FormRefusal words={sending.words(shown)} />
      <div class="buttons">
        <SubmitButton isOff={sending.isBusy || address.trim() === ''}>{say.add}</SubmitButton>
        <a class="button" href="/schedules/contacts/new">
          {say.others}
        </a>
      </div>
      <div role="status">
        {isTaken && <p>{say.taken}</p>}
        {tested !== undefined && (
          <p class={tested.Delivered ? undefined : 'bad'}>
            {tested.Delivered ? say.sent : say.notSent} <bdi>{tested.Answer}</bdi>
          </p>
        )}
      </div>
    </form>
  );
}

/** Chooses who is notified: by e-mail, with the mail server before it, or by another way. */
export function NotifyStep({
  hasMailServer,
  onChanged,
}: {
  readonly hasMailServer: boolean | undefined;
  readonly onChanged: () => void;
}) {
  const needsServer = hasMailServer === false;
  const read = useRead(async () => (needsServer ? readMailForm() : undefined), [needsServer]);
  return (
    <div class={css['opened']}>
      {needsServer ? (
        <>
          <p>{say.serverFirst}</p>
          <ReadState read={read} rows={4} />
          {read.data !== undefined && (
            <read.data.MailSettings read={read.data.settings} isOnlyMail onSaved={onChanged} />
          )}
          <p class="hint">
            <a class="link" href="/schedules/contacts/new">
              {say.others}
            </a>{' '}
            {say.otherHint}
          </p>
        </>
      ) : (
        <>
          <AddressForm onChanged={onChanged} />
          {hasMailServer === undefined && <p class="hint">{say.noServer}</p>}
        </>
      )}
    </div>
  );
}
