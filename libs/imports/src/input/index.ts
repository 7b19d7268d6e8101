export { readText, unreadable } from './text-file.ts';
export { parseYamlDocument } from './yaml-document.ts';
