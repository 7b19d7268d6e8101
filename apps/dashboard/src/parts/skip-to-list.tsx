import { listTexts } from '../texts/list-texts.ts';
import css from './skip-to-list.module.css';

/** The id of the element to which `SkipToList` leads. It has the tabindex -1. */
export const listId = 'list';

/** A link from the filters to the list below them, for the keyboard: it is seen when it has the focus. */
export function SkipToList() {
  return (
    <a class={`link ${css['skip']}`} href={`#${listId}`}>
      {listTexts.toList}
    </a>
  );
}
