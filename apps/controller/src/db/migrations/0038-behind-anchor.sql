-- Whether the check failed behind a silent anchor of its Location; null: no. The null bitmap of a row has room for it.
alter table checks add column behind_anchor boolean null;
