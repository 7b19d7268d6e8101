export {
  createDiskWatch,
  type DiskSpace,
  type DiskWatch,
  judgeRoom,
  type Room,
  readSpace,
  roomNeeds,
  roomProblem,
} from './disk-space.ts';
export { type KeptFiles, keepFiles } from './kept-files.ts';
export {
  diskRemedy,
  isDiskRefusal,
  isReadOnly,
  makeFile,
  removeIfAllowed,
  replaceFile,
  replaceFileSync,
  syncFolder,
  writeWhole,
} from './replace-file.ts';
