import path from 'node:path';

/** The folder into which `npm run build` writes the page. */
export const builtPage = path.resolve(import.meta.dirname, '../../../dashboard/dist');
