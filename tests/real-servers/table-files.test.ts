import { testTable } from './table.ts';

testTable('files');
