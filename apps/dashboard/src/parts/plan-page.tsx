import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { mayWrite } from '../store/credential.ts';
import { planTexts } from '../texts/plan-texts.ts';
import { Heading } from './heading.tsx';
import { PlanTabs } from './plan-tabs.tsx';
import { ReadState } from './read-state.tsx';
import { useRead } from './use-read.ts';

/** The page of a schedule or contact: read, refused, failed or shown. A new one has the id `new`. */
export function PlanPage<Opened extends { readonly etag: string | undefined }>({
  id,
  title,
  addTitle,
  read,
  children,
}: {
  readonly id: string;
  /** The heading while the page cannot be shown. */
  readonly title: string;
  readonly addTitle: string;
  readonly read: (id: string) => Promise<Opened>;
  /** `key` changes after each change, so that the form starts again. */
  readonly children: (opened: Opened, again: () => void, key: string) => ComponentChildren;
}) {
  const found = useRead(() => read(id), [id]);
  const { data, again } = found;
  // Decided once: a link may lead here, and a person who signs in again with fewer rights keeps the text.
  const [isAllowed] = useState(mayWrite.value || id !== 'new');
  return (
    <div class="page">
      <PlanTabs />
      {!isAllowed && (
        <>
          <Heading>{addTitle}</Heading>
          <p>{planTexts.noRights}</p>
        </>
      )}
      {isAllowed && <ReadState read={found} title={title} />}
      {isAllowed && data !== undefined && children(data, again, data.etag ?? id)}
    </div>
  );
}
