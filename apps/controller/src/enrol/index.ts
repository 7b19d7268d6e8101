export { openAuthorities } from './authorities.ts';
export { sealedAuthorities } from './authority-store.ts';
