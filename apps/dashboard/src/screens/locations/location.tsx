import { useState } from 'preact/hooks';
import { Heading } from '../../parts/heading.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { useRead } from '../../parts/use-read.ts';
import type { ScreenProps } from '../../screen-props.ts';
import { often } from '../../store/clock.ts';
import { mayWrite } from '../../store/credential.ts';
import { InviteDialog } from './invite-dialog.tsx';
import { LocationAgents, LocationEvents, LocationFacts } from './location-facts.tsx';
import { LocationForm } from './location-form.tsx';
import { locationTexts as say } from './location-texts.ts';
import css from './locations.module.css';
import { locationsTexts } from './locations-texts.ts';
import { readLocation, settingsRevision } from './opened-location.ts';

/** A Location: its state, its agents, what depends on it, and its settings. */
export function LocationScreen({ id }: ScreenProps) {
  const [isInviting, setInviting] = useState(false);
  const read = useRead(() => readLocation(id), [id], [often.value]);
  const { data: opened, again } = read;
  return (
    <div class="page">
      <p class={css['crumb']}>
        <a class="link" href="/locations">
          {say.back}
        </a>
      </p>
      <ReadState read={read} title={say.title} />
      {opened !== undefined && (
        <>
          <div class={css['head']}>
            <div>
              <Heading>
                <bdi>{opened.location.Name}</bdi>
              </Heading>
            </div>
            {mayWrite.value && (
              <button type="button" class="button main" onClick={() => setInviting(true)}>
                {locationsTexts.invite}
              </button>
            )}
          </div>
          <div class={css['columns']}>
            <div>
              <LocationFacts opened={opened} />
              <section class="section">
                <h2>{say.agents}</h2>
                <LocationAgents agents={opened.agents} />
              </section>
              <section class="section">
                <h2>{say.events}</h2>
                <LocationEvents events={opened.events} />
              </section>
            </div>
            {mayWrite.value ? (
              <section class="section">
                <h2>{say.settings}</h2>
                <LocationForm key={settingsRevision(opened.etag)} opened={opened} onSaved={again} />
              </section>
            ) : (
              <p class="hint">{locationsTexts.noRights}</p>
            )}
          </div>
          {isInviting && (
            <InviteDialog
              location={opened.location.Name}
              onClose={() => {
                setInviting(false);
                again();
              }}
            />
          )}
        </>
      )}
    </div>
  );
}
