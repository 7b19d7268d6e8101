import { useState } from 'preact/hooks';
import type { TagRow } from '../../model/tag-rows.ts';
import { DeviceLinks } from '../../parts/device-links.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { CancelButton, FormRefusal, SubmitButton } from '../../parts/form-end.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { RemoveButton } from '../../parts/remove-button.tsx';
import { settingTitle } from '../../parts/setting-list.tsx';
import { useRead } from '../../parts/use-read.ts';
import { useSending } from '../../parts/use-sending.ts';
import { readFacts } from '../../store/account-state.ts';
import { api, take, takeAnswer } from '../../store/api.ts';
import { ifMatch, ifUnchanged } from '../../store/if-match.ts';
import { listOf } from './tag-address.ts';
import { tagTexts } from './tag-texts.ts';
import css from './tags.module.css';

const say = tagTexts.form;
const maxMembers = 30;

interface DialogProps {
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

type Members = Awaited<ReturnType<typeof readTag>>['data']['Devices'];

const readTag = (tag_id: string) => takeAnswer(api.GET('/tags/{tag_id}', { params: { path: { tag_id } } }));

function MemberList({ name, members }: { readonly name: string; readonly members: Members }) {
  if (members.length === 0) return null;
  return (
    <section>
      <h3 class="label">{tagTexts.members}</h3>
      <DeviceLinks devices={members.slice(0, maxMembers)} />
      {members.length > maxMembers && (
        <a class="link" href={listOf(name)}>
          {tagTexts.all(members.length)}
        </a>
      )}
    </section>
  );
}

function NewTag({ onChanged, onClose }: DialogProps) {
  const [name, setName] = useState('');
  const sending = useSending();
  const submit = (event: Event) =>
    sending.send(event, async () => {
      await take(api.POST('/tags', { body: { Name: name.trim() } }));
      onChanged();
      onClose();
    });
  return (
    <form class={css['form']} onSubmit={(event) => void submit(event)} noValidate>
      <LineField
        name={say.name}
        value={name}
        problem={sending.problemOf('Name')}
        hint={say.newHint}
        isFirst
        onInput={setName}
      />
      <FormRefusal words={sending.words(['Name'])} />
      <div class="buttons">
        <SubmitButton isOff={sending.isBusy}>{say.create}</SubmitButton>
        <CancelButton onClose={onClose} />
      </div>
    </form>
  );
}

function TagForm({
  tag,
  etag,
  members,
  onChanged,
  onClose,
}: DialogProps & { readonly tag: TagRow; readonly etag: string | undefined; readonly members: Members }) {
  const [name, setName] = useState(tag.name);
  const sending = useSending();
  const params = { path: { tag_id: tag.id }, header: ifMatch(etag) };
  const end = () => {
    onChanged();
    onClose();
    // The rows of the devices carry the names of their tags.
    void readFacts().catch(() => {});
  };
  const submit = (event: Event) =>
    sending.send(event, async () => {
      const body = { Name: name.trim() };
      await ifUnchanged(() => take(api.PUT('/tags/{tag_id}', { params, body })), say.conflict);
      end();
    });
  return (
    <form class={css['form']} onSubmit={(event) => void submit(event)} noValidate>
      <LineField
        name={say.name}
        value={name}
        problem={sending.problemOf('Name')}
        hint={say.hint}
        isFirst
        onInput={setName}
      />
      <FormRefusal words={sending.words(['Name'])} />
      <MemberList name={tag.name} members={members} />
      <div class="buttons">
        <SubmitButton isOff={sending.isBusy}>{say.save}</SubmitButton>
        <CancelButton onClose={onClose} />
        <RemoveButton
          words={tagTexts.remove}
          ask={tagTexts.removeAsk(tag.name, members.length)}
          remove={async () =>
            void (await ifUnchanged(() => take(api.DELETE('/tags/{tag_id}', { params })), say.conflict))
          }
          onRemoved={end}
        />
      </div>
    </form>
  );
}

function OpenedTag(props: DialogProps & { readonly tag: TagRow }) {
  const read = useRead(() => readTag(props.tag.id), [props.tag.id]);
  const { data } = read;
  return (
    <>
      <ReadState read={read} />
      {data !== undefined && <TagForm {...props} etag={data.etag} members={data.data.Devices} />}
    </>
  );
}

/** Adds a tag, or renames and deletes one. */
export function TagDialog({ tag, ...props }: DialogProps & { readonly tag: TagRow | undefined }) {
  return (
    <Dialog title={settingTitle(tagTexts.add, tag?.name)} onClose={props.onClose} isWide>
      {tag === undefined ? <NewTag {...props} /> : <OpenedTag {...props} tag={tag} />}
    </Dialog>
  );
}
