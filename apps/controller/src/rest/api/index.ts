export { createHttpApi } from './api.ts';
export { builtPage, readSite } from './read-site.ts';
