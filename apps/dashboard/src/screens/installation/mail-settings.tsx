import type { Schemas } from '@vantage/client';
import { useState } from 'preact/hooks';
import { FormRefusal, SubmitButton } from '../../parts/form-end.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { KeptNotice, useDraft } from '../../parts/use-draft.tsx';
import { useSending } from '../../parts/use-sending.ts';
import { api, take } from '../../store/api.ts';
import { createDrafts } from '../../store/drafts.ts';
import { ifMatch, ifUnchanged } from '../../store/if-match.ts';
import type { ReadSettings } from '../../store/installation-settings.ts';
import css from './installation.module.css';
import { installationTexts as say } from './installation-texts.ts';
import { type MailDraft, mailDraft, mailServerBody, settingsBody } from './mail-draft.ts';
import { FromField, MailServerFields, PrivateField } from './mail-fields.tsx';
import { MailTestSteps } from './mail-test.tsx';

const shown = [
  'MailServer',
  'MailServer.Host',
  'MailServer.Port',
  'MailServer.User',
  'MailServer.Password',
  'MailFrom',
  'To',
];
const drafts = createDrafts<MailDraft>();

/** Names the variable that sets a field. */
function SetBy({ variable }: { readonly variable: string }) {
  return <p class="hint">{say.setBy(variable)}</p>;
}

/** The mail server in words, where the environment sets it. */
function FixedServer({ settings }: { readonly settings: Schemas['InstallationSettings'] }) {
  const { MailServer: server, SetBy: by } = settings;
  return (
    <div>
      <p>
        {say.server}: <bdi>{server === null ? '–' : `${server.Host}:${server.Port}`}</bdi>
      </p>
      {by.MailServer !== null && <SetBy variable={by.MailServer} />}
    </div>
  );
}

/** Sends a test e-mail with the fields as they are. */
function useMailTest(settings: Schemas['InstallationSettings']) {
  const sending = useSending();
  const [tested, setTested] = useState<Schemas['InstallationSettingsTested']>();
  const send = (event: Event, draft: MailDraft, To: string) =>
    sending.send(event, async () => {
      setTested(undefined);
      const server = settings.SetBy.MailServer === null ? mailServerBody(draft) : null;
      const from = settings.SetBy.MailFrom === null ? draft.from.trim() : '';
      const body = {
        To,
        ...(server === null ? {} : { MailServer: server }),
        ...(from === '' ? {} : { MailFrom: from }),
      };
      setTested(await take(api.POST('/installation/settings/test', { body })));
    });
  return { sending, tested, send, forget: () => setTested(undefined) };
}

/** The form of the mail server and of private webhooks, with a test e-mail. */
export function MailSettings({
  read,
  onSaved,
  isOnlyMail = false,
}: {
  readonly read: ReadSettings;
  readonly onSaved: () => void;
  /** Without the field for webhooks. */
  readonly isOnlyMail?: boolean;
}) {
  const { settings, etag } = read;
  const form = useDraft(drafts, 'mail', mailDraft(settings));
  const { draft } = form;
  const [to, setTo] = useState('');
  const [isSaved, setSaved] = useState(false);
  const saving = useSending();
  const test = useMailTest(settings);
  const set = (change: Partial<MailDraft>) => {
    setSaved(false);
    form.set(change);
  };
  const problemOf = (field: string) => saving.problemOf(field) ?? test.sending.problemOf(field);
  const fields = { draft, set, problemOf };
  const submit = (event: Event) =>
    saving.send(event, async () => {
      const params = { header: ifMatch(etag) };
      const body = settingsBody(draft, settings);
      const stored = await ifUnchanged(
        () => take(api.PUT('/installation/settings', { params, body })),
        say.conflict,
      );
      form.saved(mailDraft(stored));
      setSaved(true);
      onSaved();
    });
  const isFixed = settings.SetBy.MailServer !== null;
  return (
    <form class={css['form']} onSubmit={(event) => void submit(event)} noValidate>
      <KeptNotice form={form} />
      {isFixed ? <FixedServer settings={settings} /> : <MailServerFields {...fields} />}
      <div class={css['pair']}>
        {settings.SetBy.MailFrom === null ? (
          <FromField {...fields} />
        ) : (
          <div>
            <p>
              {say.from}: <bdi>{settings.MailFrom}</bdi>
            </p>
            <SetBy variable={settings.SetBy.MailFrom} />
          </div>
        )}
        <LineField name={say.to} value={to} problem={test.sending.problemOf('To')} onInput={setTo} />
      </div>
      {!isOnlyMail &&
        (settings.SetBy.PrivateWebhooks === null ? (
          <PrivateField {...fields} />
        ) : (
          <div>
            <p>
              {say.private}: {settings.PrivateWebhooks ? say.yes : say.no}
            </p>
            <SetBy variable={settings.SetBy.PrivateWebhooks} />
          </div>
        ))}
      {test.tested !== undefined && <MailTestSteps tested={test.tested} />}
      <FormRefusal words={saving.words(shown) ?? test.sending.words(shown)} />
      <div class="buttons">
        <SubmitButton isOff={saving.isBusy}>{say.save}</SubmitButton>
        <button
          type="button"
          class="button"
          disabled={test.sending.isBusy || to.trim() === ''}
          onClick={(event) => void test.send(event, draft, to.trim())}
        >
          {test.sending.isBusy ? say.testing : test.tested === undefined ? say.test : say.testAgain}
        </button>
        <span role="status">{isSaved ? say.saved : ''}</span>
      </div>
    </form>
  );
}
