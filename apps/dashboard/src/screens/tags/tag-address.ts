import { withField } from '../../model/filter-text.ts';

/** The address of the list of the devices with a tag. */
export const listOf = (tag: string) => `/devices?q=${encodeURIComponent(withField('', 'tag', tag))}`;
